import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../log.ts';
import { findFolder, possibleBases, prepareFolder, type Folder } from './folder.ts';
import {
  clusterOf,
  createCluster,
  lastError,
  readPassword,
  servingPid,
  spawnPostgres,
  type Postgres,
  type Settings,
} from './server.ts';
import { StartError } from '../../core/startError.ts';

/** Advisory lock of the server that owns the folder. PostgreSQL releases it when that server dies. */
const ownerLock = 4_244_001;
const startWithin = 10_000;
const stopWithin = 6_000;
/** PostgreSQL may release the lock of a killed server late. */
const ownerWithin = 1_500;

/** A running server owns the folder. */
class OwnedError extends StartError {}

type Place = Pick<Folder, 'base' | 'socket'>;

export interface EmbeddedPostgres {
  url: string;
  base: string;
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  folder: string;
  log: Log;
  /** Created when missing. */
  database?: string;
  settings?: Settings;
  /** False: refuses a folder without a database instead of making one. */
  create?: boolean;
  /** Whether new files are flushed to disk; tests do without. */
  sync?: boolean;
  /** Called when PostgreSQL died and could not be restarted. */
  onLost?: (error: unknown) => void;
}

const defaults: Settings = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Keeps texts of users out of the log: a failing statement may hold them.
  log_min_error_statement: 'panic',
  // Ends the transactions of a dead server at once instead of after their statements.
  client_connection_check_interval: '500ms',
};

/** Starts PostgreSQL on a folder, or takes over the instance that a killed server left running. */
export async function startPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  if (options.create === false && !possibleBases(options.folder).some((base) => existsSync(clusterOf(base)))) {
    throw new StartError(
      `There is no database in ${resolve(options.folder)}: set BATON_DATA to the folder of one, or DATABASE_URL`,
    );
  }
  const folder = await prepareFolder(options.folder);
  if (folder.moved) options.log.warn(folder.moved);
  await createCluster(folder, options.sync ?? true);
  const password = await readPassword(folder.base);
  const url = urlOf(folder, password);
  const settings = { ...defaults, ...options.settings, unix_socket_directories: folder.socket };
  let stopping = false;
  let recovering = Promise.resolve();
  let owner = await own();
  const database = options.database ?? 'postgres';
  try {
    await ensureDatabase(owner, database);
  } catch (error) {
    stopping = true;
    await shutDown(folder, owner);
    throw error;
  }

  async function own(): Promise<pg.Client> {
    const client = await becomeOwner(folder, url, settings, options.log);
    client.once('end', () => {
      if (!stopping) recovering = recover();
    });
    return client;
  }

  async function recover(): Promise<void> {
    options.log.warn('The embedded PostgreSQL is gone: starting it again');
    try {
      owner = await own();
      options.log.info('The embedded PostgreSQL is back');
    } catch (error) {
      if (!stopping) options.onLost?.(error);
    }
  }

  return {
    url: urlOf(folder, password, database),
    base: folder.base,
    async stop() {
      stopping = true;
      await recovering;
      await shutDown(folder, owner);
    },
  };
}

/** Connects to the instance of the server that owns the folder, or starts one (`ours`) when no server does. */
export async function borrowPostgres(
  options: EmbeddedOptions & { database: string },
): Promise<{ url: string; ours: boolean; stop(): Promise<void> }> {
  try {
    return { ...(await startPostgres(options)), ours: true };
  } catch (error) {
    if (!(error instanceof OwnedError)) throw error;
    const folder = await prepareFolder(options.folder);
    return {
      url: urlOf(folder, await readPassword(folder.base), options.database),
      ours: false,
      stop: async () => undefined,
    };
  }
}

/** Stops the instance that a killed process left running. Returns false when a running process owns the folder. */
export async function stopAbandoned(base: string): Promise<boolean> {
  const folder = await findFolder(base);
  const client = existsSync(clusterOf(folder.base))
    ? await connect(urlOf(folder, await readPassword(folder.base)))
    : undefined;
  if (!client) {
    await removeFarSocket(folder);
    return true;
  }
  if (!(await takeLock(client, ownerWithin))) {
    await client.end();
    return false;
  }
  await shutDown(folder, client);
  return true;
}

async function becomeOwner(folder: Folder, url: string, settings: Settings, log: Log): Promise<pg.Client> {
  const deadline = Date.now() + startWithin;
  let output = '';
  let spawned: Postgres | undefined;
  try {
    while (Date.now() < deadline) {
      const found = await connect(url);
      if (found) {
        await claim(found, folder);
        log.warn('PostgreSQL of a server that was killed still runs: taking it over');
        return found;
      }
      const postgres = (spawned = await spawnPostgres(folder, settings));
      let exited = false;
      void postgres.gone.then((text) => {
        exited = true;
        output = text;
      });
      // The leftovers of a killed PostgreSQL can look like a running one for two seconds.
      while (!exited && Date.now() < deadline) {
        const client = await connect(url);
        if (client) {
          await claim(client, folder);
          return client;
        }
        await sleep(20);
      }
      await sleep(200);
    }
    throw new StartError(
      `PostgreSQL did not start within ${startWithin / 1000} s on ${folder.base}: ${lastError(output) || 'it said nothing'}`,
    );
  } catch (error) {
    await end(spawned);
    throw error;
  }
}

/** Ends a PostgreSQL that this process started and does not own. */
async function end(spawned: Postgres | undefined): Promise<void> {
  if (spawned?.pid === undefined) return;
  for (const name of ['SIGINT', 'SIGQUIT'] as const) {
    const deadline = Date.now() + stopWithin;
    if (alive(spawned.pid)) signal(spawned.pid, name);
    while (alive(spawned.pid) && Date.now() < deadline) await sleep(10);
  }
}

async function connect(url: string): Promise<pg.Client | undefined> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 2_000,
    query_timeout: 2_000,
    application_name: 'baton owner',
  });
  // Without a listener a lost connection would end the process. 'end' reports the loss.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    if ((error as { code?: string }).code === '28P01')
      throw new StartError(
        'The embedded PostgreSQL refuses our password: its files and the password beside them do not belong together',
      );
    return undefined;
  }
}

async function claim(client: pg.Client, folder: Folder): Promise<void> {
  if (await takeLock(client, ownerWithin)) return;
  await client.end();
  throw new OwnedError(`Another Baton is running on ${folder.base}: stop it, or set BATON_DATA to another folder`);
}

async function takeLock(client: pg.Client, within: number): Promise<boolean> {
  const deadline = Date.now() + within;
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [ownerLock]);
    if (rows[0]?.locked) return true;
    if (Date.now() > deadline) return false;
    await sleep(50);
  }
}

async function ensureDatabase(client: pg.Client, name: string): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
  if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
}

/** Fast shutdown: closes connections; committed data is on disk. */
async function shutDown(folder: Place, owner: pg.Client): Promise<void> {
  const pid = await servingPid(folder.base);
  const ended = new Promise((resolve) => owner.once('end', resolve));
  if (pid) signal(pid, 'SIGINT');
  const deadline = Date.now() + stopWithin;
  while (pid && alive(pid) && Date.now() < deadline) await sleep(10);
  await Promise.race([ended, owner.end().catch(() => undefined)]);
  await removeFarSocket(folder);
}

/** Removes a socket folder outside of `base`, which would be left in the temporary folder. */
async function removeFarSocket(folder: Place): Promise<void> {
  if (!folder.socket.startsWith(folder.base)) await rm(folder.socket, { recursive: true, force: true });
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has exited.
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function urlOf(folder: Place, password: string, database = 'postgres'): string {
  return `postgresql://postgres:${password}@/${database}?host=${encodeURIComponent(folder.socket)}`;
}
