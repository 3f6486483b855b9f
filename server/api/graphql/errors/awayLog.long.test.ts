import { connect } from 'node:net';
import { expect, it, vi } from 'vitest';
import { atEnd } from '../../../../test/database.ts';
import { send } from '../../../../test/graphql.ts';
import { adminKey } from '../../../../test/keyring.ts';
import { ownPostgres } from '../../../../test/ownPostgres.ts';
import { startServer } from '../../../../test/server.ts';
import { rawSocket } from '../../../../test/socket.ts';
import { workTranscript } from '../../../../test/transcripts.ts';
import { world } from '../../../../test/world.ts';
import { encodeId } from '../../../core/ids.ts';
import { createKey } from '../../../work/keys/createKey.ts';

const postgres = await ownPostgres();
const { agent, session, run } = world(postgres.pool);
await agent('ada', { maxCapacity: 100 });
const id = encodeId('session', await session('ada'));
const { secret } = await run(createKey, { role: 'ADMIN', agentId: null, name: 'known', expiresAt: null });
const server = await startServer({
  databaseUrl: postgres.url,
  env: {
    BATON_ADMIN_KEY: adminKey,
    REDIS_URL: 'redis://127.0.0.1:1',
    BATON_RATE_ADMIN_READS: '9999999',
    BATON_RATE_ADMIN_WRITES: '9999999',
  },
});
atEnd(() => server.kill('SIGKILL').then(() => undefined));

interface Line {
  level: number;
  time: string;
  msg: string;
  times?: number;
}
const lines = (): Line[] => server.logs.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Line);

const json = { 'content-type': 'application/json' };
const post = (path: string, body: string, headers: Record<string, string> = {}, key = adminKey) =>
  send(`${server.url}${path}`, { method: 'POST', headers: { authorization: `Bearer ${key}`, ...headers }, body });
const get = (path: string, headers: Record<string, string> = {}) =>
  send(`${server.url}${path}`, { headers: { authorization: `Bearer ${adminKey}`, ...headers } });
const ask = (query: string, headers = {}, key = adminKey) =>
  post('/graphql', JSON.stringify({ query }), { ...json, ...headers }, key);

/** A key that the server has not seen yet is looked up in PostgreSQL. */
let unknown = 0;
const aKey = (): string => `baton_${String((unknown += 1)).padStart(43, 'x')}`;

const kinds: Record<string, () => Promise<unknown>> = {
  'a query': () => ask('{ agents(first: 1) { nodes { id } } }'),
  'a mutation': () => ask('mutation { createSession(input: { title: "x", agentId: "ada" }) { __typename } }'),
  'a subscription': () => ask('subscription { handoffEvents { type } }', { accept: 'text/event-stream' }),
  'an unknown key': () => ask('{ __typename }', {}, aKey()),
  'a known key': () => ask('{ __typename }', {}, secret),
  'an MCP message': () =>
    post('/mcp/ada', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }), {
      ...json,
      accept: 'application/json, text/event-stream',
    }),
  'an MCP stream': () => get('/mcp/ada', { accept: 'text/event-stream' }),
  'a download': () => get(`/sessions/${id}.json`),
  'a download of the log': () => get(`/sessions/${id}.md`),
  'an upload': () => post('/sessions/new/transcript?title=x', workTranscript(2_000).toString()),
  'an import of agents': () => post('/agents/import', JSON.stringify({ files: [] }), json),
  metrics: () => get('/metrics'),
  'a probe': () => get('/readyz'),
  'a socket': async () => {
    const socket = await rawSocket(server.url);
    socket.send({ type: 'connection_init', payload: { authorization: `Bearer ${aKey()}` } });
    await socket.closed;
  },
  'operations on a socket': async () => {
    const socket = await rawSocket(server.url);
    await socket.init({ authorization: `Bearer ${adminKey}` });
    socket.subscribe('1', '{ agents(first: 1) { nodes { id } } }');
    socket.subscribe('2', 'subscription { handoffEvents { type } }');
    for (const each of ['1', '2']) {
      const answer = await Promise.race([socket.message('next', each), socket.message('error', each)]);
      expect(JSON.stringify(answer)).toContain('UNAVAILABLE');
    }
    socket.terminate();
  },
  'a request that is left': () =>
    new Promise<void>((resolve) => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
      socket.on('error', () => undefined).on('close', () => resolve());
      socket.write(`POST /graphql HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 20\r\n\r\n{`, () => socket.destroy());
    }),
};

it('while PostgreSQL and Redis are away no caller makes the log longer by more than a line of each kind a second', async () => {
  await ask('{ agents(first: 1) { nodes { id } } }');
  await postgres.stop();
  await vi.waitFor(async () => expect((await get('/readyz')).status).toBe(503), { timeout: 30_000 });
  const began = performance.now();
  const from = lines().length;
  const rounds = 40;
  for (let n = 0; n < rounds; n += 1) await Promise.all(Object.values(kinds).map((send) => send()));
  const seconds = (performance.now() - began) / 1_000;
  // The refusals of the last second are counted in a line that comes after it.
  const refused = (): number =>
    lines()
      .slice(from)
      .filter(({ msg }) => msg.startsWith('PostgreSQL is away'))
      .reduce((sum, { times = 1 }) => sum + times, 0);
  // Queries, mutations, downloads and uploads at least.
  await vi.waitFor(() => expect(refused()).toBeGreaterThanOrEqual(5 * rounds), { timeout: 20_000 });
  const said = lines().slice(from);
  for (const message of new Set(said.map(({ msg }) => msg))) {
    const all = said.filter(({ msg }) => msg === message);
    expect.soft([message, all.length > seconds + 3 ? all.slice(0, 3) : []]).toEqual([message, []]);
  }
  expect(said.filter(({ level }) => level >= 50)).toEqual([]);
  await postgres.startAgain();
  await vi.waitFor(async () => expect((await get('/readyz')).status).toBe(200), { timeout: 60_000 });
}, 120_000);
