import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

/** The work that a tool does: in this folder, on this branch, on this machine. */
export interface Work {
  externalId: string;
  title: string;
  project: string;
  /** The session for which `baton watch` started the tool, or from which Baton wrote the transcript; null: the one of the folder and branch. */
  sessionId: string | null;
}

const maxExternalId = 200;

/** The beginning of the external ids of all work on this machine. */
export const externalIdsHere = `${hostname()}:`;

/** The repository around the folder and its branch; without a repository the folder alone. */
export function workIn(folder: string, transcript?: string, { BATON_SESSION }: NodeJS.ProcessEnv = process.env): Work {
  const { root, branch } = repositoryOf(folder) ?? { root: folder, branch: null };
  const onBranch = branch === null ? '' : `#${branch}`;
  const place = `${externalIdsHere}${root}${onBranch}`;
  const externalId =
    place.length <= maxExternalId
      ? place
      : `${place.slice(0, maxExternalId - 33)}.${createHash('sha256').update(place).digest('hex').slice(0, 32)}`;
  const project = (basename(root) || root).slice(0, 200);
  const sessionId = BATON_SESSION || (transcript === undefined ? null : exportedFrom(transcript));
  return { sessionId, externalId, project, title: `${project}${branch === null ? '' : ` (${branch})`}`.slice(0, 500) };
}

const headBytes = 16_384;

/** The session from which Baton wrote a transcript, which its first line names; null for others. */
export function exportedFrom(transcript: string): string | null {
  try {
    const fd = openSync(transcript, 'r');
    try {
      const bytes = Buffer.alloc(headBytes);
      const [first = ''] = bytes.toString('utf8', 0, readSync(fd, bytes, 0, headBytes, 0)).split('\n');
      return /"baton":\{"session":"(session_\w{26})"\}\}$/.exec(first)?.[1] ?? null;
    } finally {
      closeSync(fd);
    }
  } catch {
    // A new session has no transcript yet.
    return null;
  }
}

function repositoryOf(folder: string): { root: string; branch: string | null } | null {
  for (let root = folder; ; root = dirname(root)) {
    const head = headOf(join(root, '.git'));
    if (head !== null) return { root, branch: /^ref: refs\/heads\/(.+)/.exec(head)?.[1] ?? null };
    if (dirname(root) === root) return null;
  }
}

/** Reading the file takes a hundredth of the time of starting `git`. */
function headOf(git: string): string | null {
  try {
    return readFileSync(join(git, 'HEAD'), 'utf8').trim();
  } catch {
    return headOfWorktree(git);
  }
}

/** In a worktree `.git` is a file that names the folder. */
function headOfWorktree(git: string): string | null {
  try {
    const path = /^gitdir: (.+)/.exec(readFileSync(git, 'utf8'))?.[1];
    return path === undefined ? null : readFileSync(join(resolve(dirname(git), path.trim()), 'HEAD'), 'utf8').trim();
  } catch {
    return null;
  }
}
