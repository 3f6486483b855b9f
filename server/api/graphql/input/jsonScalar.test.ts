import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../../../test/database.ts';
import { client } from '../../../../test/graphql.ts';
import { hashAllTables } from '../../../../test/hash.ts';
import { startApp } from '../../../../test/server.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { post } = client(url);

interface Answer {
  __typename: string;
  message?: string;
  path?: string[];
  session?: { metadata: unknown };
}
const fields =
  '__typename ... on BadUserInputError { message path } ... on CreateSessionPayload { session { metadata } }';
const asLiteral = async (literal: string): Promise<Answer> =>
  (
    await post<{ answer: Answer }>(
      `mutation { answer: createSession(input: { title: "Work", metadata: ${literal} }) { ${fields} } }`,
    )
  ).data.answer;
const asVariable = async (metadata: unknown): Promise<Answer> =>
  (
    await post<{ answer: Answer }>(
      `mutation ($metadata: JSON) { answer: createSession(input: { title: "Work", metadata: $metadata }) { ${fields} } }`,
      { metadata },
    )
  ).data.answer;

describe('a JSON literal', () => {
  it.each([
    [
      'a whole number with more digits than a double holds',
      '{ a: [1, { b: 12345678901234567890 }] }',
      ['a', '1', 'b'],
      /is 12345678901234567890, which a JSON number does not hold exactly: send it as a string/,
    ],
    [
      'a fraction with more digits than a double holds',
      '{ a: 0.12345678901234567890 }',
      ['a'],
      /does not hold exactly/,
    ],
    ['a number larger than any double', '{ a: 1e400 }', ['a'], /is 1e400, which a JSON number does not hold exactly/],
    ['a number that would become zero', '{ a: -1e-400 }', ['a'], /does not hold exactly/],
    ['an unquoted word', '{ a: [PENDING] }', ['a', '0'], /is PENDING, a word without quotes: write "PENDING"/],
    ['an unquoted word as the whole value', 'PENDING', [], /a word without quotes/],
  ])('is rejected with its path when it contains %s', async (_what, literal, path, says) => {
    const before = await hashAllTables(db.pool);
    const answer = await asLiteral(literal);
    expect(answer).toMatchObject({ __typename: 'BadUserInputError', path: ['input', 'metadata', ...path] });
    expect(answer.message).toMatch(says);
    expect(await hashAllTables(db.pool)).toEqual(before);
  });

  it('is stored as written', async () => {
    const { session } = await asLiteral(
      '{ n: [0, -1, 1.50, 1e3, 9007199254740991, 0.1, 5e-324, 1.7976931348623157e308], s: "12345678901234567890", b: true, x: null, o: {} }',
    );
    expect(session?.metadata).toEqual({
      n: [0, -1, 1.5, 1000, 9007199254740991, 0.1, 5e-324, 1.7976931348623157e308],
      s: '12345678901234567890',
      b: true,
      x: null,
      o: {},
    });
  });

  it('takes variables inside it', async () => {
    const { data } = await post<{ answer: Answer }>(
      `mutation ($n: Int) { answer: createSession(input: { title: "Work", metadata: { n: [$n] } }) { ${fields} } }`,
      { n: 7 },
    );
    expect(data.answer.session?.metadata).toEqual({ n: [7] });
  });

  it('returns as the same value, or is rejected', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 2 }), async (value) => {
        const written = literalOf(value);
        const answer = await asLiteral(written);
        if (answer.__typename === 'BadUserInputError') expect(written).toMatch(/\d{16}|\\u0000|\\ud[89a-f]/i);
        else expect(answer.session?.metadata).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 60 },
    );
  });
});

describe('a JSON variable', () => {
  it.each([12345678901234567890, -9007199254740992, 2 ** 53])(
    'is rejected with its path when it contains the whole number %d, which may have lost digits',
    async (number) => {
      const answer = await asVariable({ deep: [{ number }] });
      expect(answer).toMatchObject({
        __typename: 'BadUserInputError',
        path: ['input', 'metadata', 'deep', '0', 'number'],
      });
      expect(answer.message).toMatch(/9007199254740991.*: send it as a string/);
    },
  );

  it('is stored as sent', async () => {
    const metadata = [2 ** 53 - 1, 1 - 2 ** 53, 1.5e300, 1e21, 0.1];
    expect((await asVariable(metadata)).session?.metadata).toEqual(metadata);
  });
});

const named = /^[A-Za-z_]\w*$/;

/** JSON as a GraphQL literal; names that GraphQL cannot write are left out. */
function literalOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literalOf).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  for (const name of Object.keys(value)) if (!named.test(name)) Reflect.deleteProperty(value, name);
  return `{ ${Object.entries(value)
    .map(([name, part]) => `${name}: ${literalOf(part)}`)
    .join(', ')} }`;
}
