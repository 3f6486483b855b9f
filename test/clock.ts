import pg from 'pg';
import type { TestDatabase } from './database.ts';

/**
 * A database whose clock a test moves. It stands before PostgreSQL's own function on the search path, so everything that
 * asks for `clock_timestamp()` sees it. Call it before anything else connects.
 */
export async function movableClock({ url, name, pool }: TestDatabase): Promise<{ move(interval: string): Promise<void> }> {
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
  return { move: async (interval) => void (await pool.query('UPDATE moved_clock SET ahead = ahead + $1::interval', [interval])) };
}
