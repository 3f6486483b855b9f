/** Values and names that are parsed at once, which holds the event loop: 150,000 take up to 80 ms. Real lines have up to a few thousand. */
const maxValues = 150_000;
/** `JSON.stringify` fails on a few thousand levels. */
const maxDepth = 1_000;

/** Parses JSON. @throws SyntaxError when it is no JSON, or has more than 150,000 values and names, or 1,000 levels. */
export function parseBounded(text: string): unknown {
  if (!isBounded(text)) throw new SyntaxError('too many values');
  return JSON.parse(text);
}

/** Whether a text, if it is JSON, has few enough values and levels to parse it at once. */
export function isBounded(text: string): boolean {
  if (text.length < maxDepth) return true;
  let [values, depth] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === quote) at = endOfString(text, at);
    else if (character === comma || character === colon) values += 1;
    else if (opens(character)) {
      values += 1;
      depth += 1;
    } else if (closes(character)) depth -= 1;
    if (values > maxValues || depth > maxDepth) return false;
  }
  return true;
}

/** An entry of an array, and where it begins in the text. */
interface Piece {
  at: number;
  text: string;
}

/** The entries of an array whose `[` is at `from`, and the position of its `]`. Null when the text ends before. */
export function* entriesOf(text: string, from: number): Generator<Piece, number | null> {
  let depth = 0;
  let begin = from + 1;
  for (let at = from + 1; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === quote) at = endOfString(text, at);
    else if (opens(character)) depth += 1;
    else if (depth > 0 && closes(character)) depth -= 1;
    else if (depth === 0 && (character === comma || closes(character))) {
      const entry = text.slice(begin, at);
      if (entry.trim() !== '' || character === comma || begin > from + 1) yield { at: begin, text: entry };
      if (character !== comma) return at;
      begin = at + 1;
    }
  }
  return null;
}

/** The position of the `[` after a name of the outermost object; null without one. */
export function arrayNamed(text: string, name: string): number | null {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === quote) {
      const end = endOfString(text, at);
      const [found] =
        depth === 1 && text.slice(at + 1, end) === name ? (/^\s*:\s*\[/.exec(text.slice(end + 1, end + 40)) ?? []) : [];
      if (found !== undefined) return end + found.length;
      at = end;
    } else if (opens(character)) depth += 1;
    else if (closes(character)) depth -= 1;
  }
  return null;
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const opens = (character: number): boolean => character === 0x5b || character === 0x7b;
const closes = (character: number): boolean => character === 0x5d || character === 0x7d;

/** The position of the quotation mark that ends a string; the end of the text when none does. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === backslash) at += 1;
    else if (character === quote) return at;
  }
  return text.length;
}

/** Whether a line opens a JSON object that goes on in the next line. */
export const opensObject = (line: string): boolean => /^\s*\{/.test(line) && faultIn(line) === line.length;

/** The position of the first character because of which a text is no JSON value; its length when it is cut, null when it is one. */
export function faultIn(text: string): number | null {
  const open: string[] = [];
  let next: 'value' | 'name' | 'colon' | 'comma' = 'value';
  let mayEnd = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!;
    if (' \t\n\r'.includes(character)) continue;
    if (next === 'comma' && open.length === 0) return at;
    const closing: boolean = character === (open.at(-1) === '{' ? '}' : ']') && open.length > 0;
    if (closing) {
      if (next !== 'comma' && !mayEnd) return at;
      open.pop();
      next = 'comma';
    } else if (next === 'colon' || next === 'comma') {
      if (character !== (next === 'colon' ? ':' : ',')) return at;
      next = next === 'colon' || open.at(-1) === '[' ? 'value' : 'name';
    } else if (character === '"') {
      const end = validString(text, at);
      if (end === text.length || text[end] !== '"') return end;
      at = end;
      next = next === 'name' ? 'colon' : 'comma';
    } else if (next === 'name') return at;
    else if (character === '{' || character === '[') {
      open.push(character);
      next = character === '{' ? 'name' : 'value';
      mayEnd = true;
      continue;
    } else {
      const [scalar = ''] = /^[\w.+-]+/.exec(text.slice(at, at + 400)) ?? [];
      if (!/^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?)$/.test(scalar))
        return at + scalar.length === text.length ? text.length : at;
      at += scalar.length - 1;
      next = 'comma';
    }
    mayEnd = false;
  }
  return next === 'comma' && open.length === 0 ? null : text.length;
}

/** The position of the `"` that ends a string, or of what may not be in one; the length of the text when it is cut. */
function validString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === quote || character < 0x20) return at;
    if (character !== backslash) continue;
    const escape = /^(?:["\\/bfnrt]|u[\da-fA-F]{4})/.exec(text.slice(at + 1, at + 6));
    if (escape === null) return at + 6 > text.length ? text.length : at;
    at += escape[0].length;
  }
  return text.length;
}
