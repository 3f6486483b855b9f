import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { compose, type Baton, type Variations } from '../server/compose.ts';
import { readEnv } from '../server/infra/env.ts';
import { silentLog, type Log } from '../server/infra/log.ts';
import { loopback } from '../server/keys/authenticate.ts';
import { createRates } from '../server/limits/rates.ts';
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
  const child = await spawnServer(options);
  const url = await Promise.race([
    child.ready,
    child.exited.then(() => Promise.reject(new Error(`The server did not start:\n${child.logs.join('\n')}`))),
  ]);
  return { ...child, url };
}

/** A server process that is expected not to start. */
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
 * The whole server in this process, on a free port, over a test database, without work in the background. It is open, unless `variables`
 * have BATON_ADMIN_KEY or the database has keys already.
 */
export async function startApp(database: TestDatabase, { variables = {}, log = silentLog, ...variations }: StartAppOptions = {}): Promise<StartedApp> {
  const baton = await compose(readEnv({ PORT: '0', ...variables }), database, log, { rates: unhurried(), background: [], ...variations });
  await baton.app.start();
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= baton.stop());
  atEnd(stop);
  return { ...baton, url: baton.app.url, stop };
}

const plenty = { perMinute: 60_000_000, burst: 1_000_000 };
/** Tests ask faster than callers may: those of the rates give their own. */
const unhurried = () => createRates({ reads: plenty, writes: plenty, failures: plenty });

/** For an app that has no database to look for keys in. */
export const openToAll = Object.assign(async () => loopback, { open: true });
