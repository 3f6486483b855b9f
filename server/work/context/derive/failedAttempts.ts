import { shorten } from '../shorten.ts';
import { changesFiles, readActions, type Action, type Actions } from './actions.ts';
import {
  operationOf,
  isCheck,
  isReading,
  isTrivial,
  programOf,
  repeats,
  runsOwnScript,
  type Operation,
} from './commands.ts';
import { writtenBy } from './written.ts';
import type { RecordedLog } from './log.ts';
import { failedTestsIn, reasonLine } from './reasonLine.ts';

export interface FailedAttempt {
  what: string;
  error: string;
  callId: string;
}

export const maxFailedAttempts = 20;
const whatCharacters = 300;
/** Failures kept for one operation at a time; keeps the search linear. */
const maxFailuresPerOperation = 20;

interface Failure extends FailedAttempt {
  index: number;
  operation: Operation;
}

/**
 * Commands and edits whose failure taught something, oldest first; the newest `maxFailedAttempts`. Leaves out what was
 * repeated with success, refused, mistyped, or a look at something that was not there; what could not be staged before a later commit, and what the
 * machine refuses in the same words as a later command.
 */
export function failedAttemptsOf(log: RecordedLog, { list }: Actions = readActions(log)): FailedAttempt[] {
  const open = new Map<string, Failure[]>();
  const ran = new Set(
    list.flatMap(({ ending, parts }) => (ending === 'PASSED' ? parts.map((part) => programOf(part).program) : [])),
  );
  for (const action of list) {
    if (action.ending === 'FAILED') {
      if (isLook(action) || isTypo(action, ran)) continue;
      for (const failure of failuresOf(action)) {
        const others = (open.get(failure.operation.key) ?? []).filter(
          ({ what, error }) => what !== failure.what && error !== failure.error,
        );
        open.set(failure.operation.key, [...others, failure].slice(-maxFailuresPerOperation));
      }
    } else if (action.ending === 'PASSED') {
      for (const operation of operationsOf(action)) {
        if (operation.key === 'git commit') open.delete('git add');
        const failures = open.get(operation.key);
        if (failures === undefined) continue;
        const left = failures.filter((failure) => !repeats(operation, failure.operation));
        if (left.length === 0) open.delete(operation.key);
        else open.set(operation.key, left);
      }
    }
  }
  const all = [...open.values()].flat().sort((a, b) => a.index - b.index);
  const newest = new Map(all.map((failure) => [failure.error, failure]));
  const left = all.filter((failure) => !ofEnvironment.test(failure.error) || newest.get(failure.error) === failure);
  return left.slice(-maxFailedAttempts).map(({ what, error, callId }) => ({ what, error, callId }));
}

/** What the machine does not allow or reach: the same words say it of every command. */
const ofEnvironment =
  /\bsandbox|not permitted|permission denied|access is denied|\bE(?:ACCES|PERM|NOTFOUND|AI_AGAIN|CONNREFUSED)\b|could not resolve|network is unreachable|read-only file system/i;

/** Nothing was there to read, or a script that nobody kept asked the wrong way: its successor sees or asks that too. */
const isLook = ({ parts, output, command }: Action): boolean =>
  command !== null &&
  parts.some((part) => isReading(part) || isProbe(part)) &&
  (isReading(parts.at(-1)!) || parts.some(isProbe)) &&
  parts.every((part) => isReading(part) || isProbe(part) || (isTrivial(part) && part.writes.length === 0)) &&
  !/denied|not permitted/i.test(output);

const isProbe = (part: Action['parts'][number]): boolean =>
  runsOwnScript(part) && !isCheck(part) && writtenBy(part, '').length === 0;

const notFound =
  /(?:^|: )([\w.+-]{1,100}): (?:command )?not found\b|command not found: ([\w.+-]{1,100})|(?<![\w.+-])([\w.+-]{1,100})'? is not recognized as/m;
/** Another program with nearly the same name worked: `gti`, `python` beside `python3`. */
function isTypo({ output }: Action, ran: ReadonlySet<string>): boolean {
  const found = notFound.exec(output);
  const name = found?.[1] ?? found?.[2] ?? found?.[3];
  return name !== undefined && [...ran].some((other) => other.length > 1 && isNear(name, other));
}

/** The same letters, one more or fewer, or a longer form. */
function isNear(a: string, b: string): boolean {
  if (a === b) return false;
  const sorted = (text: string): string => [...text].sort().join('');
  if (a.startsWith(b) || b.startsWith(a) || sorted(a) === sorted(b)) return true;
  if (Math.abs(a.length - b.length) > 1 || Math.max(a.length, b.length) < 4) return false;
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  return [
    [1, 0],
    [0, 1],
    [1, 1],
  ].some(([skipA, skipB]) => a.slice(same + skipA!) === b.slice(same + skipB!));
}

/** Some patch or edit of a tool, of a file that it did not name. */
const editOperation = (tool: string): Operation => ({ key: `edit by ${tool}`, args: [], check: false });
const fileOperation = (file: string): Operation => ({ key: `write ${file}`, args: [], check: false });

const isPatch = ({ command, files }: Action): boolean =>
  command === null || (files.length > 0 && command.includes('*** Begin Patch'));

function failuresOf(action: Action): Failure[] {
  const { index, command, files, output, call } = action;
  const reason = reasonLine(output);
  const tests = action.parts.some(isCheck) ? failedTestsIn(output).filter((name) => !reason.includes(name)) : [];
  const error = [...tests, reason].join(': ');
  const failure = (what: string, operation: Operation): Failure => ({
    what: shorten(what, whatCharacters),
    error,
    callId: call.callId,
    index,
    operation,
  });
  if (!isPatch(action)) return [failure(command!.trim(), mainOperationOf(action))];
  const tool = command === null ? call.name : 'apply_patch';
  if (files.length === 0) return [failure(tool, editOperation(tool))];
  return files.slice(0, maxFailuresPerOperation).map((file) => failure(`${tool} ${file}`, fileOperation(file)));
}

/** The main part of a command line: its check, else its last part that has an effect. */
function mainOperationOf({ parts, command }: Action): Operation {
  const main = parts.find(isCheck) ?? parts.findLast((part) => !isTrivial(part));
  return main === undefined ? { key: `line ${command!}`, args: [], check: false } : operationOf(main, main.folder);
}

function operationsOf(action: Action): Operation[] {
  const operations = action.parts.map((part) => operationOf(part, part.folder));
  if (action.command !== null) operations.push({ key: `line ${action.command}`, args: [], check: false });
  if (!changesFiles(action)) return operations;
  const edits = isPatch(action) ? [editOperation(action.command === null ? action.call.name : 'apply_patch')] : [];
  return [...operations, ...edits, ...action.files.map(fileOperation)];
}
