import { beforeEach, describe, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client, send } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { rawSocket } from '../../../test/socket.ts';
import { world } from '../../../test/world.ts';
import { encodeId, newId } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import { createRates } from './rates.ts';

const adminKey = 'an-admin-key-of-a-test-with-enough-characters';
let now = 0;
/** Fewer than any role may, so that few requests exceed it. */
const burst = { read: 200, write: 20 };
const rates = createRates({
  rateOf: (_role, kind) => ({ perMinute: 3 * burst[kind], burst: burst[kind] }),
  clock: () => now,
  late: { ms: 1, atOnce: 10 },
});
const database = await testDatabase();
const { url } = await startApp(database, { variables: { BATON_ADMIN_KEY: adminKey }, rates });
const { post } = client(url, { key: adminKey });
const bearer = { authorization: `Bearer ${adminKey}` };

interface Left {
  rateLimit: Record<'reads' | 'writes', { limit: number; burst: number; remaining: number; resetAt: string }>;
}
const ask = '{ rateLimit { reads { limit burst remaining resetAt } writes { limit burst remaining resetAt } } }';
const left = async () => (await post<Left>(ask)).data.rateLimit;
const write = 'mutation { pauseSession(input: { sessionId: "x" }) { __typename } }';

const body = (sent: object) =>
  send(`${url}/graphql`, {
    method: 'POST',
    headers: { ...bearer, 'content-type': 'application/json', accept: 'application/graphql-response+json' },
    body: JSON.stringify(sent),
  });
const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

// An hour later every bucket is full.
beforeEach(() => void (now += 3_600_000));

describe('rateLimit', () => {
  test('returns the remaining reads and writes', async () => {
    await post(write);
    const before = Date.now();
    const { reads, writes } = await left();
    expect(reads).toMatchObject({ limit: 600, burst: 200, remaining: 199 });
    expect(writes).toMatchObject({ limit: 60, burst: 20, remaining: 19 });
    expect(Date.parse(writes.resetAt) - before).toBeGreaterThan(0);
  });

  test('returns null on a server without keys', async () => {
    const { url: open } = await startApp(database, { rates: createRates() });
    const api = client(open);
    expect((await api.post(ask)).data).toEqual({ rateLimit: null });
    for (let n = 0; n < 25; n += 1) expect((await api.post(write)).status).toBe(200);
  });
});

describe('a request costs one', () => {
  test.each([
    ['a query', 'reads', async () => post('{ viewer { role } }')],
    [
      'a query over the cost limit',
      'reads',
      async () => post('{ sessions(first: 100) { nodes { messages(first: 100) { nodes { id } } } } }'),
    ],
    ['a document that does not parse', 'reads', async () => post('{ nonsense(')],
    ['a document that does not parse, again', 'reads', async () => post('{ nonsense(')],
    ['an invalid document', 'reads', async () => post('{ nonsense }')],
    ['variables that are nested too deeply', 'reads', async () => post('{ viewer { role } }', { deep: nested(50) })],
    ['an unknown persisted operation', 'reads', async () => body({ documentId: 'a'.repeat(64) })],
    ['a request without an operation', 'reads', async () => body({})],
    ['a body that is no request', 'reads', async () => body([1])],
    ['a mutation', 'writes', async () => post(write)],
    [
      'a mutation over a limit',
      'writes',
      async () =>
        post(
          'mutation { a: archiveAgent(input: { id: "a" }) { __typename } b: archiveAgent(input: { id: "a" }) { __typename } }',
        ),
    ],
    [
      'a download',
      'reads',
      async () => send(`${url}/handoffs/${encodeId('handoff', newId())}.md`, { headers: bearer }),
    ],
    [
      'an upload',
      'writes',
      async () =>
        send(`${url}/sessions/${encodeId('session', newId())}/transcript`, {
          method: 'POST',
          headers: bearer,
          body: '{}',
        }),
    ],
  ] as const)('for %s: one of the %s', async (_name, kind, request) => {
    const before = await left();
    await request();
    const after = await left();
    // Asking is a read itself.
    expect([
      before.reads.remaining - 1 - after.reads.remaining,
      before.writes.remaining - after.writes.remaining,
    ]).toEqual(kind === 'reads' ? [1, 0] : [0, 1]);
  });
});

test('a request that exceeds a limit while it is executed costs a hundred reads', async () => {
  const { agent, session, turn } = world(database.pool);
  await agent('ada');
  const id = await session('ada');
  await turn(id, {
    messages: Array.from({ length: 45 }, () => ({ role: 'ASSISTANT' as const, content: 'x'.repeat(250_000) })),
  });
  const before = await left();
  const answer = await post(
    `{ session(id: "${encodeId('session', id)}") { messages(first: 45) { nodes { content } } } }`,
  );
  expect(answer.errors?.[0]?.extensions).toMatchObject({ code: 'LIMIT_EXCEEDED', what: 'heldBytes' });
  expect(before.reads.remaining - 1 - (await left()).reads.remaining).toBe(100);
});

describe('over the rate limit', () => {
  test('a mutation gets 429 with Retry-After and is not executed, while reads succeed', async () => {
    for (let n = 0; n < 20; n += 1) expect((await post(write)).status).toBe(200);
    const refused = await post('mutation { registerAgent(input: { id: "too-late", type: "CLAUDE" }) { __typename } }');
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1' },
      errors: [
        {
          message: expect.stringContaining('60 times a minute') as string,
          extensions: { code: 'RATE_LIMITED', retryAfterMs: 1_000 },
        },
      ],
    });
    expect((await post('{ agent(id: "too-late") { id } }')).data).toEqual({ agent: null });
    now += 1_000;
    expect((await post(write)).status).toBe(200);
  });

  test.each([
    ['a syntax error', '{ nonsense(', {}],
    ['variables that are nested too deeply', '{ viewer { role } }', { variables: { deep: nested(50) } }],
  ])('%s gets 429 over HTTP and RATE_LIMITED over a socket', async (_name, query, more) => {
    const socket = await rawSocket(url);
    await socket.init(bearer);
    let id = 0;
    const codeOver = async (request: object): Promise<unknown> => {
      id += 1;
      socket.send({ id: String(id), type: 'subscribe', payload: request });
      const { payload } = await socket.message('error', String(id));
      return (payload as { extensions: { code: string } }[])[0]?.extensions.code;
    };
    for (let n = 0; n < burst.read - 2; n += 1) rates.take({ principal: 'admin', role: 'ADMIN' }, 'read');
    const request = { query, ...more };
    expect((await body(request)).status).toBe(400);
    expect(await codeOver(request)).not.toBe('RATE_LIMITED');
    const refused = await body(request);
    expect([refused.status, refused.headers['retry-after'], refused.body]).toEqual([
      429,
      '1',
      expect.stringContaining('RATE_LIMITED'),
    ]);
    expect(await codeOver(request)).toBe('RATE_LIMITED');
  });

  test('uploads and downloads get 429 with Retry-After', async () => {
    for (let n = 0; n < 20; n += 1) await post(write);
    const upload = await send(`${url}/sessions/${encodeId('session', newId())}/transcript`, {
      method: 'POST',
      headers: bearer,
      body: '{}',
    });
    expect([upload.status, upload.headers['retry-after'], upload.body]).toEqual([
      429,
      '1',
      expect.stringContaining('RATE_LIMITED'),
    ]);
    for (let n = 0; n < burst.read; n += 1) rates.take({ principal: 'admin', role: 'ADMIN' }, 'read');
    const download = await send(`${url}/handoffs/${encodeId('handoff', newId())}.json`, { headers: bearer });
    expect([download.status, download.headers['retry-after'], download.body]).toEqual([
      429,
      '1',
      expect.stringContaining('RATE_LIMITED'),
    ]);
  });

  test('unknown keys get 401, then 429, while the valid key succeeds', async () => {
    await post('{ viewer { role } }');
    const guess = (n: number) => client(url, { key: `guess-${n}` }).post('{ viewer { role } }');
    for (let n = 0; n < limits.rate.failures.burst; n += 1) expect((await guess(n)).status).toBe(401);
    expect(await guess(99)).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1', connection: 'close' },
      errors: [{ extensions: { code: 'RATE_LIMITED' } }],
    });
    expect((await post('{ viewer { role } }')).status).toBe(200);
  });
});

describe('every answer contains its cost', () => {
  const cost = async (query: string) => {
    const { body } = await send(`${url}/graphql`, {
      method: 'POST',
      headers: { ...bearer, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    return (JSON.parse(body) as { extensions?: { cost: object } }).extensions?.cost;
  };

  test('as requested and limit', async () => {
    expect(await cost('{ sessions(first: 7) { nodes { id } } }')).toEqual({ requested: 8, limit: 5_000 });
    expect(await cost(write)).toEqual({ requested: 1, limit: 5_000 });
    expect(await cost('{ session(id: "nonsense") { id } }')).toEqual({ requested: 1, limit: 5_000 });
  });

  test('also when the document is cached', async () => {
    expect([await cost('{ viewer { role } }'), await cost('{ viewer { role } }')]).toEqual([
      { requested: 1, limit: 5_000 },
      { requested: 1, limit: 5_000 },
    ]);
  });
});
