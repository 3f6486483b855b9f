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

/** The entries of an array whose `[` is at `from`, and the position of its `]`. Null when the text ends before. */
export function* entriesOf(text: string, from: number): Generator<string, number | null> {
  let depth = 0;
  let begin = from + 1;
  for (let at = from + 1; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === quote) at = endOfString(text, at);
    else if (opens(character)) depth += 1;
    else if (depth > 0 && closes(character)) depth -= 1;
    else if (depth === 0 && (character === comma || closes(character))) {
      const entry = text.slice(begin, at).trim();
      if (entry !== '' || character === comma || begin > from + 1) yield entry;
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
