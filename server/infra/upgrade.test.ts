import { describe, expect, test } from 'vitest';
import { readCatalog } from '../../test/catalog.ts';
import { emptyDatabase, testDatabase } from '../../test/database.ts';
import { client } from '../../test/graphql.ts';
import { brokenInvariants } from '../../test/invariants.ts';
import { loadRelease, releases } from '../../test/releases.ts';
import { startApp } from '../../test/server.ts';
import { encodeId } from '../core/ids.ts';
import { silentLog } from './log.ts';
import { migrateUp, migrationStatus, readMigrations, readUpgrade } from './migrate.ts';
import { createDatabase, type Database } from './prisma.ts';

const names = (await readMigrations()).map(({ name }) => name);
const steps = (await readUpgrade()).map(({ name }) => name);
const untouched = ['agents', 'sessions', 'agent_sessions', 'messages', 'turns', 'decisions', 'tasks', 'inbox_entries'];

async function opened<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = createDatabase(url, silentLog);
  return work(database).finally(() => database.close());
}

const lines = async (url: string) => (await readCatalog(url)).map(({ line }) => line);

describe.each(releases)('a database of the release of %s', async (name) => {
  const { url } = await emptyDatabase();
  const { migrations, tables } = await loadRelease(url, name);

  test('gets the tables of a new one', async () => {
    const fresh = await testDatabase();
    const missing = [...steps.filter((step) => !migrations.includes(step)), ...names];
    expect((await migrationStatus(url)).missing).toEqual(missing);
    expect(await migrateUp(url)).toEqual(missing);
    expect(await lines(url)).toEqual(await lines(fresh.url));
    expect(await migrationStatus(url)).toEqual({ applied: names, missing: [], unknown: [], edited: [] });
    expect(await migrateUp(url)).toEqual([]);
  });

  test('keeps its rows', async () => {
    await opened(url, async ({ pool }) => {
      for (const table of [...untouched, 'events', 'handoffs']) {
        const now = await pool.query<{ row: object }>(`SELECT row_to_json(t) AS row FROM ${table} t`);
        // The upgrade moved what a Handoff carries into one column: the next test reads it.
        const kept = (row: object) => (table === 'handoffs' ? { id: (row as { id: string }).id } : row);
        const before = tables[table]!.map((row) => expect.objectContaining(kept(row)) as object);
        expect(now.rows.map(({ row }) => row)).toEqual(expect.arrayContaining(before));
        expect(now.rows.length).toBe(before.length);
      }
      expect(await brokenInvariants(pool)).toEqual([]);
    });
  });

  test('answers what its handoffs carried', async () => {
    await opened(url, async (database) => {
      const app = await startApp({ ...database, name: '', adminUrl: '' });
      for (const row of tables['handoffs'] as Record<string, unknown>[]) {
        const { data } = await client(app.url).post<{ handoff: Record<string, unknown> }>(
          `{ handoff(id: "${encodeId('handoff', row['id'] as string)}") { summary filesModified decisions contextPrompt { text } } }`,
        );
        const context = (row['context'] ?? {}) as Record<string, unknown>;
        expect(data.handoff).toMatchObject({
          summary: row['summary'],
          filesModified: row['files_modified'] ?? context['filesModified'],
          decisions: row['decisions'] ?? context['decisions'],
          contextPrompt: { text: expect.stringContaining('\n') as string },
        });
      }
      await app.stop();
    });
  });
});

test('an upgrade that was interrupted goes on', async () => {
  const { url } = await emptyDatabase();
  await loadRelease(url, '2026-11-21');
  const run = (sql: string) => opened(url, ({ pool }) => pool.query(sql));
  await run('CREATE TABLE pipelines (in_the_way int)');
  await expect(migrateUp(url)).rejects.toThrow('Migration 0017_pipelines failed and changed nothing');
  await run('DROP TABLE pipelines');
  expect(await migrateUp(url)).toEqual([...steps.slice(steps.indexOf('0017_pipelines')), ...names]);
});
