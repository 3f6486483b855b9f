import { readFile } from 'node:fs/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { expect, test } from 'vitest';
import { readCatalog } from '../test/catalog.ts';
import { emptyDatabase } from '../test/database.ts';
import { loadRelease } from '../test/releases.ts';
import { migrateUp, migrationStatus, readMigrations, requireMigrated } from '../server/infra/migrate.ts';
import { filters, withSchemaEngine } from './schemaEngine.ts';

const migrations = await readMigrations();
const names = migrations.map(({ name }) => name);

/** What `prisma migrate deploy` does: Prisma's own engine with the migrations that it is given. Returns those that it applied. */
async function deploy(url: string, count = names.length): Promise<string[]> {
  const migrationsList = {
    baseDir: 'prisma/migrations',
    lockfile: { path: 'migration_lock.toml', content: await readFile('prisma/migrations/migration_lock.toml', 'utf8') },
    shadowDbInitScript: '',
    migrationDirectories: migrations.slice(0, count).map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value: sql } },
    })),
  };
  return withSchemaEngine(
    url,
    async (engine) => (await engine.applyMigrations({ migrationsList, filters })).appliedMigrationNames,
    WholeScripts,
  );
}

/** The adapter for WebAssembly splits a script at every `;`, which breaks functions. The engine's binary does not. */
class WholeScripts extends PrismaPg {
  override async connect() {
    const adapter = await super.connect();
    adapter.executeScript = async (script) => void (await adapter.underlyingDriver().query(script));
    return adapter;
  }
}

async function query(url: string, text: string): Promise<pg.QueryResultRow[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client
    .query<pg.QueryResultRow>(text)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

/** What the record says, but ids and times. */
const record = (url: string) =>
  query(
    url,
    `SELECT migration_name, checksum, length(id) AS id, logs, applied_steps_count, rolled_back_at, finished_at >= started_at AS finished
     FROM _prisma_migrations ORDER BY migration_name`,
  );
const columns = (url: string) =>
  query(
    url,
    `SELECT attname, format_type(atttypid, atttypmod) AS type, attnotnull, pg_get_expr(adbin, adrelid) AS value
     FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
     WHERE attrelid = '_prisma_migrations'::regclass AND attnum > 0 ORDER BY attnum`,
  );
const lines = async (url: string) => (await readCatalog(url)).map(({ line }) => line);

test("Prisma's engine and migrateUp build the same tables and records, and each finds nothing left after the other", async () => {
  const [ours, theirs] = [await emptyDatabase(), await emptyDatabase()];
  expect(await migrateUp(ours.url)).toEqual(names);
  expect(await deploy(theirs.url)).toEqual(names);

  expect(await record(ours.url)).toEqual(await record(theirs.url));
  expect(await columns(ours.url)).toEqual(await columns(theirs.url));
  expect(await lines(ours.url)).toEqual(await lines(theirs.url));
  expect(await deploy(ours.url)).toEqual([]);
  expect(await migrateUp(theirs.url)).toEqual([]);
  await requireMigrated(theirs.url);
  expect(await migrationStatus(theirs.url)).toEqual({ applied: names, missing: [], unknown: [], edited: [] });
});

test('migrateUp continues a database that Prisma migrated in part', async () => {
  const { url } = await emptyDatabase();
  const some = names.length - 1;
  expect(await deploy(url, some)).toEqual(names.slice(0, some));
  expect(await migrateUp(url)).toEqual(names.slice(some));
  expect(await deploy(url)).toEqual([]);
});

test('migrateUp repeats a migration that Prisma did not finish, and Prisma continues after it', async () => {
  const { url } = await emptyDatabase();
  await deploy(url, 0);
  await query(
    url,
    `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES (gen_random_uuid(), 'x', '${names[0]}')`,
  );
  await expect(deploy(url)).rejects.toThrow();
  expect(await migrateUp(url)).toEqual(names);
  expect(await deploy(url)).toEqual([]);
});

test('Prisma finds nothing left in a database that was upgraded', async () => {
  const { url } = await emptyDatabase();
  await loadRelease(url, '2026-11-27');
  await migrateUp(url);
  expect(await deploy(url)).toEqual([]);
});

test('migrateUp waits while Prisma holds its lock', async () => {
  const { url } = await emptyDatabase();
  const prisma = new pg.Client({ connectionString: url });
  await prisma.connect();
  await prisma.query('SELECT pg_advisory_lock(72707369)');
  const migrating = migrateUp(url);
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`;
  await expect.poll(async () => (await prisma.query(waiting)).rowCount).toBe(1);
  expect((await migrationStatus(url)).applied).toEqual([]);
  await prisma.end();
  expect(await migrating).toEqual(names);
});
