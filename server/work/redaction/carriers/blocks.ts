import type { Finding } from '../finding.ts';
import { judged, type Named } from './named.ts';

// A value on the lines below its name.

const longest = { lines: 40, characters: 16_384 };
const prefix = /^[\s>+#*-]*["'`]?$/;
const opening =
  /^(?:[ ]{0,7}["'`])?\]?[ \t]*(?:(?<yaml>:)[ \t]*(?:[|>][-+\d]{0,3}(?:[ \t]+#[^\n]*)?)?|(?:[:=]|:=|=>)[ \t]*(?:(?:\$\(cat[ \t]*)?<<[-~]?["']?(?<end>\w{1,40})["']?|\(?[rRfFbBuU]{0,2}(?<quotes>(?:[ ]{0,7}"){3}|(?:[ ]{0,7}'){3})\\?|(?<strings>[(\\]?)))[ \t]*\n/;
/** Of a line without the spaces at its end. */
const string = /^[ \t>+]*[bBrRuUfF]{0,2}(["'`])(.*)\1[ \t]*(?:[+.,\\][ \t]*)?[;)]?$/;

interface Line {
  from: number;
  to: number;
}

/** Returns how many lines it read. */
export function* findBelow(named: Named): Generator<Finding, number, void> {
  const { page, start, end, line } = named;
  const match = opening.exec(page.slice(end, end + 200));
  if (match === null) return 0;
  const { yaml, end: terminator, quotes } = match.groups!;
  if (yaml !== undefined && !prefix.test(page.slice(Math.max(line.from, start - 200), start))) return 0;
  const column = start - line.from;
  const isOver = (text: string): boolean => {
    if (quotes !== undefined) return /(["'])[ ]{0,7}\1[ ]{0,7}\1/.test(text);
    if (terminator !== undefined) return text.trim() === terminator;
    return yaml === undefined ? !string.test(text.trimEnd()) : !blank.test(text) && indentOf(text) <= column;
  };
  const lines = linesOf(page, end + match[0].length, isOver);
  yield* yaml === undefined && quotes === undefined && terminator === undefined
    ? inStrings(named, lines)
    : inLines(named, lines);
  return lines.length;
}

const blank = /^\s*$/;
/** The column of the text, or one more for an item of a list, which may stand under the sign of its name. */
const indentOf = (text: string): number => /^[\s>+#*]*/.exec(text)![0].length + (item.test(text) ? 1 : 0);

function linesOf(page: string, from: number, ends: (text: string) => boolean): Line[] {
  const lines: Line[] = [];
  for (let at = from; lines.length < longest.lines && at - from < longest.characters && at < page.length;) {
    const stop = page.slice(at, at + longest.characters).indexOf('\n');
    const to = stop < 0 ? Math.min(page.length, at + longest.characters) : at + stop;
    const text = page.slice(at, to);
    if (ends(text) || text.includes('\0')) return lines;
    if (!blank.test(text)) lines.push({ from: at, to });
    at = to + 1;
  }
  return lines;
}

const item = /^[\s>+#*]*-[ \t]+(?=\S)/;

/** The value may be one line, a list, or one word that is folded over lines. */
function* inLines(named: Named, lines: readonly Line[]): Generator<Finding, void, void> {
  const { page } = named;
  const bodies = lines.map(({ from, to }) => {
    const text = page.slice(from, to);
    const start = /^[\s>+#*]*/.exec(text)![0].length + (item.test(text) ? 2 : 0);
    return { from: from + Math.min(start, text.length), to, isItem: item.test(text) };
  });
  const words = bodies.map(({ from, to }) => page.slice(from, to).trim());
  const isWord = (text: string): boolean => !/\s/.test(text) && !/[:,{[]$/.test(text);
  if (bodies.length > 1 && words.every(isWord) && !bodies.some(({ isItem }) => isItem)) {
    const whole = judged(words.join(''), { ...named, start: 0 }, 0, words.join('').length, 'entry');
    if (whole !== null) {
      yield {
        kind: whole.kind,
        from: named.start,
        start: bodies[0]!.from,
        end: bodies.at(-1)!.from + words.at(-1)!.length,
      };
      return;
    }
  }
  for (const [index, { from, to }] of bodies.entries()) {
    const text = words[index]!;
    const isQuoted = /^(["'`])[^"'`]*\1,?$/.test(text);
    if (!isQuoted && (!isWord(text) || /^[\w.-]+[:=].|[({]|^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+,?$/.test(text))) continue;
    const found = judged(
      page,
      named,
      from,
      from + text.replace(/,$/, '').length,
      bodies.length === 1 ? 'entry' : 'cell',
    );
    if (found !== null) yield { ...found, end: Math.min(found.end, to) };
  }
}

/** Strings that the code joins. */
function* inStrings(named: Named, lines: readonly Line[]): Generator<Finding, void, void> {
  const parts = lines.map(({ from, to }) => {
    const text = named.page.slice(from, to);
    const [, quote, value] = string.exec(text.trimEnd())!;
    const start = from + text.indexOf(quote!) + 1;
    return { value: value!, start, end: start + value!.length };
  });
  if (parts.length === 0) return;
  const value = parts.map((part) => part.value).join('');
  if (judged(value, { ...named, start: 0 }, 0, value.length, 'cell') === null) return;
  for (const { start, end } of parts) if (end > start) yield { kind: named.naming.kind, from: start, start, end };
}
