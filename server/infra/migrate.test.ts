import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { readCatalog } from '../../test/catalog.ts';
import { emptyDatabase, testDatabase } from '../../test/database.ts';
import {
  connected,
  migrateDown,
  migrateEmpty,
  migrateUp,
  migrationStatus,
  readMigrations,
  requireMigrated,
} from './migrate.ts';

const names = (await readMigrations()).map(({ name }) => name);

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

async function recorded(url: string): Promise<string[]> {
  const rows = await query<{ name: string }>(
    url,
    `SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY started_at`,
  );
  return rows.map(({ name }) => name);
}

/** Applies the missing migrations up to this one: the later ones are recorded meanwhile, as if they had run. */
async function migrateTo(url: string, name: string): Promise<void> {
  const later = names.slice(names.indexOf(name) + 1).join(' ');
  await query(
    url,
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) SELECT name, 'later', name, now() FROM regexp_split_to_table('${later}', ' ') AS name WHERE name <> ''`,
  );
  expect(await migrateUp(url)).toEqual([name]);
  await query(url, "DELETE FROM _prisma_migrations WHERE checksum = 'later'");
}

describe('migrations', async () => {
  const { url } = await emptyDatabase();
  // An extension stays when its migration goes: others may use it.
  const lines = async () =>
    (await readCatalog(url)).map(({ line }) => line).filter((line) => !line.startsWith('extension '));
  const states: string[][] = [];

  test('a database without tables reports the missing migrations and the command to run', async () => {
    expect(await migrationStatus(url)).toEqual({ applied: [], missing: names, unknown: [], edited: [] });
    await expect(requireMigrated(url)).rejects.toThrow(`The database lacks ${names.join(', ')}: run npm run migrate`);
  });

  test('all go up in order', async () => {
    expect(await migrateUp(url)).toEqual(names);
    expect(await recorded(url)).toEqual(names);
    await requireMigrated(url);
    states[names.length] = await lines();
  });

  test('all but the first go down, latest first', async () => {
    for (let left = names.length; left > 1; left -= 1) {
      expect(await migrateDown(url)).toBe(names[left - 1]);
      expect(await recorded(url)).toEqual(names.slice(0, left - 1));
      states[left - 1] = await lines();
    }
    await expect(migrateDown(url)).rejects.toThrow(
      `Migration ${names[0]} has no down.sql: restore a back-up of before it`,
    );
    expect(await lines()).toEqual(states[1]);
  });

  test('each gives the earlier catalogue after down, and the later one after up', async () => {
    for (const [index, name] of names.entries()) {
      if (index === 0) continue;
      await migrateTo(url, name);
      expect(await lines()).toEqual(states[index + 1]);
      expect(await migrateDown(url)).toBe(name);
      expect(await lines()).toEqual(states[index]);
      await migrateTo(url, name);
    }
    expect(await lines()).toEqual(states[names.length]);
  });

  test('have names that begin with their time, and so sort in the order in which they were written', () => {
    for (const name of names) expect(name).toMatch(/^20\d{12}_\w+$/);
  });

  test('only the latest can be reverted', async () => {
    await expect(migrateDown(url, 'something else')).rejects.toThrow(
      `Only the latest migration can be reverted, which is ${names.at(-1)}`,
    );
  });
});

test('a database of a newer version is not migrated, and no server starts on it', async () => {
  const { url } = await emptyDatabase();
  await migrateUp(url);
  await query(
    url,
    "UPDATE _prisma_migrations SET migration_name = '9999_later' WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)",
  );
  const newer = /^The database has 9999_later, which this version of Baton does not know: use a newer one/;
  await expect(requireMigrated(url)).rejects.toThrow(newer);
  await expect(migrateUp(url)).rejects.toThrow(newer);
});

test('of servers that start together one migrates and the others wait', async () => {
  const { url } = await emptyDatabase();
  const applied = await Promise.all([migrateUp(url), migrateUp(url), migrateUp(url)]);
  expect(applied.filter((list) => list.length > 0)).toEqual([names]);
  expect(await recorded(url)).toEqual(names);
});

test('a failed migration changes nothing, names its reason, and can be tried again', async () => {
  const [{ url }, migrated] = await Promise.all([emptyDatabase(), testDatabase()]);
  const made = (await readCatalog(migrated.url)).map(({ line }) => line);
  const table = made.find((line) => line.startsWith('table '))?.slice('table '.length) ?? '';
  // As after all went down: the record is there, and empty.
  await connected(url, (client) => migrateEmpty(client, []));
  const before = (await readCatalog(url)).map(({ line }) => line);

  await query(url, `CREATE TABLE ${table} (in_the_way int)`);
  await expect(migrateUp(url)).rejects.toThrow(/^Migration \w+ failed and changed nothing: .*already exists/);
  await query(url, `DROP TABLE ${table}`);
  expect((await readCatalog(url)).map(({ line }) => line)).toEqual(before);
  expect(await migrateUp(url)).toEqual(names);
  expect((await readCatalog(url)).map(({ line }) => line)).toEqual(made);
});

test('a database with other tables is left unchanged', async () => {
  const { url } = await emptyDatabase();
  await query(url, 'CREATE TABLE theirs (id int)');
  await expect(migrateUp(url)).rejects.toThrow(/^The migrations failed and changed nothing: .*not empty/);
  expect((await readCatalog(url)).map(({ line }) => line)).toEqual(['column theirs.id integer', 'table theirs']);
});
