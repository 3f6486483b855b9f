import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BoundedJson, parseJson } from './json.ts';

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

  test('counts values, and names as values, not what texts hold, and refuses more than it was asked for', () => {
    const text = JSON.stringify(',:[{'.repeat(1_000));
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.constantFrom('', ' ', '\n\t'), (compact, blank) => {
        const json = JSON.stringify(JSON.parse(compact), null, blank);
        const values = (of: unknown): number =>
          typeof of !== 'object' || of === null
            ? 1
            : Array.isArray(of)
              ? 1 + of.reduce((sum: number, each) => sum + values(each), 0)
              : 1 + Object.values(of).reduce((sum: number, each) => sum + 1 + values(each), 0);
        const long = `[${json},${text}]`;
        const count = values(JSON.parse(long));
        expect(parseJson(long, count)).toEqual(JSON.parse(long));
        expect(() => parseJson(long, count - 1)).toThrow(`JSON of more than ${count - 1} values`);
        expect(() => parseJson(`[${`${json},`.repeat(10)}0]`, 3)).toThrow('JSON of more than 3 values');
      }),
    );
  });

  test('takes 10,000 names of one object, and refuses more where values are bounded', () => {
    const named = (count: number): string =>
      JSON.stringify(
        Array.from({ length: 2 }, () => Object.fromEntries(Array.from({ length: count }, (_, n) => [n, 0]))),
      );
    expect(parseJson(named(10_000), 300_000)).toHaveLength(2);
    expect(() => parseJson(named(10_001), 300_000)).toThrow('JSON of more than 10000 names in one object');
    expect(parseJson(named(10_001))).toHaveLength(2);
  });

  test('takes 40,000 lists and objects, and refuses more where values are bounded', () => {
    const list = (count: number, one: string): string => `[${Array.from({ length: count }, () => one).join()}]`;
    fc.assert(
      fc.property(fc.constantFrom('[]', '{}', '[ ]', '{\n}', '"[{"'), (one) => {
        const nested = one.startsWith('"') ? 0 : 1;
        expect(parseJson(list(39_999, one), 300_000)).toHaveLength(39_999);
        if (nested === 0) return void expect(parseJson(list(60_000, one), 300_000)).toHaveLength(60_000);
        expect(() => parseJson(list(40_000, one), 300_000)).toThrow('JSON of more than 40000 lists and objects');
        expect(parseJson(list(40_000, one))).toHaveLength(40_000);
      }),
      { numRuns: 10 },
    );
  });

  test('bounds texts of one request together, and counts one that is no JSON as twenty objects', () => {
    const json = new BoundedJson(300_000);
    for (let n = 0; n < 30_000; n += 1) expect(json.parse('{}')).toEqual({});
    for (let n = 0; n < 500; n += 1) expect(() => json.parse('}')).toThrow('Unexpected token');
    expect(() => json.parse('{')).toThrow('JSON of more than 40000 lists and objects');
  });
});
