import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parts, privateKey, some } from '../../../test/secrets/make.ts';
import { redactText } from './redact.ts';
import { withoutGutters } from './view.ts';

const secret = parts('gh', 'p_', some('mixed', 36));
const unseen = fc.constantFrom(
  '\u001b[31m',
  '\u001b[0m',
  '\u001b[K',
  '\u001b[38;5;208m',
  '\u200b',
  '\ufeff',
  '\u2060',
  '\\u001b[1m',
  '[32m',
);

test('redacts a secret with invisible characters in it, and nothing around it', () => {
  const cuts = fc.array(fc.tuple(fc.nat(secret.length - 2), unseen), { maxLength: 6 });
  const around = fc.array(fc.constantFrom('word ', '\n', '\u001b[2mdim\u001b[22m ', '\u200b ', 'x: ', '"', ' → '), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(cuts, around, around, (list, before, after) => {
      const characters = [...secret].map(
        (character, index) =>
          character +
          list
            .filter(([at]) => at === index)
            .map(([, text]) => text)
            .join(''),
      );
      const [left, right] = [`${before.join('')} `, ` ${after.join('')}`];
      expect(redactText(`${left}${characters.join('')}${right}`).text).toBe(`${left}[redacted: github token]${right}`);
    }),
  );
});

test('keeps the colour around a secret', () => {
  expect(redactText(`Token: \u001b[32m${secret}\u001b[0m ok`).text).toBe(
    'Token: \u001b[32m[redacted: github token]\u001b[0m ok',
  );
});

test('finds a coloured secret far into a long text', () => {
  const line = 'lorem ipsum \u001b[2mdolor\u001b[22m sit amet\n'.repeat(5_000);
  const coloured = `${secret.slice(0, 9)}\u001b[1m${secret.slice(9)}`;
  expect(redactText(`${line}${coloured}\n${line}`)).toMatchObject({
    count: 1,
    text: `${line}[redacted: github token]\n${line}`,
  });
});

test('redacts a private key in a numbered listing from its first line to its last', () => {
  for (const between of ['→', '\t', ' | ', ' │ ', ':']) {
    const number = (line: string, index: number): string => `${String(index + 7).padStart(6)}${between}${line}`;
    const listing = ['a = 1', ...privateKey('PRIVATE KEY').split('\n'), 'b = 2'].map(number).join('\n');
    expect(redactText(listing).text).toBe(
      `     7${between}a = 1\n     8${between}[redacted: private key]\n    24${between}b = 2`,
    );
  }
});

test('redacts a private key without its beginning in the output of a search, also where its lines begin with digits', () => {
  const lines = privateKey('RSA PRIVATE KEY').split('\n').slice(1);
  for (const place of ['', 'keys/old.pem:']) {
    const output = lines.map((line, index) => `${place}${index + 2}:${/^-/.test(line) ? '' : '7'}${line}`).join('\n');
    expect([`${place}2:[redacted: private key]`, '[redacted: private key]']).toContain(redactText(output).text);
  }
});

test('keeps every position when it blanks the gutters of a listing', () => {
  const line = fc.constantFrom(
    '     1→a',
    '12\tb',
    '+c',
    '-d',
    '------END',
    '> e',
    'a/b.ts:12:f',
    '3 | g',
    '12:30',
    'h',
    '\\n     2→i',
    '- --j',
  );
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const text = lines.join('\n');
      const seen = withoutGutters(text);
      expect(seen).toHaveLength(text.length);
      expect([...seen].every((character, index) => character === text[index] || /[\n ]/.test(character))).toBe(true);
    }),
  );
});
