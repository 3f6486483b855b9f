import { commandLine } from '../../core/place.ts';
import { StartError } from '../../core/startError.ts';
import { Client } from '../../infra/postgres/client.ts';

/**
 * Invalidates every cursor. A restored database reuses numbers that clients have seen, and an old cursor would skip new
 * events. Running servers keep the old key until they restart.
 */
export async function renewCursors(url: string): Promise<void> {
  const client = new Client({ connectionString: url, application_name: 'baton migrate' });
  await client.connect();
  try {
    await client.query(
      `UPDATE database_identity SET id = gen_random_uuid(), cursor_key = sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'))`,
    );
  } catch (error) {
    if ((error as { code?: string }).code !== '42P01') throw error;
    throw new StartError(`This database has no cursors yet: run ${commandLine('migrate')} first`);
  } finally {
    await client.end();
  }
}
