import { execFile } from 'node:child_process';
import { ask, Failed, type Server } from './request.ts';
import { workspaceIn } from './work.ts';

/** State of a repository's files, as git says it. */
export interface WorkingTree {
  branch: string | null;
  commit: string | null;
  status: string;
  diffstat: string;
}

/** Together 64 KB. */
const most = { status: 48 * 1024, diffstat: 16 * 1024 };
const gitMs = 3_000;

/** Null without a repository, without git, and when git takes too long. */
export async function workingTreeIn(
  folder: string,
  signal?: AbortSignal,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<WorkingTree | null> {
  const { folder: root, branch, commit } = workspaceIn(folder);
  const git = (...args: string[]): Promise<string | null> =>
    new Promise((resolve) => {
      execFile(
        'git',
        ['-C', root, ...args],
        {
          // The index is not written: another git may work there.
          env: { ...environment, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' },
          maxBuffer: 64 * 1024 * 1024,
          timeout: gitMs,
          ...(signal !== undefined && { signal }),
        },
        (error, stdout) => resolve(error === null ? stdout : null),
      );
    });
  const [status, diffstat] = await Promise.all([
    git('status', '--porcelain'),
    // Without a commit there is nothing to compare with.
    commit === null ? '' : git('diff', '--stat', 'HEAD', '--'),
  ]);
  if (status === null) return null;
  return { branch, commit, status: cut(status, most.status), diffstat: cut(diffstat ?? '', most.diffstat) };
}

/** The first whole lines that fit, and how many are missing. */
function cut(text: string, bytes: number): string {
  const lines = text.trimEnd().split('\n');
  let kept = 0;
  for (let room = bytes - 40; kept < lines.length; kept += 1) {
    room -= Buffer.byteLength(lines[kept]!) + 1;
    if (room < 0) return [...lines.slice(0, kept), `... and ${lines.length - kept} more lines`].join('\n');
  }
  return text.trimEnd();
}

const record = `mutation HookTree($input: RecordWorkingTreeInput!) { answer: recordWorkingTree(input: $input) { __typename ... on Error { code message } } }`;

/** Records the state of the files in a session that the agent holds. Says why it could not be recorded, or null. */
export async function recordTree(
  server: Server,
  sessionId: string,
  tree: WorkingTree,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    await ask(server, record, { input: { sessionId, ...tree } }, signal);
    return null;
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    return `the working tree was not recorded: ${error.code}: ${error.message}`;
  }
}

/** A tree that was recorded before, as it is asked for. */
export interface RecordedTree {
  branch: string | null;
  commit: string | null;
  status: string;
  takenAt: string;
}
export const recordedTreeFields = 'workingTree { branch commit status takenAt }';

/** Says how the files here differ from those that were recorded; null when they do not, or nothing was recorded. */
export function treeDifference(recorded: RecordedTree | null | undefined, own: WorkingTree | null): string | null {
  if (recorded == null || own === null) return null;
  const [theirs, ours] = [linesOf(recorded.status), linesOf(own.status)];
  const missing = theirs.filter((line) => !ours.includes(line)).length;
  const extra = ours.filter((line) => !theirs.includes(line)).length;
  const parts = [
    ...(recorded.branch !== own.branch ? ['the branch'] : []),
    ...(recorded.commit !== own.commit ? ['the commit'] : []),
    ...(missing > 0 ? [`${missing} of the changes that were there are not here`] : []),
    ...(extra > 0
      ? [`${extra} ${extra === 1 ? 'change is' : 'changes are'} here that ${extra === 1 ? 'was' : 'were'} not there`]
      : []),
  ];
  if (parts.length === 0) return null;
  return `The files of your folder differ from those that were recorded at ${recorded.takenAt}: ${parts.join('; ')}. Compare 'git status' with the working tree in the handoff before you change anything.`;
}

const linesOf = (status: string): string[] => status.split('\n').filter((line) => line !== '');
