import { changesFiles, type Action, type Actions } from './actions.ts';
import { isTrivial, programOf } from './commands.ts';

/** What git last said of the working tree, while nothing changed it since. */
export interface SeenTree {
  /** One file a line, as `git status --short` writes it; empty when nothing is changed. */
  status: string;
  callId: string;
}

const maxLines = 60;
/** Commands of git that leave the working tree and the index as they are. */
const looks =
  /^(status|diff|log|show|branch|blame|rev-parse|ls-files|remote|describe|reflog|shortlog|fetch|push|tag|config)$/;

/**
 * Null when the log has no status of the workspace as a whole, or when files were changed, staged or committed after it, or somebody
 * else may have done so: `since` is the number of the last message after which another agent worked or a person spoke.
 */
export function seenTreeOf({ list, root }: Actions, since: number): SeenTree | null {
  const at = list.findLastIndex((action) => action.ending === 'PASSED' && isStatus(action, root));
  if (
    at < 0 ||
    list[at]!.call.sequence < since ||
    list.slice(at + 1).some((action) => changesFiles(action) || changesTree(action))
  )
    return null;
  const { output, call } = list[at]!;
  const status = statusIn(output);
  return status === null ? null : { status, callId: call.callId };
}

const worksOf = ({ parts }: Action): Action['parts'] => parts.filter((part) => !isTrivial(part));
const gitOf = (part: Action['parts'][number]): string | null => {
  const { program, args } = programOf(part);
  return program === 'git' ? ((args[0] === '-C' ? args[2] : args[0]) ?? '') : null;
};

/** A line of only `git status`: other commands write beside it. A path would show a part. */
function isStatus(action: Action, root: string): boolean {
  const works = worksOf(action);
  return (
    works.length === 1 &&
    gitOf(works[0]!) === 'status' &&
    works[0]!.folder === root &&
    programOf(works[0]!)
      .args.slice(1)
      .every((arg) => arg.startsWith('-')) &&
    works[0]!.writes.length === 0
  );
}

const changesTree = (action: Action): boolean =>
  action.ending !== 'SKIPPED' &&
  action.ending !== 'REFUSED' &&
  worksOf(action).some((part) => {
    const subcommand = gitOf(part);
    return subcommand !== null && !looks.test(subcommand);
  });

const letters: Record<string, string> = {
  modified: ' M',
  'new file': 'A ',
  deleted: ' D',
  renamed: 'R ',
  typechange: ' T',
  'both modified': 'UU',
};

/** The changed files of either form; null when it is neither. */
function statusIn(output: string): string | null {
  const lines = output.split('\n');
  const short = lines.filter((line) => /^(?:[ MTADRCU?!]{2}|[MTADRCU?!]) \S/.test(line));
  const isLong = /^(?:On branch |HEAD detached )/m.test(output);
  if (!isLong) {
    const isShort = lines.every((line) => line.trim() === '' || line.startsWith('## ') || short.includes(line));
    return isShort ? listed(short) : null;
  }
  let untracked = false;
  const found: string[] = [];
  for (const line of lines) {
    if (/^\S/.test(line)) untracked = line.startsWith('Untracked files:');
    const named = /^\s+(modified|new file|deleted|renamed|typechange|both modified):\s+(\S.*)$/.exec(line);
    if (named !== null) found.push(`${letters[named[1]!]!} ${named[2]!}`);
    else if (untracked && /^\s+[^\s(]/.test(line)) found.push(`?? ${line.trim()}`);
  }
  return found.length > 0 || /nothing to commit, working tree clean/.test(output) ? listed(found) : null;
}

const listed = (files: readonly string[]): string =>
  [
    ...files.slice(0, maxLines).map((file) => file.trim()),
    ...(files.length > maxLines ? [`and ${files.length - maxLines} more`] : []),
  ].join('\n');
