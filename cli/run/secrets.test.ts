import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Secrets } from './secrets.ts';

const value = fc
  .string({ minLength: 4, maxLength: 30, unit: 'grapheme' })
  .filter((text) => !'[redacted]'.includes(text));

it('leaves no known value in data of any shape: texts, names, lists, and values within values', () => {
  const given = fc.uniqueArray(value, { minLength: 1, maxLength: 4 }).chain((values) => {
    const text = fc
      .array(fc.oneof(fc.constantFrom(...values), fc.string({ maxLength: 5 })), { maxLength: 4 })
      .map((parts) => parts.join(' '));
    const { data } = fc.letrec((tie) => ({
      data: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.constantFrom(null, true, 7),
        fc.array(tie('data'), { maxLength: 3 }),
        fc.dictionary(text, tie('data'), { maxKeys: 3 }),
      ),
    }));
    return fc.record({ values: fc.constant(values), data });
  });
  fc.assert(
    fc.property(given, ({ values, data }) => {
      const secrets = new Secrets();
      for (const each of values) secrets.add(each);
      const left = textsIn(secrets.hideIn(data));
      for (const each of values) expect(left.filter((text) => text.includes(each))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

function textsIn(data: unknown): string[] {
  if (typeof data === 'string') return [data];
  if (typeof data !== 'object' || data === null) return [];
  return [...(Array.isArray(data) ? [] : Object.keys(data)), ...Object.values(data).flatMap(textsIn)];
}

it('keeps texts without one, and values too short to be one', () => {
  const secrets = new Secrets();
  for (const each of ['', 'yes', 'a-key-of-mine']) secrets.add(each);
  const data = { text: 'yes, it is', list: [1, null, true] };
  expect(secrets.hideIn(data)).toEqual(data);
  expect(secrets.clean(`Here: a-key-of-mine, ghp_${'aB3'.repeat(12)}`)).toBe(
    'Here: [redacted], [redacted: github token]',
  );
});
