import { readFile } from 'node:fs/promises';
import { connected, migrateEmpty } from '../server/infra/migrate.ts';

interface Release {
  migrations: string[];
  /** Every row of each table, as JSON. */
  tables: Record<string, object[]>;
}

/** The first release, and the last version before the first migration: their demonstration data, written by their own servers. */
export const releases = ['2026-11-21', '2026-11-27'] as const;

/** Makes an empty database that of an earlier release. */
export async function loadRelease(url: string, name: (typeof releases)[number]): Promise<Release> {
  const release = JSON.parse(await readFile(new URL(`releases/${name}.json`, import.meta.url), 'utf8')) as Release;
  await connected(url, async (client) => {
    await client.query('BEGIN');
    await migrateEmpty(client, release.migrations);
    // The rows are whole: they need no trigger, and replace those that migrations insert.
    await client.query('SET LOCAL session_replication_role = replica');
    for (const [table, rows] of Object.entries(release.tables)) {
      await client.query(`DELETE FROM "${table}"`);
      await client.query(`INSERT INTO "${table}" SELECT * FROM json_populate_recordset(NULL::"${table}", $1)`, [
        JSON.stringify(rows),
      ]);
    }
    await client.query('COMMIT');
  });
  return release;
}
