import fc from 'fast-check';
import { expect, test } from 'vitest';
import { some } from '../../../test/secrets/make.ts';
import { type Leaf, spansOf } from './leaves.ts';
import type { Span } from './pieces.ts';

const token = `ghp_${some('mixed', 36)}`;
const key = `-----BEGIN PRIVATE KEY-----\n${some('base64', 64)}\n${some('base64', 64)}\n-----END PRIVATE KEY-----`;

const visible = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'plain words',
    token,
    key,
    'password=',
    'hunter2-Xy81',
    'DB_PASSWORD=',
    'Authorization: Bearer',
    '     1→a',
    'Thanks',
  ),
  // Halves of a secret, which may continue in the next text.
  fc.nat(token.length).map((at) => token.slice(0, at)),
  fc.nat(token.length).map((at) => token.slice(at)),
  fc.nat(key.length).map((at) => key.slice(0, at)),
  fc.nat(key.length).map((at) => key.slice(at)),
  fc.string({ maxLength: 20, unit: 'grapheme-ascii' }),
);
const unseen = fc.constantFrom('\u001b[31mred\u001b[0m', '\u200b', 'a\u001b[0m');
const leaf = (text: fc.Arbitrary<string>): fc.Arbitrary<Leaf> =>
  fc.record({
    text,
    group: fc.constantFrom('one', 'two'),
    kind: fc.constantFrom(null, null, null, 'password'),
    before: fc.constantFrom('', '', 'authorization: '),
  });

const whole = { leaves: Infinity, characters: Infinity };
const small = { leaves: 2, characters: 1 };

function spansIn(leaves: readonly Leaf[], step: typeof whole): { spans: Span[][]; steps: number } {
  const work = spansOf(leaves, step);
  for (let steps = 1; ; steps += 1) {
    const { done, value } = work.next();
    if (done === true) return { spans: value, steps };
  }
}

test('finds the same secrets in steps of two leaves as in one step', () => {
  fc.assert(
    fc.property(fc.array(leaf(visible), { maxLength: 12 }), (leaves) => {
      expect(spansIn(leaves, small).spans).toEqual(spansIn(leaves, whole).spans);
    }),
    { numRuns: 1_000 },
  );
});

/** The characters that are kept, without invisible ones: whether a mark includes those at its ends depends on the step. */
const kept = (leaves: readonly Leaf[], step: typeof whole): string[] =>
  spansIn(leaves, step).spans.map((spans, index) => {
    const characters = leaves[index]!.text.split('');
    for (const { start, end } of spans) characters.fill('', start, end);
    return characters.join('').replace(/\u001b\[\d+m|\u200b/g, '');
  });

test('keeps the same visible text in steps of two leaves as in one step', () => {
  fc.assert(
    fc.property(fc.array(leaf(fc.oneof(visible, unseen)), { maxLength: 12 }), (leaves) => {
      expect(kept(leaves, small)).toEqual(kept(leaves, whole));
    }),
    { numRuns: 1_000 },
  );
});

test('searches a text of many leaves in many steps', () => {
  const leaves = Array.from({ length: 5_000 }, (_, n) => ({ text: `word ${n}`, group: 'one' }));
  expect(spansIn(leaves, { leaves: 500, characters: 64_000 }).steps).toBeGreaterThan(30);
});
