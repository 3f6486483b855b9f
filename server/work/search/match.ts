import { finderOf, type Finder, type Mark } from './words.ts';

export interface Match {
  /** Name of the GraphQL field. */
  field: string;
  text: string;
  marks: Mark[];
}

const width = 160;
const before = 40;

/** The part of a record's texts that has most of the words, with their places; null when none has any. The last word is a prefix. */
export function matchIn(texts: Readonly<Record<string, string | null>>, words: readonly string[]): Match | null {
  const find = finderOf(words);
  if (find === null) return null;
  let best: { field: string; text: string; start: number; count: number } | null = null;
  for (const [field, given] of Object.entries(texts)) {
    if (given === null) continue;
    const text = given.replace(/\s+/gu, ' ');
    const window = bestWindow(text, find);
    if (window !== null && (best === null || window.count > best.count)) best = { field, text, ...window };
  }
  if (best === null) return null;
  const text = cut(best.text, best.start);
  return { field: best.field, text, marks: find(text) };
}

/** The place with most different words in the width of a match; the first of equal ones. */
function bestWindow(text: string, find: Finder): { start: number; count: number } | null {
  const found = find(text).map(({ start, end }) => ({ word: text.slice(start, end).toLowerCase(), index: start }));
  let best: { start: number; count: number } | null = null;
  const inside = new Map<string, number>();
  let first = 0;
  for (const { word, index } of found) {
    inside.set(word, (inside.get(word) ?? 0) + 1);
    for (; index - found[first]!.index > width - before; first += 1) {
      const left = found[first]!.word;
      if (inside.get(left) === 1) inside.delete(left);
      else inside.set(left, inside.get(left)! - 1);
    }
    if (best === null || inside.size > best.count) best = { start: found[first]!.index, count: inside.size };
  }
  return best;
}

/** Begins shortly before the place, at a word where there is one near, and splits no character. */
function cut(text: string, place: number): string {
  const space = text.indexOf(' ', Math.max(0, place - before));
  const start = place <= before ? 0 : space >= 0 && space < place ? space + 1 : whole(text, place - before);
  const stop = whole(text, Math.min(text.length, Math.max(start + width, place + before)));
  return `${start > 0 ? '…' : ''}${text.slice(start, stop)}${stop < text.length ? '…' : ''}`;
}

const whole = (text: string, at: number): number => (/[\udc00-\udfff]/.test(text.charAt(at)) ? at + 1 : at);
