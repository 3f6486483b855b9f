import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchIn } from './match.ts';
import { wordsIn } from './words.ts';

const marked = (texts: Record<string, string | null>, query: string) => {
  const match = matchIn(texts, wordsIn(query));
  return match && { ...match, marks: match.marks.map(({ start, end }) => match.text.slice(start, end)) };
};

describe('matchIn', () => {
  it('marks whole words, and the last word as the beginning of one, whatever their case', () => {
    expect(marked({ title: 'Fix the Login of LOGINS and the fixture' }, 'fix login')).toEqual({
      field: 'title',
      text: 'Fix the Login of LOGINS and the fixture',
      marks: ['Fix', 'Login', 'LOGINS'],
    });
  });

  it('takes the field with most of the words', () => {
    expect(
      marked(
        { reason: 'the review', rejectionReason: 'the tests of the review fail', cancelReason: null },
        'tests review',
      )?.field,
    ).toBe('rejectionReason');
  });

  it('cuts a long text to the place where the words stand together', () => {
    const match = marked(
      { content: `token ${'and more '.repeat(400)} the refresh token\n expired ${'so on '.repeat(400)}` },
      'refresh token',
    );
    expect(match?.text).toMatch(/^….*the refresh token expired.*…$/);
    expect(match?.marks).toEqual(['refresh', 'token']);
  });

  it('marks CJK characters and words in other scripts', () => {
    expect(marked({ title: '修复登录错误 Привет МИР' }, '登录 мир')?.marks).toEqual(['登', '录', 'МИР']);
  });

  it('marks words without their accents, and parts of names in code', () => {
    expect(marked({ content: 'Café: refreshToken and HTTPTokens of TOKEN_cafés' }, 'cafe token')?.marks).toEqual([
      'Café',
      'Token',
      'Tokens',
      'TOKEN',
    ]);
  });

  it('is null when no field has a word', () => {
    expect(matchIn({ title: 'other', summary: null }, ['word'])).toBeNull();
    expect(matchIn({ title: 'other' }, [])).toBeNull();
  });

  it('gives a short part of the text with marks inside it, and splits no character, for any text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom('needle', 'Nadel', ' ', '\n', '😀', '—'), fc.string({ unit: 'grapheme' })), {
          maxLength: 400,
        }),
        (parts) => {
          const match = matchIn({ content: parts.join(' ') }, ['nadel', 'needle']);
          if (match === null) return;
          const { text, marks } = match;
          expect(text.length).toBeLessThan(250);
          expect(Buffer.from(text).toString()).toBe(text);
          expect(marks.length).toBeGreaterThan(0);
          for (const { start, end } of marks) expect(text.slice(start, end)).toMatch(/^(nadel|needle[\p{L}\p{N}]*)$/iu);
        },
      ),
    );
  });
});
