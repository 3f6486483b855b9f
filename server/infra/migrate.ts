import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import { foldedEnums } from './foldedEnums.ts';
import { packageFolder, commandLine } from '../core/place.ts';
import { isOutOfConnections } from './sharedPool.ts';
import { StartError } from '../core/startError.ts';
import { Client, explainConnection } from './postgres/client.ts';

const folder = join(packageFolder, 'prisma/migrations');
/** The steps of versions before the first migration: they lead an earlier database to the tables that it makes. */
const upgradeFolder = join(packageFolder, 'prisma/upgrade');
/** The advisory lock of `prisma migrate deploy`: one process migrates a database at a time, the others wait. */
const migrationLock = 72_707_369;
/** Wait for a free connection: running servers close one every few seconds. In milliseconds. */
const roomWithin = 10_000;
/** A role, or PgBouncer's connect_query, may set time limits for a server's statements. */
export const unhurried =
  'SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0';

/** Identical to Prisma's table, so that `prisma migrate deploy` and this command can be used in turn. */
const recordTable = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum VARCHAR(64) NOT NULL,
  finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL,
  logs TEXT,
  rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`;

export interface Migration {
  name: string;
  sql: string;
  /** Runs instead of `sql`. */
  instead?: string;
}

export interface Status {
  applied: string[];
  missing: string[];
  /** In the database, but not in this version's folder. */
  unknown: string[];
  /** Changed in the folder after they ran. */
  edited: string[];
}

export async function readMigrations(): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return Promise.all(
    names.sort().map(async (name) => ({ name, sql: await readFile(join(folder, name, 'migration.sql'), 'utf8') })),
  );
}

/** The steps from the first release to the first migration. They are only run on a database, or for a back-up, that began before it. */
export async function readUpgrade(): Promise<Migration[]> {
  const files = (await readdir(upgradeFolder)).sort();
  return Promise.all(
    files.map(async (file) => ({
      name: file.replace(/\.sql$/, ''),
      sql: await readFile(join(upgradeFolder, file), 'utf8'),
    })),
  );
}

/** The migrations of a database in which these are applied. After the upgrade its record begins with the first migration, like every other. */
async function wayOf(applied: readonly string[]): Promise<Migration[]> {
  const [[first, ...later], upgrade] = await Promise.all([readMigrations(), readUpgrade()]);
  const steps = upgrade.map(({ name }) => name);
  if (first === undefined || !applied.some((name) => steps.includes(name))) return [first!, ...later];
  const forget = `DELETE FROM _prisma_migrations WHERE migration_name IN (${steps.map((name) => `'${name}'`).join(', ')})`;
  return [...upgrade, { ...first, instead: forget }, ...later];
}

/** Applies the missing migrations in order, each in one transaction with its record. Returns their names. */
export async function migrateUp(url: string): Promise<string[]> {
  return locked(url, async (client) => {
    const { missing, applied, ...status } = await readStatus(client);
    refuseNewer(status);
    if (missing.length === 0) return [];
    await transaction(client, 'The migrations failed and changed nothing', async () => {
      if (!(await isMigrated(client)) && !(await isEmpty(client)))
        throw new Error('the database is not empty, and has no record of migrations');
      await client.query(recordTable);
    });
    for (const migration of await wayOf(applied)) {
      if (!missing.includes(migration.name)) continue;
      await transaction(client, `Migration ${migration.name} failed and changed nothing`, () =>
        apply(client, migration),
      );
    }
    return missing;
  });
}

/** Applies these migrations within the transaction of `client`, which the caller begins. @throws StartError when the database is not empty */
export async function migrateEmpty(client: pg.Client, names: readonly string[]): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
  if (!(await isEmpty(client)))
    throw new StartError(
      'The database is not empty, and nothing was changed: restore into a new one (createdb, or another folder in BATON_DATA)',
    );
  await client.query(recordTable);
  const all = [...(await readUpgrade()), ...(await readMigrations())];
  const migrations = all.filter(({ name }) => names.includes(name));
  const scripts = foldedEnums(migrations.map(({ sql }) => sql));
  for (const [at, migration] of migrations.entries()) await apply(client, migration, scripts[at]);
}

async function apply(client: pg.Client, { name, sql, instead }: Migration, script = instead ?? sql): Promise<void> {
  await client.query(script);
  // Closes Prisma's record of an interrupted attempt. Its script was rolled back.
  await client.query(
    'UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL',
    [name],
  );
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES (gen_random_uuid()::text, $1, $2, now(), clock_timestamp(), 1)`,
    [checksum(sql), name],
  );
}

/** Reverts the latest migration in one transaction and returns its name. @throws StartError when `expected` is not the latest. */
export async function migrateDown(url: string, expected?: string): Promise<string | undefined> {
  return locked(url, async (client) => {
    const { applied } = await readStatus(client);
    const name = applied.at(-1);
    if (!name) return undefined;
    if (expected !== undefined && expected !== name)
      throw new StartError(`Only the latest migration can be reverted, which is ${name}`);
    const down = await readFile(join(folder, name, 'down.sql'), 'utf8').catch(() => {
      throw new StartError(
        `Migration ${name} has no down.sql: restore a back-up of before it, or use the version of Baton that applied it`,
      );
    });
    await transaction(client, `Migration ${name} could not be reverted; nothing was changed`, async () => {
      await client.query(down);
      await client.query('DELETE FROM _prisma_migrations WHERE migration_name = $1', [name]);
    });
    return name;
  });
}

export async function migrationStatus(url: string): Promise<Status> {
  return connected(url, readStatus);
}

/** Runs `work` while no migration can begin. Waits for one that runs. */
export async function unmigrated<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  return locked(url, work, 'pg_advisory_xact_lock_shared');
}

/** @throws StartError when the database lacks migrations or has unknown ones */
export async function requireMigrated(url: string): Promise<void> {
  const { missing, ...status } = await migrationStatus(url);
  refuseNewer(status);
  if (missing.length > 0)
    throw new StartError(`The database lacks ${missing.join(', ')}: run ${commandLine('migrate')}`);
}

/** Refuses a database of a newer version: this version could write wrong data into it. */
export function refuseNewer({ unknown }: Pick<Status, 'unknown'>): void {
  if (unknown.length === 0) return;
  throw new StartError(
    `The database has ${unknown.join(', ')}, which this version of Baton does not know: use a newer one, or revert it with ${commandLine('migrate down')} in the version that applied it`,
  );
}

export async function readStatus(client: pg.Client): Promise<Status> {
  const { rows } = (await isMigrated(client))
    ? await client.query<{ name: string; checksum: string }>(
        `SELECT migration_name AS name, checksum FROM _prisma_migrations
         WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY migration_name`,
      )
    : { rows: [] };
  const applied = new Map(rows.map((row) => [row.name, row.checksum]));
  const here = new Map((await wayOf([...applied.keys()])).map(({ name, sql }) => [name, checksum(sql)]));
  return {
    applied: [...applied.keys()],
    missing: [...here.keys()].filter((name) => !applied.has(name)),
    unknown: [...applied.keys()].filter((name) => !here.has(name)),
    edited: [...applied.keys()].filter((name) => here.has(name) && here.get(name) !== applied.get(name)),
  };
}

const checksum = (sql: string): string => createHash('sha256').update(sql).digest('hex');

const isMigrated = (client: pg.Client): Promise<boolean> =>
  holds(client, `to_regclass('_prisma_migrations') IS NOT NULL`);

/** Whether the schema has no relations and types except those of extensions. */
const isEmpty = (client: pg.Client): Promise<boolean> =>
  holds(
    client,
    `NOT EXISTS (
       SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace UNION ALL
       SELECT oid FROM pg_type WHERE typnamespace = current_schema()::regnamespace
       EXCEPT SELECT objid FROM pg_depend WHERE deptype IN ('e', 'i'))`,
  );

async function holds(client: pg.Client, condition: string): Promise<boolean> {
  const { rows } = await client.query<{ holds: boolean }>(`SELECT ${condition} AS holds`);
  return rows[0]?.holds === true;
}

async function transaction(client: pg.Client, failed: string, work: () => Promise<void>): Promise<void> {
  await client.query(`BEGIN; ${unhurried}`);
  try {
    await work();
    await client.query('COMMIT');
  } catch (error) {
    // ROLLBACK fails on a lost connection, whose transaction has ended.
    await client.query('ROLLBACK').catch(() => undefined);
    throw new StartError(`${failed}: ${reason(error)}`);
  }
}

/**
 * The lock is held by a transaction of its own, on a second connection: a lock of a session would stay behind in PgBouncer, which gives each
 * transaction any connection.
 */
async function locked<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
  lock: 'pg_advisory_xact_lock' | 'pg_advisory_xact_lock_shared' = 'pg_advisory_xact_lock',
): Promise<T> {
  return connected(url, (holder) =>
    connected(url, async (client) => {
      await holder.query(`BEGIN; ${unhurried}; SELECT ${lock}(${migrationLock})`);
      // Without the lock the work may not go on.
      holder.once('end', () => void client.end().catch(() => undefined));
      return work(client);
    }),
  );
}

export async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connect(url, performance.now() + roomWithin).catch((error: unknown) => {
    throw explainConnection(error);
  });
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Waits while other processes use all connections. */
async function connect(url: string, until: number): Promise<pg.Client> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    application_name: 'baton migrate',
  });
  try {
    await client.connect();
    return client;
  } catch (error) {
    if (!isOutOfConnections(error) || performance.now() >= until) throw error;
    await setTimeout(50);
    return connect(url, until);
  }
}

export function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ((error as NodeJS.ErrnoException).code ?? error.name);
}
