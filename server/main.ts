import { fileURLToPath } from 'node:url';
import type { Doorbell } from './core/doorbell.ts';
import { seed } from '../prisma/seed.ts';
import { buildApp, type App } from './app.ts';
import { databaseId } from './events/cursors.ts';
import { startArchiving } from './exports/archive.ts';
import { downloadRoute } from './exports/downloadRoute.ts';
import { createRecords } from './exports/records.ts';
import { compiledQueries } from './graphql/compiled.ts';
import { contexts } from './graphql/context.ts';
import { createMaskError } from './graphql/maskError.ts';
import { noSuggestions } from './graphql/noSuggestions.ts';
import { schema } from './graphql/schema.ts';
import { readTabs } from './graphiql/tabs.ts';
import { startSweeping } from './handoffs/sweep.ts';
import { createDoorbell } from './infra/doorbell.ts';
import { isLoopback, readEnv } from './infra/env.ts';
import { createLog } from './infra/log.ts';
import { openDatabase, type OpenDatabase } from './infra/openDatabase.ts';
import { StartError } from './infra/startError.ts';
import { createAuthenticate, hasHadKeys, type Authenticate } from './keys/authenticate.ts';
import { batonItself } from './core/work.ts';
import { createPersistedOperations, readManifest } from './limits/persisted.ts';
import { createRates } from './limits/rates.ts';
import { assembleLive, openStreams } from './live.ts';
import { redactLogLine } from './redaction/logLine.ts';
import { transcriptRoute } from './log/transcriptRoute.ts';

const manifestFile = fileURLToPath(new URL('../client/gql/persisted-documents.json', import.meta.url));
const stopWithin = 9_500;
// Ctrl-C reaches a server under npm twice: from the terminal, and passed on by npm.
const sameSignalWithin = 250;

let app: App | undefined;
let database: OpenDatabase | undefined;
let authenticate: Authenticate | undefined;
let doorbell: Doorbell | undefined;
let first: { signal: string; at: number } | undefined;

async function start(): Promise<void> {
  const env = readEnv(process.env);
  const documents = readManifest(manifestFile);
  if (env.persistedOnly && Object.keys(documents).length === 0) {
    throw new StartError('BATON_PERSISTED_ONLY is 1, but no operations are built: run npm run codegen, or set it to 0');
  }
  const log = createLog({ level: env.logLevel, redactLine: redactLogLine });
  database = await openDatabase(env, log, fail);
  const { prisma, pool, embedded } = database;
  const open = env.adminKey === undefined && !(await hasHadKeys(pool));
  if (open && !isLoopback(env.host)) {
    throw new StartError(`HOST is ${env.host}, which other machines can reach, and no keys exist: set BATON_ADMIN_KEY (at least 32 characters), or create a key with npm run key`);
  }
  authenticate = createAuthenticate({ pool, log, adminKey: env.adminKey, open });
  const { archiveFolder: folder } = env;
  if ((env.demo ?? embedded) && (await seed({ pool, log }))) log.info('The demonstration data was loaded');
  const rates = createRates();
  doorbell = createDoorbell({ urls: env.redisUrls, databaseId: await databaseId(pool), log });
  const streams = openStreams({ database, log, doorbell, authenticate, pace: { heartbeatMs: env.heartbeatMs } });
  const createContext = contexts({ prisma, pool, env, log, streams, keyRevoked: authenticate.revoked, rates });
  const asking = { createContext, maskError: createMaskError(log) };
  const archived = createRecords({ schema, createContext: () => createContext(batonItself('archive')) });
  app = buildApp({
    env,
    database,
    schema,
    log,
    authenticate,
    rates,
    persisted: createPersistedOperations(documents, { only: env.persistedOnly }),
    ...asking,
    live: assembleLive({ streams, doorbell, log, authenticate, ...asking }),
    plugins: [noSuggestions, compiledQueries()],
    routes: [transcriptRoute(asking), downloadRoute({ schema, ...asking })],
    graphiqlTabs: readTabs(),
    background: [
      () => startSweeping({ pool, log, announcer: streams }),
      ...(folder === undefined ? [] : [() => startArchiving({ folder, pool, log, positioned: () => streams.positioned(), records: archived, ...asking })]),
    ],
  });
  await app.start();
  log.info(open ? 'No keys exist: every program on this machine has full access' : 'Callers need a key: npm run key lists and creates keys');
  log.info({ url: app.url }, `Baton is ready: open ${app.url}`);
}

function fail(error: unknown): never {
  const known = error instanceof StartError;
  process.stderr.write(`${known ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}

async function stop(): Promise<void> {
  // Never later than promised; what is left over is recovered by the next start.
  setTimeout(() => process.exit(0), stopWithin).unref();
  await app?.stop();
  authenticate?.close();
  await doorbell?.close();
  await database?.close();
}

const starting = start();

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    const now = performance.now();
    if (first !== undefined) {
      if (signal === first.signal && now - first.at < sameSignalWithin) return;
      process.exit(signal === 'SIGINT' ? 130 : 143);
    }
    first = { signal, at: now };
    starting.then(stop).then(() => process.exit(0), fail);
  });
}

starting.catch(async (error: unknown) => {
  await database?.close();
  fail(error);
});
