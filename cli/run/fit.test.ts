import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Entry } from './conversation.ts';
import { fitInto } from './fit.ts';

const step = (id: string, length: number): Entry => ({
  kind: 'step',
  text: '',
  calls: [{ id, name: 'read', arguments: {}, result: 'x'.repeat(length), error: null }],
});

it('leaves everything as it is while the window has room', () => {
  const entries = [step('a', 1_000), step('b', 1_000)];
  expect(fitInto(10_000, entries, { fixed: 0, left: new Set() })).toEqual({ entries, truncated: false });
});

it('replaces the oldest results by references that name the call, and no more than it has to', () => {
  const left = new Set<string>();
  const { entries, truncated } = fitInto(1_000, [step('a', 2_000), step('b', 500), step('c', 1_200)], {
    fixed: 0,
    left,
  });
  expect(truncated).toBe(true);
  expect([...left]).toEqual(['a']);
  expect(JSON.stringify(entries[0])).toContain('2000 characters left out');
  expect(entries[1]).toEqual(step('b', 500));
});

it('says of a result that was left out before that it is, without counting it again', () => {
  const left = new Set(['a']);
  const { entries, truncated } = fitInto(100_000, [step('a', 2_000), step('b', 10)], { fixed: 0, left });
  expect(truncated).toBe(false);
  expect(JSON.stringify(entries[0])).toContain('left out');
});

it('never leaves out the last step, words, or a result that is shorter than its reference', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(3_000), { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 1_000, max: 4_000 }),
      (sizes, window) => {
        const given = sizes.map((size, index) => step(`call${index}`, size));
        const left = new Set<string>();
        const { entries } = fitInto(window, given, { fixed: 500, left });
        expect(entries.at(-1)).toEqual(given.at(-1));
        expect(JSON.stringify(entries).length).toBeLessThanOrEqual(JSON.stringify(given).length);
        for (const id of left) expect(sizes[Number(id.slice(4))]).toBeGreaterThan(300);
      },
    ),
  );
});
