import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { renewCursors } from '../../delivery/live/renewCursors.ts';
import { readEnv, type Env } from '../../infra/env.ts';
import { createLog } from '../../infra/log.ts';
import { migrateDown, migrateUp, migrationStatus } from '../../infra/migrate.ts';
import { commandLine } from '../../core/place.ts';
import { startPostgres } from '../../infra/postgres/postgres.ts';
import { StartError } from '../../core/startError.ts';
import { readArguments, UsageError, type Command } from '../../../cli/command.ts';
import { print } from '../../../cli/output.ts';

const usage = `${commandLine('migrate [command]')}

Migrates the database in DATABASE_URL, or the embedded database in BATON_DATA.

  up             applies the missing migrations (default)
  status         lists applied, missing, unknown and edited migrations
  down           reverts the latest migration; the data of its tables and columns is lost
  diff           prints the SQL from the committed prisma/schema.prisma to the current one
  renew-cursors  invalidates every stream cursor. Run it after a restore by PostgreSQL's own tools, before a server starts:
                 clients then get CURSOR_EXPIRED and read the current state`;
const schemaPath = 'prisma/schema.prisma';

const commands: Record<string, (url: string) => Promise<string>> = {
  up: async (url) => list('Applied', await migrateUp(url)) || 'The database is up to date',
  async down(url) {
    const name = await migrateDown(url);
    return name === undefined ? 'No migration to revert' : `Reverted: ${name}`;
  },
  async status(url) {
    const { applied, missing, unknown, edited } = await migrationStatus(url);
    const lines = [
      list('Applied', applied),
      list('Missing', missing),
      list('Unknown to this version', unknown),
      list('Edited after it was applied', edited),
    ];
    return lines.filter((line) => line !== '').join('\n');
  },
  async diff(url) {
    const { diffSchemas } = await import('../../../prisma/schemaEngine.ts').catch(() => {
      throw new StartError('diff works in a clone of Baton only, after npm ci');
    });
    return (await diffSchemas(url, committedSchema(), readFileSync(schemaPath, 'utf8'))).trim();
  },
  async 'renew-cursors'(url) {
    await renewCursors(url);
    return 'All earlier cursors are invalid: start the servers now';
  },
};

async function run(args: string[]): Promise<void> {
  const [name = 'up', ...rest] = readArguments({ args, allowPositionals: true }).positionals;
  const command = Object.hasOwn(commands, name) && rest.length === 0 ? commands[name] : undefined;
  if (command === undefined) throw new UsageError(`There is no command '${[name, ...rest].join(' ')}'.`);
  await onDatabase(readEnv(process.env), async (url) => print(await command(url)));
}

function committedSchema(): string {
  try {
    return execFileSync('git', ['show', `HEAD:./${schemaPath}`], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    throw new StartError(`${schemaPath} is not committed: diff needs Git and a first commit`);
  }
}

async function onDatabase(env: Env, work: (url: string) => Promise<void>): Promise<void> {
  if (env.databaseUrl !== undefined) return work(env.databaseUrl);
  const postgres = await startPostgres({
    folder: env.dataFolder,
    database: 'baton',
    log: createLog({ level: 'warn' }),
  });
  await work(postgres.url).finally(() => postgres.stop());
}

function list(title: string, names: string[]): string {
  return names.length === 0 ? '' : `${title}: ${names.join(', ')}`;
}

export const migrate: Command = { usage, run };
