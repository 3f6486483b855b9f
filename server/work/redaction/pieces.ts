import type { Finding } from './finding.ts';

export interface Span {
  start: number;
  end: number;
  kind: string;
}

interface Piece {
  leaf: number;
  from: number;
  to: number;
  /** Position in its leaf where the piece begins. */
  offset: number;
}

/** Joined texts; maps positions in the whole back to the texts. */
export class Pieces {
  readonly #texts: string[] = [];
  readonly #pieces: Piece[] = [];
  #length = 0;

  get text(): string {
    if (this.#texts.length > 1) this.#texts.splice(0, Infinity, this.#texts.join(''));
    return this.#texts[0] ?? '';
  }

  add(leaf: number, text: string, offset = 0): void {
    this.#pieces.push({ leaf, from: this.#length, to: this.#length + text.length, offset });
    this.between(text);
  }

  between(text: string): void {
    this.#texts.push(text);
    this.#length += text.length;
  }

  /** Whether a finding, including its name or header, spans several pieces. */
  crosses({ from, end }: Finding): boolean {
    return (this.#pieces[this.#firstAfter(from)]?.to ?? end) < end;
  }

  /** Index of the first piece that ends after a position. */
  #firstAfter(position: number): number {
    let [low, high] = [0, this.#pieces.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#pieces[middle]!.to > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  place({ from: begin, start, end, kind }: Finding, spans: readonly Span[][]): void {
    let before: Span | undefined;
    for (let index = this.#firstAfter(begin); index < this.#pieces.length; index += 1) {
      const { leaf, from, to, offset } = this.#pieces[index]!;
      if (from >= end) return;
      const span = { start: Math.max(start, from) - from + offset, end: Math.min(end, to) - from + offset, kind };
      if (span.start >= span.end) continue;
      const [piece, rest] = [this.text.slice(from, Math.min(end, to)), this.text.slice(end, Math.min(end + 2, to))];
      if (
        before !== undefined &&
        (kind === 'password' ? isWord.test(piece) : isComplete(before) && startsAnew.test(piece))
      )
        return;
      if (start === from && begin < from && isProse(piece, rest)) return;
      // Compares with all findings of the text, so only for a secret that goes on in the next one.
      before =
        end > to ? spans[leaf]!.find((known) => known.start === span.start && known.end === span.end) : undefined;
      spans[leaf]!.push(span);
    }
  }
}

// "Here is the key: sk-..." may be a whole message, and the next may begin with "Thanks": a token that ends with its
// text is complete when a word follows. Up to three remaining characters of a secret are useless to an attacker.
const isWord = /^(?:[A-Z]?[a-z']*|[A-Z]+|.{1,3})[.,;:!?]?$/;
const startsAnew = /^(?:[A-Z]?[a-z]*|[A-Z]+|.{1,3})$/;
// "DB_PASSWORD=" may be a whole message, and the next may begin with "All tests pass".
const isProse = (piece: string, rest: string): boolean =>
  /^(?:[A-Z]?[a-z']*|[A-Z]+)$/.test(piece) ? /^ [A-Za-z]/.test(rest) : /^[A-Z]?[a-z']+[.,;:!?]$/.test(piece);
const isComplete = ({ start, end }: Span): boolean => end - start >= 30;

const high = /[\uD800-\uDBFF]/;
const low = /[\uDC00-\uDFFF]/;

/** Characters whose spans are merged between two rests, when they have many. */
const charactersOfStep = 16 * 1024;
const spansOfStep = 100;
/** Findings that are placed or sorted between two rests. */
export const findingsOfStep = 1_000;

/** Merges overlapping spans; the longest, then the first, determines the kind. Never splits a surrogate pair. */
export function* merged(spans: readonly Span[], text: string): Generator<void, Span[], void> {
  const result: (Span & { longest: number })[] = [];
  const near = new Map<number, Span[]>();
  for (const [index, span] of spans.entries()) {
    if (index % findingsOfStep === findingsOfStep - 1) yield;
    const place = Math.floor(span.start / charactersOfStep);
    const others = near.get(place);
    if (others === undefined) near.set(place, [span]);
    else others.push(span);
  }
  for (const place of [...near.keys()].sort((a, b) => a - b)) {
    const inOrder = near.get(place)!.map((span) => whole(span, text)).sort((a, b) => a.start - b.start || b.end - a.end); // prettier-ignore
    for (const { start, end, kind } of inOrder) {
      const last = result.at(-1);
      if (last === undefined || start >= last.end) {
        result.push({ start, end, kind, longest: end - start });
        continue;
      }
      if (end - start > last.longest) Object.assign(last, { kind, longest: end - start });
      last.end = Math.max(last.end, end);
    }
    if (inOrder.length > spansOfStep) yield;
  }
  return result;
}

const halves = (text: string, at: number): boolean => high.test(text[at - 1] ?? '') && low.test(text[at] ?? '');

const whole = ({ start, end, kind }: Span, text: string): Span => ({
  start: halves(text, start) ? start - 1 : start,
  end: halves(text, end) ? end + 1 : end,
  kind,
});
