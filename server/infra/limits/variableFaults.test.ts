import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { send } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { rawSocket } from '../../../test/socket.ts';
import { world } from '../../../test/world.ts';
import { limits } from '../../core/limits.ts';

const database = await testDatabase();
const { url } = await startApp(database);
beforeAll(() => world(database.pool).agent('ada'));

const ask = async (variables: object) => {
  const query =
    'input' in variables
      ? 'mutation ($input: DefinePipelineInput!) { definePipeline(input: $input) { __typename } }'
      : 'query ($n: Int, $id: ID = "") { agents(first: $n) { nodes { id } } agent(id: $id) { id } }';
  const { status, body } = await send(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  return { status, body, errors: (JSON.parse(body) as { errors: { message: string; extensions: object }[] }).errors };
};
const right = {
  slug: 'a',
  name: 'A',
  start: 'a',
  stages: [{ name: 'a' }],
  transitions: [{ from: 'a', outcome: 'DONE' }],
};

describe('a variable of the wrong type', () => {
  test.each([
    [
      'an unknown field',
      { input: { ...right, nmae: 'x' } },
      'Variable "$input" got invalid value; Field "nmae" is not defined by type "DefinePipelineInput". Did you mean "name"?',
    ],
    [
      'a number for a text',
      { input: { ...right, stages: [{ name: 5 }] } },
      'Variable "$input" got invalid value 5 at "input.stages[0].name"; String cannot represent a non string value: 5',
    ],
    [
      'a text for a number',
      { n: 'five' },
      'Variable "$n" got invalid value "five"; Int cannot represent non-integer value: "five"',
    ],
    [
      'an object for an id',
      { id: { $ne: null } },
      'Variable "$id" got invalid value; ID cannot represent value: { $ne: null }',
    ],
    [
      'a missing field',
      { input: { ...right, start: undefined } },
      'Variable "$input" got invalid value; Field "start" of required type "String!" was not provided.',
    ],
  ])('is named by its place: %s', async (_what, variables, message) => {
    const { status, errors } = await ask(variables);
    expect([status, errors]).toEqual([
      400,
      [{ message, locations: expect.anything() as unknown, extensions: { code: 'BAD_USER_INPUT' } }],
    ]);
  });

  test('is named over a socket, also for a subscription', async () => {
    const socket = await rawSocket(url);
    await socket.init();
    socket.subscribe('1', 'query ($n: Int) { agents(first: $n) { nodes { id } } }', { n: 'x' });
    socket.subscribe('2', 'subscription ($ids: [ID!]) { sessionUpdated(sessionIds: $ids) { type } }', { ids: [{}] });
    for (const id of ['1', '2'])
      expect((await socket.result(id)).errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    socket.close();
  });
});

describe('variables that would hold the event loop', () => {
  const many = (count: number, value: unknown) => Array.from({ length: count }, () => value);
  test.each<[string, object]>([
    ['objects', { input: { ...right, stages: many(30_000, { name: 'a' }) } }],
    ['objects without a field', { input: { ...right, stages: many(200_000, {}) } }],
    ['objects below objects', { input: { ...right, stages: many(6_000, { escalateTo: {} }) } }],
    ['texts', { tool: { name: 'x', description: 'x', targetAgentId: 'a', agentIds: many(60_000, 'a') } }],
    ['values of JSON', { json: many(250_000, 0) }],
    ['names of JSON', { json: many(80_000, { a: 0 }) }],
    ['names of one object', { json: Object.fromEntries(many(60_000, 0).map((value, n) => [`n${n}`, value])) }],
    ['names that no variable has', Object.fromEntries(many(60_000, 0).map((value, n) => [`n${n}`, value]))],
  ])('are refused with LIMIT_EXCEEDED before they are read: %s', async (_what, variables) => {
    const query =
      'input' in variables
        ? 'mutation ($input: DefinePipelineInput!) { definePipeline(input: $input) { __typename } }'
        : 'tool' in variables
          ? 'mutation ($tool: CreateHandoffToolInput!) { createHandoffTool(input: $tool) { __typename } }'
          : 'query ($json: JSON! = 1) { detectHandoffs(agentId: "a", response: $json) { format } }';
    const { body } = await send(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    expect(JSON.parse(body)).toMatchObject({ errors: [{ extensions: { code: 'LIMIT_EXCEEDED', what: 'values' } }] });
  });

  test.each([
    [1_000, { data: { setTasks: { actual: 1_000 } } }],
    [1_001, { errors: [{ extensions: { code: 'LIMIT_EXCEEDED', what: 'values', actual: 1_001, limit: 1_000 } }] }],
  ])('a list of %i items', async (count, answer) => {
    const { body } = await send(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        query: 'mutation ($input: SetTasksInput!) { setTasks(input: $input) { ... on LimitExceededError { actual } } }',
        variables: {
          input: {
            sessionId: 'session_01kc000000e008000000000001',
            tasks: many(count, { content: 'x', status: 'PENDING' }),
          },
        },
      }),
    });
    expect(JSON.parse(body)).toMatchObject(answer);
  });

  test('are read when each list has its own largest number of items', async () => {
    const { body } = await send(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        query: 'mutation ($input: AppendTurnInput!) { appendTurn(input: $input) { ... on NotFoundError { id } } }',
        variables: {
          input: {
            sessionId: 'session_01kc000000e008000000000001',
            messages: many(limits.counts.messagesOfTurn, { role: 'USER', content: 'x' }),
            toolCalls: many(limits.counts.toolCallsOfTurn, 0).map((_, n) => ({
              callId: `${n}`,
              name: 'Edit',
              filesModified: many(limits.counts.filesOfToolCall, 'src/bed.ts'),
            })),
          },
        },
      }),
    });
    expect(JSON.parse(body)).toMatchObject({ data: { appendTurn: { id: 'session_01kc000000e008000000000001' } } });
  });
});

const wrong = fc.oneof(
  fc.constant('unknown fields').map(() => (n: number) => ({
    ...right,
    ...Object.fromEntries(Array.from({ length: n }, (_, at) => [`unknown${at}`, 1])),
  })),
  fc
    .constant('numbers')
    .map(() => (n: number) => ({ ...right, stages: Array.from({ length: n }, () => ({ name: 5 })) })),
  fc.constant('nothing given').map(() => (n: number) => ({ stages: Array.from({ length: n }, () => ({})) })),
  fc.constant('a wide object').map(() => (n: number) => ({
    ...right,
    name: Object.fromEntries(Array.from({ length: n }, (_, at) => [`k${at}`, 1])),
  })),
  fc.constant('long texts').map(() => (n: number) => ({
    ...right,
    transitions: Array.from({ length: 10 }, () => ({
      ['x'.repeat(n)]: 'y'.repeat(n),
      outcome: { z: 'z'.repeat(n) },
    })),
  })),
);

test('a refusal of variables is short, however large they are', async () => {
  await fc.assert(
    fc.asyncProperty(wrong, fc.integer({ min: 1, max: 20_000 }), async (make, n) => {
      const { body, errors } = await ask({ input: make(n) });
      expect(body.length).toBeLessThan(6_000);
      expect(errors.length).toBeLessThanOrEqual(6);
    }),
    { numRuns: 30 },
  );
});
