import { shorten } from '../shorten.ts';
import { changesFiles, readActions, type Action, type Actions } from './actions.ts';
import { isCheck, plainText } from './commands.ts';
import type { RecordedLog } from './log.ts';

export interface Check {
  command: string;
  outcome: 'PASSED' | 'FAILED';
  callId: string;
  /** Whether files changed after it started. */
  stale: boolean;
}

export const maxChecks = 20;
const commandCharacters = 300;

/** Last outcome of every test, build, lint and type check command, most recently run last; the newest `maxChecks`. */
export function checksOf(log: RecordedLog, { list, root }: Actions = readActions(log)): Check[] {
  const last = new Map<string, { action: Action; outcome: Check['outcome'] }>();
  for (const action of list) {
    const parts = action.parts.filter(isCheck);
    if (parts.length === 0 || (action.ending !== 'PASSED' && action.ending !== 'FAILED')) continue;
    const chained = parts.slice(0, -1).every(({ joiner }) => joiner === '&&');
    const command = placeOf(parts[0]!.folder, root) + parts.map(plainText).join(chained ? ' && ' : '; ');
    const failed = action.ending === 'FAILED' || (isMasked(action) && saysFailed(action.output));
    last.delete(command);
    last.set(command, { action, outcome: failed ? 'FAILED' : 'PASSED' });
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
