import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readEnv, type Env } from './env.ts';
import { createLog } from './log.ts';
import { migrateDown, migrateUp, migrationStatus } from './migrate.ts';
import { startPostgres } from './postgres.ts';
import { renewCursors } from './renewCursors.ts';
import { diffSchemas } from './schemaEngine.ts';
import { StartError } from './startError.ts';

const usage = `npm run migrate -- [command]

Migrates the database in DATABASE_URL, or the embedded database in BATON_DATA.

  up             applies the missing migrations (default)
  status         lists applied, missing, unknown and edited migrations
  down           reverts the latest migration; the data of its tables and columns is lost
  diff           prints the SQL from the committed prisma/schema.prisma to the current one
  renew-cursors  invalidates every stream cursor. Run it after a restore, before a server starts: clients then get
                 CURSOR_EXPIRED and read the current state

Exit code 0: done. 1: refused; the message says why.`;
const schemaPath = 'prisma/schema.prisma';

async function main([command = 'up', ...rest]: string[]): Promise<void> {
  if (command === '--help') return print(usage);
  if (rest.length > 0 || !['up', 'status', 'down', 'diff', 'renew-cursors'].includes(command)) throw new StartError(usage);
  await onDatabase(readEnv(process.env), async (url) => {
    if (command === 'up') print(list('Applied', await migrateUp(url)) || 'The database is up to date');
    if (command === 'down')
      print(
        list(
          'Reverted',
          [await migrateDown(url)].filter((name) => name !== undefined),
        ) || 'No migration to revert',
      );
    if (command === 'diff') {
      print((await diffSchemas(url, committedSchema(), readFileSync(schemaPath, 'utf8'))).trim());
    }
    if (command === 'renew-cursors') {
      await renewCursors(url);
      print('All earlier cursors are invalid: start the servers now');
    }
    if (command === 'status') {
      const { applied, missing, unknown, edited } = await migrationStatus(url);
      const lines = [
        list('Applied', applied),
        list('Missing', missing),
        list('Unknown to this version', unknown),
        list('Edited after it was applied', edited),
      ];
      print(lines.filter((line) => line !== '').join('\n'));
    }
  });
}

function committedSchema(): string {
  try {
    return execFileSync('git', ['show', `HEAD:./${schemaPath}`], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    throw new StartError(`${schemaPath} is not committed: diff needs Git and a first commit`);
  }
}

async function onDatabase(env: Env, work: (url: string) => Promise<void>): Promise<void> {
  if (env.databaseUrl !== undefined) return work(env.databaseUrl);
  const postgres = await startPostgres({ folder: env.dataFolder, database: 'baton', log: createLog({ level: 'warn' }) });
  await work(postgres.url).finally(() => postgres.stop());
}

function list(title: string, names: string[]): string {
  return names.length === 0 ? '' : `${title}: ${names.join(', ')}`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof StartError ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
});
