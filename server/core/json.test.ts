import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from './json.ts';

describe('parseJson', () => {
  test('parses what JSON.parse parses, and refuses what it refuses', () => {
    const padded = fc
      .tuple(fc.oneof(fc.json(), fc.string(), fc.string({ unit: fc.constantFrom(...'"\\[]{},:01a ') })), fc.boolean())
      .map(([text, isLong]) => (isLong ? `${' '.repeat(10_001)}${text}` : text));
    fc.assert(
      fc.property(padded, (text) => {
        const parsed = (parse: (from: string) => unknown): unknown => {
          try {
            return { value: parse(text) };
          } catch (error) {
            return (error as Error).name;
          }
        };
        expect(parsed(parseJson)).toEqual(parsed((from) => JSON.parse(from)));
      }),
      { numRuns: 2_000 },
    );
  });

  test('takes 10,000 levels, brackets in texts not counted, and refuses more', () => {
    const nested = (levels: number, inner: string): string =>
      `${'[{"a":'.repeat(levels / 2)}${inner}${'}]'.repeat(levels / 2)}`;
    expect(parseJson(nested(10_000, JSON.stringify(`"\\[${'[{'.repeat(20_000)}\\`)))).toBeTypeOf('object');
    expect(() => parseJson(nested(10_002, '1'))).toThrow('JSON of more than 10000 levels');
    expect(() => parseJson('['.repeat(500_000))).toThrow(SyntaxError);
    expect(parseJson(`[${'[],'.repeat(100_000)}0]`)).toHaveLength(100_001);
  });
});
