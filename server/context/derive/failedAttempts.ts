import { ends, shorten } from '../shorten.ts';
import { changesFiles, readActions, type Action, type Actions } from './actions.ts';
import { operationOf, isCheck, isTrivial, repeats, type Operation } from './commands.ts';
import type { RecordedLog } from './log.ts';

export interface FailedAttempt {
  what: string;
  error: string;
  callId: string;
}

export const maxFailedAttempts = 20;
const whatCharacters = 300;
const errorCharacters = 500;
/** Failures kept for one operation at a time; keeps the search linear. */
const maxFailuresPerOperation = 20;

interface Failure extends FailedAttempt {
  index: number;
  operation: Operation;
}

/** Commands and edits that failed and were not repeated with success, oldest first; the newest `maxFailedAttempts`. Leaves out refused ones. */
export function failedAttemptsOf(log: RecordedLog, { list }: Actions = readActions(log)): FailedAttempt[] {
  const open = new Map<string, Failure[]>();
  for (const action of list) {
    if (action.ending === 'FAILED') {
      for (const failure of failuresOf(action)) {
        const others = (open.get(failure.operation.key) ?? []).filter(({ what }) => what !== failure.what);
        open.set(failure.operation.key, [...others, failure].slice(-maxFailuresPerOperation));
      }
    } else if (action.ending === 'PASSED') {
      for (const operation of operationsOf(action)) {
        const failures = open.get(operation.key);
        if (failures === undefined) continue;
        const left = failures.filter((failure) => !repeats(operation, failure.operation));
        if (left.length === 0) open.delete(operation.key);
        else open.set(operation.key, left);
      }
    }
  }
  const left = [...open.values()].flat().sort((a, b) => a.index - b.index);
  return left.slice(-maxFailedAttempts).map(({ what, error, callId }) => ({ what, error, callId }));
}

const fileOperation = (file: string): Operation => ({ key: `write ${file}`, args: [], check: false });

const isPatch = ({ command, files }: Action): boolean =>
  command === null || (files.length > 0 && command.includes('*** Begin Patch'));

function failuresOf(action: Action): Failure[] {
  const { index, command, files, output, call } = action;
  const error = ends(output === '' ? 'failed without a message' : output, errorCharacters);
  const failure = (what: string, operation: Operation): Failure => ({
    what: shorten(what, whatCharacters),
    error,
    callId: call.callId,
    index,
    operation,
  });
  if (!isPatch(action)) return [failure(command!.trim(), mainOperationOf(action))];
  const tool = command === null ? call.name : 'apply_patch';
  if (files.length === 0) return [failure(tool, { key: `call ${call.callId}`, args: [], check: false })];
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
  return changesFiles(action) ? [...operations, ...action.files.map(fileOperation)] : operations;
}
