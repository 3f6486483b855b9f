import pg from 'pg';
import { atEnd, type TestDatabase } from './database.ts';

/** `false` for the refusal of PostgreSQL while a connection is open (55006, `object_in_use`); throws any other. */
function isInUse(error: unknown): false {
  if (error instanceof pg.DatabaseError && error.code === '55006') return false;
  throw error;
}

/** Copies of a test database, as of a moment, that may take its place: a restored back-up, or a standby that lacked commits. */
export function goingBack({ name, adminUrl, pool }: Pick<TestDatabase, 'name' | 'adminUrl' | 'pool'>) {
  const admin = new pg.Client({ connectionString: adminUrl });
  const connected = admin.connect();
  const copy = `${name}_copy`;
  atEnd(async () => {
    await admin.query(`DROP DATABASE IF EXISTS ${copy}`);
    await admin.end();
  });

  /** Cuts every connection to the database, and lets no other in while `act` runs. */
  async function alone(act: () => Promise<void>): Promise<void> {
    await connected;
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    // A connection that was being made meanwhile appears only after the others are cut, and refuses the act.
    let acted = false;
    while (!acted) {
      await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
      acted = await act().then(() => true, isInUse);
    }
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    // The pool may still hold a connection that was cut.
    while (!(await pool.query('SELECT').catch(() => null)));
  }

  return {
    keep: () =>
      alone(async () => {
        await admin.query(`DROP DATABASE IF EXISTS ${copy}`);
        await admin.query(`CREATE DATABASE ${copy} TEMPLATE ${name} STRATEGY FILE_COPY`);
      }),
    /** What was committed after `keep` is gone. */
    goBack: () =>
      alone(async () => {
        await admin.query(`DROP DATABASE ${name}`);
        await admin.query(`ALTER DATABASE ${copy} RENAME TO ${name}`);
      }),
  };
}
