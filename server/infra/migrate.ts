import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { filters, withSchemaEngine } from './schemaEngine.ts';
import { isOutOfConnections } from './sharedPool.ts';
import { StartError } from './startError.ts';

const folder = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));
/** Held while migrations run: of servers that start together one migrates and the others wait for it. */
const migrationLock = 4_244_002;
/** Processes that run give up a connection every few seconds. In milliseconds. */
const roomWithin = 10_000;

export interface Migration {
  name: string;
  sql: string;
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

/** Applies what is missing, in order; each migration whole or not at all. Returns the names of those it applied. */
export async function migrateUp(url: string): Promise<string[]> {
  return locked(url, async (client) => {
    const migrations = await readMigrations();
    const before = await readStatus(client);
    refuseNewer(before);
    if (before.missing.length === 0) return [];
    const list = {
      baseDir: folder,
      lockfile: { path: 'migration_lock.toml', content: await readFile(join(folder, 'migration_lock.toml'), 'utf8') },
      shadowDbInitScript: '',
      migrationDirectories: migrations.map(({ name, sql }) => ({
        path: name,
        migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value: sql } },
      })),
    };
    return withSchemaEngine(url, async (engine) => {
      try {
        return (await engine.applyMigrations({ migrationsList: list, filters })).appliedMigrationNames;
      } catch (error) {
        // A script is one transaction: what failed left nothing, so the next run may try it again.
        const failed = await failedMigration(client);
        if (failed !== undefined) await engine.markMigrationRolledBack({ migrationName: failed });
        throw new StartError(
          `${failed === undefined ? 'The migrations' : `Migration ${failed}`} failed and changed nothing: ${reason(error)}`,
        );
      }
    });
  });
}

/** Takes back the latest migration, or the one that must be the latest, in one transaction. Returns its name. */
export async function migrateDown(url: string, expected?: string): Promise<string | undefined> {
  return locked(url, async (client) => {
    const { applied } = await readStatus(client);
    const name = applied.at(-1);
    if (!name) return undefined;
    if (expected !== undefined && expected !== name)
      throw new StartError(`Only the latest migration can be taken back, and that is ${name}`);
    const down = await readFile(join(folder, name, 'down.sql'), 'utf8').catch(() => {
      throw new StartError(`Migration ${name} has no down.sql here: use the version of Baton that applied it`);
    });
    await client.query('BEGIN');
    try {
      await client.query(down);
      await client.query('DELETE FROM _prisma_migrations WHERE migration_name = $1', [name]);
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK');
      throw new StartError(`Migration ${name} could not be taken back, and nothing changed: ${reason(error)}`);
    }
    return name;
  });
}

export async function migrationStatus(url: string): Promise<Status> {
  return connected(url, readStatus);
}

/** A server does not start on a database that its statements do not fit. */
export async function requireMigrated(url: string): Promise<void> {
  const status = await migrationStatus(url);
  refuseNewer(status);
  const { missing } = status;
  if (missing.length > 0) throw new StartError(`The database lacks ${missing.join(', ')}: run npm run migrate`);
}

/** A newer version may have tables that this one would fill wrongly. */
function refuseNewer({ unknown }: Status): void {
  if (unknown.length === 0) return;
  throw new StartError(`The database has ${unknown.join(', ')}, which this version of Baton does not know: use a newer one, or take it back with npm run migrate -- down of the version that applied it`);
}

async function readStatus(client: pg.Client): Promise<Status> {
  const migrations = await readMigrations();
  const { rows } = (await isMigrated(client))
    ? await client.query<{ name: string; checksum: string }>(
        `SELECT migration_name AS name, checksum FROM _prisma_migrations
         WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY migration_name`,
      )
    : { rows: [] };
  const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]));
  const here = new Map(migrations.map(({ name, sql }) => [name, createHash('sha256').update(sql).digest('hex')]));
  return {
    applied: [...applied.keys()],
    missing: [...here.keys()].filter((name) => !applied.has(name)),
    unknown: [...applied.keys()].filter((name) => !here.has(name)),
    edited: [...applied].filter(([name, checksum]) => here.has(name) && here.get(name) !== checksum).map(([name]) => name),
  };
}

async function isMigrated(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS found`);
  return rows[0]?.found === true;
}

async function failedMigration(client: pg.Client): Promise<string | undefined> {
  if (!(await isMigrated(client))) return undefined;
  const { rows } = await client.query<{ name: string }>(
    'SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NULL AND rolled_back_at IS NULL',
  );
  return rows[0]?.name;
}

async function locked<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  return connected(url, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    return work(client);
  });
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connect(url, performance.now() + roomWithin).catch((error: unknown) => {
    throw new StartError(`PostgreSQL does not answer (${reason(error)}): check DATABASE_URL and that it runs`);
  });
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** While other processes have all connections, it waits for one. */
async function connect(url: string, until: number): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, application_name: 'baton migrate' });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    if (!isOutOfConnections(error) || performance.now() >= until) throw error;
    await setTimeout(50);
    return connect(url, until);
  }
}

function reason(error: unknown): string {
  const text = error instanceof Error ? error.message || ((error as NodeJS.ErrnoException).code ?? error.name) : String(error);
  // The engine wraps what PostgreSQL said in its own words and a trace of its functions.
  const said = text.split(/\s0: \w+::/)[0]?.replace(/^.*Error querying the database: /s, '') ?? '';
  return said.replace(/\s+/g, ' ').trim();
}
