/**
 * The only file that writes what a command shows. Texts of agents and of other programs may hold codes of terminals and of the direction
 * of text: none reaches the terminal.
 */

const joiners = '\u200C\u200D';
const codes = new RegExp(`(?![\n\t${joiners}])[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]`, 'gu');

/** Several lines, without codes of terminals. */
const shown = (text: string): string => text.replaceAll('\r\n', '\n').replaceAll(codes, '\uFFFD');

/** Without line breaks and codes of terminals. */
export const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\uFFFD');

export function print(text: string): void {
  process.stdout.write(`${shown(text)}\n`);
}

/** Prints the same value as JSON.stringify, with codes of terminals escaped. */
export function printJson(value: unknown, space?: number): void {
  process.stdout.write(jsonLine(value, space));
}

/** The same. Resolves when it is written. @throws when nothing reads it */
export const printedJson = (value: unknown): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.once('error', reject).write(jsonLine(value), (error) => (error == null ? resolve() : reject(error)));
  });

/** A line of JSON, with codes of terminals escaped. */
export function jsonLine(value: unknown, space?: number): string {
  const escaped = (code: string): string =>
    [...Array(code.length).keys()].map((at) => `\\u${code.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
  return `${JSON.stringify(value, null, space).replaceAll(codes, escaped)}\n`;
}

/** One line, whatever the text holds: a name with a line break must not look like another line. */
export const printLine = (text: string): void => print(oneLine(text));

/** Writes to standard error. */
export function tell(text: string): void {
  process.stderr.write(`${shown(text)}\n`);
}

/** The same, in one line. */
export const tellLine = (text: string): void => tell(oneLine(text));

export const tellsOnTerminal = (): boolean => process.stderr.isTTY;

/** Replaces the last line of standard error, on a terminal. */
export function tellOver(text: string): void {
  process.stderr.write(`\r\u001B[K${oneLine(text)}`);
}
