/** A substitution that ticks the boxes of the lines that it matches, or opens them. */
export interface Tick {
  isOpen: boolean;
  /** Whether it names lines by their numbers. */
  ofLines: boolean;
  matches(line: string, number: number | null): boolean;
}

/**
 * What `sed -i` or `perl -pi` does to boxes in its files; null for other programs. `ticks` is null when that is not known: for a deletion,
 * or a pattern with more than literal text and `.*`. Patterns are looked for as texts, so that no log brings an expression that takes long.
 */
export function ticksOf({
  program,
  args,
}: {
  program: string;
  args: readonly string[];
}): { files: string[]; ticks: Tick[] | null } | null {
  const options = args.filter((arg) => arg.startsWith('-'));
  if (!/^(?:sed|perl)$/.test(program) || !options.some((arg) => /^(?:-\w*i|--in-place)/.test(arg))) return null;
  const isExtended = program === 'perl' || options.some((arg) => /^-\w*[Er]/.test(arg));
  const scripts: string[] = [];
  const operands: string[] = [];
  for (const [index, arg] of args.entries()) {
    if (/^(?:-\w*e|--expression)$/.test(args[index - 1] ?? '')) scripts.push(arg);
    // An empty one is the suffix of `sed -i ''`.
    else if (!arg.startsWith('-') && arg !== '') operands.push(arg);
  }
  if (scripts.length === 0) scripts.push(...operands.splice(0, 1));
  const found = scripts.map((script) => ticksIn(script, isExtended));
  return { files: operands, ticks: found.includes(null) ? null : found.flatMap((ticks) => ticks!) };
}

/** Of one script. */
const maxTicks = 50;

function ticksIn(script: string, isExtended: boolean): Tick[] | null {
  const ticks: Tick[] = [];
  let rest = script.trim();
  while (rest !== '') {
    if (ticks.length === maxTicks) return null;
    const address = /^(?:\/((?:\\.|[^/\\])*)\/|(\d+)(?:,(\d+))?)?\s*/.exec(rest)!;
    rest = rest.slice(address[0].length);
    const substitution = /^s([^\w\s\\])/.exec(rest);
    if (substitution === null) return null;
    const pattern = until(rest.slice(2), substitution[1]!);
    const by = pattern === null ? null : until(pattern.rest, substitution[1]!);
    if (pattern === null || by === null) return null;
    const end = /^[gIi]*\s*(?:[;\n]\s*|$)/.exec(by.rest);
    if (end === null) return null;
    rest = by.rest.slice(end[0].length);
    const where = address[1] === undefined ? [] : piecesOf(address[1], isExtended);
    const what = piecesOf(pattern.text, isExtended);
    if (where === null || what === null) return null;
    const put = by.text.replace(/\\(.)/g, '$1');
    if (!/\[[ xX]\]/.test(put)) continue;
    const [from, to] = [Number(address[2] ?? 0), Number(address[3] ?? address[2] ?? Infinity)];
    ticks.push({
      isOpen: /\[ \]/.test(put),
      ofLines: address[2] !== undefined,
      matches: (line, number) =>
        (address[2] === undefined || (number !== null && number >= from && number <= to)) &&
        hasInOrder(line, where) &&
        hasInOrder(line, what),
    });
  }
  return ticks;
}

/** The text up to the next mark without a backslash. */
function until(text: string, mark: string): { text: string; rest: string } | null {
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === mark) return { text: text.slice(0, at), rest: text.slice(at + 1) };
  }
  return null;
}

/** Texts that a line has in this order; an empty one first or last stands for an end of the line that is not meant. Null for other patterns. */
function piecesOf(pattern: string, isExtended: boolean): string[] | null {
  const pieces = [''];
  const add = (text: string): void => {
    pieces[pieces.length - 1] += text;
  };
  const inner = pattern.replace(/^\^/, '').replace(/(?<!\\)\$$/, '');
  for (let at = 0; at < inner.length; at += 1) {
    const [one, next] = [inner[at]!, inner[at + 1] ?? ''];
    if (one === '\\') {
      at += 1;
      if (/[sS]/.test(next) || (!isExtended && /[+?|{}]/.test(next)) || /[wWdDbB]/.test(next)) return null;
      if (isExtended || !/[()]/.test(next)) add(next);
    } else if (one === '.' && next === '*') {
      pieces.push('');
      at += 1;
    } else if (one === '[') {
      const found = /^\[([^\]^\\])\]|^\[\[:space:\]\]/.exec(inner.slice(at));
      if (found === null) return null;
      add(found[1] ?? ' ');
      at += found[0].length - 1;
    } else if (one === '*' || (isExtended && /[+?|{}]/.test(one))) return null;
    else if (!(isExtended && /[()]/.test(one))) add(one);
  }
  return pieces;
}

function hasInOrder(line: string, pieces: readonly string[]): boolean {
  let from = 0;
  for (const piece of pieces) {
    const at = line.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return true;
}
