import { createYoga } from 'graphql-yoga';
import { expect, test } from 'vitest';
import { noSuggestions } from './noSuggestions.ts';
import { schema } from '../schema.ts';

const yoga = createYoga({ schema, plugins: [noSuggestions] });

test.each([
  ['field', '{ sesions { nodes { id } } }', 'Cannot query field "sesions" on type "Query".'],
  ['argument', '{ sessions(frist: 1) { nodes { id } } }', 'Unknown argument "frist" on field "Query.sessions".'],
  ['enum value', '{ sessions(where: { status: [RUNING] }) { nodes { id } } }', 'Value "RUNING" does not exist in "SessionStatus" enum.'],
  ['field of an input', '{ agents(where: { rolle: "a" }) { nodes { id } } }', 'Field "rolle" is not defined by type "AgentFilter".'],
])('a document with a wrong %s is not told which there are', async (_name, query, message) => {
  const answer = await yoga.fetch('http://localhost/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  expect(await answer.json()).toMatchObject({
    errors: [{ message, locations: [{ line: 1 }], extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
  });
});
