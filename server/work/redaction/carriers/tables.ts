import type { Finding } from '../finding.ts';
import { namingOf, type Naming } from '../names.ts';
import { judged, type Named } from './named.ts';

// A value in a column that a secret's name heads, or in the cell after a name.

interface Cell {
  from: number;
  to: number;
}

type Cells = (page: string, line: Cell) => Cell[] | null;

const longestLine = 4_096;
const rulesOfStep = 50;
const rule = /^[\s>+|:=─-╿-]*$/;
const bars = /[|│┃║]/g;

const byBars: Cells = (page, { from, to }) => {
  const text = page.slice(from, to);
  const edges = [...text.matchAll(bars)].map(({ index }) => index);
  if (edges.length === 0) return null;
  const cells = [-1, ...edges].map((edge, index) => ({
    from: from + edge + 1,
    to: from + (edges[index] ?? text.length),
  }));
  return blank(page, cells.at(-1)!) ? cells.slice(0, -1) : cells;
};

const byTabs: Cells = (page, { from, to }) => {
  const parts = page.slice(from, to).split('\t');
  let at = from;
  return parts.length < 2 ? null : parts.map((part) => ({ from: at, to: (at += part.length + 1) - 1 }));
};

const field = /[ ]*"(?:[^"]|"")*"[ ]*(?=[,;]|$)|[^,;"]*(?=[,;]|$)/y;
const bySeparators: Cells = (page, { from, to }) => {
  const text = page.slice(from, to).trimEnd();
  const cells: Cell[] = [];
  for (let at = 0; at <= text.length;) {
    field.lastIndex = at;
    const match = field.exec(text);
    if (match === null) return null;
    cells.push({ from: from + at, to: from + at + match[0].length });
    at += match[0].length + 1;
  }
  return cells.length < 2 ? null : cells;
};

const byGaps: Cells = (page, { from, to }) => {
  const cells = [...page.slice(from, to).matchAll(/\S+(?:[ ]\S+)*/g)].map(({ index, 0: text }) => ({
    from: from + index,
    to: from + index + text.length,
  }));
  return cells.length < 2 ? null : cells;
};

const tagged = /<(?:t[hd]|d[td])\b[^<>]{0,200}>(.*?)<\/(?:t[hd]|d[td])>/gi;
const byTags: Cells = (page, { from, to }) => {
  const cells = [...page.slice(from, to).matchAll(tagged)].map(({ index, 0: tag, 1: text }) => {
    const end = from + index + tag.length - '</td>'.length;
    return { from: end - text!.length, to: end };
  });
  return cells.length === 0 ? null : cells;
};

const blank = (page: string, { from, to }: Cell): boolean => page.slice(from, to).trim() === '';
const textOf = (page: string, { from, to }: Cell): string =>
  page.slice(from, to).replaceAll(/^[\s"'`*]+|[\s"'`*]+$/g, '');
/** A title of a column: blank, a sign, or words; no number, and no part of a call. */
const isHead = (text: string): boolean =>
  /^(?:[ .#-]*|(?=.*\p{L})[\p{L}\d_ .()#-]{1,40})$/u.test(text) && /^[^()]*(?:\([^()]*\)[^()]*)*$/.test(text);
const singular = (text: string): Naming | null => namingOf(text.replace(/\s*\([^()]*\)$/, ''));

/** Table after table: each line is the head of one table at most. */
export class Tables {
  /** Lines before it belong to a table that was read. */
  #end = 0;
  #row = -1;

  /** What the line of a name holds: the head of a table with its rows, or a name and its value in two cells. */
  *find({ page, start, end, line }: Named): Generator<Finding | undefined, void, void> {
    if (line.from === this.#row || line.to - line.from > longestLine) return;
    this.#row = line.from;
    const after = page.slice(end, end + 40);
    if (!/^[ ]{0,7}["'`*]{0,3}\s*(?:[|│┃║,;\t]|[ ]{2}|<\/(?:t[hd]|d[td])|$|[\r\n])/.test(after)) return;
    for (const cellsOf of [byBars, byTabs, byTags, bySeparators, byGaps]) {
      const cells = cellsOf(page, line);
      if (cells === null || !cells.some((cell) => start >= cell.from && end <= cell.to)) continue;
      let count = 0;
      for (const found of this.#columns(page, line, cells, cellsOf)) {
        if (found !== undefined) count += 1;
        yield found;
      }
      if (count === 0)
        for (const found of inCells(page, line, cells, cellsOf)) {
          count += 1;
          yield found;
        }
      if (count > 0) return;
    }
  }

  *#columns(
    page: string,
    head: Cell,
    cells: readonly Cell[],
    cellsOf: Cells,
  ): Generator<Finding | undefined, void, void> {
    if (head.from < this.#end || (cellsOf === byBars && isWithin(page, head))) return;
    const texts = cells.map((cell) => textOf(page, cell));
    if (texts.filter((text) => text !== '').length < 2 && cellsOf !== byBars && cellsOf !== byTags) return;
    if (!texts.every(isHead)) return;
    if (cellsOf === byGaps && !isHeadOfGaps(page, head)) return;
    const columns = texts.flatMap((text, index) => {
      const naming = singular(text);
      return naming === null ? [] : [{ naming, index }];
    });
    if (columns.length === 0) return;
    let [rows, rules] = [0, 0];
    for (let from = head.to + 1; from < page.length;) {
      const stop = page.slice(from, from + longestLine).indexOf('\n');
      const line = { from, to: stop < 0 ? Math.min(page.length, from + longestLine) : from + stop };
      const text = page.slice(line.from, line.to);
      from = line.to + 1;
      if (
        cellsOf === byTags
          ? !/<t[hd]\b/.test(text) && /^\s*<\/?(?:tr|thead|tbody)\b[^<>]*>\s*$/.test(text)
          : rule.test(text) && (text.trim() !== '' || rows === 0)
      ) {
        rules += 1;
        if (rules % rulesOfStep === 0) yield undefined;
        continue;
      }
      const row = rowOf(page, line, head, cells, cellsOf);
      if (row === null) return;
      this.#end = line.to;
      for (const { naming, index } of columns) {
        const cell = row[index];
        const found =
          cell === undefined ? null : judged(page, { naming, start: cell.from }, cell.from, cell.to, 'cell');
        if (found !== null) yield found;
      }
      rows += 1;
      yield undefined;
    }
  }
}

/** Whether a line in columns heads a table, and is no line of code or prose: it is in capitals, or a rule follows. */
const isHeadOfGaps = (page: string, head: Cell): boolean =>
  !/[a-z]/.test(page.slice(head.from, head.to)) || /^[\s=─-╿-]+$/.test(lineBelow(page, head));

const linesAbove = (page: string, { from }: Cell): string[] =>
  page
    .slice(Math.max(0, from - 800), from)
    .split('\n')
    .slice(-3, -1);
const lineBelow = (page: string, { to }: Cell): string => page.slice(to + 1, to + 800).split('\n', 1)[0]!;
const bar = /[|│┃║]/;

/** Whether rows stand above the line, so that it heads no table. */
function isWithin(page: string, line: Cell): boolean {
  const [second = '', above = ''] = linesAbove(page, line);
  if (/^\s*-\[ RECORD/.test(above)) return true;
  return rule.test(above) && above.trim() !== '' ? bar.test(second) && !rule.test(second) : bar.test(above);
}

/** The cells of a row, each in the place of its head; null when the table has ended. */
function rowOf(
  page: string,
  line: Cell,
  head: Cell,
  heads: readonly Cell[],
  cellsOf: Cells,
): (Cell | undefined)[] | null {
  const cells = cellsOf(page, line);
  if (cells?.length === heads.length) return cells;
  if (cells === null) return null;
  // Blank cells leave no trace in columns, and a long value touches the next.
  if (cellsOf === byGaps)
    return heads.map((one) => {
      const from = line.from + one.from - head.from;
      if (from >= line.to || (from > line.from && !/\s/.test(page[from - 1]!))) return undefined;
      return { from, to: from + /^\S*/.exec(page.slice(from, line.to))![0].length };
    });
  // The number of a row looks like the line prefix of a tool.
  return cellsOf === byBars && cells.length === heads.length - 1 ? [undefined, ...cells] : null;
}

/** A name, and its value in the next cell. */
function* inCells(page: string, line: Cell, cells: readonly Cell[], cellsOf: Cells): Generator<Finding, void, void> {
  const full = cells.filter((cell) => !blank(page, cell));
  if (cellsOf === bySeparators || full.length > 6) return;
  if (cellsOf === byBars && !/^\s*[|│┃║]/.test(page.slice(line.from, line.to))) {
    // Pipes of a shell or a template stand on a line of their own.
    if (/\{\{|\|\||\$/.test(page.slice(line.from, line.to))) return;
    if (
      ![linesAbove(page, line).at(-1) ?? '', lineBelow(page, line)].some(
        (text) => bar.test(text) || (rule.test(text) && text.trim() !== '') || /-\[ RECORD/.test(text),
      )
    )
      return;
  }
  for (const [index, cell] of full.entries()) {
    const naming = namingOf(textOf(page, cell).replace(/:$/, ''));
    const next = full[index + 1];
    if (naming === null || next === undefined || !isHead(textOf(page, cell).replace(/:$/, ''))) continue;
    const text = textOf(page, next);
    if (/\s/.test(text) || (cellsOf === byGaps && full.length > 2)) continue;
    const found = judged(page, { naming, start: cell.from }, next.from, next.to, 'cell');
    if (found !== null) yield found;
  }
}
