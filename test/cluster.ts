import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { silentLog } from '../server/infra/log.ts';
import { migrateUp } from '../server/infra/migrate.ts';
import { dataFolder } from './dataFolder.ts';
import { startPostgres, stopAbandoned, type EmbeddedPostgres } from '../server/infra/postgres/postgres.ts';

/** A PostgreSQL for one test run, with a migrated template that test files clone. */
export interface Cluster {
  adminUrl: string;
  /** The prefix of this run's databases. */
  prefix: string;
  stop(): Promise<void>;
}

const folderPrefix = 'baton-test-';
const young = 600_000;

/** Test data need not survive a crash. */
const forgetful = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_connections: '300',
};

export async function startCluster(): Promise<Cluster> {
  const given = process.env.DATABASE_URL;
  let server: EmbeddedPostgres | undefined;
  if (!given) {
    await removeAbandonedFolders();
    server = await startPostgres({
      folder: mkdtempSync(join(dataFolder(), folderPrefix)),
      log: silentLog,
      sync: false,
      settings: forgetful,
    });
  }
  const adminUrl = given ?? server!.url;
  const run = randomBytes(3).readUIntBE(0, 3);
  const prefix = `baton_test_${run}_`;
  const admin = new pg.Client({ connectionString: adminUrl, application_name: 'baton tests' });
  await admin.connect();
  // Held for the whole run: other runs detect abandoned databases by it.
  await admin.query('SELECT pg_advisory_lock(4244003, $1)', [run]);
  await dropAbandonedDatabases(admin);
  await admin.query(`CREATE DATABASE ${prefix}template`);
  await migrateUp(withDatabase(adminUrl, `${prefix}template`));
  return {
    adminUrl,
    prefix,
    async stop() {
      await dropDatabases(admin, run);
      await admin.end();
      if (!server) return;
      await server.stop();
      await rm(server.base, { recursive: true, force: true });
    },
  };
}

export function withDatabase(url: string, name: string): string {
  // The URL class rejects the empty host of a socket URL.
  return url.replace(/^(postgres(?:ql)?:\/\/[^/]*)\/[^?]*/, `$1/${name}`);
}

async function dropAbandonedDatabases(admin: pg.Client): Promise<void> {
  const { rows } = await admin.query<{ run: number }>(
    `SELECT DISTINCT substring(datname FROM '^baton_test_([0-9]+)_')::int AS run FROM pg_database WHERE datname ~ '^baton_test_[0-9]+_'`,
  );
  for (const { run } of rows) {
    const { rows: locks } = await admin.query<{ free: boolean }>('SELECT pg_try_advisory_lock(4244003, $1) AS free', [
      run,
    ]);
    if (!locks[0]?.free) continue;
    await dropDatabases(admin, run);
    await admin.query('SELECT pg_advisory_unlock(4244003, $1)', [run]);
  }
}

async function dropDatabases(admin: pg.Client, run: number): Promise<void> {
  const { rows } = await admin.query<{ name: string }>(
    'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)',
    [`baton_test_${run}_`],
  );
  for (const { name } of rows) await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

/** Removes folders of killed runs and stops their PostgreSQL. */
async function removeAbandonedFolders(): Promise<void> {
  for (const folder of new Set([dataFolder(), tmpdir()])) await removeAbandonedIn(folder);
}

async function removeAbandonedIn(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(folderPrefix)) continue;
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    // A recent one may belong to a run that is starting; another user's is skipped.
    if (!found || Date.now() - found.ctimeMs < young) continue;
    if (await stopAbandoned(path).catch(() => false)) await rm(path, { recursive: true, force: true });
  }
}
