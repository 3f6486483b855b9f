import { shorten } from '../shorten.ts';
import { changedBy, type Action, type Actions } from './actions.ts';
import { isTrivial, plainText, programOf } from './commands.ts';

/** What git last said of the working tree, and what the log did since. */
export interface SeenTree {
  /** One file a line, as `git status --short` writes it; empty when nothing is changed, null when the log has no status. */
  status: string | null;
  /** The call with the status; null without one. */
  callId: string | null;
  /** How the branch stands to the one that it follows, in git's words. */
  branch?: string;
  /** What changed files, the index or commits after it, oldest first; without a status, the newest commit and what came after it. */
  since?: string[];
  /** Whether the log has all that was done, and no commit. */
  uncommitted?: true;
  /** Whether another agent worked or a person spoke after it. */
  older?: true;
}

/** A log has no more of a long output. */
const maxLines = 100;
const maxSince = 8;
const maxFiles = 12;
const actCharacters = 100;
/** Commands of git that leave the working tree and the index as they are. */
const looks =
  /^(status|diff|log|show|branch|blame|rev-parse|ls-files|remote|describe|reflog|shortlog|fetch|push|tag|config)$/;

/**
 * By the newest status of the workspace as a whole. `spoke`: number of the last message after which another agent worked or a person
 * spoke. `whole`: whether the log has all that was done. `isRepository`: whether the workspace has a branch or a commit. Null when nothing
 * is known.
 */
export function seenTreeOf(
  { list, root }: Actions,
  { spoke, whole, isRepository }: { spoke: number; whole: boolean; isRepository: boolean },
): SeenTree | null {
  const at = list.findLastIndex(
    (action) => action.ending === 'PASSED' && isStatus(action, root) && readIn(action) !== null,
  );
  const committed = list.findLastIndex((action) => commitIn(action) !== null);
  const none = whole && committed < 0 ? { uncommitted: true as const } : {};
  if (at < 0) {
    if (committed >= 0) return { status: null, callId: null, ...given(sinceIn(list.slice(committed), root)) };
    const isKnown = isRepository || list.some(({ parts }) => parts.some((part) => gitOf(part) !== null));
    return whole && isKnown ? { status: null, callId: null, ...none } : null;
  }
  const { call } = list[at]!;
  const { status, branch } = readIn(list[at]!)!;
  return {
    status,
    callId: call.callId,
    ...(branch !== null && { branch }),
    ...given(sinceIn(list.slice(at + 1), root)),
    ...none,
    ...(call.sequence < spoke && { older: true as const }),
  };
}

const given = (since: string[]): Pick<SeenTree, 'since'> => (since.length === 0 ? {} : { since });

const worksOf = ({ parts }: Action): Action['parts'] => parts.filter((part) => !isTrivial(part));
const gitOf = (part: Action['parts'][number]): string | null => {
  const { program, args } = programOf(part);
  return program === 'git' ? ((args[0] === '-C' ? args[2] : args[0]) ?? '') : null;
};

/** Without `git add`, which writes nothing. */
const looksOf = (action: Action): Action['parts'] => worksOf(action).filter((part) => gitOf(part) !== 'add');

/** Whether a line begins with `git status`, behind what says nothing, and goes on with other looks. A path would show a part. */
function isStatus(action: Action, root: string): boolean {
  const works = looksOf(action);
  const [first, ...others] = works;
  return (
    first !== undefined &&
    gitOf(first) === 'status' &&
    first.folder === root &&
    programOf(first)
      .args.slice(1)
      .every((arg) => arg.startsWith('-')) &&
    works.every(({ writes }) => writes.length === 0) &&
    others.every((part) => looks.test(gitOf(part) ?? ''))
  );
}

/** Edits between two acts of git are told together. */
function sinceIn(list: readonly Action[], root: string): string[] {
  const told: { edited: Set<string>; acts: string[] }[] = [];
  for (const action of list) {
    const edited = changedBy(action, root).filter((file) => !isOutside(file, root));
    const acts = actsIn(action);
    if (acts.length === 0 && edited.length === 0) continue;
    if (told.at(-1)?.acts.length !== 0) told.push({ edited: new Set(), acts: [] });
    for (const file of edited) told.at(-1)!.edited.add(below(root, file));
    told.at(-1)!.acts.push(...acts);
  }
  return told
    .flatMap(({ edited, acts }) => [...(edited.size === 0 ? [] : [`changed ${named([...edited])}`]), ...acts])
    .slice(-maxSince);
}

const isOutside = (file: string, root: string): boolean =>
  root !== '' && file.startsWith('/') && !file.startsWith(`${root}/`);
const below = (root: string, file: string): string =>
  root !== '' && file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file;
const named = (files: readonly string[]): string =>
  [...files.slice(0, maxFiles), ...(files.length > maxFiles ? [`${files.length - maxFiles} more`] : [])].join(', ');

const made = /^\[\S+(?: \S+)*? ([0-9a-f]{7,40})\] (.+)$/m;
/** The hash of a commit and its subject, as far as git says them. */
function commitIn({ ending, parts, output }: Action): string | null {
  if (ending !== 'PASSED' || !parts.some((part) => gitOf(part) === 'commit')) return null;
  const [, hash, subject] = made.exec(output) ?? [];
  return hash === undefined ? 'once' : shorten(`${hash}: ${subject!.trim()}`, actCharacters);
}

/** The commands of git that changed the working tree, the index or commits. */
function actsIn(action: Action): string[] {
  if (action.ending === 'SKIPPED' || action.ending === 'REFUSED') return [];
  const failed = action.ending === 'PASSED' ? '' : ' (failed or did not end)';
  return worksOf(action).flatMap((part) => {
    const subcommand = gitOf(part);
    if (subcommand === null || looks.test(subcommand)) return [];
    const commit = subcommand === 'commit' ? commitIn(action) : null;
    return [commit === null ? shorten(plainText(part), actCharacters) + failed : `committed ${commit}`];
  });
}

/** Letters of the index and of the working tree. */
const letters: Record<string, [staged: string, not: string]> = {
  modified: ['M ', ' M'],
  'new file': ['A ', ' A'],
  deleted: ['D ', ' D'],
  renamed: ['R ', ' R'],
  typechange: ['T ', ' T'],
  'both modified': ['UU', 'UU'],
};

/** Of a long output the log has both ends, with this line between them. */
const cut = '…';

function readIn(action: Action): { status: string; branch: string | null } | null {
  const lines = action.output.split('\n');
  return lines.some((line) => /^(?:On branch |HEAD detached )/.test(line))
    ? longIn(lines)
    : shortIn(lines, looksOf(action).length > 1);
}

const short = /^(?:[ MTADRCU?!]{2}|[MTADRCU?!]) \S/;
/** `goesOn`: whether other looks follow. Without them any other line says that git did not write it. */
function shortIn(lines: readonly string[], goesOn: boolean): ReturnType<typeof readIn> {
  const cutAt = lines.indexOf(cut);
  const isOfStatus = (line: string, at: number): boolean =>
    line.trim() === '' || line.startsWith('## ') || short.test(line) || (cutAt >= 0 && Math.abs(at - cutAt) <= 1);
  const end = lines.findIndex((line, at) => !isOfStatus(line, at));
  if (end >= 0 && !goesOn) return null;
  const files = (end < 0 ? lines : lines.slice(0, end)).filter((line) => short.test(line));
  return {
    // The first line may have lost its blank.
    status: listed(
      files.map((line) => (/^\S \S/.test(line) ? ` ${line}` : line)),
      cutAt >= 0,
    ),
    branch: /^## [^[\n]*\[(.+)\]$/.exec(lines[0] ?? '')?.[1] ?? null,
  };
}

function longIn(lines: readonly string[]): ReturnType<typeof readIn> {
  const files: string[] = [];
  let section: 'staged' | 'not' | 'untracked' | null = null;
  for (const line of lines) {
    if (/^\S/.test(line))
      section = line.startsWith('Untracked files:')
        ? 'untracked'
        : line.startsWith('Changes to be committed:')
          ? 'staged'
          : /^(?:Changes not staged|Unmerged)/.test(line)
            ? 'not'
            : null;
    const found = /^\s+(modified|new file|deleted|renamed|typechange|both modified):\s+(\S.*)$/.exec(line);
    if (found !== null && section !== null)
      files.push(`${letters[found[1]!]![section === 'staged' ? 0 : 1]} ${found[2]!}`);
    else if (section === 'untracked' && /^\s+[^\s(]/.test(line)) files.push(`?? ${line.trim()}`);
  }
  if (files.length === 0 && !lines.some((line) => line.startsWith('nothing to commit, working tree clean')))
    return null;
  const branch =
    lines.map((line) => /^Your branch (?:is )?(.+?)\.?$/.exec(line)?.[1]).find((found) => found !== undefined) ?? null;
  return { status: listed(files, lines.includes(cut)), branch };
}

/** The last line counts what is not listed. */
function listed(files: readonly string[], isCut: boolean): string {
  const more = Math.max(files.length - maxLines, 0);
  const rest = more === 0 ? (isCut ? ['and more'] : []) : [`and ${more}${isCut ? ' or more' : ' more'}`];
  return [...files.slice(0, maxLines), ...rest].join('\n');
}
