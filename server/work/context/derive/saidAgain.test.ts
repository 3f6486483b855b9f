import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LaterWords } from './saidAgain.ts';

const without = (older: string, ...newer: string[]): string => {
  const later = new LaterWords();
  for (const text of newer) later.without(text);
  return later.without(older);
};

test.each([
  [
    'a line that is said again in other words',
    '- `src/a.ts`: the ledger now rounds every price down.\n- `src/b.ts`: the beacon retries each order.',
    '- In `src/a.ts:12` the ledger rounds every price down, and signs it.',
    '[…]\n- `src/b.ts`: the beacon retries each order.',
  ],
  [
    'a title with nothing left below it',
    '**Parser**\n- the parser reads whole lines of the ledger\n\n**Left**\n- the writer drops the oldest entries',
    'Now the parser reads whole lines of the ledger.',
    '[…]\n\n**Left**\n- the writer drops the oldest entries',
  ],
  [
    'a line in Chinese',
    '语言参数只接受中文和英文两种取值\n还没有写测试，下次补上',
    '现在语言参数只接受中文和英文两种取值。',
    '[…]\n还没有写测试，下次补上',
  ],
  ['all of it', 'The ledger rounds every price down.', 'Again: the ledger rounds every price down.', ''],
])('leaves out %s, and marks the place', (_what, older, newer, left) => {
  expect(without(older, newer)).toBe(left);
});

test.each([
  [
    'names another file',
    '- `src/a.ts`: the ledger rounds every price down.',
    '- `src/b.ts`: the ledger rounds every price down.',
  ],
  ['has another number', 'The ledger keeps 40 rows of each order.', 'The ledger keeps 41 rows of each order.'],
  ['is about something else', 'The ledger rounds every price down.', 'The beacon retries each order that is late.'],
  ['is too short to be sure', 'Next steps', 'Next steps'],
  [
    'is a title of what stays',
    'Left to do:\n- the writer drops the oldest entries',
    'Left to do: nothing of the parser remains open now.',
  ],
])('keeps a line that %s', (_what, older, newer) => {
  expect(without(older, newer)).toBe(older);
});

test('keeps every line that nobody said again, in order', () => {
  const words = 'ledger beacon orchard kiosk turbine glacier mosaic harbor lantern pepper'.split(' ');
  const line = fc.tuple(fc.shuffledSubarray(words, { minLength: 5, maxLength: 6 }), fc.integer({ min: 1, max: 999 }));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.array(line, { maxLength: 12 }), (older, newer) => {
      const text = (lines: typeof older): string => lines.map(([said, n]) => `${said.join(' ')} ${n}`).join('\n');
      const numbers = new Set(newer.map(([, n]) => n));
      const left = without(text(older), text(newer)).split('\n');
      const must = older.filter(([, n]) => !numbers.has(n)).map(([said, n]) => `${said.join(' ')} ${n}`);
      expect(left.filter((each) => must.includes(each))).toEqual(must);
    }),
  );
});
