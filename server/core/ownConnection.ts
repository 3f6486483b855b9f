import type { Pool, PoolClient } from 'pg';

/**
 * Runs work on a connection of its own. When it throws, its transaction is rolled back; a connection that broke is closed, and
 * PostgreSQL then rolls back.
 */
export async function onOwnConnection<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // A connection lost between two statements emits 'error'; without a listener the process would exit.
  const onLost = (error: Error): void => void (broken = error);
  client.on('error', onLost);
  try {
    return await work(client);
  } catch (error) {
    await client.query('ROLLBACK').catch((rollbackError: unknown) => (broken = rollbackError as Error));
    throw error;
  } finally {
    client.off('error', onLost);
    client.release(broken);
  }
}
