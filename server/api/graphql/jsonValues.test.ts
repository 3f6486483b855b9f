import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client, send } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { rawSocket, sseStream } from '../../../test/socket.ts';
import { world } from '../../../test/world.ts';

const database = await testDatabase();
const { url } = await startApp(database);
const { agent } = world(database.pool);
const { post } = client(url);

/** Names that JavaScript, its libraries or a store may take for more than a name. */
const name = fc.oneof(
  fc.constantFrom(
    ...[
      'then',
      'catch',
      'finally',
      'toJSON',
      'toString',
      'valueOf',
      'constructor',
      'prototype',
      '__typename',
      'length',
    ],
    ...['next', 'return', 'initialResult', 'errors', 'data', 'message', 'extensions', '$ref', '', ' ', '0', 'é'],
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => !/[\u0000\ud800-\udfff]/.test(text)),
);
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, false, 0, 1, -1.5, '', 'then'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const update =
  'mutation ($input: UpdateAgentInput!) { updateAgent(input: $input) { ... on UpdateAgentPayload { agent { metadata } } ... on Error { message } } }';
const query = '{ agent(id: "ada") { metadata } agents(first: 1) { nodes { metadata } } }';

interface Read {
  agent: { metadata: unknown };
  agents: { nodes: { metadata: unknown }[] };
}

beforeAll(() => agent('ada'));

test('JSON comes back as it was stored, whatever the names of its members, compiled or not', async () => {
  await fc.assert(
    fc.asyncProperty(json, async (metadata) => {
      const stored: unknown = JSON.parse(JSON.stringify(metadata));
      const written = await post(update, { input: { id: 'ada', metadata } });
      expect(written).toMatchObject({ data: { updateAgent: { agent: { metadata: stored } } } });
      const { data, errors } = await post<Read>(query);
      expect([errors, data.agent.metadata, data.agents.nodes[0]!.metadata]).toEqual([undefined, stored, stored]);
    }),
    { numRuns: 40, examples: [[{ then: 1 }], [{ then: { then: null } }], [[{ then: 'x' }]], [{ toJSON: 1 }]] },
  );
});

test('a member named then comes back over a socket and an event stream', async () => {
  const metadata = { then: { then: [] } };
  await post(update, { input: { id: 'ada', metadata } });
  const wanted = { data: { agent: { metadata } } };
  const socket = await rawSocket(url);
  await socket.init();
  socket.subscribe('1', '{ agent(id: "ada") { metadata } }');
  expect(await socket.result('1')).toMatchObject(wanted);
  socket.close();
  const stream = await sseStream(url, '{ agent(id: "ada") { metadata } }');
  expect(await stream.result()).toMatchObject(wanted);
});

test('a field may have the alias then', async () => {
  const answer = await post(
    '{ then: agent(id: "ada") { then: name catch: id } agents(first: 1) { then: nodes { then: name } } }',
  );
  expect([answer.errors, answer.data]).toEqual([
    undefined,
    { then: { then: 'ada', catch: 'ada' }, agents: { then: [{ then: 'ada' }] } },
  ]);
});

test('an unknown member of a request is refused, whatever its name', async () => {
  for (const member of ['then', 'catch', 'constructor', 'other'])
    expect(await answerTo({ query: '{ __typename }', [member]: { code: true } })).toEqual([
      400,
      `Unexpected parameter "${member}" in the request body.`,
    ]);
});

async function answerTo(body: object): Promise<[number, string | undefined]> {
  const answer = await send(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { errors } = JSON.parse(answer.body) as { errors?: { message: string }[] };
  return [answer.status, errors?.[0]?.message];
}
