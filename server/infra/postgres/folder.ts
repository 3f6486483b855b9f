import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { binariesIn, binariesVersion, copyBinaries, findBinaries, type Binaries } from './binaries.ts';
import { StartError } from '../startError.ts';

/** Who PostgreSQL runs as; undefined when that is ourselves. */
export type User = { uid: number; gid: number } | undefined;

export interface Folder {
  /** Everything of this database, readable by its owner only. */
  base: string;
  socket: string;
  user: User;
  binaries: Binaries;
  /** Why `base` is not the folder that was asked for. */
  moved: string | undefined;
}

const shared = '/var/lib/baton';

/** Where data, socket and binaries are, and that PostgreSQL's user can reach them. */
export async function prepareFolder(wanted: string): Promise<Folder> {
  const asked = resolve(wanted);
  const user = process.getuid?.() === 0 ? ((await ownerOf(asked)) ?? postgresUser()) : undefined;
  const near = await attempt(asked, () =>
    mkdir(dirname(asked), { recursive: true, mode: 0o755 }).then(() => !user || canReach(dirname(asked), user)),
  );
  const base = near ? asked : join(await sharedFolder(), hash(asked));
  await attempt(base, () => ownFolder(base, user));
  let native = await findBinaries();
  if (user && !(await canReach(join(native, 'bin'), user)))
    native = await copyBinaries(native, join(await sharedFolder(), `postgresql-${await binariesVersion(native)}`));
  const socket = socketOf(base, user?.uid ?? process.getuid?.());
  await makeSocketFolder(socket, user);
  return {
    base,
    socket,
    user,
    binaries: binariesIn(native),
    moved: near ? undefined : `PostgreSQL's user cannot reach ${asked}: its data is in ${base}`,
  };
}

/** The same of a folder that was prepared before, whoever did it; changes nothing. */
export async function findFolder(base: string): Promise<Pick<Folder, 'base' | 'socket'>> {
  return { base, socket: socketOf(base, (await stat(base)).uid) };
}

/** Root leaves a folder to the user who has it already: PostgreSQL can run as that one. */
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
    execFileSync('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'postgres'], {
      stdio: 'ignore',
    });
  } catch {
    // Slim images lack useradd: nobody is there always.
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

/** Whether the user may enter a folder. */
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

const ours = /^(cluster(\..+)?|socket|postgres\.log)$/;

async function ownFolder(path: string, user: User): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if ((await readdir(path)).some((name) => !ours.test(name)))
    throw new StartError(`The folder ${path} contains other files than a database: set BATON_DATA to a new or empty one`);
  await chmod(path, 0o700);
  if (user) await chown(path, user.uid, user.gid);
}

/** A socket's path has at most 107 bytes, so that of a long one is in the temporary folder. */
function socketOf(base: string, uid: number | undefined): string {
  const near = join(base, 'socket');
  return Buffer.byteLength(near) <= 80 ? near : join(tmpdir(), `baton-${uid}-${hash(base)}`);
}

/** In the temporary folder others may have made the name before us: a folder that is not ours alone is refused. */
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

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
