const mostCharacters = 100;

/** What the program puts around a slash command. */
const command = /^\s*<command-(?:name|message)>/;
const commandArguments = /<command-args>([\s\S]*?)<\/command-args>/;

/** A title for what a person asked; null when that is a command, or too short to say what is wanted. */
export function titleOfRequest(text: string): string | null {
  const asked = command.test(text) ? (commandArguments.exec(text.slice(0, 4_000))?.[1] ?? '') : text;
  const line = shortTitle(asked);
  if (line === null || /^(\/\w[\w:-]*|<[a-z_-]+>)/.test(line)) return null;
  // Not all languages have spaces between words.
  return /\S\s+\S/.test(line) || /[^\p{ASCII}]{4}/u.test(line) ? line : null;
}

/** On one line, no longer than a title is read; null when there is nothing. */
export function shortTitle(text: string): string | null {
  const line = text.slice(0, 4 * mostCharacters + 1_000).replace(/\s+/g, ' ').trim();
  if (line === '') return null;
  if (line.length <= mostCharacters) return line;
  const cut = line.slice(0, mostCharacters - 1);
  const word = cut.replace(/\s+\S*$/, '');
  return `${(word.length > mostCharacters / 2 ? word : cut).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
