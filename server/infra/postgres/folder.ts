import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { binariesIn, binariesVersion, copyBinaries, findBinaries, hydrateSymlinks, type Binaries } from './binaries.ts';
import { StartError } from '../../core/startError.ts';

/** The user that PostgreSQL runs as; undefined: the user of this process. */
export type User = { uid: number; gid: number } | undefined;

export interface Folder {
  /** All files of this database, readable by their owner only. */
  base: string;
  socket: string;
  user: User;
  binaries: Binaries;
  /** The reason when `base` is not the wanted folder. */
  moved: string | undefined;
}

const shared = '/var/lib/baton';

/** Finds or creates the folders of data, socket and binaries so that PostgreSQL's user can enter them. */
export async function prepareFolder(wanted: string): Promise<Folder> {
  const requested = resolve(wanted);
  const user = process.getuid?.() === 0 ? ((await ownerOf(requested)) ?? postgresUser()) : undefined;
  const near = await attempt(requested, () =>
    mkdir(dirname(requested), { recursive: true, mode: 0o755 }).then(() => !user || canReach(dirname(requested), user)),
  );
  const base = near ? requested : join(await sharedFolder(), hash(requested));
  await attempt(base, () => ownFolder(base, user));
  const packaged = await findBinaries();
  const isUsable = (!user || (await canReach(join(packaged, 'bin'), user))) && (await hydrateSymlinks(packaged));
  const native = isUsable ? packaged : await copied(packaged, user ? await sharedFolder() : base);
  const socket = socketOf(base, user?.uid ?? process.getuid?.());
  await makeSocketFolder(socket, user);
  return {
    base,
    socket,
    user,
    binaries: binariesIn(native),
    moved: near ? undefined : `PostgreSQL's user cannot reach ${requested}: its data is in ${base}`,
  };
}

/** The folders of which `prepareFolder` uses one. */
export const possibleBases = (wanted: string): string[] => [resolve(wanted), join(shared, hash(resolve(wanted)))];

/** Finds the folders that an earlier `prepareFolder` made, under any user. Changes nothing. */
export async function findFolder(base: string): Promise<Pick<Folder, 'base' | 'socket'>> {
  return { base, socket: socketOf(base, (await stat(base)).uid) };
}

/** The owner of an existing folder, unless that is root. Under root, PostgreSQL runs as this user. */
async function ownerOf(path: string): Promise<User> {
  const { uid, gid } = await stat(path).catch(() => ({ uid: 0, gid: 0 }));
  return uid === 0 ? undefined : { uid, gid };
}

async function attempt<T>(path: string, work: () => Promise<T>): Promise<T> {
  return work().catch((error: NodeJS.ErrnoException) => {
    if (error instanceof StartError) throw error;
    throw new StartError(`Cannot use the folder ${path} (${error.code}): set BATON_DATA to another one`);
  });
}

/** PostgreSQL refuses to run as root. */
function postgresUser(): User {
  const existing = idsOf('postgres');
  if (existing) return existing;
  try {
    execFileSync(
      'useradd',
      ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'postgres'],
      {
        stdio: 'ignore',
      },
    );
  } catch {
    // Slim images lack useradd, but have the user 'nobody'.
  }
  const user = idsOf('postgres') ?? idsOf('nobody');
  if (!user)
    throw new StartError(
      "PostgreSQL does not run as root and there is no user 'postgres': add one, run Baton as another user, or set DATABASE_URL",
    );
  return user;
}

function idsOf(name: string): User {
  const id = (flag: string) =>
    Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' }));
  try {
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return undefined;
  }
}

async function canReach(path: string, user: NonNullable<User>): Promise<boolean> {
  for (let at = path; ; at = dirname(at)) {
    const { mode, uid, gid } = await stat(at);
    const enter = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if (!(mode & enter)) return false;
    if (at === dirname(at)) return true;
  }
}

async function sharedFolder(): Promise<string> {
  await mkdir(shared, { recursive: true });
  await chmod(shared, 0o755);
  return shared;
}

const ours = /^(cluster(\..+)?|socket|postgres\.log|postgresql-.+)$/;

async function ownFolder(path: string, user: User): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if ((await readdir(path)).some((name) => !ours.test(name)))
    throw new StartError(
      `The folder ${path} contains other files than a database: set BATON_DATA to a new or empty one`,
    );
  await chmod(path, 0o700);
  if (user) await chown(path, user.uid, user.gid);
}

/** A socket's path has at most 107 bytes: below a long path, the socket is in the temporary folder. */
function socketOf(base: string, uid: number | undefined): string {
  const near = join(base, 'socket');
  return Buffer.byteLength(near) <= 80 ? near : join(tmpdir(), `baton-${uid}-${hash(base)}`);
}

/** Refuses a folder that another user owns or may enter: in the temporary folder others may create it first. */
async function makeSocketFolder(path: string, user: User): Promise<void> {
  await mkdir(path, { mode: 0o700 }).then(
    () => user && chown(path, user.uid, user.gid),
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
  const found = await lstat(path);
  const owner = user?.uid ?? process.getuid?.();
  if (!found.isDirectory() || found.uid !== owner || (found.mode & 0o077) !== 0)
    throw new StartError(
      `The folder ${path} must belong to PostgreSQL's user alone: remove it, or set BATON_DATA to a shorter path`,
    );
}

async function copied(native: string, folder: string): Promise<string> {
  const to = join(folder, `postgresql-${await binariesVersion(native)}`);
  return attempt(to, () => copyBinaries(native, to));
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
