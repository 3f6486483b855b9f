import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildApp, type App, type AppLive, type AppOptions } from '../server/app.ts';
import { downloadRoute } from '../server/exports/downloadRoute.ts';
import { compiledQueries } from '../server/graphql/compiled.ts';
import { contexts } from '../server/graphql/context.ts';
import { createMaskError } from '../server/graphql/errors/maskError.ts';
import { noSuggestions } from '../server/graphql/errors/noSuggestions.ts';
import { schema } from '../server/graphql/schema.ts';
import { createDoorbell } from '../server/infra/doorbell.ts';
import type { TurnLimits } from '../server/core/turns.ts';
import { readEnv } from '../server/infra/env.ts';
import { silentLog, type Log } from '../server/infra/log.ts';
import { createAuthenticate, hasHadKeys, loopback, type Authenticate } from '../server/keys/authenticate.ts';
import { createRates } from '../server/limits/rates.ts';
import { transcriptRoute } from '../server/log/transcriptRoute.ts';
import { databaseId } from '../server/events/cursors.ts';
import type { Streams } from '../server/events/streams.ts';
import type { SocketLimits } from '../server/limits/limits.ts';
import { assembleLive, openStreams, type Pace } from '../server/live.ts';
import { atEnd, type TestDatabase } from './database.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface ServerProcess {
  url: string;
  pid: number;
  exited: Promise<Exit>;
  /** Every line of both outputs so far. */
  logs: string[];
  /** Sends the signal and waits until the process is gone. */
  kill(signal?: NodeJS.Signals): Promise<Exit>;
}

export interface ServerOptions {
  /** None: embedded PostgreSQL, in the folder that `env.BATON_DATA` names. */
  databaseUrl?: string;
  env?: Record<string, string>;
}

/** A real server process on a free port, ready when this resolves. Rejects with its last line when it exits instead. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const child = spawnServer(options);
  const url = await Promise.race([
    child.ready,
    child.exited.then(() => Promise.reject(new Error(`The server did not start:\n${child.logs.join('\n')}`))),
  ]);
  return { ...child, url };
}

/** A server process that is expected not to start. */
export async function refusedStart(options: ServerOptions): Promise<Exit & { stderr: string }> {
  const child = spawnServer(options);
  const exit = await child.exited;
  return { ...exit, stderr: child.stderr.join('\n') };
}

function spawnServer({ databaseUrl, env }: ServerOptions) {
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn(process.execPath, ['--import', 'tsx', 'server/main.ts'], {
    cwd: root,
    env: { PATH, HOME, TMPDIR, PORT: '0', ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const logs: string[] = [];
  const stderr: string[] = [];
  const ready = new Promise<string>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      logs.push(line);
      if (line.startsWith('{') && line.includes('"url":')) resolve((JSON.parse(line) as { url: string }).url);
    });
  });
  createInterface(child.stderr).on('line', (line) => {
    logs.push(line);
    stderr.push(line);
  });
  const exited = new Promise<Exit>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const kill = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return exited;
  };
  atEnd(async () => {
    await kill('SIGKILL');
  });
  return { pid: child.pid ?? 0, logs, stderr, ready, exited, kill };
}

export interface StartedApp {
  url: string;
  app: App;
  authenticate: Authenticate;
  streams: Streams;
  live: AppLive;
  stop(): Promise<void>;
}

export type StartAppOptions = Partial<AppOptions> & { variables?: Record<string, string>; log?: Log; recheckMs?: number; pace?: Pace; limits?: Partial<SocketLimits>; uploads?: Partial<TurnLimits>; processorMs?: number };

/**
 * The whole server in this process, on a free port, over a test database. It is open, unless `variables` have BATON_ADMIN_KEY or the
 * database has keys already.
 */
export async function startApp(
  database: TestDatabase,
  { variables = {}, recheckMs, pace = {}, limits, uploads, processorMs, ...options }: StartAppOptions = {},
): Promise<StartedApp> {
  const env = readEnv({ PORT: '0', ...variables });
  const log = options.log ?? silentLog;
  const { prisma, pool } = database;
  const open = env.adminKey === undefined && !(await hasHadKeys(pool));
  const authenticate = createAuthenticate({ pool, log, adminKey: env.adminKey, open, ...(recheckMs !== undefined && { recheckMs }) });
  const { rates = unhurried() } = options;
  const doorbell = createDoorbell({ urls: env.redisUrls, databaseId: await databaseId(pool), log });
  const streams = openStreams({ database, log, doorbell, authenticate, limits, pace: { heartbeatMs: env.heartbeatMs, ...pace } });
  const createContext = contexts({ prisma, pool, env, log, streams, keyRevoked: authenticate.revoked, rates, processorMs });
  const asking = { createContext, maskError: createMaskError(log) };
  const live = assembleLive({ streams, doorbell, log, authenticate, limits, ...asking });
  const app = buildApp({
    env,
    database,
    schema,
    log,
    authenticate,
    rates,
    ...asking,
    live,
    plugins: [noSuggestions, compiledQueries()],
    routes: [transcriptRoute({ ...asking, uploads }), downloadRoute({ schema, ...asking })],
    ...options,
  });
  await app.start();
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= app.stop().finally(async () => {
      authenticate.close();
      await doorbell.close();
    }));
  atEnd(stop);
  return { url: app.url, app, authenticate, streams, live, stop };
}

const plenty = { perMinute: 60_000_000, burst: 1_000_000 };
/** Tests ask faster than callers may: those of the rates give their own. */
const unhurried = () => createRates({ reads: plenty, writes: plenty, failures: plenty });

/** For an app that has no database to look for keys in. */
export const openToAll = Object.assign(async () => loopback, { open: true });
