import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { silentLog } from '../server/infra/log.ts';
import { migrateUp } from '../server/infra/migrate.ts';
import { startPostgres } from '../server/infra/postgres/postgres.ts';
import { createDatabase, type Database } from '../server/infra/prisma.ts';
import { withDatabase } from '../test/cluster.ts';

export interface PreparedDatabase extends Database {
  /** For preparation and checks, without the server's statement timeouts. */
  patient: pg.Pool;
}

/** The benchmarks' embedded PostgreSQL, started as by a server: commits wait for the disk. */
export interface Place {
  postgresVersion: string;
  /** A new migrated database, dropped with the place. */
  database(): Promise<PreparedDatabase>;
  /** The URL of a new database without tables. */
  emptyDatabase(): Promise<string>;
  /** Registers a cleanup; they run in reverse order. */
  atEnd(undo: () => Promise<unknown> | void): void;
  close(): Promise<void>;
}

export async function openPlace(): Promise<Place> {
  const undo: (() => Promise<unknown> | void)[] = [];
  const close = async (): Promise<void> => {
    for (let step = undo.pop(); step; step = undo.pop()) await step();
  };
  // `sync` concerns the cluster's files, not commits.
  const postgres = await startPostgres({
    folder: mkdtempSync(join(tmpdir(), 'baton-test-bench-')),
    log: silentLog,
    sync: false,
  });
  undo.push(() => rm(postgres.base, { recursive: true, force: true }), postgres.stop);
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  undo.push(() => admin.end());
  const { rows } = await admin.query<{ version: string }>(
    `SELECT split_part(current_setting('server_version'), ' ', 1) AS version`,
  );
  let count = 0;
  const emptyDatabase = async (): Promise<string> => {
    const url = withDatabase(postgres.url, `bench_${(count += 1)}`);
    await admin.query(`CREATE DATABASE bench_${count}`);
    return url;
  };
  return {
    postgresVersion: rows[0]!.version,
    emptyDatabase,
    async database() {
      const url = await emptyDatabase();
      await migrateUp(url);
      const database = createDatabase(url, silentLog);
      const patient = new pg.Pool({ connectionString: url, max: 1 });
      undo.push(database.close, () => patient.end());
      return { ...database, patient };
    },
    atEnd: (step) => void undo.push(step),
    close,
  };
}
