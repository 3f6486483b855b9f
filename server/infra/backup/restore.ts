import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { connected, migrateEmpty, migrateUp, readMigrations, readUpgrade, reason, unhurried } from '../migrate.ts';
import { StartError } from '../../core/startError.ts';
import { readBackup, type FileTable, type Summary, type Totals } from './file.ts';
import { RowsHash } from './rowsHash.ts';
import { copied, plainText, readShapes, type TableShape } from './tables.ts';
import { hashedRows, type Manifest, type Progress } from './write.ts';

export interface Restored extends Manifest {
  /** Migrations that were applied after the rows of an older version were restored. */
  migrated: string[];
}

/** Reads a back-up to its end. @throws StartError when it is damaged, or of a newer version of Baton */
export async function checkBackup(path: string, progress: Progress = () => undefined): Promise<Manifest> {
  return readBackup(path, async ({ header, copies, summary }) => {
    const known = [...(await readUpgrade()), ...(await readMigrations())].map(({ name }) => name);
    const unknown = header.migrations.filter((name) => !known.includes(name));
    if (unknown.length > 0)
      throw new StartError(
        `${path} was written by Baton ${header.baton} and has ${unknown.join(', ')}, which this version does not know: use a newer one`,
      );
    const found: Record<string, Totals> = {};
    let before = 0;
    for await (const { table, rows } of copies) {
      const hash = new RowsHash();
      for await (const part of rows) {
        hash.add(part);
        progress(table.name, before + hash.rows);
      }
      before += hash.rows;
      found[table.name] = { rows: hash.rows, hash: hash.value };
    }
    const said = await summary();
    expectSame(said.tables, found, `${path} is damaged`);
    return { ...header, ...said };
  });
}

/**
 * Restores a back-up that `checkBackup` has read into an empty database, in one transaction that is committed after all tables were compared with the back-up. An older
 * version's is then migrated.
 * @throws StartError after which the database is as before; AwayError
 */
export async function restoreBackup(
  url: string,
  path: string,
  manifest: Manifest,
  progress: Progress = () => undefined,
): Promise<Restored> {
  await connected(url, async (client) => {
    try {
      await client.query(
        `BEGIN; ${unhurried}; ${plainText}; SET LOCAL maintenance_work_mem = '128MB'; SET LOCAL synchronize_seqscans = off`,
      );
      await load(client, path, manifest, progress);
      await client.query('COMMIT');
    } catch (error) {
      // Fails on a lost connection, whose transaction has ended.
      await client.query('ROLLBACK').catch(() => undefined);
      throw error instanceof StartError
        ? error
        : new StartError(`The restore failed and changed nothing: ${reason(error)}`);
    }
  });
  const migrated = await migrateUp(url);
  await connected(url, (client) => client.query('ANALYZE'));
  return { ...manifest, migrated };
}

async function load(client: pg.Client, path: string, manifest: Manifest, progress: Progress): Promise<void> {
  await requireUtf8(client);
  await migrateEmpty(client, manifest.migrations);
  const shapes = await readShapes(client);
  // The rows are whole: they need no trigger, and no key is checked before its target is there. Indexes are built faster than they are updated.
  const restore = await dropDependents(client);
  // The rows of the back-up replace those that migrations insert.
  await client.query(`TRUNCATE ${shapes.map(({ name }) => client.escapeIdentifier(name)).join(', ')}`);
  await readBackup(path, async ({ copies }) => {
    let before = 0;
    for await (const { table, rows } of copies) {
      requireShape(shapes, table);
      const into = client.query(copyFrom(`COPY ${copied(client, table)} FROM STDIN WITH (FREEZE)`));
      await pipeline(rows, into);
      before += manifest.tables[table.name]!.rows;
      progress(table.name, before);
    }
  });
  for (const statement of restore) await client.query(statement);
  await setSequences(client, manifest);
  const loaded: Record<string, Totals> = {};
  for (const shape of shapes) {
    const hash = new RowsHash();
    for await (const _part of hashedRows(client, shape, hash));
    loaded[shape.name] = { rows: hash.rows, hash: hash.value };
  }
  expectSame(manifest.tables, loaded, 'The restored rows are not those of the back-up, and nothing was changed');
}

async function requireUtf8(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ encoding: string }>(`SELECT current_setting('server_encoding') AS encoding`);
  if (rows[0]?.encoding !== 'UTF8')
    throw new StartError(`The database has the encoding ${rows[0]?.encoding}: create it with ENCODING 'UTF8'`);
}

/** The tables that these migrations make are those of the back-up, unless its database was changed by hand. */
function requireShape(shapes: TableShape[], { name, columns }: FileTable): void {
  const shape = shapes.find((each) => each.name === name);
  const differs = shape === undefined || [...shape.columns].sort().join() !== [...columns].sort().join();
  if (differs)
    throw new StartError(
      `The back-up has a table ${name} (${columns.join(', ')}), which the migrations of its version do not make: nothing was changed`,
    );
}

/** Disables triggers, drops foreign keys and indexes of no constraint. Returns the statements that bring all of them back. */
async function dropDependents(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ drop: string; restore: string }>(
    `SELECT format('ALTER TABLE %s DISABLE TRIGGER USER', oid::regclass) AS drop, format('ALTER TABLE %s ENABLE TRIGGER USER', oid::regclass) AS restore, 3 AS turn
     FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
     UNION ALL
     SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname), format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)), 2
     FROM pg_constraint WHERE connamespace = current_schema()::regnamespace AND contype = 'f'
     UNION ALL
     SELECT format('DROP INDEX %s', indexrelid::regclass), pg_get_indexdef(indexrelid), 1
     FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
     WHERE relnamespace = current_schema()::regnamespace AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
     ORDER BY turn`,
  );
  for (const { drop } of rows.toReversed()) await client.query(drop);
  return rows.map(({ restore }) => restore);
}

async function setSequences(client: pg.Client, { sequences }: Summary): Promise<void> {
  for (const [name, value] of Object.entries(sequences))
    await client.query('SELECT setval(quote_ident($1)::regclass, $2::bigint)', [name, value]);
}

/** @throws StartError which names the tables that differ */
function expectSame(said: Record<string, Totals>, found: Record<string, Totals>, problem: string): void {
  const names = [...new Set([...Object.keys(said), ...Object.keys(found)])];
  const differing = names.filter(
    (name) => said[name]?.hash !== found[name]?.hash || said[name]?.rows !== found[name]?.rows,
  );
  if (differing.length > 0) throw new StartError(`${problem}: ${differing.join(', ')}`);
}
