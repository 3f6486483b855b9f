import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { seed } from '../prisma/seed.ts';
import { readTabs } from './api/graphiql/tabs.ts';
import { isDroppedField } from './api/graphql/rejecting.ts';
import { compose, type Baton } from './app/compose.ts';
import { endThreads } from './core/threads.ts';
import { warnOften } from './core/warnOften.ts';
import { readEnv } from './infra/env.ts';
import { createPersistedOperations, readManifest } from './infra/limits/persisted.ts';
import { createLog, type Log } from './infra/log.ts';
import { openDatabase, type OpenDatabase } from './infra/openDatabase.ts';
import { commandLine, packageFolder } from './core/place.ts';
import { StartError } from './core/startError.ts';
import { redactLogLine } from './work/redaction/logLine.ts';

const manifestFile = join(packageFolder, 'client/gql/persisted-documents.json');
const stopWithin = 9_500;
// Under npm, Ctrl-C arrives twice: from the terminal and from npm.
const sameSignalWithin = 250;

// V8 lets the heap grow to four times of what is in use before it collects garbage: an import of 60 MB then took 230 MB of
// memory, with twice of what is in use 90 MB.
setFlagsFromString('--heap-growing-percent=100');

/** EX_SOFTWARE: an error in Baton that nothing caught. */
const exitOfUncaught = 70;

let log: Log | undefined;
let baton: Baton | undefined;
let database: OpenDatabase | undefined;
let first: { signal: string; at: number } | undefined;

/** What `baton start` needs to start a runner beside the server. */
interface Started {
  url: string;
  /** Whether the database may have the demonstration. */
  isDemonstration: boolean;
  /** Whether callers need no key. */
  isOpen: boolean;
}

async function start(): Promise<Started> {
  const env = readEnv(process.env);
  const documents = readManifest(manifestFile);
  if (env.persistedOnly && Object.keys(documents).length === 0) {
    throw new StartError('BATON_PERSISTED_ONLY is 1, but no operations are built: run npm run codegen, or set it to 0');
  }
  log = createLog({ level: env.logLevel, redactLine: redactLogLine });
  for (const line of env.warnings) log.warn(line);
  database = await openDatabase(env, log, fail);
  const { pool, embedded } = database;
  baton = await compose(env, database, log, {
    persisted: createPersistedOperations(documents, { only: env.persistedOnly }),
    graphiqlTabs: readTabs(join(packageFolder, 'server/api/graphiql')),
  });
  const { app, authenticate } = baton;
  if ((env.demo ?? embedded) && (await seed({ pool, log }))) log.info('The demonstration data was loaded');
  await app.start();
  log.info(
    authenticate.open
      ? 'No keys exist: every program on this machine has full access'
      : `Callers need a key: ${commandLine('key')} lists and creates keys`,
  );
  log.info({ url: app.url }, `Baton is ready: open ${app.url}`);
  return { url: app.url, isDemonstration: env.demo ?? embedded, isOpen: authenticate.open };
}

function fail(error: unknown): never {
  const known = error instanceof StartError;
  process.stderr.write(`${known ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(process.exitCode === undefined || process.exitCode === 0 ? 1 : process.exitCode);
}

let stopping: Promise<void> | undefined;

/** Ends in order, once. Exits in time in any case: the next start recovers what was left running. */
function stop(code: number): void {
  process.exitCode ??= code;
  stopping ??= starting.then(async () => {
    setTimeout(() => process.exit(), stopWithin).unref();
    try {
      await baton?.stop();
    } finally {
      await endThreads();
      await database?.close();
    }
  });
  stopping.then(() => process.exit(), fail);
}

/**
 * An error that nothing caught leaves the state of the process unknown, so it ends, in order: the requests that run finish,
 * new ones get 503, sockets 1012. What is known to be sound is caught where it happens and never comes here.
 */
function endAfter(error: unknown): void {
  if (log === undefined) fail(error);
  log.fatal({ err: error }, 'An error was not caught: the server ends. Please report it');
  process.exitCode = exitOfUncaught;
  stop(exitOfUncaught);
}

export const starting: Promise<Started> = start().catch(async (error: unknown) => {
  await database?.close().catch(() => undefined);
  return fail(error);
});

process.on('uncaughtException', endAfter);
process.on('unhandledRejection', (error) => {
  if (log !== undefined && isDroppedField(error))
    return warnOften(log, { err: error }, 'A field failed that its answer no longer needed');
  endAfter(error);
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    const now = performance.now();
    if (first !== undefined) {
      if (signal === first.signal && now - first.at < sameSignalWithin) return;
      process.exit(signal === 'SIGINT' ? 130 : 143);
    }
    first = { signal, at: now };
    stop(0);
  });
}
