import { posix } from 'node:path';
import { shorten } from '../shorten.ts';
import { changedBy, inFolder, readActions, type Action, type Actions } from './actions.ts';
import { coversFile } from './checkScope.ts';
import { isCheck, operationOf, plainText, repeats, type Operation } from './commands.ts';
import type { RecordedLog } from './log.ts';

export interface Check {
  command: string;
  /** NOT_FINISHED: it was interrupted, or has no result yet. */
  outcome: 'PASSED' | 'FAILED' | 'NOT_FINISHED';
  callId: string;
  /** Whether files that it covers changed after it started. */
  stale: boolean;
  /** Which: the newest by name, and how many more. */
  changed?: string;
}

export const maxChecks = 20;
const commandCharacters = 300;

/** A line with checks. */
interface Run {
  action: Action;
  outcome: Check['outcome'];
  place: string;
  folder: string;
  parts: { text: string; operation: Operation }[];
  /** Whether each part ran only after the one before it had passed. */
  chained: boolean;
}

/** Checks of one line; more are shown, and not compared. */
const maxCompared = 5;

/** Newest outcome of every test, build, lint and type check command, most recently run last; the newest `maxChecks`. */
export function checksOf(log: RecordedLog, { list, root }: Actions = readActions(log)): Check[] {
  let runs: Run[] = [];
  for (const action of list) {
    const parts = action.parts.filter(isCheck);
    if (parts.length === 0 || action.ending === 'REFUSED' || action.ending === 'SKIPPED') continue;
    const run: Run = {
      action,
      outcome: outcomeOf(action),
      place: placeOf(parts[0]!.folder, root),
      folder: parts[0]!.folder,
      parts: parts.map((part) => ({ text: plainText(part), operation: operationOf(part, part.folder) })),
      chained: parts.slice(0, -1).every(({ joiner }) => joiner === '&&'),
    };
    runs = [...runs.flatMap((earlier) => leftOf(earlier, run)), run].slice(-maxChecks);
  }
  const changes = list.map((action) => ({ index: action.index, files: changedBy(action, root) }));
  return runs.map((run) => {
    const { action, outcome, place, parts, chained } = run;
    const since = changes.filter(({ index }) => index > action.index).flatMap(({ files }) => files);
    const changed = [...new Set(since)].filter((file) => covers(run, file));
    return {
      command: shorten(place + parts.map(({ text }) => text).join(chained ? ' && ' : '; '), commandCharacters),
      outcome,
      callId: action.call.callId,
      stale: changed.length > 0,
      ...(changed.length > 0 && { changed: nameOf(changed, root) }),
    };
  });
}

/** Of the folder where it ran, or of all where that is not known. */
function covers({ folder, parts }: Run, file: string): boolean {
  const path = folder === '' ? file : posix.relative(folder, inFolder(folder, file));
  return !path.startsWith('../') && parts.some(({ text, operation }) => coversFile(text, operation.args, path));
}

function nameOf(files: readonly string[], root: string): string {
  const newest = files.at(-1)!;
  const name = root !== '' && newest.startsWith(`${root}/`) ? newest.slice(root.length + 1) : newest;
  return shorten(name, commandCharacters) + (files.length === 1 ? '' : ` and ${files.length - 1} more`);
}

/** What a later run leaves of an earlier one: a run of at least as much takes its place, one of a part does not. */
function leftOf(earlier: Run, later: Run): Run[] {
  // After a failure it is not known how far the line came.
  const ran = later.chained && later.outcome !== 'PASSED' ? later.parts.slice(0, 1) : later.parts.slice(0, maxCompared);
  const isCovered = ({ operation }: Run['parts'][number]): boolean =>
    ran.some((part) => repeats(part.operation, operation));
  const isSame = earlier.parts.length === later.parts.length && textOf(earlier) === textOf(later);
  if (isSame || earlier.parts.every(isCovered)) return [];
  if (earlier.outcome !== 'PASSED') return [earlier];
  return [{ ...earlier, parts: earlier.parts.filter((part, index) => index >= maxCompared || !isCovered(part)) }];
}

const textOf = ({ place, parts }: Run): string => place + parts.map(({ text }) => text).join('\n');

/** Prefix that names the folder of a command; empty in the root. */
function placeOf(folder: string, root: string): string {
  if (folder === root) return '';
  return `cd ${root !== '' && folder.startsWith(`${root}/`) ? folder.slice(root.length + 1) : folder} && `;
}

/** By the exit code first; by the output where the code is hidden or not recorded. */
function outcomeOf(action: Action): Check['outcome'] {
  const { ending, output, code, call } = action;
  if (ending === 'UNKNOWN' || ending === 'RUNNING') return 'NOT_FINISHED';
  const isSilent = code === null && call.name !== 'Bash';
  return ending === 'FAILED' || ((isMasked(action) || isSilent) && saysFailed(output)) ? 'FAILED' : 'PASSED';
}

/** Whether a later part hides the exit code of a check: `npm test | tail`, `npm test; git status`, `npm test || true`. */
function isMasked({ parts }: Action): boolean {
  if (parts.some(({ words }) => words[0] === 'set' && words.includes('pipefail'))) return false;
  return parts.some((part, index) => isCheck(part) && index < parts.length - 1 && part.joiner !== '&&');
}

const failure = [
  /\b[1-9]\d* (?:tests? |examples? |specs? |suites? )?(?:fail(?:ed|ures?|ing|s)?|errors?|problems?)\b/i,
  /\b(?:fail(?:ed|ures?)?|errors?)[:=] ?[1-9]/i,
  /^[#ℹ] fail [1-9]/m,
  /\bFAIL(?:ED|URE)?\b(?!\w*[:=]? ?0\b)/,
  /\berror TS\d+:/,
  /^(?:npm (?:ERR!|error)|error(?:\[E\d+\])?:|Error:|make(?:\[\d+\])?: \*\*\*)/m,
  /\bexit(?:ed)?(?: with)?(?: ?code| status)?[ :=]+[1-9]\d*\b/i,
];
/** Searches the end of the output, where tools print their summaries. */
const saysFailed = (output: string): boolean => {
  const end = output.slice(-2_000);
  return failure.some((pattern) => pattern.test(end));
};
