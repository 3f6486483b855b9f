import { shorten } from '../shorten.ts';
import type { Actions, Action } from './actions.ts';
import { isReading } from './commands.ts';
import { jsonIn, membersIn } from './json.ts';

/** A line of a call's output, and the call. */
export interface Finding {
  line: string;
  command: string;
  callId: string;
}

export const maxFindings = 20;
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

/** A successor can read files and edits again. */
const isReadAgain = ({ command, parts }: Action): boolean => command === null || parts.every(isReading);

/** A line; of JSON the values that have one of the words. */
function partWith(line: string, used: readonly string[]): string {
  if (jsonIn(line) < 0) return line;
  const members = membersIn(line).filter(({ value }) => used.some((word) => value.includes(word)));
  return members.length === 0 ? line : members.map(({ name, value }) => `${name}: ${value}`).join('; ');
}

/** Lines of results from which a later command took a port, an id or another name, oldest first; the newest `maxFindings`. Leaves out what messages tell. */
export function findingsOf({ list }: Actions, messages: string): Finding[] {
  const told = wordsOf(messages);
  // From the end: what later commands name, without what they said themselves before.
  const first = new Map<string, number>();
  for (const { index, command } of list)
    for (const word of wordsOf(command ?? '')) if (!first.has(word)) first.set(word, index);
  const known = new Set<string>();
  const found: Finding[] = [];
  for (const action of list) {
    if (isReadAgain(action)) continue;
    const used = new Set(
      [...wordsOf(action.output)].filter((word) => (first.get(word) ?? -1) > action.index && !known.has(word)),
    );
    if (used.size === 0) continue;
    for (const line of action.output.split('\n')) {
      const here = [...wordsOf(line)].filter((word) => used.has(word) && !known.has(word));
      if (here.length === 0) continue;
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
