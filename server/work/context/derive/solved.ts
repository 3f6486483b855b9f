import { shorten } from '../shorten.ts';
import { changesFiles, type Action, type Actions } from './actions.ts';
import { isCheck, isReading, isTrivial, operationOf, programOf, repeats } from './commands.ts';
import { fieldsOf } from './log.ts';
import { reasonLine } from './reasonLine.ts';
import { writtenBy, wereThere } from './written.ts';

/** What failed, why, and what worked instead. */
export interface Solved {
  what: string;
  error: string;
  worked: string;
  callId: string;
}

export const maxSolved = 10;
const lineCharacters = 120;
const errorCharacters = 200;
/** A failure further back is about something else. */
const maxOpen = 20;

interface Failure {
  action: Action;
  line: string;
  /** Changes of files before it, by which a later success may be their work. */
  edits: number;
  /** Commands since that changed something of what it names. */
  mends: string[];
  /** Other commands since that changed something outside of files. */
  others: string[];
}

/**
 * Failures after which something else worked: the newest `maxSolved`, oldest first, each reason once. What worked is the same command with
 * another setting of its call, or after a command that changed in place what it names; or the same thing asked for in another way while no
 * file was changed, or with a program of another version. A command that worked unchanged tells nothing.
 */
export function solvedOf({ list, root }: Actions): Solved[] {
  let open: Failure[] = [];
  let edits = 0;
  const solved = new Map<string, Solved>();
  for (const action of list) {
    if (action.command === null) {
      edits += changesFiles(action) ? 1 : 0;
      continue;
    }
    const line = bare(action.command);
    if (action.ending === 'FAILED' || isTimedOut(action)) {
      open = [...open.filter((other) => other.line !== line), { action, line, edits, mends: [], others: [] }].slice(
        -maxOpen,
      );
      continue;
    }
    if (action.ending !== 'PASSED') continue;
    open = open.filter((failure) => {
      const worked = workedFor(failure, action, line, edits);
      if (worked === null) return true;
      if (worked !== '') {
        const { what, error } = told(failure);
        // The newest stands last.
        solved.delete(error);
        solved.set(error, {
          what,
          error,
          worked: shorten(root === '' ? worked : worked.replaceAll(`${root}/`, ''), lineCharacters),
          callId: failure.action.call.callId,
        });
      }
      return false;
    });
    for (const failure of open) {
      if (mends(action, failure)) failure.mends.push(line);
      else if (acts(action) && failure.others.length < maxOthers) failure.others.push(line);
    }
    if (changesFiles(action)) edits += 1;
  }
  return [...solved.values()].slice(-maxSolved);
}

const told = ({ action }: Failure): Pick<Solved, 'what' | 'error'> => ({
  what: shorten(action.command!.trim(), lineCharacters),
  error: shorten(reasonLine(action.output), errorCharacters),
});

/** Without what only chooses what is shown of the output. */
const bare = (command: string): string =>
  command
    .replace(/(?<!\s)\s*(?:2>&1|\|\s*(?:tail|head)\b[^|&;]*)/g, '')
    .replace(/\s+/g, ' ')
    .trim();

const isTimedOut = ({ ending, output }: Action): boolean => ending === 'UNKNOWN' && /\btimed out\b/i.test(output);

/** What made a failed command work; empty when it worked as it was, null when this is another command. */
function workedFor(failure: Failure, action: Action, line: string, edits: number): string | null {
  if (line === failure.line)
    return (
      settingOf(failure.action, action) ?? failure.mends.at(-1) ?? (failure.edits === edits ? cureOf(failure) : '')
    );
  const other = otherVersion(failure.action, action);
  if (other !== null) return other;
  const was = mainOf(failure.action);
  const now = action.parts.find((part) => was !== undefined && repeats(operationIn(part), operationIn(was)));
  if (was === undefined || now === undefined) return null;
  if (failure.edits !== edits || isReading(was)) return '';
  const known = new Set(failure.action.parts.map(({ text }) => text));
  const isAgain = action.parts.every((part) => known.has(part.text) || isTrivial(part));
  if (isAgain && was.folder === now.folder) return '';
  // A check of something else is no other way to run it.
  return isCheck(was) && was.folder === now.folder ? '' : line;
}

/** Of more, none is known to be the cure. */
const maxOthers = 8;
const lead = 5;
/** The command that made the same line work: one that has a word of the error, or the only one between them; else empty. */
function cureOf({ action, line, others }: Failure): string {
  const own = new Set(wordsIn(line));
  const error = wordsIn(reasonLine(action.output)).filter((word) => word.length >= lead && !own.has(word));
  const named = others.findLast((other) => wordsIn(other).some((word) => error.includes(word)));
  return named ?? (others.length === 1 ? others[0]! : '');
}
const wordsIn = (text: string): string[] => text.toLowerCase().match(/[a-z][a-z\d]+/g) ?? [];
/** Whether it does more than look, check, or change files of the work. */
const acts = (action: Action): boolean =>
  !changesFiles(action) &&
  action.parts.some((part) => !isTrivial(part) && !isReading(part) && !isCheck(part) && !isRecord(part));
/** What only records or sends the work cures nothing. */
const isRecord = (part: Part): boolean => {
  const { program, args } = programOf(part);
  return program === 'git' && /^(?:add|commit|push|fetch|stash)$/.test(args[0] ?? '');
};

type Part = Action['parts'][number];
const operationIn = (part: Part) => operationOf(part, part.folder);
const mainOf = ({ parts }: Action): Part | undefined =>
  parts.find(isCheck) ?? parts.findLast((part) => !isTrivial(part));

/** A switch of the call that was set otherwise, or more time for what ran out of it. */
function settingOf(before: Action, now: Action): string | null {
  const [old, given] = [fieldsOf(before.call.arguments), fieldsOf(now.call.arguments)];
  const ranOut = isTimedOut(before);
  const set = Object.entries(given).find(
    ([name, value]) =>
      value !== old[name] &&
      (typeof value === 'boolean' || (ranOut && typeof value === 'number' && /time/i.test(name))),
  );
  return set === undefined ? null : `${set[0]} ${String(set[1])}`;
}

const notFound = /(?:^|: )([\w.+-]{2,40}): (?:command )?not found\b|command not found: ([\w.+-]{2,40})/m;
/** `python3` for a `python` that is not there. */
function otherVersion(before: Action, { parts }: Action): string | null {
  const found = notFound.exec(before.output);
  const name = found?.[1] ?? found?.[2];
  if (name === undefined) return null;
  const isVersion = (other: string): boolean =>
    other !== name &&
    (other.startsWith(name) || name.startsWith(other)) &&
    /^[\d.-]+$/.test(other.length > name.length ? other.slice(name.length) : name.slice(other.length));
  return parts.map((part) => programOf(part).program).find(isVersion) ?? null;
}

/** Whether a command changed in place something that the failed one names. */
function mends({ parts }: Action, { line }: Failure): boolean {
  const named = new Set(line.split(/[\s"'`;|&()=]+/).map(baseOf));
  return parts.some((part) => {
    const { program, args } = programOf(part);
    const changed =
      program === 'chmod' || program === 'dos2unix' ? args : wereThere(part) === true ? writtenBy(part, '') : [];
    return changed.some((file) => named.has(baseOf(file)));
  });
}
const baseOf = (path: string): string => path.replace(/^.*\//, '');
