import { matchesOfStep, nextMatch, type Search } from '../finding.ts';
import { isSecret } from '../named.ts';
import { namingOf } from '../names.ts';
import { isPlaceholder } from '../values.ts';

// All data of a Secret of Kubernetes, in YAML and JSON.

const kind = /kind[ ]{0,7}["']?[ \t]{0,4}:[ \t]{0,4}["']?Secret[ ]{0,7}["']?[ \t\r]*(?:[,}\n#]|$)/g;

export function* findManifests(page: string): Search {
  if ((yield* nextMatch(kind, page, 0)) === null) return;
  yield* inYaml(page);
  yield* inJson(page);
}

interface Block {
  from: number;
  to: number;
}

interface Item {
  isSecret: boolean;
  data: Block[];
}

const nameOf = (match: RegExpExecArray): string => match[2] ?? match[3] ?? match[4]!;
const linesOfStep = 100;
const key = /^([\s>+]*(?:-[ ]+)?)(?:"([\w.-]+)"|'([\w.-]+)'|([\w.-]+))[ \t]*:[ \t]*(.*)$/;

function* inYaml(page: string): Search {
  // The mappings that are open, by their column.
  const open = new Map<number, Item>();
  let [block, blockColumn, lines] = [null as Block | null, 0, 0];
  function* close(column: number): Search {
    for (const [at, { isSecret, data }] of open) {
      if (at < column) continue;
      open.delete(at);
      if (isSecret) for (const one of data) yield* valuesOfYaml(page, one);
    }
  }
  for (let from = 0; from < page.length;) {
    const stop = page.indexOf('\n', from);
    const line = { from, to: stop < 0 ? page.length : stop };
    from = line.to + 1;
    lines += 1;
    if (lines % linesOfStep === 0) yield undefined;
    const text = page.slice(line.from, Math.min(line.to, line.from + 500));
    if (text.trim() === '') continue;
    const column = /^[\s>+]*/.exec(text)![0].length;
    if (block !== null && column > blockColumn) {
      block.to = line.to;
      continue;
    }
    block = null;
    const match = key.exec(text);
    if (match === null) {
      yield* close(/^\s*(?:---|\.\.\.)/.test(text) || text.includes('\0') ? 0 : column);
      continue;
    }
    const own = match[1]!.length;
    yield* close(own > column ? column : own + 1);
    const item = open.get(own) ?? { isSecret: false, data: [] };
    open.set(own, item);
    const name = nameOf(match);
    if (name === 'kind') item.isSecret = /^["']?Secret["']?\s*(?:#.*)?$/.test(match[5]!);
    if ((name === 'data' || name === 'stringData') && /^(?:#.*)?$/.test(match[5]!.trim())) {
      [block, blockColumn] = [{ from: line.to + 1, to: line.to + 1 }, own];
      item.data.push(block);
    }
  }
  yield* close(0);
}

/** Each value of a mapping; a value of several lines is one. */
function* valuesOfYaml(page: string, { from, to }: Block): Search {
  let value: (Block & { name: string }) | null = null;
  let first = -1;
  for (let [at, lines] = [from, 0]; at < to; lines += 1) {
    if (lines % linesOfStep === 0) yield undefined;
    const stop = page.indexOf('\n', at);
    const line = { from: at, to: stop < 0 || stop > to ? to : stop };
    at = line.to + 1;
    const text = page.slice(line.from, line.to);
    if (text.trim() === '') continue;
    const column = /^[\s>+]*/.exec(text)![0].length;
    if (first < 0) first = column;
    if (column > first && value !== null) {
      value.to = line.to;
      continue;
    }
    if (value !== null) yield* secretIn(page, value);
    const match = key.exec(text);
    value = match === null ? null : { name: nameOf(match), from: line.to - match[5]!.length, to: line.to };
  }
  if (value !== null) yield* secretIn(page, value);
}

/** A value is judged by its beginning. */
const judgedLength = 1_024;

/** A value between quotes, of several lines, or up to its comment. */
function* secretIn(page: string, { name, from, to }: Block & { name: string }): Search {
  const text = page.slice(from, to);
  const quote = /^["']/.exec(text)?.[0];
  const opening = quote ?? /^(?:[|>][-+\d]{0,3}[ \t]*(?:#[^\n]*)?\n[\s>+]*)?/.exec(text)![0];
  const rest = text.slice(opening.length);
  const length =
    quote === undefined ? (opening === '' ? rest.search(/(?:^|\s)#|$/) : rest.length) : rest.indexOf(quote);
  const value = rest.slice(0, Math.max(0, length)).trimEnd();
  const start = from + opening.length;
  if (value.length >= 3 && !isOpen(name, value.slice(0, judgedLength)))
    yield { kind: 'secret', from: start, start, end: start + value.length };
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** Words, an address or a path, a small number. */
const words =
  /^(?:[*_]{0,2}[A-Za-z]+(?:[-_. ][A-Za-z]+)*[*_]{0,2}[?!.]?|[a-z][a-z\d+.-]*:\/\/[^@\s]*|\/[\w./-]*|\d{1,5})$/;

/** Whether data of a Secret gives nothing away: a blank, or the name of a user, a host, a file. */
function isOpen(name: string, value: string): boolean {
  const decoded = base64.test(value) ? Buffer.from(value, 'base64').toString('latin1').trim() : '';
  const plain = /^[\x20-\x7e]+$/.test(decoded) ? decoded : value;
  const naming = namingOf(name);
  return (
    isPlaceholder(plain.length <= 64 ? plain : value) ||
    (plain.length <= 32 && words.test(plain) && (naming === null || !isSecret(naming, plain, 'entry')))
  );
}

const brace =
  /[{}]|(?<![\w-])["'](?:kind|data|stringData)[ ]{0,7}["']\s{0,8}:\s{0,8}(?:\{|["'][\w.-]{1,60}[ ]{0,7}["'])/g;
const longestMember = 32 * 1024;
const member = /["'](?<name>[\w.-]{1,253})[ ]{0,7}["']\s{0,8}:\s{0,8}(?<quote>["'])(?<value>[^"'\n]{3,})\k<quote>/g;

function* inJson(page: string): Search {
  const open: (Item & { from: number; isData: boolean })[] = [];
  // Data that holds other data is no data of a Secret: nothing is read twice.
  let innermost: (typeof open)[number] | undefined;
  for (let at = 0, count = 1; ; count += 1) {
    if (count % matchesOfStep === 0) yield undefined;
    const found = yield* nextMatch(brace, page, at);
    if (found === null) return;
    const { index, match: [match] } = found; // prettier-ignore
    at = index + match.length;
    if (match === '}') {
      const item = open.pop();
      if (item?.isData === true) open.at(-1)?.data.push({ from: item.from, to: index });
      if (item === innermost) innermost = undefined;
      if (item?.isSecret === true) for (const block of item.data) yield* valuesOfJson(page, block);
    } else if (match.endsWith('{')) {
      const item = { isSecret: false, data: [], from: at, isData: match !== '{' };
      open.push(item);
      if (!item.isData) continue;
      if (innermost !== undefined) innermost.isData = false;
      innermost = item;
    } else if (/kind[ ]{0,7}["'].*["']Secret[ ]{0,7}["']$/s.test(match) && open.length > 0)
      open.at(-1)!.isSecret = true;
  }
}

function* valuesOfJson(page: string, { from, to }: Block): Search {
  const text = page.slice(from, to);
  for (let at = 0, count = 1; ; count += 1) {
    if (count % matchesOfStep === 0) yield undefined;
    const found = yield* nextMatch(member, text, at, longestMember);
    if (found === null) return;
    const { index, match } = found;
    at = index + match[0].length;
    const value = match.groups!['value']!.trimEnd();
    const start = from + at - 1 - match.groups!['value']!.length;
    if (!isOpen(match.groups!['name']!, value.slice(0, judgedLength)))
      yield { kind: 'secret', from: start, start, end: start + value.length };
  }
}
