import { createHash } from 'node:crypto';

/** Where the work of a Session is done. Null: unknown. */
export interface SessionWorkspace {
  /** Name of the machine. */
  host: string;
  /** Root of the repository, or of the worktree; without one the working folder. */
  folder: string;
  /** Address of the repository, without credentials. */
  repository: string | null;
  branch: string | null;
  commit: string | null;
}

/** The state of a repository's files, as a program of git said it. */
export interface WorkingTree {
  branch: string | null;
  commit: string | null;
  /** Lines of `git status --porcelain`; empty: nothing was changed since the commit. */
  status: string;
  /** Lines of `git diff --stat HEAD`. */
  diffstat: string;
  /** When it was recorded: ISO 8601. */
  takenAt: string;
  /** The agent that held the Session then; null when none did. */
  agentId: string | null;
  /** Number of the last Message before it. */
  sequence: number;
}

/** The same for all work in one folder of one machine. */
export const workspaceId = (host: string, folder: string): string =>
  `ws_${createHash('sha256').update(`${host}\n${folder}`).digest('hex').slice(0, 20)}`;

export const isWorkspaceId = (text: string): boolean => /^ws_[0-9a-f]{20}$/.test(text);

/** The address of a repository without user and password: `https://user:secret@host/x` becomes `https://host/x`. */
export const withoutCredentials = (url: string): string =>
  url.trim().replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1');

/** Whether two addresses name the same repository: `git@host:a/b.git` and `https://host/a/b` do. */
export function isSameRepository(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && placeOf(one) === placeOf(other);
}

/** Host and path. Only behind a scheme a colon may begin a port. */
const placeOf = (url: string): string =>
  (/^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url.replace(/^[^:]*:\/\//, '') : url.replace(/^([^/:]+):/, '$1/'))
    .replace(/^[^/@]*@/, '')
    .replace(/(\.git)?\/*$/, '')
    .toLowerCase();
