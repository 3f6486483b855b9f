import { createYoga } from 'graphql-yoga';
import { describe, expect, test } from 'vitest';
import { schema } from '../schema.ts';
import { validationErrors } from './validationErrors.ts';

const mistakes = [
  [
    'field',
    '{ sesions { nodes { id } } }',
    'Cannot query field "sesions" on type "Query".',
    'Did you mean "sessions" or "session"?',
  ],
  [
    'argument',
    '{ sessions(frist: 1) { nodes { id } } }',
    'Unknown argument "frist" on field "Query.sessions".',
    'Did you mean "first" or "last"?',
  ],
  [
    'enum value',
    '{ sessions(where: { status: [RUNING] }) { nodes { id } } }',
    'Value "RUNING" does not exist in "SessionStatus" enum.',
    'Did you mean the enum value "RUNNING"?',
  ],
  [
    'field of an input',
    '{ agents(where: { rolle: "a" }) { nodes { id } } }',
    'Field "rolle" is not defined by type "AgentFilter".',
    'Did you mean "role"?',
  ],
] as const;

async function firstError(suggestions: boolean, query: string): Promise<unknown> {
  const answer = await createYoga({ schema, plugins: [validationErrors({ suggestions })] }).fetch(
    'http://localhost/graphql',
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    },
  );
  return ((await answer.json()) as { errors: unknown[] }).errors[0];
}

describe.each(mistakes)('a document with a wrong %s', (_name, query, message, suggestion) => {
  test('gets the nearest names where suggestions are allowed', async () => {
    expect(await firstError(true, query)).toMatchObject({
      message: `${message} ${suggestion}`,
      extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
    });
  });

  test('gets no names elsewhere', async () => {
    expect(await firstError(false, query)).toMatchObject({
      message,
      locations: [{ line: 1 }],
      extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
    });
  });
});

test.each(['"yesterday"', '"2026-11-23"', '5'])('the time %s is refused with an example of one', async (time) => {
  const { message } = (await firstError(false, `{ handoffs(where: { initiatedAfter: ${time} }) { totalCount } }`)) as {
    message: string;
  };
  expect(message).toMatch(/: give date, time and zone, such as 2026-01-10T12:00:00Z$/);
});
