import { shorten } from '../shorten.ts';
import type { Actions, Action } from './actions.ts';
import { isReading, isSearch, isTrivial, programOf } from './commands.ts';
import { jsonIn, membersIn } from './json.ts';

/** A line of a call's output, and the call. */
export interface Finding {
  line: string;
  command: string;
  callId: string;
}

export const maxFindings = 20;
/** Of one call; more are a list in which one was chosen. */
const maxLines = 3;
const lineCharacters = 200;
const commandCharacters = 100;

/** Words that name one thing: with a digit, and long enough not to be a count. */
const words = /[A-Za-z0-9][A-Za-z0-9_-]*/g;
export const isDistinct = (word: string): boolean =>
  word.length >= 4 &&
  word.length <= 80 &&
  /\d/.test(word) &&
  !/^(19|20)\d\d(-\d\d){0,2}$|^0+$|^\d{1,3}[a-zA-Z]{0,2}$/.test(word);
export const wordsIn = (text: string): Set<string> => new Set(text.match(words) ?? []);
const wordsOf = (text: string): Set<string> => new Set([...wordsIn(text)].filter(isDistinct));

/** Times, sizes, dates, versions, colors, commits, names such as `proto3`, ids of the agents' programs, usual ports, and what stands for a letter in a pattern. */
export const isMeasure = (word: string): boolean =>
  /^\d+(?:ms|s|m|h|k|kb|mb|gb|b|px|rem|em)$|^\d{4}-\d\d-\d\d|^[\^~>=<v]*\d+\.\d+(?:\.|$)|^#[\da-f]{3,8}$|^[\da-f]{7,64}$|^[a-z]+\d{1,2}$|^es20\d\d$|^sha\d+$/i.test(
    word,
  ) ||
  /^(?:a-zA-Z|A-Za-z|a-z|A-Z)|^(?:call|toolu|tool|ses|msg|prt|pty)_/.test(word) ||
  /^(?:3000|4200|5000|5173|5432|6379|8000|8080|8888|9000|11434|27017|3306)$/.test(word);
/** Whether most words of another text are in one, and all that name one thing. */
export function tellerOf(said: string): (text: string) => boolean {
  const known = wordsIn(said);
  return (text) => {
    const words = [...wordsIn(text)].filter((word) => word.length >= 4);
    return (
      words.filter((word) => known.has(word)).length >= words.length * 0.6 &&
      words.filter((word) => isDistinct(word) && !isMeasure(word)).every((word) => known.has(word))
    );
  };
}

/** Words of a path say where something is. */
export const withoutPaths = (text: string): string => text.replace(/(?<![\w:/.@~-])[\w.@~-]*\/[\w./@~-]*/g, ' ');

/** A successor can read files and edits again, and a program in the background ends with its agent. */
const isReadAgain = ({ command, parts, ending }: Action): boolean =>
  command === null || ending === 'RUNNING' || parts.every((part) => isReading(part) || isTrivial(part) || isGit(part));
const isGit = (part: Action['parts'][number]): boolean => programOf(part).program === 'git';

/** A longer word, or one with spaces, is a script or a message. */
const longestWord = 120;
/** What a command names: without patterns of searches, scripts and messages. */
function wordsUsed({ parts }: Action): Set<string> {
  const used = parts
    .filter((part) => !isSearch(part) && !isGit(part))
    .flatMap(({ words }) => words.filter((word) => word.length <= longestWord && !/\s/.test(word)));
  return new Set(used.flatMap((word) => [...wordsOf(word)]).filter((word) => !isMeasure(word)));
}

/** A line; of JSON the values that have one of the words. */
function partWith(line: string, used: readonly string[]): string {
  if (jsonIn(line) < 0) return line;
  const members = membersIn(line).filter(({ value }) => used.some((word) => value.includes(word)));
  return members.length === 0 ? line : members.map(({ name, value }) => `${name}: ${value}`).join('; ');
}

/** Lines of results from which a later command took a port, an id or another name, oldest first; the newest `maxFindings`. Leaves out what messages tell. */
export function findingsOf({ list }: Actions, messages: string): Finding[] {
  const told = wordsOf(messages);
  const first = new Map<string, number>();
  const last = new Map<string, number>();
  for (const action of list) {
    for (const word of wordsOf(action.command ?? '')) if (!first.has(word)) first.set(word, action.index);
    for (const word of wordsUsed(action)) last.set(word, action.index);
  }
  /** Whether later commands name a word that none named before. */
  const isTaken = (word: string, index: number): boolean =>
    (first.get(word) ?? -1) > index && (last.get(word) ?? -1) > index;
  const known = new Set<string>();
  const found: Finding[] = [];
  for (const action of list) {
    if (isReadAgain(action)) continue;
    const used = new Set([...wordsOf(action.output)].filter((word) => isTaken(word, action.index) && !known.has(word)));
    if (used.size === 0) continue;
    let lines = 0;
    for (const line of action.output.split('\n')) {
      const here = [...wordsOf(withoutPaths(line))].filter((word) => used.has(word) && !known.has(word));
      if (here.length === 0) continue;
      lines += 1;
      if (lines > maxLines) break;
      for (const word of here) known.add(word);
      if (here.every((word) => told.has(word))) continue;
      found.push({
        line: shorten(partWith(line.trim(), here), lineCharacters),
        command: shorten((action.command ?? '').trim(), commandCharacters),
        callId: action.call.callId,
      });
    }
  }
  return found.slice(-maxFindings);
}
