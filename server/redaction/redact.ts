import { spansOf, type Leaf } from './leaves.ts';
import type { Span } from './pieces.ts';
import { Plan } from './plan.ts';

/**
 * Takes secrets out of what is about to be stored: each leaves its kind, `[redacted: github token]`. Synchronous, in
 * memory, in linear time; what was redacted before stays as it is.
 */
export interface Redactions {
  /** How many were taken out: as many as there are new marks. */
  count: number;
  /** The same by kind. */
  kinds: Record<string, number>;
}

export function redactText(text: string): Redactions & { text: string } {
  const { texts, ...redactions } = redactTexts([text]);
  return { ...redactions, text: texts[0]! };
}

/** Texts that follow each other: a secret that begins in one and ends in the next leaves a mark in both. */
export function redactTexts(texts: readonly string[]): Redactions & { texts: string[] } {
  return redactLeaves(texts.map((text) => ({ text, group: '' })));
}

/** Any JSON value: every text in it, names too, and what a name says is secret (`{"password": ...}`). */
export function redactValue<T>(value: T): Redactions & { value: T } {
  const plan = new Plan();
  const rebuild = plan.json(value, '');
  const { texts, ...redactions } = redactLeaves(plan.leaves);
  return { ...redactions, value: rebuild(texts) as T };
}

/** The decoded input of a mutation: every text in it but ids, idempotency keys and types. */
export function redactInput<T extends object>(input: T): T {
  const plan = new Plan();
  const rebuild = plan.input(input, '');
  return rebuild(redactLeaves(plan.leaves).texts) as T;
}

/** How many marks of redactions a text carries. */
export function countRedactions(text: string): number {
  return text.match(/\[redacted: [a-z0-9][a-z0-9. ]{0,40}\]/g)?.length ?? 0;
}

function redactLeaves(leaves: readonly Leaf[]): Redactions & { texts: string[] } {
  const kinds: Record<string, number> = {};
  let count = 0;
  const spans = spansOf(leaves);
  for (const { kind } of spans.flat()) {
    count += 1;
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return { texts: leaves.map(({ text }, index) => marked(text, spans[index]!)), count, kinds };
}

function marked(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, kind } of spans) {
    parts.push(text.slice(from, start), `[redacted: ${kind}]`);
    from = end;
  }
  return [...parts, text.slice(from)].join('');
}
