import pg from 'pg';
import type { TestDatabase } from './database.ts';

/**
 * Makes the database's clock movable: a `clock_timestamp()` earlier on the search path replaces PostgreSQL's own. Call it
 * before anything else connects.
 */
export async function movableClock({
  url,
  name,
  pool,
}: TestDatabase): Promise<{ move(interval: string): Promise<void> }> {
  const client = new pg.Client({ connectionString: url, application_name: 'baton tests' });
  await client.connect();
  try {
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
