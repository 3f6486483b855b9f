const controls = /[\r\b\u001B\u009B]/;
/** A sequence without a meaning for the text: of a title or a link up to its end, or of one letter. */
const string = /[\]P^_X][^\u0007\u001B\u009C]*(?:\u0007|\u001B\\|\u009C|$)|[ #%()*+][\s\S]|[^[]/y;
const sequence = /([\d;:?<=>!]*)[ -/]*([@-~])/y;

/**
 * What a terminal shows at the end of an output: overwritten progress is gone, colours and moves of the cursor are carried out. Each character is
 * written once, so that it is linear.
 */
export function screen(text: string): string {
  if (!controls.test(text)) return text;
  const rows: string[][] = [[]];
  let [row, column] = [0, 0];
  let saved: [number, number] = [0, 0];
  const to = (nextRow: number, nextColumn: number): void => {
    row = Math.max(0, Math.min(nextRow, rows.length - 1));
    // A column behind the end of a line is the one after it, so that no move costs more than itself.
    column = Math.max(0, Math.min(nextColumn, rows[row]!.length));
  };
  const erase = (which: number): void => {
    const line = rows[row]!;
    if (which === 0) line.length = Math.min(line.length, column);
    else if (which === 2) [line.length, column] = [0, 0];
  };
  const act = (letter: string, given: string): void => {
    const [first = '', second = ''] = given.split(';');
    const count = Number(first) || 1;
    if (letter === 'A' || letter === 'F') to(row - count, letter === 'F' ? 0 : column);
    else if (letter === 'B' || letter === 'E') to(row + count, letter === 'E' ? 0 : column);
    else if (letter === 'C') to(row, column + count);
    else if (letter === 'D') to(row, column - count);
    else if (letter === 'G') to(row, count - 1);
    else if (letter === 'H' || letter === 'f') to(count - 1, (Number(second) || 1) - 1);
    else if (letter === 'K') erase(Number(first) || 0);
    else if (letter === 'J' && (Number(first) || 0) === 0) {
      erase(0);
      rows.length = row + 1;
    } else if (letter === 'J' && Number(first) >= 2) [rows.length, rows[0], row, column] = [1, [], 0, 0];
    else if (letter === 's') saved = [row, column];
    else if (letter === 'u') to(...saved);
  };
  for (let at = 0; at < text.length;) {
    const char = String.fromCodePoint(text.codePointAt(at)!);
    at += char.length;
    if (char === '\n') {
      if (row === rows.length - 1) rows.push([]);
      to(row + 1, 0);
    } else if (char === '\r') column = 0;
    else if (char === '\b') column = Math.max(0, column - 1);
    else if (char === '\u009B' || (char === '\u001B' && text[at] === '[')) {
      sequence.lastIndex = char === '\u009B' ? at : at + 1;
      const found = sequence.exec(text);
      at = found === null ? text.length : sequence.lastIndex;
      if (found !== null) act(found[2]!, found[1]!);
    } else if (char === '\u001B') {
      if (text[at] === '7') saved = [row, column];
      else if (text[at] === '8') to(...saved);
      string.lastIndex = at;
      if (string.test(text)) at = string.lastIndex;
    } else {
      rows[row]![column] = char;
      column += 1;
    }
  }
  return rows.map((line) => line.join('').trimEnd()).join('\n');
}
