import { limits } from './limits.ts';

/** Where values are bounded: 90,000 names of one object held the event loop for 150 ms, 200,000 empty objects for 130. */
const maxNames = 10_000;
const maxNested = 40_000;
/** A text that is not JSON takes as long to refuse as this number of empty objects to read. */
const nestedOfFault = 20;
/** `JSON.parse` takes 150 ms for 500,000 levels, which nothing that is sent here needs. */
const maxLevels = 10_000;

export class TooDeep extends SyntaxError {
  constructor() {
    super(`JSON of more than ${maxLevels} levels of lists and objects`);
  }
}

export class TooManyValues extends SyntaxError {
  constructor(
    readonly limit: number,
    readonly what: string,
  ) {
    super(`JSON of more than ${limit} ${what}`);
  }
}

/** Parses JSON from outside. A name counts as a value. @throws SyntaxError; TooDeep for more than 10,000 levels; TooManyValues */
export function parseJson(text: string, maxValues = Infinity): unknown {
  // A value has at least one character.
  const isSmall = maxValues === Infinity || text.length <= Math.min(maxValues, maxNested);
  return isSmall && !mayBeDeep(text) ? JSON.parse(text) : new BoundedJson(maxValues).parse(text);
}

/** Parses texts of one request whose values are bounded together. */
export class BoundedJson {
  #values = 0;
  #nested = 0;

  constructor(private readonly maxValues: number) {}

  /** @throws as `parseJson` does */
  parse(text: string): unknown {
    this.#count(text);
    try {
      return JSON.parse(text);
    } catch (error) {
      this.#addNested(nestedOfFault);
      throw error;
    }
  }

  #addNested(count: number): void {
    this.#nested += count;
    if (this.#nested > maxNested && this.maxValues < Infinity) throw new TooManyValues(maxNested, 'lists and objects');
  }

  #count(text: string): void {
    /** Whether the next character begins the first value of the text, a list or an object, or ends an empty one. */
    let isFirst = true;
    /** Of the open lists and objects. */
    const names = [0];
    for (let at = 0; at < text.length; at += 1) {
      const character = text.charCodeAt(at);
      if (isFirst && character > space) {
        isFirst = false;
        if (character !== endArray && character !== endObject) this.#values += 1;
      }
      if (character === quote) {
        at = endOfString(text, at);
        if (at === -1) return;
      } else if (character === beginArray || character === beginObject) {
        isFirst = true;
        this.#addNested(1);
        if (names.push(0) > maxLevels + 1) throw new TooDeep();
      } else if (character === endArray || character === endObject) names.pop();
      else if (character === comma) this.#values += 1;
      else if (character === colon) {
        this.#values += 1;
        if ((names[names.length - 1]! += 1) > maxNames && this.maxValues < Infinity)
          throw new TooManyValues(maxNames, 'names in one object');
      }
      if (this.#values > this.maxValues) throw new TooManyValues(this.maxValues, 'values');
    }
  }
}

/** The object or list that a text is the JSON of: models write objects as texts. Any other value stays as it is. */
export function unwrapped(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[{[]/.test(value)) return value;
  try {
    return parseJson(value, limits.values.most);
  } catch {
    return value;
  }
}

const [space, quote, backslash, beginArray, endArray, beginObject, endObject, comma, colon] = [...' "\\[]{},:'].map(
  (each) => each.charCodeAt(0),
) as [number, number, number, number, number, number, number, number, number];

/** Whether a text has more opening brackets than levels are allowed: a body of 900 KB without took a tenth of the time of counting them. */
function mayBeDeep(text: string): boolean {
  let count = 0;
  for (const bracket of '[{')
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1))
      if ((count += 1) > maxLevels) return true;
  return false;
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
