import { describe, expect, test } from 'vitest';
import { createLog } from '../log.ts';
import { testDatabase } from '../../../test/database.ts';
import { client, send, type GraphQLErrorBody } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { rawSocket, sseStream } from '../../../test/socket.ts';

const database = await testDatabase();
const lines: string[] = [];
const log = createLog({ destination: { write: (line) => void lines.push(line) } });
const origin = 'https://pages.example';
const { url } = await startApp(database, { log, variables: { BATON_ALLOWED_ORIGINS: origin } });
const { post } = client(url);
const given = 'gateway-7f3a/42';
const errorsOf = (body: string): GraphQLErrorBody[] => (JSON.parse(body) as { errors: GraphQLErrorBody[] }).errors;
const logged = (): { requestId?: string; msg: string }[] => lines.map((line) => JSON.parse(line) as { msg: string });
/** Makes a read fail for a reason that callers may not see. */
async function withoutTable<T>(work: () => Promise<T>): Promise<T> {
  await database.pool.query('ALTER TABLE tasks RENAME TO tasks_elsewhere');
  try {
    return await work();
  } finally {
    await database.pool.query('ALTER TABLE tasks_elsewhere RENAME TO tasks');
  }
}

describe('every answer has a request id', () => {
  test('which is the one that the caller gave, when it is safe', async () => {
    expect((await send(`${url}/livez`, { headers: { 'x-request-id': given } })).headers['x-request-id']).toBe(given);
    expect((await post('{ viewer { role } }', {}, { 'x-request-id': given })).headers['x-request-id']).toBe(given);
  });

  test.each([
    ['with a space', 'a b'],
    ['of more than 128 characters', 'x'.repeat(129)],
    ['with markup', '<script>'],
    ['that is empty', ''],
    ['with a letter outside of ASCII', 'caf\u00e9'],
  ])('which is a new one instead of one %s', async (_what, unsafe) => {
    const { headers } = await send(`${url}/livez`, { headers: { 'x-request-id': unsafe } });
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('which pages of allowed origins may read', async () => {
    const { headers } = await send(`${url}/livez`, { headers: { origin } });
    expect(headers['access-control-expose-headers']).toContain('x-request-id');
  });
});

describe('every error of an answer has the id of its request', () => {
  const json = { 'content-type': 'application/json', 'x-request-id': given };
  const body = (query: string): string => JSON.stringify({ query });
  test.each([
    ['an unknown field', { body: body('{ nothing }'), headers: json }],
    ['a syntax error', { body: body('{'), headers: json }],
    ['the same document again', { body: body('{'), headers: json }],
    ['an invalid argument', { body: body('{ session(id: "x") { id } }'), headers: json }],
    [
      'a limit',
      { body: body(`{ ${Array.from({ length: 20 }, (_, n) => `a${n}: viewer { role }`).join(' ')} }`), headers: json },
    ],
    ['malformed JSON', { body: '{', headers: json }],
    ['a form', { body: 'query=x', headers: { ...json, 'content-type': 'text/plain' } }],
    ['a compressed body', { body: body('{ viewer { role } }'), headers: { ...json, 'content-encoding': 'gzip' } }],
    [
      'a subscription that is refused',
      {
        body: body('subscription { handoffAssigned(agentId: "nobody") { type } }'),
        headers: { ...json, accept: 'application/json' },
      },
    ],
  ])('%s', async (_what, request) => {
    const answer = await send(`${url}/graphql`, { method: 'POST', named: true, ...request });
    expect(answer.headers['x-request-id']).toBe(given);
    expect(errorsOf(answer.body).map(({ extensions }) => extensions['requestId'])).toEqual(
      errorsOf(answer.body).map(() => given),
    );
  });

  test('a mutation by GET', async () => {
    const { body } = await send(`${url}/graphql?query=mutation%20%7B%20x%20%7D`, {
      named: true,
      headers: { 'x-request-id': given },
    });
    expect(errorsOf(body)[0]!.extensions['requestId']).toBe(given);
  });

  test('downloads, uploads and imports', async () => {
    const [named, headers] = [true, { 'x-request-id': given }];
    const answers = [
      await send(`${url}/sessions/session_x.json`, { named, headers }),
      await send(`${url}/sessions/session_x/transcript`, {
        named,
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/x-ndjson' },
        body: '{}',
      }),
      await send(`${url}/sessions/session_x/transcript`, { named, method: 'PUT', headers }),
      await send(`${url}/agents/import`, { named, method: 'POST', headers: json, body: '{}' }),
      await send(`${url}/agents/import`, { named, method: 'PUT', headers }),
    ];
    expect(answers.map(({ body }) => errorsOf(body)[0]!.extensions['requestId'])).toEqual(answers.map(() => given));
  });

  test('the Model Context Protocol', async () => {
    const { body } = await send(`${url}/mcp/nobody`, {
      named: true,
      method: 'PUT',
      headers: { 'x-request-id': given },
    });
    expect(JSON.parse(body)).toMatchObject({ error: { data: { requestId: given } } });
  });

  test('a subscription over Server-Sent Events', async () => {
    const stream = await sseStream(
      url,
      'subscription { handoffAssigned(agentId: "nobody") { type } }',
      {},
      { 'x-request-id': given },
      { named: true },
    );
    expect((await stream.result()).errors![0]!.extensions).toMatchObject({ code: 'BAD_USER_INPUT', requestId: given });
    stream.close();
  });

  test('operations of a socket, each of which is a request', async () => {
    const socket = await rawSocket(url, { named: true });
    await socket.init();
    socket.subscribe('invalid', '{ nothing }');
    socket.subscribe('refused', 'subscription { handoffAssigned(agentId: "nobody") { type } }');
    socket.subscribe('failed', '{ session(id: "x") { id } }');
    const invalid = (await socket.message('error', 'invalid')).payload as GraphQLErrorBody[];
    const [refused, failed] = [await socket.result('refused'), await socket.result('failed')];
    const ids = [invalid, refused.errors!, failed.errors!].map(
      ([error]) => (error as GraphQLErrorBody).extensions['requestId'],
    );
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(ids).size).toBe(3);
    socket.close();
  });
});

describe('every line that the log has of a request', () => {
  test('names it: what a command wrote', async () => {
    await post(
      'mutation { createKey(input: { role: ANALYST, name: "x" }) { __typename } }',
      {},
      { 'x-request-id': 'of-a-command' },
    );
    expect(logged().filter(({ msg }) => msg === 'key_created')).toMatchObject([{ requestId: 'of-a-command' }]);
  });

  test('names it: an internal error, whose details the caller does not see', async () => {
    const query = '{ sessions(first: 1) { nodes { tasks { content } } } }';
    await withoutTable(async () => {
      const { body } = await send(`${url}/graphql`, {
        method: 'POST',
        named: true,
        headers: { 'content-type': 'application/json', 'x-request-id': 'of-a-fault' },
        body: JSON.stringify({ query }),
      });
      expect(errorsOf(body)[0]!.extensions).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', requestId: 'of-a-fault' });
      const socket = await rawSocket(url, { named: true });
      await socket.init();
      socket.subscribe('q', query);
      const { errors: ofSocket } = await socket.result('q');
      const faults = logged().filter(({ msg }) => msg === 'A request failed for a reason that is ours');
      expect(faults.map(({ requestId }) => requestId)).toEqual([
        'of-a-fault',
        (ofSocket![0] as GraphQLErrorBody).extensions['requestId'],
      ]);
      socket.close();
    });
  });
});
