/** 90,000 names of one object held the event loop for 150 ms. */
const maxNames = 50_000;
/** `JSON.parse` takes 150 ms for 500,000 levels, which nothing that is sent here needs. */
const maxLevels = 10_000;

export class TooDeep extends SyntaxError {
  constructor() {
    super(`JSON of more than ${maxLevels} levels of lists and objects`);
  }
}

export class TooManyValues extends SyntaxError {
  constructor(most: string) {
    super(`JSON of more than ${most}`);
  }
}

/** Parses JSON from outside. A name counts as a value. @throws SyntaxError; TooDeep for more than 10,000 levels; TooManyValues */
export function parseJson(text: string, maxValues = Infinity): unknown {
  // A value has at least one character.
  if (text.length > maxValues || mayBeDeep(text)) demandBounded(text, maxValues);
  return JSON.parse(text);
}

/** The object or list that a text is the JSON of: models write objects as texts. Any other value stays as it is. */
export function unwrapped(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[{[]/.test(value)) return value;
  try {
    return parseJson(value);
  } catch {
    return value;
  }
}

const [space, quote, backslash, beginArray, endArray, beginObject, endObject, comma, colon] = [...' "\\[]{},:'].map(
  (each) => each.charCodeAt(0),
) as [number, number, number, number, number, number, number, number, number];

/** Whether a text has more opening brackets than levels are allowed: a body of 900 KB without took a tenth of the time of `demandBounded`. */
function mayBeDeep(text: string): boolean {
  let count = 0;
  for (const bracket of '[{')
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1))
      if ((count += 1) > maxLevels) return true;
  return false;
}

function demandBounded(text: string, maxValues: number): void {
  let values = 0;
  /** Whether the next character begins the first value of the text, a list or an object, or ends an empty one. */
  let isFirst = true;
  /** Of the open lists and objects. */
  const names = [0];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (isFirst && character > space) {
      isFirst = false;
      if (character !== endArray && character !== endObject) values += 1;
    }
    if (character === quote) {
      at = endOfString(text, at);
      if (at === -1) return;
    } else if (character === beginArray || character === beginObject) {
      isFirst = true;
      if (names.push(0) > maxLevels + 1) throw new TooDeep();
    } else if (character === endArray || character === endObject) names.pop();
    else if (character === comma) values += 1;
    else if (character === colon) {
      values += 1;
      if ((names[names.length - 1]! += 1) > maxNames && maxValues < Infinity)
        throw new TooManyValues(`${maxNames} names in one object`);
    }
    if (values > maxValues) throw new TooManyValues(`${maxValues} values`);
  }
}

/** Where the string ends that begins here; -1 when it does not end. */
function endOfString(text: string, begin: number): number {
  for (let end = text.indexOf('"', begin + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return -1;
}
