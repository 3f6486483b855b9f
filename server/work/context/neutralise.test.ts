import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hidden, hostile } from '../../../test/contexts.ts';
import { fenceFor, inline, longestFence, neutralise } from './neutralise.ts';

describe('a neutralised text', () => {
  it('has no hidden characters, is not longer, and does not change when neutralised again', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const safe = neutralise(text);
        // But for the joiners of emoji, which one sees.
        expect(safe).not.toMatch(hidden);
        expect(safe.replace(/[\n\t]/g, '')).not.toMatch(/\p{Cc}/u);
        expect(safe.length).toBeLessThanOrEqual(text.length);
        expect(neutralise(safe)).toBe(safe);
      }),
      { numRuns: 500 },
    );
  });

  it('stays unchanged when nothing is hidden', () => {
    for (const text of [
      'Déjà vu, naïve',
      'const a = `x`;\n\tb',
      '日本語 ✅ 👍🏽',
      '👨‍👩‍👧‍👦 👩🏽‍💻 🏳‍🌈',
      '# Title\n| a |',
      '````md\n```js\n```\n````',
    ])
      expect(neutralise(text)).toBe(text);
  });

  it.each([
    ['zero-width characters', 'ig\u200Bnore\u2060 me', 'ig�nore� me'],
    ['tag characters', 'ok\u{E0069}\u{E0067}\u{E006E}', 'ok�'],
    ['characters that turn the direction', 'txt.\u202Eexe', 'txt.�exe'],
    ['a run of variation selectors, which may carry bytes', 'a\uFE00\uFE01\uFE0F', 'a�'],
    ['escape codes of a terminal', '\u001B[1mbold\u001B[0m \u001B]0;x\u0007', 'bold �]0;x�'],
    ['a text direction mark among letters', 'a\u200Eb', 'a�b'],
    ['a joiner that joins no emoji', 'a\u200Db 👩\u200D ', 'a�b 👩� '],
    ['half a character', 'a\uD800b', 'a�b'],
  ])('marks %s', (_what, text, safe) => {
    expect(neutralise(text)).toBe(safe);
  });

  it('loses only style in emoji and in scripts that join letters', () => {
    expect(neutralise('⚠️ 👩‍💻 soft\u00ADhyphen')).toBe('⚠ 👩‍💻 softhyphen');
    expect(neutralise('می\u200Cخواهم')).toBe('میخواهم');
  });

  it('has one kind of line end', () => {
    expect(neutralise('a\r\nb\rc\u2028d\u0085e\fg')).toBe('a\nb\nc\nd\ne\ng');
    expect(inline(' a\n\n b\tc ')).toBe('a b c');
  });
});

describe('a fence', () => {
  it('is longer than every run of backticks in its texts, up to a limit', () => {
    fc.assert(
      fc.property(fc.array(hostile), (texts) => {
        const safe = texts.map(neutralise);
        const fence = fenceFor(safe);
        expect(fence).toMatch(/^`{3,}$/);
        expect(fence.length).toBeLessThanOrEqual(longestFence);
        for (const text of safe) expect(text).not.toContain(fence);
      }),
    );
  });
});
