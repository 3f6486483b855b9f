import type { Notice, Step } from './story.ts';

/** Deterministic choice: the same seed gives the same cases. */
export class Choice {
  #state: number;
  constructor(seed: number) {
    this.#state = seed * 2_654_435_761 + 1;
  }
  below(limit: number): number {
    this.#state = (Math.imul(this.#state ^ (this.#state >>> 15), 2_246_822_519) + 0x9e3779b9) | 0;
    return ((this.#state ^ (this.#state >>> 13)) >>> 0) % limit;
  }
  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
  number(): number {
    return 1_000 + this.below(8_999);
  }
}

export const nouns =
  'ledger parcel beacon orchard kiosk turbine glacier mosaic harbor lantern pepper quarry saddle thicket violet walnut'.split(
    ' ',
  );
const verbs = 'expires blocks retries drops merges rounds splits orders counts hides'.split(' ');
const folders =
  'src/api src/store src/http lib/core lib/jobs web/pages web/forms tools/cli tests/unit tests/flow docs/guide config'.split(
    ' ',
  );

/** Sentences that occur nowhere else. */
export const sentence = (c: Choice): string =>
  `the ${c.of(nouns)}-${c.of(nouns)} ${c.of(verbs)} the ${c.of(nouns)} after ${c.number()} ${c.of(['ms', 'rows', 'calls', 'bytes'])}`;
export const sentences = (c: Choice, count: number): string =>
  Array.from({ length: count }, () => `When a ${c.of(nouns)} is late, ${sentence(c)}.`).join(' ');
const asides = [
  'Let me look at %.ts first.',
  "Now I'll run the tests of % again.",
  'Good. Next I will check the imports of %.',
  'Let me search for other usages of `%`.',
  'I will update the handler in %.ts now.',
  'Perfect! Now let me verify that % works.',
  "I'll open %.ts to see how it is built:",
];
export const aside = (c: Choice): Step => ({
  agent: c.of(asides).replace('%', `${c.of(nouns)}-${c.number()}`),
  aside: true,
});
export const source = (c: Choice, lines = 40): string =>
  Array.from(
    { length: lines },
    (_, n) => `${n + 1}  const ${c.of(nouns)}${c.number()} = ${c.of(nouns)}(${c.number()});`,
  ).join('\n');
export const reading = (c: Choice): Step => ({ read: `${c.of(folders)}/${c.of(nouns)}.ts`, output: source(c) });
/** Ordinary work that teaches a successor nothing. */
export const routine = (c: Choice, count: number): Step[] =>
  Array.from({ length: count }, () =>
    c.of<() => Step[]>([() => [aside(c), reading(c)], () => [reading(c)], () => [aside(c)]])(),
  ).flat();
export const path = (c: Choice, extension = 'ts'): string =>
  `${c.of(folders)}/${c.of(nouns)}-${c.number()}.${extension}`;
export const notice = (c: Choice, kind: Notice): Step => ({ notice: kind, text: sentences(c, 6) });
