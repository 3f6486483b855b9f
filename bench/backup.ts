import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { checkBackup, restoreBackup } from '../server/infra/backup/restore.ts';
import { writeBackupFile } from '../server/infra/backup/write.ts';
import { loadBulk } from '../test/bulk.ts';
import type { Place } from './place.ts';
import { digits, type Line } from './report.ts';

/** With five events each. */
const sessions = Number(process.env['BACKUP_SESSIONS'] ?? 200_000);
const size = { sessions, handoffs: 4, turns: 1, agents: 20 };

/** A back-up of a million events with all that belongs to them, and its restore; each once, as it takes minutes. */
export async function backup(place: Place, say: (line: string) => void): Promise<Line[]> {
  const [from, to] = [await place.database(), await place.emptyDatabase()];
  await loadBulk(from.url, size);
  // `loadBulk` runs no trigger.
  await onConnection(from.url, [
    'INSERT INTO event_positions (position, event_id) SELECT row_number() OVER (ORDER BY id), id FROM events',
    `INSERT INTO search_entries (kind, id, session_id, sequence, words) SELECT 'MESSAGE', id, session_id, sequence, search_words(content, 'D') FROM messages`,
  ]);
  say('  the rows are there');
  const folder = mkdtempSync(join(tmpdir(), 'baton-bench-backup-'));
  place.atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'backup');

  const timed = async <T>(what: string, work: () => Promise<T>): Promise<[T, number]> => {
    const started = performance.now();
    const result = await work();
    const seconds = (performance.now() - started) / 1_000;
    say(`  ${what}: ${digits(seconds)} s, ${Math.round(process.memoryUsage().rss / 2 ** 20)} MB in this process`);
    return [result, seconds];
  };
  const [{ tables }, writing] = await timed('backup', () => writeBackupFile(from.url, file));
  const [manifest, checking] = await timed('check', () => checkBackup(file));
  const [, restoring] = await timed('restore', () => restoreBackup(to, file, manifest));
  const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0);
  const of = `of ${digits(rows)} rows, ${digits(tables['events']!.rows)} of them events (${digits(statSync(file).size / 2 ** 20)} MB)`;
  const figure = (seconds: number): string => `${digits(seconds)} s: ${digits(rows / seconds)} rows a second`;
  return [
    { what: `\`baton backup\` ${of}`, figure: figure(writing) },
    { what: 'the same file read by `baton restore --check`', figure: figure(checking) },
    {
      what: '`baton restore`, indexes, foreign keys and comparison included, after that check',
      figure: figure(restoring),
    },
  ];
}

async function onConnection(url: string, statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const text of statements) await client.query(text);
  await client.end();
}
