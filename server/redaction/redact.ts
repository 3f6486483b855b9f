import { spansOf, type Leaf } from './leaves.ts';
import type { Span } from './pieces.ts';
import { Plan } from './plan.ts';

/**
 * Removes secrets from texts before they are stored; each leaves a mark with its kind, `[redacted: github token]`.
 * Synchronous, in memory, in linear time, and idempotent.
 */
export interface Redactions {
  /** Number of removed secrets, which is the number of new marks. */
  count: number;
  kinds: Record<string, number>;
}

export function redactText(text: string): Redactions & { text: string } {
  const { texts, ...redactions } = redactTexts([text]);
  return { ...redactions, text: texts[0]! };
}

/** Redacts consecutive texts: a secret that spans two leaves a mark in both. */
export function redactTexts(texts: readonly string[]): Redactions & { texts: string[] } {
  return redactLeaves(texts.map((text) => ({ text, group: '' })));
}

/** Redacts any JSON value: every text in it, its names, and values with secret names (`{"password": ...}`). */
export function redactValue<T>(value: T): Redactions & { value: T } {
  const plan = new Plan();
  const rebuild = plan.json(value, '');
  const { texts, ...redactions } = redactLeaves(plan.leaves);
  return { ...redactions, value: rebuild(texts) as T };
}

/** Redacts the decoded input of a mutation: every text except ids, idempotency keys and types. A call's id with a secret becomes its hash. */
export function redactInput<T extends object>(input: T): T {
  const plan = new Plan();
  const rebuild = plan.input(input, '');
  return rebuild(redactLeaves(plan.leaves).texts) as T;
}

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
