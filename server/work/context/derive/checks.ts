import { shorten } from '../shorten.ts';
import { changesFiles, readActions, type Action, type Actions } from './actions.ts';
import { isCheck, operationOf, plainText, repeats, type Operation } from './commands.ts';
import type { RecordedLog } from './log.ts';

export interface Check {
  command: string;
  /** NOT_FINISHED: it was interrupted, or has no result yet. */
  outcome: 'PASSED' | 'FAILED' | 'NOT_FINISHED';
  callId: string;
  /** Whether files changed after it started. */
  stale: boolean;
}

export const maxChecks = 20;
const commandCharacters = 300;

/** Newest outcome of every test, build, lint and type check command, most recently run last; the newest `maxChecks`. */
export function checksOf(log: RecordedLog, { list, root }: Actions = readActions(log)): Check[] {
  const last = new Map<string, { action: Action; outcome: Check['outcome']; operation: Operation }>();
  const byKey = new Map<string, string[]>();
  for (const action of list) {
    const parts = action.parts.filter(isCheck);
    if (parts.length === 0 || action.ending === 'REFUSED' || action.ending === 'SKIPPED') continue;
    const chained = parts.slice(0, -1).every(({ joiner }) => joiner === '&&');
    const command = placeOf(parts[0]!.folder, root) + parts.map(plainText).join(chained ? ' && ' : '; ');
    const operation = operationOf(parts[0]!, parts[0]!.folder);
    const known = byKey.get(operation.key) ?? [];
    // A run of at least as much takes the place of what ran before.
    const superseded = known.filter(
      (other) => other === command || (parts.length === 1 && repeats(operation, last.get(other)!.operation)),
    );
    for (const other of superseded) last.delete(other);
    last.set(command, { action, outcome: outcomeOf(action), operation });
    byKey.set(operation.key, [...known.filter((other) => !superseded.includes(other)), command].slice(-maxChecks));
  }
  const changedAt = list.findLast(changesFiles)?.index ?? -1;
  return [...last].slice(-maxChecks).map(([command, { action, outcome }]) => ({
    command: shorten(command, commandCharacters),
    outcome,
    callId: action.call.callId,
    stale: changedAt > action.index,
  }));
}

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
