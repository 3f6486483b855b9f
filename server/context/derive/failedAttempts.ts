import { ends, shorten } from '../shorten.ts';
import { changesFiles, readActions, type Action, type Actions } from './actions.ts';
import { deedOf, isCheck, isTrivial, repeats, type Deed } from './commands.ts';
import type { RecordedLog } from './log.ts';

export interface FailedAttempt {
  what: string;
  error: string;
  callId: string;
}

export const mostFailedAttempts = 20;
const whatCharacters = 300;
const errorCharacters = 500;
/** Failures kept for one deed at a time; keeps the search linear. */
const mostOfOneDeed = 20;

interface Failure extends FailedAttempt {
  index: number;
  deed: Deed;
}

/** Commands and edits that failed and were not repeated with success, oldest first; the newest `mostFailedAttempts`. Leaves out refused ones. */
export function failedAttemptsOf(log: RecordedLog, { list }: Actions = readActions(log)): FailedAttempt[] {
  const open = new Map<string, Failure[]>();
  for (const action of list) {
    if (action.ending === 'FAILED') {
      for (const failure of failuresOf(action)) {
        const others = (open.get(failure.deed.key) ?? []).filter(({ what }) => what !== failure.what);
        open.set(failure.deed.key, [...others, failure].slice(-mostOfOneDeed));
      }
    } else if (action.ending === 'PASSED') {
      for (const deed of deedsOf(action)) {
        const failures = open.get(deed.key);
        if (failures === undefined) continue;
        const left = failures.filter((failure) => !repeats(deed, failure.deed));
        if (left.length === 0) open.delete(deed.key);
        else open.set(deed.key, left);
      }
    }
  }
  const left = [...open.values()].flat().sort((a, b) => a.index - b.index);
  return left.slice(-mostFailedAttempts).map(({ what, error, callId }) => ({ what, error, callId }));
}

const fileDeed = (file: string): Deed => ({ key: `write ${file}`, args: [], check: false });

const isPatch = ({ command, files }: Action): boolean => command === null || (files.length > 0 && command.includes('*** Begin Patch'));

function failuresOf(action: Action): Failure[] {
  const { index, command, files, output, call } = action;
  const error = ends(output === '' ? 'failed without a message' : output, errorCharacters);
  const failure = (what: string, deed: Deed): Failure => ({ what: shorten(what, whatCharacters), error, callId: call.callId, index, deed });
  if (!isPatch(action)) return [failure(command!.trim(), mainDeedOf(action))];
  const tool = command === null ? call.name : 'apply_patch';
  if (files.length === 0) return [failure(tool, { key: `call ${call.callId}`, args: [], check: false })];
  return files.slice(0, mostOfOneDeed).map((file) => failure(`${tool} ${file}`, fileDeed(file)));
}

/** The main part of a command line: its check, else its last part that has an effect. */
function mainDeedOf({ parts, command }: Action): Deed {
  const main = parts.find(isCheck) ?? parts.findLast((part) => !isTrivial(part));
  return main === undefined ? { key: `line ${command!}`, args: [], check: false } : deedOf(main, main.folder);
}

function deedsOf(action: Action): Deed[] {
  const deeds = action.parts.map((part) => deedOf(part, part.folder));
  if (action.command !== null) deeds.push({ key: `line ${action.command}`, args: [], check: false });
  return changesFiles(action) ? [...deeds, ...action.files.map(fileDeed)] : deeds;
}
