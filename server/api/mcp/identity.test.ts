import { expect, it } from 'vitest';
import { askersOf, type Asker } from '../../../test/askers.ts';
import { testDatabase } from '../../../test/database.ts';
import { client, send, type Sent } from '../../../test/graphql.ts';
import { hashAllTables } from '../../../test/hash.ts';
import { adminKey, secretFor } from '../../../test/keyring.ts';
import { connect } from '../../../test/mcp.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { createPersistedOperations } from '../../infra/limits/persisted.ts';
import { createRates } from '../../infra/limits/rates.ts';

const { db, url, secrets, askers, session, initiate } = await askersOf();

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};
const post = (
  path: string,
  {
    key,
    body = JSON.stringify(initialize),
    headers = {},
    to = url,
  }: { key?: string; body?: string; headers?: Record<string, string>; to?: string } = {},
): Promise<Sent> =>
  send(`${to}/mcp${path}`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...headers,
    },
  });
const messageOf = ({ body }: Sent): string => (JSON.parse(body) as { error: { message: string } }).error.message;

const reading = ['baton_inbox', 'baton_read'];
const working = [
  'baton_inbox',
  'baton_accept',
  'baton_reject',
  'baton_read',
  'baton_note',
  'baton_ask',
  'baton_handoff',
  'transfer_to_bob',
  'transfer_to_eve',
];

it.each<[Asker, Record<'' | '/ada' | '/bob', number | string[]>]>([
  ['AGENT', { '': working, '/ada': working, '/bob': 403 }],
  ['OPERATOR', { '': 403, '/ada': working, '/bob': [...working.slice(0, 7), 'transfer_to_ada', 'transfer_to_eve'] }],
  ['ADMIN', { '': 403, '/ada': working, '/bob': [...working.slice(0, 7), 'transfer_to_ada', 'transfer_to_eve'] }],
  ['ANALYST', { '': reading, '/ada': reading, '/bob': reading }],
])('%s gets the tools of the agent that the address names, or a refusal', async (role, expected) => {
  for (const [path, result] of Object.entries(expected)) {
    const { status } = await post(path, { key: secrets[role] });
    if (typeof result === 'number') expect([path, status]).toEqual([path, result]);
    else expect([path, await (await connect(url, path, { key: secrets[role] })).tools()]).toEqual([path, result]);
  }
});

it('says to which agent a key is bound, and how an operator names one', async () => {
  expect(messageOf(await post('/bob', { key: secrets.AGENT }))).toBe(
    "Your key is bound to agent 'ada': use /mcp or /mcp/ada",
  );
  expect(messageOf(await post('', { key: secrets.OPERATOR }))).toBe(
    'Name the agent that you act for in the address: /mcp/<agent>',
  );
  for (const [path, says] of [
    ['/nobody', "There is no agent 'nobody'"],
    ['/No%20body', 'is not the id of an agent'],
    ['/%E0%A4%A', 'is not the id of an agent'],
  ] as const) {
    const refused = await post(path, { key: secrets.OPERATOR });
    expect([path, refused.status, messageOf(refused)]).toEqual([path, 404, expect.stringContaining(says)]);
  }
});

it('a request without a valid key is 401 and names the scheme', async () => {
  for (const key of [undefined, 'baton_wrong']) {
    expect(await post('/ada', key === undefined ? {} : { key })).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer' },
    });
  }
});

it('reads and changes no more than the agent of the address may, whatever the key, and records name the key', async () => {
  const [foreign, own] = [encodeId('session', await session('bob', { title: 'Foreign' })), await session('ada')];
  const { handoffId } = await initiate(await session('bob'), 'eve');
  const handoff = encodeId('handoff', handoffId);
  for (const role of ['AGENT', 'OPERATOR', 'ADMIN'] as const) {
    const model = await connect(url, '/ada', { key: secrets[role] });
    const before = await hashAllTables(db.pool);
    for (const [name, given] of [
      ['baton_read', { session: foreign }],
      ['baton_note', { session: foreign, text: 'x' }],
      ['baton_accept', { handoff }],
      ['baton_reject', { handoff, reason: 'x' }],
      ['transfer_to_bob', { session: foreign, reason: 'x' }],
      ['baton_read', { handoff }],
    ] as const) {
      expect([role, name, await model.call(name, given)]).toMatchObject([
        role,
        name,
        { isError: true, data: { code: 'NOT_FOUND' } },
      ]);
    }
    expect(await hashAllTables(db.pool)).toEqual(before);
    expect(await model.call('baton_note', { text: `by ${role}`, session: encodeId('session', own) })).toMatchObject({
      isError: false,
    });
  }
  const { data } = await askers.ADMIN.post<{ session: { messages: { nodes: object[] } } }>(
    `{ session(id: "${encodeId('session', own)}") { messages { nodes { content recordedBy { role principal } agentSession { agent { id } } } } } }`,
  );
  expect(data.session.messages.nodes).toEqual(
    (['ADMIN', 'OPERATOR', 'AGENT'] as const).map((role) => ({
      content: `by ${role}`,
      recordedBy: { role, principal: role === 'ADMIN' ? 'admin' : (expect.stringMatching(/^key_/) as unknown) },
      agentSession: { agent: { id: 'ada' } },
    })),
  );
});

it('an analyst reads everything without an agent, and changes nothing', async () => {
  const id = encodeId('session', await session('bob'));
  const { handoffId } = await initiate(await session('bob'), 'eve');
  const model = await connect(url, '', { key: secrets.ANALYST });
  expect(await model.call('baton_read', { session: id })).toMatchObject({
    isError: false,
    data: { session: id, holder: 'bob' },
  });
  const { data, texts } = await model.call('baton_inbox');
  expect(data.handoffs.map(({ handoff }) => handoff)).toContain(encodeId('handoff', handoffId));
  expect(texts[0]).not.toContain('you');
  const before = await hashAllTables(db.pool);
  for (const name of working.slice(1).filter((each) => each !== 'baton_read'))
    expect(await model.call(name, {})).toMatchObject({ isError: true, data: { code: 'FORBIDDEN' } });
  expect(await hashAllTables(db.pool)).toEqual(before);
});

it('bodies, methods, types and origins have the bounds of the other doors', async () => {
  const key = secrets.AGENT;
  const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const cases: [string, number, () => Promise<Sent>][] = [
    [
      'a body over 1 MB',
      413,
      () => post('', { key, body: JSON.stringify({ ...initialize, pad: 'x'.repeat(1_000_000) }) }),
    ],
    ['no JSON', 400, () => post('', { key, body: '{' })],
    ['a list of messages', 400, () => post('', { key, body: `[${list}]` })],
    ['no message', 400, () => post('', { key, body: '{"a": 1}' })],
    ['a form', 415, () => post('', { key, headers: { 'content-type': 'application/x-www-form-urlencoded' } })],
    ['plain text', 415, () => post('', { key, headers: { 'content-type': 'text/plain' } })],
    ['a client that takes no events', 406, () => post('', { key, headers: { accept: 'application/json' } })],
    ['an unknown version', 400, () => post('', { key, body: list, headers: { 'mcp-protocol-version': '1999-01-01' } })],
    ['a page of another origin', 403, () => post('', { key, headers: { origin: 'https://evil.example' } })],
    ['DELETE', 405, () => send(`${url}/mcp`, { method: 'DELETE', headers: { authorization: `Bearer ${key}` } })],
    ['a GET that takes no events', 406, () => send(`${url}/mcp`, { headers: { authorization: `Bearer ${key}` } })],
    ['a deeper path', 404, () => post('/ada/tools', { key })],
  ];
  for (const [what, status, sent] of cases) {
    const refused = await sent();
    expect([what, refused.status]).toEqual([what, status]);
    expect(refused.body).not.toMatch(/\.ts:|node_modules|ZodError|SyntaxError/);
  }
  expect((await post('', { key, body: list })).status).toBe(200);
});

it('values of any depth and unknown methods are refused without a word of what is inside', async () => {
  const key = secrets.AGENT;
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
  const call = (name: string, given: string) =>
    post('', {
      key,
      body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${given}}}`,
    });
  for (const [name, given] of [
    ['baton_handoff', `{"target":"bob","reason":"x","variables":{"a":${deep}}}`],
    ['transfer_to_bob', `{"reason":"x","variables":${deep}}`],
    ['baton_note', '{"text":"\\u0000"}'],
    ['__proto__', '{}'],
    ['constructor', '{}'],
  ] as const) {
    const { status, body } = await call(name, given);
    expect([name, status, (JSON.parse(body) as { result: { isError: boolean } }).result.isError]).toEqual([
      name,
      200,
      true,
    ]);
    expect(body).not.toMatch(/stack|\.ts:|node_modules|prisma/i);
  }
  const { body } = await post('', { key, body: '{"jsonrpc":"2.0","id":1,"method":"constructor"}' });
  expect(JSON.parse(body)).toMatchObject({ error: { code: -32601 } });
});

it('a list of more than 1,000 items is refused before it is read, and a refusal names 20 problems', async () => {
  const tasks = async (count: number): Promise<string> => {
    const params = { name: 'baton_note', arguments: { tasks: Array.from({ length: count }, () => ({})) } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    return (await post('', { key: secrets.AGENT, body })).body;
  };
  expect(await tasks(1_001)).toContain('tasks has 1001 items; the limit is 1000: send fewer at once.');
  const refused = await tasks(1_000);
  expect(refused).toContain('tasks.9.status');
  expect(refused).not.toContain('tasks.10.');
});

it('every request counts as a read, and what a tool does as over GraphQL', async () => {
  const { url: limited } = await startApp(db, { rates: createRates({ rateOf: () => ({ perMinute: 1, burst: 3 }) }) });
  const key = await secretFor(db.pool, 'AGENT', 'eve');
  const ping = () => post('', { to: limited, key, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' });
  for (let count = 0; count < 3; count += 1) expect((await ping()).status).toBe(200);
  expect(await ping()).toMatchObject({ status: 429, headers: { 'retry-after': expect.any(String) as string } });
  const { data } = await client(limited, { key }).post<null>('{ viewer { role } }');
  expect(data).toBeFalsy();

  const other = await secretFor(db.pool, 'AGENT', 'bob');
  const id = encodeId('session', await session('bob'));
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'baton_note', arguments: { session: id, decisions: ['1', '2', '3', '4'] } },
  });
  const { result } = JSON.parse((await post('', { to: limited, key: other, body })).body) as {
    result: { isError: boolean; structuredContent: object };
  };
  expect(result).toMatchObject({
    isError: true,
    structuredContent: { code: 'RATE_LIMITED', recorded: ['decision 1', 'decision 2', 'decision 3'] },
  });
});

it('answers below a base path, and where only persisted operations are answered', async () => {
  const only = createPersistedOperations({}, { only: true });
  const { url: below } = await startApp(db, {
    variables: { BATON_ADMIN_KEY: adminKey, BATON_BASE_PATH: '/tools/baton' },
    persisted: only,
  });
  expect((await client(below, { key: adminKey }).post('{ viewer { role } }')).errors).toHaveLength(1);
  expect(await (await connect(below, '/ada', { key: adminKey })).tools()).toEqual(working);
  expect((await post('/ada', { to: `${url}/tools/baton`, key: adminKey })).status).toBe(404);
});

it('without keys the address alone gives the rights of its agent', async () => {
  const own = await testDatabase();
  const { agent, session: begin } = world(own.pool);
  for (const id of ['ada', 'bob']) await agent(id);
  const { url: keyless } = await startApp(own);
  expect((await post('', { to: keyless })).status).toBe(403);
  const foreign = encodeId('session', await begin('bob'));
  const model = await connect(keyless, '/ada');
  expect(await model.call('baton_read', { session: foreign })).toMatchObject({
    isError: true,
    data: { code: 'NOT_FOUND' },
  });
  expect(await (await connect(keyless, '/bob')).call('baton_read', { session: foreign })).toMatchObject({
    isError: false,
  });
});
