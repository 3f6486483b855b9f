import { existsSync, statSync } from 'node:fs';
import { readEnv } from '../../infra/env.ts';
import { writeBackup, writeBackupFile, type Manifest } from '../../infra/backup/write.ts';
import { silentLog } from '../../infra/log.ts';
import { commandLine } from '../../core/place.ts';
import { borrowPostgres } from '../../infra/postgres/postgres.ts';
import { StartError } from '../../core/startError.ts';
import { readArguments, UsageError, type Command } from '../../../cli/command.ts';
import { print, printJson, tell } from '../../../cli/output.ts';
import { rowsOf, showProgress } from './backup/progress.ts';

const usage = `${commandLine('backup <file>')} [--json]
${commandLine('backup -')}

Writes a back-up of the database in DATABASE_URL, or of the embedded database in BATON_DATA, with or without a running server.
The back-up has the state of one moment, while servers go on. ${commandLine('restore')} restores it, into any PostgreSQL 15 or later.

The file is new, compressed, and readable by its owner only; it appears when it is whole. It holds everything that was recorded,
and the hashes of keys: keep it as safe as the database.

  -       writes to standard output instead
  --json  prints what was written as JSON: the time, and the rows and hash of each table`;

async function run(args: string[]): Promise<void> {
  const { values, positionals } = readArguments({
    args,
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false } },
  });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new UsageError();
  if (file === '-') {
    if (values.json) throw new UsageError('With - the back-up is written to standard output: --json would be too');
    if (process.stdout.isTTY)
      throw new UsageError('A back-up is not written to a terminal: redirect the output, or name a file');
    const manifest = await onDatabase((url) => showProgress((progress) => writeBackup(url, process.stdout, progress)));
    return tell(`Backed up ${rowsOf(manifest)} as of ${manifest.takenAt}`);
  }
  if (existsSync(file))
    throw new StartError(`${file} exists: a back-up overwrites nothing. Remove it, or give another name`);
  const manifest = await onDatabase((url) => showProgress((progress) => writeBackupFile(url, file, progress)));
  const bytes = statSync(file).size;
  if (values.json) printJson({ file, bytes, ...summed(manifest) }, 2);
  else print(`${file}: ${rowsOf(manifest)} as of ${manifest.takenAt}, ${bytes} bytes`);
}

const summed = ({ takenAt, baton, postgres, migrations, tables }: Manifest): object => ({
  takenAt,
  baton,
  postgres,
  migrations,
  tables,
});

async function onDatabase<T>(work: (url: string) => Promise<T>): Promise<T> {
  const env = readEnv(process.env);
  if (env.databaseUrl !== undefined) return work(env.databaseUrl);
  const embedded = await borrowPostgres({ folder: env.dataFolder, database: 'baton', log: silentLog, create: false });
  return work(embedded.url).finally(() => embedded.stop());
}

export const backup: Command = { usage, run };
