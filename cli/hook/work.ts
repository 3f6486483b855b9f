import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { type SessionWorkspace, withoutCredentials, workspaceId } from '../../server/core/workspace.ts';

/** Where a program works: the folder that a Session names too. */
export interface Workspace extends SessionWorkspace {
  id: string;
}

/** The work that a tool does: in this folder, on this branch, on this machine. */
export interface Work {
  externalId: string;
  title: string;
  project: string;
  workspace: Workspace;
  /** The session for which `baton watch` started the tool, or from which Baton wrote the transcript; null: the one of the folder and branch. */
  sessionId: string | null;
}

const maxExternalId = 200;

/** The beginning of the external ids of all work on this machine. */
export const externalIdsHere = `${hostname()}:`;

/** The repository around the folder and its branch; without a repository the folder alone. */
export function workIn(folder: string, transcript?: string, { BATON_SESSION }: NodeJS.ProcessEnv = process.env): Work {
  const workspace = workspaceIn(folder);
  const { folder: root, branch } = workspace;
  const onBranch = branch === null ? '' : `#${branch}`;
  const place = `${externalIdsHere}${root}${onBranch}`;
  const externalId =
    place.length <= maxExternalId
      ? place
      : `${place.slice(0, maxExternalId - 33)}.${createHash('sha256').update(place).digest('hex').slice(0, 32)}`;
  const project = (basename(root) || root).slice(0, 200);
  const sessionId = BATON_SESSION || (transcript === undefined ? null : exportedFrom(transcript));
  const title = `${project}${branch === null ? '' : ` (${branch})`}`.slice(0, 500);
  return { sessionId, externalId, project, title, workspace };
}

/** The root of the repository or worktree around a folder, as it is now; without a repository the folder alone. */
export function workspaceIn(folder: string): Workspace {
  const host = hostname();
  const found = repositoryOf(folder);
  const root = found?.root ?? folder;
  const nothing = { repository: null, branch: null, commit: null };
  return { ...(found === null ? nothing : stateOf(found)), id: workspaceId(host, root), host, folder: root };
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

interface Repository {
  root: string;
  /** The folder of git for this worktree. */
  git: string;
  head: string;
}

/** Reading the files takes a hundredth of the time of starting `git`. */
function repositoryOf(folder: string): Repository | null {
  for (let root = folder; ; root = dirname(root)) {
    const git = gitFolder(join(root, '.git'));
    const head = textOf(join(git, 'HEAD'));
    if (head !== null) return { root, git, head };
    if (dirname(root) === root) return null;
  }
}

/** In a worktree and in a submodule `.git` is a file that names the folder. */
function gitFolder(path: string): string {
  const named = /^gitdir: (.+)/.exec(textOf(path) ?? '')?.[1];
  return named === undefined ? path : resolve(dirname(path), named.trim());
}

function stateOf({ git, head }: Repository): Pick<SessionWorkspace, 'repository' | 'branch' | 'commit'> {
  // What worktrees share.
  const common = resolve(git, textOf(join(git, 'commondir')) ?? '.');
  const ref = /^ref: (.+)/.exec(head)?.[1];
  const branch = ref?.startsWith('refs/heads/') === true ? ref.slice('refs/heads/'.length) : null;
  return { repository: remoteOf(common), branch, commit: ref === undefined ? head : commitOf(common, ref) };
}

function commitOf(common: string, ref: string): string | null {
  const packed = (): string | undefined =>
    textOf(join(common, 'packed-refs'))
      ?.split('\n')
      .find((line) => line.endsWith(` ${ref}`))
      ?.split(' ')[0];
  return textOf(join(common, ref)) ?? packed() ?? null;
}

/** The address of `origin`, else of the first remote. */
function remoteOf(common: string): string | null {
  const urls = [
    ...(textOf(join(common, 'config')) ?? '').matchAll(/^\s*\[remote "(.+)"\][^[]*?^\s*url\s*=\s*(.+?)\s*$/gm),
  ];
  const [, , url] = urls.find(([, name]) => name === 'origin') ?? urls[0] ?? [];
  return url === undefined ? null : withoutCredentials(url).slice(0, 1_000);
}

/** Null when the file is not there. */
function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}
