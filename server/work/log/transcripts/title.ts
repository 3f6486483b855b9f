import { ownWords } from '../../context/ownWords.ts';

const maxCharacters = 100;

/** The name of a command before the words that were typed with it. */
const commandName = /^(?:\/[^\s/]+|\(saved prompt(?: "[^"\n]*")?\)(?=\s))\s+/;

/** Makes a title from a request; null for a command, or when it is too short to state a request. */
export function titleOfRequest(text: string): string | null {
  const own = ownWords(text);
  // Of a command that a program wrote out; one that stands as it was typed gives no title.
  const line = shortTitle(own === text.trim() ? own : own.replace(commandName, ''));
  if (line === null || /^(\/\w[\w:-]*|<[a-z_-]+>)/.test(line)) return null;
  // Some languages have no spaces between words.
  return /\S\s+\S/.test(line) || /[^\p{ASCII}]{4}/u.test(line) ? line : null;
}

/** A text on one line of at most 100 characters; null when it is blank. */
export function shortTitle(text: string): string | null {
  const line = text
    .slice(0, 4 * maxCharacters + 1_000)
    .replace(/\s+/g, ' ')
    .trim();
  if (line === '') return null;
  if (line.length <= maxCharacters) return line;
  const cut = line.slice(0, maxCharacters - 1);
  const word = cut.replace(/\s+\S*$/, '');
  return `${(word.length > maxCharacters / 2 ? word : cut).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
