import { leavesOfStep, spansOf, type Leaf } from './leaves.ts';
import { Plan } from './plan.ts';

/**
 * Removes secrets from texts before they are stored; each leaves a mark with its kind, `[redacted: github token]`.
 * In memory, in linear time, and idempotent. The generators do the same in steps of a few milliseconds (`inPieces`).
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
export const redactTexts = (texts: readonly string[]): Redactions & { texts: string[] } =>
  atOnce(redactingTexts(texts));

export const redactingTexts = (texts: readonly string[]): Steps<Redactions & { texts: string[] }> =>
  redactingLeaves(texts.map((text) => ({ text, group: '' })));

/** Redacts any JSON value: every text in it, its names, and values with secret names (`{"password": ...}`). */
export const redactValue = <T>(value: T): Redactions & { value: T } => atOnce(redactingValue(value));

export function* redactingValue<T>(value: T): Steps<Redactions & { value: T }> {
  const plan = new Plan();
  const rebuild = yield* plan.json(value, '');
  yield;
  const { texts, ...redactions } = yield* redactingLeaves(plan.leaves);
  return { ...redactions, value: rebuild(texts) as T };
}

/** Redacts the decoded input of a mutation: every text except ids, idempotency keys and types. A call's id with a secret becomes its hash. */
export const redactInput = <T extends object>(input: T): T => atOnce(redactingInput(input));

export function* redactingInput<T extends object>(input: T): Steps<T> {
  const plan = new Plan();
  const rebuild = yield* plan.input(input, '');
  yield;
  const { texts } = yield* redactingLeaves(plan.leaves);
  return rebuild(texts) as T;
}

export function countRedactions(text: string): number {
  return text.match(/\[redacted: [a-z0-9][a-z0-9. ]{0,40}\]/g)?.length ?? 0;
}

/** Marks that are set between two rests. */
const marksOfStep = 1_000;

type Steps<Result> = Generator<void, Result, void>;

function atOnce<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

function* redactingLeaves(leaves: readonly Leaf[]): Steps<Redactions & { texts: string[] }> {
  const kinds: Record<string, number> = {};
  let count = 0;
  const spans = yield* spansOf(leaves);
  yield;
  const texts: string[] = [];
  for (const [index, { text }] of leaves.entries()) {
    const parts: string[] = [];
    let from = 0;
    for (const { start, end, kind } of spans[index]!) {
      kinds[kind] = (kinds[kind] ?? 0) + 1;
      parts.push(text.slice(from, start), `[redacted: ${kind}]`);
      from = end;
      count += 1;
      if (count % marksOfStep === 0) yield;
    }
    texts.push(from === 0 ? text : parts.join('') + text.slice(from));
    if (index % leavesOfStep === 0) yield;
  }
  yield;
  return { texts, count, kinds };
}
