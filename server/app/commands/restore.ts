import { checkBackup, restoreBackup, type Restored } from '../../infra/backup/restore.ts';
import type { Manifest } from '../../infra/backup/write.ts';
import { readEnv } from '../../infra/env.ts';
import { createLog } from '../../infra/log.ts';
import { commandLine } from '../../core/place.ts';
import { startPostgres } from '../../infra/postgres/postgres.ts';
import { rowsOf, showProgress } from './backup/progress.ts';
import { readArguments, UsageError, type Command } from '../../../cli/command.ts';
import { print, printJson } from '../../../cli/output.ts';

const usage = `${commandLine('restore <file>')} [--check] [--json]

Restores a back-up into the empty database in DATABASE_URL, or into a new embedded database in BATON_DATA. Reads the whole file before it
changes anything, refuses a damaged one, one of a newer version, and a database that is not empty, and compares every table with the
back-up before it commits. When it fails, the database is empty as before. The role needs no rights but those of the database's owner.

A back-up of an older version is migrated afterwards. Cursors of streams from before expire: clients read the current state.

  --check  reads the file only and says what is in it
  --json   prints the result as JSON: the time of the back-up, and the rows and hash of each table`;

async function run(args: string[]): Promise<void> {
  const { values, positionals } = readArguments({
    args,
    allowPositionals: true,
    options: { check: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
  });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new UsageError();
  if (file === '-')
    throw new UsageError('The file is read twice, which standard input cannot be: write it to a file first');
  const show = (manifest: Manifest | Restored, text: string): void =>
    values.json ? printJson(manifest, 2) : print(text);
  const manifest = await showProgress((progress) => checkBackup(file, progress));
  if (values.check) {
    return show(
      manifest,
      `${file} is whole: ${rowsOf(manifest)} as of ${manifest.takenAt}, by Baton ${manifest.baton}, up to migration ${manifest.migrations.at(-1)}`,
    );
  }
  const restored = await onDatabase((url) => showProgress((progress) => restoreBackup(url, file, manifest, progress)));
  const migrated = restored.migrated.length === 0 ? '' : `Applied: ${restored.migrated.join(', ')}\n`;
  show(
    restored,
    `Restored ${rowsOf(restored)} as of ${restored.takenAt}; every table is that of the back-up.\n${migrated}All earlier cursors are invalid. Start the servers: ${commandLine('start')}`,
  );
}

async function onDatabase<T>(work: (url: string) => Promise<T>): Promise<T> {
  const env = readEnv(process.env);
  if (env.databaseUrl !== undefined) return work(env.databaseUrl);
  const embedded = await startPostgres({
    folder: env.dataFolder,
    database: 'baton',
    log: createLog({ level: 'warn' }),
  });
  return work(embedded.url).finally(() => embedded.stop());
}

export const restore: Command = { usage, run };
