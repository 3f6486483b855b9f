import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { seed } from '../../../prisma/seed.ts';
import { readCatalog } from '../../../test/catalog.ts';
import { atEnd, emptyDatabase, testDatabase } from '../../../test/database.ts';
import { hashAllTables } from '../../../test/hash.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { loadRelease } from '../../../test/releases.ts';
import { world } from '../../../test/world.ts';
import { silentLog } from '../log.ts';
import { readMigrations } from '../migrate.ts';
import { checkBackup, restoreBackup } from './restore.ts';
import { writeBackupFile, type Manifest } from './write.ts';
import { temporaryFolder } from '../../../test/temporary.ts';

const folder = temporaryFolder('baton-backup');
const file = join(folder, 'whole');

const source = await testDatabase();
let written: Manifest;

beforeAll(async () => {
  await seed({ pool: source.pool, log: silentLog });
  // What COPY has to quote.
  const { session, agent } = world(source.pool);
  await agent('quoter', { instructions: 'a\\.\n\\.\n\t\\N \r\n\u2028 🦉 "\'' });
  await session('quoter', { title: '\\.' });
  await source.pool.query(
    `INSERT INTO server_processes VALUES (gen_random_uuid(), now()); INSERT INTO agent_connections SELECT 'quoter', id FROM server_processes`,
  );
  written = await writeBackupFile(source.url, file);
});

async function opened<T>(url: string, work: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  return work(pool).finally(() => pool.end());
}

const restored = async (path: string, url: string) => restoreBackup(url, path, await checkBackup(path));
const lines = async (url: string) => (await readCatalog(url)).map(({ line }) => line);
const behind = ['_prisma_migrations', 'agent_connections', 'database_identity', 'server_processes', 'webhook_worker'];

/** Hashes of the tables whose rows are restored, those that are written late included. */
async function hashes(pool: pg.Pool): Promise<Record<string, string>> {
  const { tables } = await hashAllTables(pool, { late: true });
  return Object.fromEntries(Object.entries(tables).filter(([name]) => !behind.includes(name)));
}

describe('a back-up', () => {
  it('has the rows of every table but five, which it names nowhere', async () => {
    const { rows } = await source.pool.query<{ name: string; count: number }>(
      `SELECT tablename AS name, (xpath('/row/n/text()', query_to_xml('SELECT count(*) AS n FROM ' || quote_ident(tablename), false, true, '')))[1]::text::int AS count FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
    );
    expect(Object.entries(written.tables).map(([name, totals]) => ({ name, count: totals.rows }))).toEqual(
      rows.filter(({ name }) => !behind.includes(name)),
    );
    expect(rows.map(({ name }) => name).filter((name) => behind.includes(name))).toEqual(behind);
    const text = gunzipSync(readFileSync(file)).toString();
    const { rows: keys } = await source.pool.query<{ key: string }>(
      `SELECT encode(cursor_key, 'hex') AS key FROM database_identity`,
    );
    expect(text).toContain('quoter');
    expect(text).not.toContain(keys[0]!.key);
  });

  it('can be read by its owner only, and leaves no other file', () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['whole']);
  });

  it('is equal for equal tables', async () => {
    const again = await writeBackupFile(source.url, join(folder, 'again'));
    expect(again.tables).toEqual(written.tables);
  });

  it('is refused of a database that is not Baton’s, and leaves no file', async () => {
    const { url } = await emptyDatabase();
    await expect(writeBackupFile(url, join(folder, 'none'))).rejects.toThrow('this is no database of Baton');
    expect(readdirSync(folder)).not.toContainEqual(expect.stringContaining('none'));
  });
});

describe('a restore', () => {
  it('makes the same rows, keys, indexes and triggers as a role that only owns the database, and Baton goes on there', async () => {
    const { name, url } = await emptyDatabase();
    const role = `${name}_owner`;
    const admin = (text: string) => opened(inject('adminUrl'), (pool) => pool.query(text));
    await admin(`CREATE ROLE ${role} LOGIN PASSWORD 'restores'; ALTER DATABASE ${name} OWNER TO ${role}`);
    atEnd(async () => {
      await admin(`ALTER DATABASE ${name} OWNER TO CURRENT_USER`);
      await opened(url, (pool) => pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`));
    });
    const owners = url.replace(/\/\/[^/]*\//, `//${role}:restores@/`);
    expect(await restored(file, owners)).toMatchObject({ ...written, migrated: [] });
    expect(await lines(url)).toEqual(await lines(source.url));
    await opened(owners, async (pool) => {
      expect(await hashes(pool)).toEqual(await hashes(source.pool));
      expect(await brokenInvariants(pool)).toEqual([]);
      // Cursors of the source are of another database.
      const identity = `SELECT id, encode(cursor_key, 'hex') AS key FROM database_identity`;
      const [there, here] = await Promise.all(
        [pool, source.pool].map((each) => each.query<{ id: string; key: string }>(identity)),
      );
      expect(there!.rows).toHaveLength(1);
      expect(there!.rows[0]!.id).not.toBe(here!.rows[0]!.id);
      expect(there!.rows[0]!.key).not.toBe(here!.rows[0]!.key);
      const { session, reassign } = world(pool);
      await reassign(await session('quoter'), { agentId: 'claude-1' });
      expect(await brokenInvariants(pool)).toEqual([]);
    });
  });

  it('migrates the back-up of an older version', async () => {
    const old = await emptyDatabase();
    await loadRelease(old.url, '2026-11-27');
    const path = join(folder, 'old');
    await writeBackupFile(old.url, path);
    const { url } = await emptyDatabase();
    expect((await restored(path, url)).migrated).toEqual([
      '0034_20261127_event_types',
      ...(await readMigrations()).map(({ name }) => name),
    ]);
    expect(await lines(url)).toEqual(await lines(source.url));
    expect(await opened(url, (pool) => pool.query('SELECT id FROM handoffs'))).toMatchObject({ rowCount: 18 });
  });

  it('refuses a database with anything in it, and changes nothing', async () => {
    const { url } = await emptyDatabase();
    await opened(url, (pool) => pool.query('CREATE TABLE theirs (id int)'));
    await expect(restored(file, url)).rejects.toThrow(
      /^The database is not empty, and nothing was changed: restore into a new one/,
    );
    expect(await lines(url)).toEqual(['column theirs.id integer', 'table theirs']);
    const before = await hashAllTables(source.pool);
    await expect(restored(file, source.url)).rejects.toThrow(/^The database is not empty/);
    expect(await hashAllTables(source.pool)).toEqual(before);
  });

  it.each([
    [
      'a row that breaks a constraint',
      (text: string) => text.replace('AVAILABLE\t1\t5', 'AVAILABLE\t1\t0'),
      /^The restore failed and changed nothing: .*agents_load/,
    ],
    [
      'a row that no row may refer to',
      (text: string) => text.replace(/^quoter\t/m, 'quaker\t'),
      /^The restore failed and changed nothing: .*foreign key/,
    ],
    [
      'a table that its version does not have',
      (text: string) => text.replace('"name":"turns"', '"name":"turned"'),
      /^The back-up has a table turned/,
    ],
  ])('leaves the database empty after %s', async (_what, change, says) => {
    const path = join(folder, 'changed');
    const { tables } = written;
    writeFileSync(path, gzipSync(sealed(change)));
    const { url } = await emptyDatabase();
    // Only somebody who writes hashes too can get here.
    await expect(
      restoreBackup(url, path, { ...written, tables: { ...tables, turned: tables['turns']! } }),
    ).rejects.toThrow(says);
    expect(await lines(url)).toEqual([]);
  });

  it('compares every table with the back-up before it commits', async () => {
    const { url } = await emptyDatabase();
    const tables = { ...written.tables, turns: { ...written.tables['turns']!, hash: '0'.repeat(64) } };
    await expect(restoreBackup(url, file, { ...written, tables })).rejects.toThrow(
      'The restored rows are not those of the back-up, and nothing was changed: turns',
    );
    expect(await lines(url)).toEqual([]);
  });
});

/** The content with a change and the hash that fits it. */
function sealed(change: (text: string) => string): string {
  const text = gunzipSync(readFileSync(file)).toString();
  const changed = change(text);
  if (changed === text) throw new Error('The change changes nothing');
  return changed;
}

describe('a file is refused before anything is changed', () => {
  const whole = (): Buffer => readFileSync(file);
  const flipped = (at: number): Buffer => {
    const bytes = whole();
    bytes[Math.floor(at * (bytes.length - 1))]! ^= 4;
    return bytes;
  };
  const packed = (change: (text: string) => string): Buffer => gzipSync(sealed(change));
  const damaged = /damaged/;

  it.each<[string, () => Buffer, RegExp]>([
    ['empty', () => Buffer.alloc(0), /is not a back-up of Baton/],
    ['text', () => Buffer.from('pg_dump'), /is not a back-up of Baton/],
    ['another compressed file', () => gzipSync('{"format":"other"}\n'), /is not a back-up of Baton$/],
    ['compressed noise', () => gzipSync(Buffer.alloc(3_000_000, 'x')), /is not a back-up of Baton/],
    ...[0.01, 0.5, 0.99].map((part): [string, () => Buffer, RegExp] => [
      `cut after ${part * 100} %`,
      () => whole().subarray(0, whole().length * part),
      damaged,
    ]),
    ['cut by one byte', () => whole().subarray(0, -1), damaged],
    ...[0, 0.001, 0.3, 0.6, 0.9, 0.9999, 1].map((at): [string, () => Buffer, RegExp] => [
      `one bit changed at ${at * 100} %`,
      () => flipped(at),
      damaged,
    ]),
    ['something after its end', () => Buffer.concat([whole(), Buffer.from('more')]), damaged],
    ['zeros after its end', () => Buffer.concat([whole(), Buffer.alloc(512)]), damaged],
    ['twice', () => Buffer.concat([whole(), whole()]), damaged],
    ['compressed again with another row', () => packed((text) => text.replace('quoter', 'quaker')), damaged],
    [
      'compressed again without its last table',
      () => packed((text) => text.replace(/\{"name":"webhooks".*?\n\\\.\n/s, '')),
      damaged,
    ],
    ['compressed again without its end', () => packed((text) => text.slice(0, -65)), damaged],
    [
      'of a newer format',
      () => packed((text) => text.replace('"version":1', '"version":2')),
      /newer format than this version reads/,
    ],
    [
      'of a newer version',
      () => packed((text) => text.replace('"migrations":[', '"migrations":["9999_later",')),
      /has 9999_later, which this version does not know/,
    ],
  ])('%s', async (_what, bytes, says) => {
    const path = join(folder, 'bad');
    writeFileSync(path, bytes());
    await expect(checkBackup(path)).rejects.toThrow(says);
  });

  it('that is not there', async () => {
    await expect(checkBackup(join(folder, 'nowhere'))).rejects.toThrow(/^Cannot read .*nowhere \(ENOENT\)$/);
  });
});

it('knows every migration of this version', async () => {
  expect(written.migrations).toEqual((await readMigrations()).map(({ name }) => name));
});
