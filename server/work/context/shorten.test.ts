import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hidden } from '../../../test/contexts.ts';
import { abridge, abridgeAtWord, ends, longest, shorten, shortenAtWord } from './shorten.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: 'grapheme', minLength: 300, maxLength: 900 }),
);
const length = fc.integer({ min: -300, max: 1_000 });

describe('a shortened text', () => {
  it.each(Object.entries({ shorten, abridge, ends, shortenAtWord, abridgeAtWord }))(
    'by %s is within the limit, keeps its beginning, and splits no character',
    (_name, cut) => {
      fc.assert(
        fc.property(text, length, (given, most) => {
          const short = cut(given, most);
          expect(short.length).toBeLessThanOrEqual(Math.max(most, 1));
          expect(short).not.toMatch(/\p{Surrogate}/u);
          if (given.length <= Math.max(most, 1)) expect(short).toBe(given);
          else {
            expect(given.startsWith(short.slice(0, short.indexOf('…')).replace(/ \[?$/, ''))).toBe(true);
            expect(short).toContain('…');
          }
        }),
      );
    },
  );

  it.each(Object.entries({ shorten, abridge, ends, shortenAtWord, abridgeAtWord }))(
    'by %s leaves no joiner without a character to join',
    (_name, cut) => {
      const given = '👩‍👩‍👧‍👦'.repeat(100);
      for (let most = 1; most < 400; most += 1) expect(cut(given, most)).not.toMatch(hidden);
    },
  );

  it('gives the number of missing characters between both ends', () => {
    const given = `${'a'.repeat(500)}${'b'.repeat(500)}`;
    const short = abridge(given, 500);
    const [, begin, missing, end] = /^(a+) \[… (\d+) characters …\] (b+)$/.exec(short) ?? [];
    expect(begin!.length + Number(missing) + end!.length).toBe(1_000);
    expect(ends('The tests ran for a while, and in the end 3 of them failed', 40)).toMatch(
      /^The tests .+ … .+ failed$/,
    );
  });
});

describe('a cut between words', () => {
  it.each([
    ['a word', 'untracked crates/, _bmad-output/x.yaml', 30, 'untracked crates/,…'],
    ['a word of the limit', 'one two three', 8, 'one two…'],
    ['a long word', `${'a'.repeat(30)} b`, 20, `${'a'.repeat(19)}…`],
  ])('stands behind %s', (_what, given, most, expected) => {
    expect(shortenAtWord(given, most)).toBe(expected);
  });

  it('is one of lines, else of sentences, in longer texts', () => {
    const rows = Array.from({ length: 40 }, (_, n) => `| ${n}a1b2c3 | part ${n} of the epic is done |`);
    const cut = abridge(rows.join('\n'), 700).split(/ \[… \d+ characters …\] /);
    expect(cut).toHaveLength(2);
    for (const row of cut.flatMap((part) => part.trim().split('\n'))) expect(rows).toContain(row);
    const sentences = Array.from({ length: 40 }, (_, n) => `The part ${n} is done.`);
    const [begin, end] = abridge(sentences.join(' '), 700).split(/ \[… \d+ characters …\] /);
    expect(begin).toMatch(/ is done\. ?$/);
    expect(end).toMatch(/^ ?The part \d+ is/);
  });

  it('is never shorter where there is more room', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', ' ', '. ', '\n'), maxLength: 300 }), (given) => {
        let before = 0;
        for (let most = 1; most <= given.length; most += 1) {
          const { length } = shortenAtWord(given, most);
          expect(length).toBeGreaterThanOrEqual(before);
          before = length;
        }
      }),
    );
  });
});

describe('the longest variant', () => {
  it('is the longest within the limit, or null', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 50 }),
        fc.integer({ min: 0, max: 50 }),
        fc.integer({ min: -1, max: 60 }),
        (a, b, limit) => {
          const [least, most] = [Math.min(a, b), Math.max(a, b)];
          const form = longest(
            (characters) => 'x'.repeat(characters),
            least,
            most,
            (candidate) => candidate.length <= limit,
          );
          expect(form?.length ?? null).toBe(limit < least ? null : Math.min(limit, most));
        },
      ),
    );
  });
});
