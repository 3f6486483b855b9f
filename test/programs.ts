import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A system program that tests run, and its package in Debian and Ubuntu. */
export interface Program {
  name: string;
  package: string;
  /** For systems that do not have the package. */
  otherPackage?: string;
  /** Its path, or undefined when it is not installed. */
  find(): string | undefined;
  /** Installation advice for people. */
  advice: string;
}

/** The headless shell opens a page in half the time. */
const browsers = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const onMac = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

export const chromiumProgram: Program = {
  name: 'Chromium',
  package: 'chromium-headless-shell',
  otherPackage: 'chromium',
  find: () => firstExecutable([process.env['CHROMIUM'] ?? '', ...inPath(...browsers), ...onMac]),
  advice: 'install Chromium from the packages of your system, or set CHROMIUM to its path',
};

export const redisProgram: Program = {
  name: 'Redis',
  package: 'redis-server',
  find: () =>
    firstExecutable(inPath('redis-cli')) === undefined ? undefined : firstExecutable(inPath('redis-server')),
  advice: 'install redis-server from the packages of your system',
};

export const nginxProgram: Program = {
  name: 'nginx',
  package: 'nginx-light',
  find: () => firstExecutable([...inPath('nginx'), '/usr/sbin/nginx']),
  advice: 'install nginx from the packages of your system',
};

export const caddyProgram: Program = {
  name: 'Caddy',
  package: 'caddy',
  find: () => firstExecutable(inPath('caddy')),
  advice: 'install caddy from the packages of your system',
};

export const pgbouncerProgram: Program = {
  name: 'PgBouncer',
  package: 'pgbouncer',
  find: () => firstExecutable([...inPath('pgbouncer'), '/usr/sbin/pgbouncer']),
  advice: 'install pgbouncer from the packages of your system',
};

export const promtoolProgram: Program = {
  name: 'promtool',
  package: 'prometheus',
  find: () => firstExecutable(inPath('promtool')),
  advice: 'install Prometheus from the packages of your system',
};

/** The path of a program. @throws Error with installation advice */
export function requireProgram(program: Program): string {
  const path = program.find();
  if (path === undefined)
    throw new Error(`${program.name} is missing: run npm test, which installs it as root, or ${program.advice}`);
  return path;
}

export interface Installer {
  isRoot: boolean;
  /** Runs a program to its end. @throws with its output in `stderr` */
  run(program: string, args: string[]): void;
  say(line: string): void;
  /** Blocks briefly before the next attempt. */
  wait(): void;
}

/** Another package manager holds a lock, so this one waits. */
const isLocked = (error: unknown): boolean =>
  /could not get lock|unable to (acquire|lock)/i.test(String((error as { stderr?: unknown }).stderr));
const triesForLock = 300;
const isUnknown = (error: unknown): boolean =>
  /unable to locate package/i.test(String((error as { stderr?: unknown }).stderr));

/**
 * Installs missing programs in one run of apt-get and waits while another package manager holds a lock.
 * @returns a line with the missing programs and installation advice; null when nothing is missing
 */
export function installMissing(programs: readonly Program[], { isRoot, run, say, wait }: Installer): string | null {
  const missing = programs.filter((program) => program.find() === undefined);
  if (missing.length === 0) return null;
  const names = missing.map(({ name }) => name).join(' and ');
  const advice = `The tests need ${names}: ${missing.map((program) => program.advice).join('; ')}`;
  if (!isRoot) return advice;
  say(`${names} ${missing.length === 1 ? 'is' : 'are'} missing: installing with apt-get`);
  const aptGet = (...args: string[]): void => {
    for (let tries = 1; ; tries += 1) {
      try {
        return run('apt-get', args);
      } catch (error) {
        if (!isLocked(error) || tries === triesForLock) throw error;
        if (tries === 1) say('Another package manager is running: waiting for it');
        wait();
      }
    }
  };
  try {
    aptGet('update', '-qq', '-oAcquire::Retries=3');
    const install = (packages: string[]): void =>
      aptGet('install', '-y', '-qq', '-oAcquire::Retries=3', '--no-install-recommends', ...packages);
    try {
      install(missing.map((program) => program.package));
    } catch (error) {
      if (!isUnknown(error) || missing.every(({ otherPackage }) => otherPackage === undefined)) throw error;
      install(missing.map((program) => program.otherPackage ?? program.package));
    }
  } catch (error) {
    const [reason = ''] = /^E: .*$/m.exec(String((error as { stderr?: unknown }).stderr)) ?? [];
    return `${advice} (apt-get failed${reason && `: ${reason}`})`;
  }
  return missing.every((program) => program.find() !== undefined)
    ? null
    : `${advice} (apt-get installed it, and it is still not found)`;
}

export const systemInstaller: Installer = {
  isRoot: process.getuid?.() === 0,
  run: (program, args) =>
    void execFileSync(program, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
    }),
  say: (line) => void process.stderr.write(`${line}\n`),
  wait: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000),
};

const inPath = (...names: string[]): string[] =>
  (process.env['PATH'] ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));

function firstExecutable(paths: readonly string[]): string | undefined {
  return paths.find((path) => {
    try {
      if (path !== '') accessSync(path, constants.X_OK);
      return path !== '';
    } catch {
      return false;
    }
  });
}
