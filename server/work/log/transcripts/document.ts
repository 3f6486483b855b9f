import { BadUserInputError } from '../../../core/errors.ts';
import { arrayNamed, entriesOf, faultIn, isBounded } from './json.ts';
import { isObject, type Fields } from './transcript.ts';

/** The document is in memory until it is read. Real sessions have less than a tenth of this. */
const maxCharacters = 16 * 1024 * 1024;
const maxMessages = 200_000;

/** Whether a text is a JSON object with a list of messages, by its outermost names. */
export const isDocument = (text: string): boolean => /^\s*\{/.test(text) && arrayNamed(text, 'messages') !== null;

/**
 * Yields a JSON document without its messages, then each message; null between other steps. `firstLine` is the number of its first line.
 * @throws BadUserInputError with the line of the first fault.
 */
export function* partsOfDocument(text: string, firstLine: number): Generator<Fields | null> {
  demandFitting(text.length);
  const from = arrayNamed(text, 'messages');
  if (from === null) throw damaged(text, firstLine);
  const messages: { at: number; text: string }[] = [];
  const entries = entriesOf(text, from);
  let next = entries.next();
  for (; next.done !== true; next = entries.next()) {
    if (messages.push(next.value) > maxMessages)
      throw bad(`has more than ${maxMessages} messages: it cannot be imported`);
    yield null;
  }
  if (next.value === null) throw damaged(text, firstLine);
  const parsed = (json: string, at: number): Fields => {
    if (!isBounded(json)) throw bad('has a message with too many values or levels: it cannot be imported');
    let value: unknown;
    try {
      value = JSON.parse(json);
    } catch {
      throw damaged(text, firstLine);
    }
    if (isObject(value)) return value;
    throw damagedLine(lineAt(text, firstLine, at + json.search(/\S|$/)), 'a message is not a JSON object');
  };
  const head = parsed(`${text.slice(0, from)}[]${text.slice(next.value + 1)}`, 0);
  delete head['messages'];
  yield head;
  for (const message of messages) {
    yield parsed(message.text, message.at);
    yield null;
  }
}

export function demandFitting(characters: number): void {
  if (characters > maxCharacters) throw bad(`has more than ${maxCharacters} characters: it cannot be imported`);
}

const bad = (why: string): BadUserInputError =>
  new BadUserInputError(`input.content is a JSON document that ${why}`, ['input', 'content']);

/** The error of a damaged file. Nothing of such a file is stored. */
export const damagedLine = (line: number, why: string): BadUserInputError =>
  new BadUserInputError(`input.content is damaged in line ${line}: ${why}. Nothing was imported`, ['input', 'content']);

function damaged(text: string, firstLine: number): BadUserInputError {
  const fault = faultIn(text);
  if (fault === null) return damagedLine(firstLine, 'the document has no list of messages');
  const line = lineAt(text, firstLine, fault);
  return fault === text.length
    ? damagedLine(line, 'the file ends before its JSON document does')
    : damagedLine(line, `its JSON document is not valid at '${text.slice(fault, fault + 20).replace(/\s+/g, ' ')}'`);
}

const lineAt = (text: string, firstLine: number, end: number): number => {
  let line = firstLine;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
};
