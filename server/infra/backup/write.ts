import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { connected, readStatus, refuseNewer, unhurried, unmigrated } from '../migrate.ts';
import { packageVersion } from '../../core/place.ts';
import { StartError } from '../../core/startError.ts';
import { contentOf, formatVersion, type Copy, type Header, type Summary, type Totals } from './file.ts';
import { RowsHash } from './rowsHash.ts';
import { copied, plainText, readShapes, type TableShape } from './tables.ts';

/** What a back-up holds. */
export type Manifest = Header & Summary;

/** Called with the table that is being copied and the rows that are copied in all. */
export type Progress = (table: string, rows: number) => void;

/**
 * Writes all tables of one moment to `out`, while servers write. Migrations wait meanwhile.
 * @throws StartError when the database is not one of Baton, or is of a newer version; AwayError when PostgreSQL does not answer
 */
export async function writeBackup(url: string, out: Writable, progress: Progress = () => undefined): Promise<Manifest> {
  return unmigrated(url, () =>
    connected(url, async (client) => {
      await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${unhurried}; ${plainText}`);
      const header = await headerOf(client);
      const shapes = await readShapes(client);
      const summary: Summary = { tables: {}, sequences: {} };
      const content = contentOf(header, copiesOf(client, shapes, summary.tables, progress), async () => {
        // After the rows: a sequence is in no snapshot, and may never be behind them.
        summary.sequences = await readSequences(client);
        return summary;
      });
      await pipeline(Readable.from(content, { objectMode: false }), createGzip({ chunkSize: 256 * 1024 }), out);
      return { ...header, ...summary };
    }),
  );
}

/** Writes a back-up into a new file, which only its owner can read. It appears under its name when it is whole and on the disk. */
export async function writeBackupFile(url: string, path: string, progress?: Progress): Promise<Manifest> {
  const unfinished = `${path}.${process.pid}.unfinished`;
  const file = await open(unfinished, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`Cannot write ${unfinished} (${error.code})`);
  });
  try {
    const manifest = await writeBackup(url, createWriteStream(unfinished, { fd: file.fd, autoClose: false }), progress);
    await file.sync();
    await file.close();
    await rename(unfinished, path);
    await syncFolder(dirname(path));
    return manifest;
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(unfinished, { force: true });
    const { code, syscall } = error as NodeJS.ErrnoException;
    throw syscall === 'write' || syscall === 'fsync'
      ? new StartError(`The back-up could not be written to ${path} (${code})`)
      : error;
  }
}

async function headerOf(client: pg.Client): Promise<Header> {
  const status = await readStatus(client);
  refuseNewer(status);
  if (status.applied.length === 0) throw new StartError('There is nothing to back up: this is no database of Baton');
  const { rows } = await client.query<{ postgres: string; now: Date }>(
    `SELECT current_setting('server_version') AS postgres, now()`,
  );
  const { postgres, now } = rows[0]!;
  return {
    format: 'baton-backup',
    version: formatVersion,
    baton: packageVersion(),
    postgres,
    takenAt: now.toISOString(),
    migrations: status.applied,
  };
}

async function* copiesOf(
  client: pg.Client,
  shapes: TableShape[],
  tables: Record<string, Totals>,
  progress: Progress,
): AsyncGenerator<Copy> {
  let before = 0;
  for (const table of shapes) {
    const rows = new RowsHash();
    yield { table, rows: hashedRows(client, table, rows, () => progress(table.name, before + rows.rows)) };
    tables[table.name] = { rows: rows.rows, hash: rows.value };
    before += rows.rows;
  }
}

/** Reads a table, and adds its rows to `hash`. */
export async function* hashedRows(
  client: pg.Client,
  table: TableShape,
  hash: RowsHash,
  onPart: () => void = () => undefined,
): AsyncGenerator<Buffer> {
  for await (const part of client.query(copyTo(`COPY ${copied(client, table)} TO STDOUT`)) as AsyncIterable<Buffer>) {
    hash.add(part);
    onPart();
    yield part;
  }
}

async function readSequences(client: pg.Client): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; value: string }>(
    `SELECT sequencename AS name, last_value::text AS value FROM pg_sequences WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY 1`,
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  await folder.sync().finally(() => folder.close());
}
