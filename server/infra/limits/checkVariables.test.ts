import { expect, test } from 'vitest';
import { checkVariables } from './checkVariables.ts';

const nested = (levels: number, wrap: (inner: unknown) => unknown): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = wrap(value);
  return value;
};
const [lists, objects] = [(inner: unknown) => [inner], (inner: unknown) => ({ a: inner })];

test.each([
  [null],
  [undefined],
  ['text'],
  [{}],
  [{ a: 1, b: [1, 2, { c: null }] }],
  [{ a: nested(40, lists) }],
  [{ a: nested(40, objects) }],
])('accepts %j', (variables) => {
  expect(checkVariables(variables)).toBeNull();
});

test.each([
  ['lists', lists, '0'],
  ['objects', objects, 'a'],
])('rejects 41 levels of %s with their path', (_name, wrap, key) => {
  expect(checkVariables({ x: 1, input: { metadata: nested(40, wrap) } })).toMatchObject({
    message: expect.stringMatching(
      /^The variables are nested more than 40 levels deep, in input\.metadata\.\w: flatten it$/,
    ) as string,
    extensions: { code: 'BAD_USER_INPUT', path: ['input', 'metadata', ...Array<string>(38).fill(key)] },
  });
});

test('rejects 100,000 levels without a stack overflow', () => {
  expect(checkVariables({ a: nested(100_000, lists) })?.extensions['code']).toBe('BAD_USER_INPUT');
  expect(
    checkVariables({ a: JSON.parse(`${'['.repeat(400_000)}${']'.repeat(400_000)}`) as unknown })?.extensions['code'],
  ).toBe('BAD_USER_INPUT');
});

test('accepts a million values side by side', () => {
  expect(checkVariables({ a: Array(1_000_000).fill(0), b: Array.from({ length: 200_000 }, () => []) })).toBeNull();
});
