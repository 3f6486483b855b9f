import pg from 'pg';
import { StartError } from '../infra/startError.ts';

/**
 * Makes every cursor that was ever given out worthless: a database that was restored gives numbers again that clients have
 * seen, and they must not take new events for old ones. Servers that run keep the old key until they are started again.
 */
export async function renewCursors(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'baton migrate' });
  await client.connect();
  try {
    await client.query(
      `UPDATE database_identity SET id = gen_random_uuid(), cursor_key = sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'))`,
    );
  } catch (error) {
    if ((error as { code?: string }).code !== '42P01') throw error;
    throw new StartError('This database has no cursors yet: run npm run migrate first');
  } finally {
    await client.end();
  }
}
