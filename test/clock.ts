import pg from 'pg';
import type { TestDatabase } from './database.ts';

/**
 * Makes the database's clock movable: a `clock_timestamp()` earlier on the search path replaces PostgreSQL's own.
 * @throws if anything else is connected: a connection keeps the search path it began with.
 */
export async function movableClock({
  url,
  name,
  pool,
}: TestDatabase): Promise<{ move(interval: string): Promise<void> }> {
  const client = new pg.Client({ connectionString: url, application_name: 'baton tests' });
  await client.connect();
  try {
    const { rows } = await client.query<{ query: string }>(
      `SELECT query FROM pg_stat_activity
       WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    );
    if (rows.length > 0) throw new Error(`Move the clock before anything connects: ${rows[0]!.query}`);
    await client.query(`CREATE TABLE moved_clock (ahead interval NOT NULL);
      INSERT INTO moved_clock VALUES ('0');
      CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
        'SELECT pg_catalog.clock_timestamp() + (SELECT ahead FROM public.moved_clock)';
      ALTER DATABASE ${name} SET search_path = public, pg_catalog`);
  } finally {
    await client.end();
  }
  return {
    move: async (interval) =>
      void (await pool.query('UPDATE moved_clock SET ahead = ahead + $1::interval', [interval])),
  };
}
