import pg from 'pg';
import { silentLog } from '../server/infra/log.ts';
import { migrateUp } from '../server/infra/migrate.ts';
import { type EmbeddedPostgres, startPostgres } from '../server/infra/postgres/postgres.ts';
import { atEnd } from './database.ts';
import { dataFolder } from './dataFolder.ts';
import { temporaryFolder } from './temporary.ts';

/** A migrated PostgreSQL for one test file, which may stop and start it; and a pool of the test's own. */
export async function ownPostgres() {
  const folder = temporaryFolder('baton-test', dataFolder());
  const start = (): Promise<EmbeddedPostgres> => startPostgres({ folder, log: silentLog, sync: false });
  let postgres = await start();
  atEnd(() => postgres.stop());
  await migrateUp(postgres.url);
  const pool = new pg.Pool({ connectionString: postgres.url, max: 4, application_name: 'this test' });
  pool.on('error', () => undefined);
  atEnd(() => pool.end());
  return {
    folder,
    url: postgres.url,
    base: postgres.base,
    pool,
    stop: () => postgres.stop(),
    startAgain: async (): Promise<void> => {
      postgres = await start();
    },
  };
}
