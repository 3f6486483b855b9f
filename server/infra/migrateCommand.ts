import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readEnv, type Env } from './env.ts';
import { createLog } from './log.ts';
import { migrateDown, migrateUp, migrationStatus } from './migrate.ts';
import { startPostgres } from './postgres/postgres.ts';
import { renewCursors } from '../live/renewCursors.ts';
import { StartError } from './startError.ts';

const usage = `npm run migrate              applies what is missing
npm run migrate -- status    says what is applied and what is missing
npm run migrate -- down      takes back the latest, with the data of its tables
npm run migrate -- diff      prints the SQL from the committed prisma/schema.prisma to the present one
npm run migrate -- renew-cursors   after a restore, before servers start: every client begins anew instead of going on from a place
                             that the restored database reaches a second time`;
const schemaPath = 'prisma/schema.prisma';

const commands: Record<string, (url: string) => Promise<string>> = {
  up: async (url) => list('Applied', await migrateUp(url)) || 'Nothing to apply: the database is up to date',
  async down(url) {
    const name = await migrateDown(url);
    return name === undefined ? 'Nothing to take back' : `Took back: ${name}`;
  },
  async status(url) {
    const { applied, missing, unknown, edited } = await migrationStatus(url);
    const lines = [list('Applied', applied), list('Missing', missing), list('Not of this version', unknown), list('Edited since', edited)];
    return lines.filter((line) => line !== '').join('\n');
  },
  async diff(url) {
    const { diffSchemas } = await import('../../prisma/schemaEngine.ts').catch(() => {
      throw new StartError('diff needs the packages for development: run npm ci without --omit=dev');
    });
    return (await diffSchemas(url, committedSchema(), readFileSync(schemaPath, 'utf8'))).trim();
  },
  async 'renew-cursors'(url) {
    await renewCursors(url);
    return 'Cursors given out before are not good any more: start the servers again now';
  },
};

async function main([name = 'up', ...rest]: string[]): Promise<void> {
  const command = Object.hasOwn(commands, name) && rest.length === 0 ? commands[name] : undefined;
  if (command === undefined) throw new StartError(usage);
  await onDatabase(readEnv(process.env), async (url) => void process.stdout.write(`${await command(url)}\n`));
}

function committedSchema(): string {
  try {
    return execFileSync('git', ['show', `HEAD:./${schemaPath}`], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    throw new StartError(`There is no committed ${schemaPath} to compare with: diff needs Git and a first commit`);
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

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof StartError ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
});
