import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { compose, type Baton, type Variations } from '../server/app/compose.ts';
import { readEnv } from '../server/infra/env.ts';
import { createRates } from '../server/infra/limits/rates.ts';
import { silentLog, type Log } from '../server/infra/log.ts';
import { loopback } from '../server/work/keys/authenticate.ts';
import { bundled } from './bundle.ts';
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
  /** All lines of both outputs so far. */
  logs: string[];
  /** Sends the signal and waits for the end of the process. */
  kill(signal?: NodeJS.Signals): Promise<Exit>;
}

export interface ServerOptions {
  /** Without it: embedded PostgreSQL in the folder `env.BATON_DATA`. */
  databaseUrl?: string;
  env?: Record<string, string>;
}

/** Starts a real server process on a free port; resolves when it is ready and rejects with its last line when it exits. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const child = await spawnServer(options);
  const url = await Promise.race([
    child.ready,
    child.exited.then(() => Promise.reject(new Error(`The server did not start:\n${child.logs.join('\n')}`))),
  ]);
  return { ...child, url };
}

/** Starts a server process that must fail to start. */
export async function refusedStart(options: ServerOptions): Promise<Exit & { stderr: string }> {
  const child = await spawnServer(options);
  const exit = await child.exited;
  return { ...exit, stderr: child.stderr.join('\n') };
}

async function spawnServer({ databaseUrl, env }: ServerOptions) {
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn(process.execPath, [await bundled('server/main.ts')], {
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

export interface StartedApp extends Baton {
  url: string;
}

export interface StartAppOptions extends Variations {
  variables?: Record<string, string>;
  log?: Log;
}

/**
 * The whole server in this process, on a free port, with a test database and without background work. It requires no keys
 * unless `variables` has BATON_ADMIN_KEY or the database has keys.
 */
export async function startApp(
  database: TestDatabase,
  { variables = {}, log = silentLog, ...variations }: StartAppOptions = {},
): Promise<StartedApp> {
  const baton = await compose(readEnv({ PORT: '0', ...variables }), database, log, {
    rates: unhurried(),
    background: [],
    ...variations,
  });
  await baton.app.start();
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= baton.stop());
  atEnd(stop);
  return { ...baton, url: baton.app.url, stop };
}

const plenty = { perMinute: 60_000_000, burst: 1_000_000 };
/** Raises the rate limits, which tests would exceed; tests of rates set their own. */
const unhurried = () => createRates({ rateOf: () => plenty, failures: plenty });

/** For an app without a database of keys. */
export const openToAll = Object.assign(async () => loopback, { open: true });
