import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { send } from '../../../test/graphql.ts';
import { adminKey, secretFor } from '../../../test/keyring.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { createPersistedOperations } from '../limits/persisted.ts';
import { createRates } from '../limits/rates.ts';

const database = await testDatabase();
const known = 'query Known { viewer { role } }';
const id = createHash('sha256').update(known).digest('hex');
const persisted = createPersistedOperations({ [id]: known }, { only: false });
const { url } = await startApp(database, { persisted });
const { agent, session } = world(database.pool);

beforeAll(async () => {
  await agent('ada', { maxCapacity: 1_000 });
  for (let n = 0; n < 5; n += 1) await session('ada');
});

interface Answered {
  status: number;
  headers: object;
  body: string;
}

const reference = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

async function answered(to: string, body: string, headers: Record<string, string>): Promise<Answered> {
  const answer = await send(`${to}/graphql`, {
    method: 'POST',
    body,
    named: true,
    headers: { 'content-type': 'application/json', 'x-request-id': 'same', ...headers },
  });
  const { date: _date, ...rest } = answer.headers;
  return { status: answer.status, headers: rest, body: answer.body.replaceAll(reference, '<reference>') };
}

/** Yoga reads and answers a body whose length is not said. */
async function demandSame(body: string, headers: Record<string, string> = {}, to = url): Promise<Answered> {
  const plain = await answered(to, body, { ...headers, 'content-length': String(Buffer.byteLength(body)) });
  expect(plain).toEqual(await answered(to, body, { ...headers, 'transfer-encoding': 'chunked' }));
  return plain;
}

const query = '{ sessions(first: 3) { nodes { id title agent { id } } pageInfo { hasNextPage } totalCount } }';
const bodies: [string, unknown][] = [
  ['a query', { query }],
  ['variables', { query: 'query ($n: Int) { sessions(first: $n) { nodes { id } } }', variables: { n: 2 } }],
  ['one of two operations', { query: `query A { viewer { role } } query B ${query}`, operationName: 'B' }],
  ['an unknown operation name', { query: `query A { viewer { role } }`, operationName: 'B' }],
  ['two operations and no name', { query: 'query A { viewer { role } } query B { viewer { role } }' }],
  ['an empty name', { query, operationName: '' }],
  ['a document named by its id', { documentId: id }],
  ['a document named by its hash', { extensions: { persistedQuery: { version: 1, sha256Hash: id } } }],
  ['an unknown hash', { extensions: { persistedQuery: { version: 1, sha256Hash: id.replaceAll('a', 'b') } } }],
  [
    'a refused mutation',
    {
      query:
        'mutation { pauseSession(input: { sessionId: "session_x" }) { __typename ... on Error { message code } } }',
    },
  ],
  ['a field whose name holds a keyword', { query: '{ subscription: viewer { role } }' }],
  ['a syntax error', { query: '{ sessions {' }],
  ['an unknown field', { query: '{ session2 { id } }' }],
  ['too many aliases', { query: `{ ${Array.from({ length: 30 }, (_, n) => `a${n}: viewer { role }`).join(' ')} }` }],
  [
    'a variable of a wrong type',
    { query: 'query ($n: Int) { sessions(first: $n) { nodes { id } } }', variables: { n: 'x' } },
  ],
  ['a page that is too large', { query: '{ sessions(first: 1000) { nodes { id } } }' }],
  ['a malformed cursor', { query: '{ sessions(after: "x") { nodes { id } } viewer { role } }' }],
  ['no query', { variables: {} }],
  ['an empty query', { query: '' }],
  ['a query that is a number', { query: 7 }],
  ['variables that are a list', { query, variables: [1] }],
  ['variables that are a text', { query, variables: '{}' }],
  ['extensions that are a list', { query, extensions: [] }],
  ['an operationName that is a number', { query, operationName: 7 }],
  ['an unknown parameter', { query, more: 1 }],
  ['an unknown parameter that is null', { query, more: null }],
  ['a batch', [{ query }, { query }]],
  ['null', null],
  ['a number', 7],
];

describe.each([
  'application/json',
  'application/graphql-response+json',
  '*/*',
  'application/graphql-response+json; charset=utf-8, application/json; charset=utf-8',
  'application/graphql-response+json, application/json, text/event-stream, multipart/mixed',
  'application/json; charset=latin1',
  'text/html, application/json',
  'image/png',
  undefined,
])('both engines give the same answer with Accept: %s', (accept) => {
  const headers = accept === undefined ? undefined : { accept };
  test.each(bodies)('%s', async (_name, body) => {
    await demandSame(JSON.stringify(body), headers);
  });

  test.each([
    '',
    '{',
    '{"query": "{ viewer { role } }"',
    '\u0000',
    '{"query":"{ viewer { role } }","variables":{"a":"\ud800"}}',
  ])('to a body that is no JSON: %j', async (body) => {
    await demandSame(body, headers);
  });
});

test.each(['application/json', 'application/graphql-response+json'])(
  'a subscription with Accept %s gets 406',
  async (accept) => {
    const body = JSON.stringify({ query: 'subscription { handoffEvents { type } }' });
    expect(await demandSame(body, { accept })).toMatchObject({ status: 406 });
  },
);

test('a missing document and a syntax error get 400 with the newer type', async () => {
  expect(await demandSame('{}', { accept: 'application/graphql-response+json' })).toMatchObject({ status: 400 });
  expect(
    await demandSame(JSON.stringify({ query: '{' }), { accept: 'application/graphql-response+json' }),
  ).toMatchObject({ status: 400 });
});

test('internal errors are masked, and a rate limit gives the time of the next attempt', async () => {
  const variables = { BATON_ADMIN_KEY: adminKey };
  const key = await secretFor(database.pool, 'OPERATOR');
  const rates = createRates({ rateOf: () => ({ perMinute: 1, burst: 2 }), clock: () => 0 });
  const limited = await startApp(database, { variables, rates });
  const headers = { authorization: `Bearer ${key}` };
  expect(await demandSame(JSON.stringify({ query }), headers, limited.url)).toMatchObject({ status: 200 });
  for (const body of [{ query }, { query: '{' }, {}]) {
    const refused = await demandSame(JSON.stringify(body), headers, limited.url);
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '60' } });
  }
  expect(await demandSame(JSON.stringify({ query }), { authorization: 'Bearer no' }, limited.url)).toMatchObject({
    status: 401,
  });

  const broken = await startApp(database, {
    variables,
    plugins: [
      {
        onExecute: () => {
          throw new Error('a secret');
        },
      },
    ],
  });
  const masked = await demandSame(JSON.stringify({ query }), headers, broken.url);
  expect(masked.body).toContain('INTERNAL_SERVER_ERROR');
  expect(masked.body).not.toContain('secret');
  await database.pool.query('ALTER TABLE sessions RENAME TO moved');
  const internal = await demandSame(JSON.stringify({ query: '{ sessions { nodes { id } } }' }));
  await database.pool.query('ALTER TABLE moved RENAME TO sessions');
  expect(internal.body).toContain('INTERNAL_SERVER_ERROR');
  expect(internal.body).not.toContain('moved');
});
