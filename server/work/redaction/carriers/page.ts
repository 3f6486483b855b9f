import { blankUnseen } from '../view.ts';

/** Characters of one step. */
const slice = 32 * 1024;
const escape = /\\{1,15}(?:u(?:00|25)[0-9a-f]{2}|[nrt"'`/])|["']/gi;
const numbered = /^[ \t]{0,24}(\d{1,6})[ ]?(?:[→│┃|:\t]|-(?!-))/;
const located = /^[\w./-]{1,120}[:-](\d{1,6})[:-]/;

/**
 * The text as a page of lines: without colours, escapes and the line prefixes of tools, each replaced by spaces, so that every
 * character keeps its position. A string with escaped line breaks has lines of its own.
 */
export function* paged(text: string): Generator<undefined, string, void> {
  const parts: string[] = [];
  for (let from = 0; from < text.length;) {
    const to = endOfSlice(text, from);
    const part = text.slice(from, to);
    parts.push(
      unescaped(/[\x1b\x9b\x07\u00ad\u200b-\u206f\ufeff\\]|\[\d/.test(part) ? blankUnseen(part) : part).replaceAll(
        '\r',
        ' ',
      ),
    );
    from = to;
    yield;
  }
  const page = parts.join('');
  const plain = yield* withoutPrefixes(page);
  // A numbered listing may be numbered again.
  return plain === page ? page : yield* withoutPrefixes(plain);
}

/** Ends a slice with a line if possible, and never within an escape. */
function endOfSlice(text: string, from: number): number {
  const limit = from + slice;
  if (limit >= text.length) return text.length;
  const line = text.slice(limit - 4_096, limit).lastIndexOf('\n');
  if (line >= 0) return limit - 4_096 + line + 1;
  const escaped = text.slice(limit - 24, limit).indexOf('\\');
  return escaped < 0 ? limit : limit - 24 + escaped;
}

interface Edit {
  at: number;
  length: number;
  becomes: string;
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  const edits: Edit[] = [];
  // The last quotes by the number of backslashes before them: the quote before a line break with n + 1 backslashes has n.
  const quotes = new Map<string, Edit>();
  let [lastBreak, open] = [-1, ''];
  for (const { index: at, 0: match } of text.matchAll(escape)) {
    const sign = match.at(-1)!;
    const edit: Edit = { at, length: match.length, becomes: sign };
    const isLong = /u[0-9a-f]{4}$/i.test(match) && match.length > 5;
    const depth = match.length - (isLong ? 5 : 1);
    edits.push(edit);
    if (isLong) edit.becomes = String.fromCharCode(Number.parseInt(match.slice(-4), 16));
    else if (sign === '"' || sign === "'") {
      if (open === `${depth}${sign}`) [edit.becomes, open] = ['\n', ''];
      else quotes.set(`${depth}${sign}`, edit);
    } else if (sign === 't') edit.becomes = '\t';
    else if (sign === 'r') edit.becomes = ' ';
    else if (sign === 'n') {
      edit.becomes = '\n';
      for (const quote of ['"', "'"]) {
        const opening = quotes.get(`${depth - 1}${quote}`);
        if (open !== '' || opening === undefined || opening.at < lastBreak) continue;
        [opening.becomes, open] = ['\n', `${depth - 1}${quote}`];
      }
      lastBreak = at;
    }
  }
  const parts: string[] = [];
  let from = 0;
  for (const { at, length, becomes } of edits) {
    parts.push(text.slice(from, at), becomes.padStart(length));
    from = at + length;
  }
  parts.push(text.slice(from));
  return parts.join('');
}

/** Blanks the signs of a diff and of a citation, line numbers that count up, and the places that a search found. */
function* withoutPrefixes(page: string): Generator<undefined, string, void> {
  const parts: string[] = [];
  let lines: string[] = [];
  // The line before when it may begin with a number.
  let last: { number: number; length: number } | null = null;
  let rest = slice;
  for (let from = 0; from <= page.length;) {
    const end = page.indexOf('\n', from);
    const to = end < 0 ? page.length : end;
    let line = page.slice(from, to);
    if (gutter.test(line)) line = line.replace(gutter, blank);
    const match = maybeNumbered.test(line) ? (numbered.exec(line) ?? located.exec(line)) : null;
    const next = match === null ? null : { number: Number(match[1]), length: match[0].length };
    if (next !== null && last?.number === next.number - 1) {
      lines.push(blankStart(lines.pop()!, last.length));
      line = blankStart(line, next.length);
    }
    last = next;
    lines.push(line);
    rest -= line.length + 20;
    if (rest < 0) {
      const kept = lines.pop()!;
      parts.push(lines.join('\n'));
      lines = [kept];
      yield;
      rest = slice;
    }
    from = to + 1;
  }
  parts.push(lines.join('\n'));
  return parts.join('\n');
}

const gutter = /^(?:[ \t]*(?:>{1,3}(?=\s|$)|\+(?!\+))|-(?=[^\s-]))/;
/** Most lines have no number before their second word. */
const maybeNumbered = /^[ \t]{0,24}(?:\d{1,6}[^\w.]|[\w./-]{1,120}[:-]\d)/;
const blank = ({ length }: string): string => ' '.repeat(length);
/** The tab after a number stays: it may be the first cell of a row. */
const blankStart = (line: string, length: number): string =>
  line.slice(0, length).replaceAll(/[^\t]/g, ' ') + line.slice(length);
