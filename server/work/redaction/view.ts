import type { Finding } from './finding.ts';

// Invisible text: colours, cursor movements, starts and ends of links and titles (also written out, as in JSON, in a
// shell, by `cat -v`, or without the escape character), and zero-width characters.
const unseen =
  /(?:\x1b|\\{1,7}(?:x1b|u001b|033|e)|\^\[)(?:\[[0-9;:?]{0,20}[A-Za-z]|\]\d{1,2};[^;\s]{0,80};?|\\|[()][AB0-2])|\x9b[0-9;:?]{0,20}[A-Za-z]|\[\d{1,3}(?:;\d{1,3}){0,5}m|[\x07\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|\\{1,7}u(?:200[b-f]|2060|feff|00ad)/gi;

interface Segment {
  at: number;
  place: number;
  length: number;
}

// Characters searched around invisible text; more only up to the next end of a word.
const around = 512;
const wordEnds = /[\s"'`]/;

/** The visible text around invisible characters, joined; null when the text has none. */
export const aroundUnseen = (text: string): View | null =>
  aroundGaps(
    text,
    Array.from(text.matchAll(unseen), ({ index, 0: { length } }) => ({ index, length })),
  );

/** The text around the gaps, joined without them; null when there are no gaps. */
export function aroundGaps(text: string, gaps: readonly { index: number; length: number }[]): View | null {
  const view = new View();
  let from: number | null = null;
  for (const { index, length } of gaps) {
    if (from !== null && index - from > 2 * around) {
      const [until, begin] = [wordAfter(text, from + around), wordBefore(text, index - around)];
      if (until < begin) {
        view.end(text.slice(from, until), from);
        from = begin;
      }
    }
    from ??= wordBefore(text, Math.max(0, index - around));
    view.add(text.slice(from, index), from);
    from = index + length;
  }
  if (from === null) return null;
  view.end(text.slice(from, wordAfter(text, Math.min(text.length, from + around))), from);
  return view;
}

function wordBefore(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < around && !wordEnds.test(text[start - 1]!)) start -= 1;
  return start;
}

function wordAfter(text: string, at: number): number {
  let end = at;
  while (end < text.length && end - at < around && !wordEnds.test(text[end]!)) end += 1;
  return end;
}

/** Joined pieces of a text; maps positions back to the text. */
class View {
  readonly #texts: string[] = [];
  readonly #segments: Segment[] = [];
  #length = 0;

  get text(): string {
    return this.#texts.join('');
  }

  add(text: string, place: number): void {
    this.#segments.push({ at: this.#length, place, length: text.length });
    this.#push(text);
  }

  /** Adds the last piece before a gap. */
  end(text: string, place: number): void {
    this.add(text, place);
    this.#push('\n\0\n');
  }

  #push(text: string): void {
    this.#texts.push(text);
    this.#length += text.length;
  }

  /** Maps a finding to the text; null when it neither contains nor touches invisible text, since the other search finds it. */
  inText(finding: Finding): Finding | null {
    const { from, start, end } = finding;
    const [first, last] = [this.#segment(from), this.#segment(end - 1)];
    if (first === last && from > first.at && end < first.at + first.length) return null;
    return { ...finding, from: this.#placeOf(from), start: this.#placeOf(start), end: last.place + end - last.at };
  }

  #placeOf(at: number): number {
    const segment = this.#segment(at);
    return segment.place + at - segment.at;
  }

  #segment(at: number): Segment {
    let [low, high] = [0, this.#segments.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#segments[middle]!.at <= at) low = middle + 1;
      else high = middle;
    }
    return this.#segments[low - 1]!;
  }
}

/** Replaces invisible characters by as many spaces: a coloured word ends with its colour. */
export const blankUnseen = (text: string): string => text.replace(unseen, ({ length }) => ' '.repeat(length));

const newLine = String.raw`(^|\\n)`;
// `12:30` is a time and `12://` the end of a URL, but a line of base64 may begin with a digit.
const notTime = String.raw`(?:(?=[\w+/=]{20})|(?!\d|\/\/))`;
// Line numbers of tools: `12→`, `12<tab>`, `12 | `, and `12:`, `a/b.ts:12:`, `12-` of a search.
const number = String.raw`([ \t]{0,8}\d{1,6}[ ]?)(?:[→│┃|]|\t|\\{1,7}t|:${notTime}|-(?=[\w+/=]{20}|-----))`;
// Excludes a line of .pgpass, which looks like a search result with more columns.
const found = String.raw`([\w./-]{1,120}[:-]\d{1,6})(?::(?![\w.*-]{1,63}:[\w.*-]{1,63}:)${notTime}|-(?=[\w+/=]{20}|-----))`;
const numbered = new RegExp(`${newLine}(?:${number}|${found})`, 'gm');
const marked = /((?:^|\\n)(?:[ \t]{0,8}\d{1,6}\n)?)(?:\+(?!\+)|-(?!-)|-(?=-----)|>{1,3}(?= ))/gm;

/**
 * Replaces the line prefixes of tools without moving positions: a line number becomes a line of its own, the sign of a
 * diff or a citation becomes a space.
 */
export function withoutGutters(text: string): string {
  return text
    .replace(numbered, (whole: string, start: string, number: string | undefined, place: string | undefined) =>
      (start + (number ?? place ?? '')).padEnd(whole.length, '\n'),
    )
    .replace(marked, (whole: string, start: string) => start.padEnd(whole.length));
}
