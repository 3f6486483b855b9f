import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { chown, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Folder } from './folder.ts';
import { StartError } from '../../core/startError.ts';

const maxLogBytes = 10_000_000;

export const clusterOf = (base: string) => join(base, 'cluster');
const dataOf = (base: string) => join(clusterOf(base), 'data');

/** Names and values as in postgresql.conf. */
export type Settings = Record<string, string>;

/**
 * Creates the database files and their password. One rename makes them visible, so that a killed start or two starts at
 * once leave nothing to repair.
 */
export async function createCluster(folder: Folder, sync: boolean): Promise<void> {
  if (existsSync(clusterOf(folder.base))) return;
  const unfinished = `${clusterOf(folder.base)}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    const password = join(unfinished, 'password');
    await mkdir(unfinished, { mode: 0o700 });
    await writeFile(password, randomBytes(24).toString('hex'), { mode: 0o600, flag: 'wx' });
    if (folder.user) {
      await chown(unfinished, folder.user.uid, folder.user.gid);
      await chown(password, folder.user.uid, folder.user.gid);
    }
    await run(folder, folder.binaries.initdb, [
      `--pgdata=${join(unfinished, 'data')}`,
      '--username=postgres',
      `--pwfile=${password}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      ...(sync ? [] : ['--no-sync']),
    ]);
    await rename(unfinished, clusterOf(folder.base)).catch(() => undefined);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/**
 * The password authenticates the server too: with SCRAM it proves that it uses our files, before it gets any data. This
 * matters when the socket is in the temporary folder.
 */
export async function readPassword(base: string): Promise<string> {
  return (await readFile(join(clusterOf(base), 'password'), 'utf8')).trim();
}

export interface Postgres {
  pid: number | undefined;
  /** Resolves with the process's output when it has exited. */
  gone: Promise<string>;
}

/** Starts PostgreSQL in its own session: Ctrl-C and the death of this process do not end it. */
export async function spawnPostgres(folder: Folder, settings: Settings): Promise<Postgres> {
  const path = join(folder.base, 'postgres.log');
  const full = await stat(path).then(
    ({ size }) => size > maxLogBytes,
    () => false,
  );
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants;
  const log = await open(path, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY | (full ? O_TRUNC : 0), 0o600);
  if (folder.user) await log.chown(folder.user.uid, folder.user.gid);
  const start = (await log.stat()).size;
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(folder.binaries.postgres, ['-D', dataOf(folder.base), ...flags], {
    ...folder.user,
    cwd: folder.base,
    env: environment,
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  }).then(async () => {
    const output = await readFile(path).catch(() => Buffer.alloc(0));
    return output.subarray(start).toString('utf8').trim();
  });
  child.unref();
  await log.close();
  return { pid: child.pid, gone };
}

/** The pid in PostgreSQL's pid file. Valid only while PostgreSQL answers on the socket. */
export async function servingPid(base: string): Promise<number | undefined> {
  const text = await readFile(join(dataOf(base), 'postmaster.pid'), 'utf8').catch(() => '');
  return Number.parseInt(text, 10) || undefined;
}

const environment = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

async function run(folder: Folder, command: string, args: string[]): Promise<void> {
  const child = spawn(command, args, {
    ...folder.user,
    cwd: folder.base,
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      output += error.message;
      resolve(null);
    });
    child.once('close', resolve);
  });
  if (code !== 0) throw new StartError(`PostgreSQL could not create its files in ${folder.base}: ${lastError(output)}`);
}

/** The last error in PostgreSQL's output, without the lines about the shutdown after it. */
export function lastError(text: string): string {
  const lines = text.trim().split('\n');
  return (
    lines.findLast((line) => /(FATAL|PANIC):/.test(line) && !line.includes('the database system is')) ??
    lines.at(-1) ??
    ''
  );
}
