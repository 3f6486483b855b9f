import { nextMatch, type Finding, type Search } from '../finding.ts';
import { namingOf } from '../names.ts';
import { judged } from './named.ts';

// Rows of values whose columns an earlier list names: INSERT, COPY, JSON of columns and rows.

const insert =
  /\b(?:insert|replace)\s{1,8}(?:(?:ignore|or\s{1,4}\w{1,10})\s{1,4})?into\s{1,8}[\w."`[\] ]{1,130}\s{0,40}\((?<columns>[^()]{1,4000})\)\s{0,40}(?:overriding\s\w{1,10}\svalue\s{1,4})?values?\s{0,40}(?=\()/gi;
const copy = /\bcopy\s{1,4}[\w." ]{1,130}\s{0,4}\((?<columns>[^()]{1,4000})\)\s{1,4}from\s{1,4}stdin[^\n]{0,80}\n/gi;
const lists =
  /["'](?:columns|fields|headers?|columnNames)[ ]{0,7}["']\s{0,4}:\s{0,4}\[(?<columns>[^[\]{}]{1,4000})\][^[\]{}]{0,200}["'](?:rows|values|data|records)[ ]{0,7}["']\s{0,4}:\s{0,4}\[\s{0,40}(?=\[)/gi;

const longestRow = 16_384;

export function* findInserts(page: string): Search {
  yield* findRows(page, insert, (at) => tupleAt(page, at, '(', ')'));
  yield* findRows(page, copy, (at) => lineAt(page, at));
  yield* findRows(page, lists, (at) => tupleAt(page, at, '[', ']'));
}

interface Row {
  /** Null when there is no row. */
  items: { from: number; to: number }[] | null;
  /** Position after what was read. */
  next: number;
}

/** The longest list of columns, with the statement before it. */
const longestHead = 4_500;
const nameColumn = /^(?:\w*_)?(?:name|key|option|setting)$/i;
const valueColumn = /^(?:\w*_)?(?:value|val)$/i;

function* findRows(page: string, pattern: RegExp, rowAt: (at: number) => Row): Search {
  for (let at = 0; ;) {
    const head = yield* nextMatch(pattern, page, at, longestHead);
    if (head === null) return;
    const { match } = head;
    at = head.index + match[0].length;
    const names = match.groups!['columns']!.split(',').map((name) => name.replaceAll(/["'`\s[\]]/g, ''));
    const namings = names.map((name) => namingOf(name));
    const [name, value] = [nameColumn, valueColumn].map((column) => names.findIndex((text) => column.test(text)));
    if (namings.every((naming) => naming === null) && (name! < 0 || value! < 0)) continue;
    for (;;) {
      const { items, next } = rowAt(at);
      at = Math.max(at, next);
      if (items === null) break;
      yield undefined;
      const named = items[name!];
      for (const [index, item] of items.entries()) {
        const naming =
          index === value && named !== undefined
            ? namingOf(page.slice(named.from, named.to).replaceAll(/["'\s]/g, ''))
            : namings[index];
        const found = naming == null ? null : inItem(page, naming, item);
        if (found !== null) yield found;
      }
    }
  }
}

/** The text of an item, also as the argument of a function. */
function inItem(
  page: string,
  naming: NonNullable<ReturnType<typeof namingOf>>,
  { from, to }: { from: number; to: number },
): Finding | null {
  const quoted = /(["'])(.*)\1/s.exec(page.slice(from, to));
  if (quoted === null)
    return /^[\s\w.]*$/.test(page.slice(from, to)) && !/\d/.test(page.slice(from, to))
      ? null
      : judged(page, { naming, start: from }, from, to, 'entry');
  const start = from + quoted.index + 1;
  return judged(page, { naming, start: from }, start, start + quoted[2]!.length, 'entry');
}

function lineAt(page: string, start: number): Row {
  // Of a numbered listing only the tab is left.
  const at = start + /^(?: +\t)?/.exec(page.slice(start, start + 40))![0].length;
  const text = page.slice(at, at + longestRow).split('\n', 1)[0]!;
  const next = at + text.length + 1;
  if (text === '' || text.startsWith('\\.') || !text.includes('\t')) return { items: null, next: at };
  let from = at;
  return { items: text.split('\t').map((part) => ({ from, to: (from += part.length + 1) - 1 })), next };
}

function tupleAt(page: string, at: number, open: string, close: string): Row {
  const gap = /^[\s,]{0,200}/.exec(page.slice(at, at + 200))![0].length;
  if (page[at + gap] !== open) return { items: null, next: at };
  const items: { from: number; to: number }[] = [];
  let [depth, quote, from] = [0, '', at + gap + 1];
  const end = Math.min(page.length, at + longestRow);
  for (let index = at + gap; index < end; index += 1) {
    const sign = page[index]!;
    if (quote !== '') {
      if (sign === quote) quote = '';
    } else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === '(' || sign === '[' || sign === '{') depth += 1;
    else if (sign === ',' && depth === 1) {
      items.push({ from, to: index });
      from = index + 1;
    } else if (sign === ')' || sign === ']' || sign === '}') {
      depth -= 1;
      if (depth > 0) continue;
      items.push({ from, to: index });
      return { items: sign === close ? items : null, next: index + 1 };
    }
  }
  return { items: null, next: end };
}
