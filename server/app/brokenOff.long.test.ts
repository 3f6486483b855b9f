import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { atEnd, testDatabase } from '../../test/database.ts';
import { client, send } from '../../test/graphql.ts';
import { brokenInvariants } from '../../test/invariants.ts';
import { adminKey, webhookKey } from '../../test/keyring.ts';
import { startServer } from '../../test/server.ts';
import { workTranscript } from '../../test/transcripts.ts';
import { world } from '../../test/world.ts';
import { encodeId } from '../core/ids.ts';

const runs = Number(process.env['BATON_BROKEN_RUNS'] ?? 200);
const seed = Number(process.env['BATON_SEED'] ?? 30);
const patiently = { timeout: 40_000, interval: 100 };
/** A thread without work, whose output is piped to that of the process, ends after a minute. */
const threadsEnd = { timeout: 90_000, interval: 500 };

const database = await testDatabase();
const { agent, session, reassign } = world(database.pool);
for (const id of ['ada', 'bob']) await agent(id, { maxCapacity: 10_000 });
const held = await session('ada');
const handoff = await reassign(held, { agentId: 'bob', summary: 'words '.repeat(5_000) });
const sessionId = encodeId('session', held);
const server = await startServer({
  databaseUrl: database.url,
  env: {
    BATON_ADMIN_KEY: adminKey,
    BATON_WEBHOOK_KEY: webhookKey,
    BATON_WEBHOOK_ALLOW: '127.0.0.1',
    BATON_RATE_ADMIN_READS: '9999999',
    BATON_RATE_ADMIN_WRITES: '9999999',
    BATON_HEARTBEAT_SECONDS: '0.2',
    NODE_OPTIONS: `--import ${new URL('../../test/activeResources.mjs', import.meta.url).href}`,
  },
});
const port = Number(new URL(server.url).port);
const api = client(server.url, { key: adminKey });

type Headers = Record<string, string>;
function http(method: string, path: string, headers: Headers = {}, body: string | Buffer = ''): Buffer {
  const all = { host: `127.0.0.1:${port}`, authorization: `Bearer ${adminKey}`, ...headers };
  const length = Buffer.byteLength(body);
  const lines = Object.entries({ ...all, ...(length > 0 && { 'content-length': String(length) }) });
  const head = [`${method} ${path} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`)].join('\r\n');
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), Buffer.from(body)]);
}
const json = { 'content-type': 'application/json' };
const sse = { accept: 'text/event-stream' };
const subscription = 'subscription { handoffEvents { type } }';
const many = '{ sessions(first: 50) { nodes { id title events(first: 5) { nodes { type } } } } }';
const ask = (query: string, headers: Headers = {}): Buffer =>
  http('POST', '/graphql', { ...json, ...headers }, JSON.stringify({ query }));
const inChunks = (body: string, path = '/graphql'): Buffer =>
  Buffer.concat([
    http('POST', path, { ...json, 'transfer-encoding': 'chunked' }),
    Buffer.from(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`),
  ]);
const get = (query: string, headers: Headers): Buffer =>
  http('GET', `/graphql?query=${encodeURIComponent(query)}`, headers);
const move = (to: string): string =>
  `mutation { reassignSession(input: { sessionId: "${sessionId}", agentId: "${to}" }) { __typename } }`;
const create = 'mutation { createSession(input: { title: "broken off", agentId: "ada" }) { __typename } }';
const rpc = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
const inbox = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'baton_inbox', arguments: {} },
});

/** A frame of a client, masked with zeros. */
function frame(text: string): Buffer {
  const body = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x81, 0x80 | 126, body.length >> 8, body.length & 255, 0, 0, 0, 0]), body]);
}
const upgrade = http('GET', '/graphql', {
  connection: 'upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-protocol': 'graphql-transport-ws',
});
const spoken = [
  { type: 'connection_init', payload: { authorization: `Bearer ${adminKey}` } },
  { id: '1', type: 'subscribe', payload: { query: subscription } },
  { id: '2', type: 'subscribe', payload: { query: many } },
].map((message) => frame(JSON.stringify(message)));

const kinds: Record<string, Buffer> = {
  'a query by GET': get('{ agents { totalCount } }', { accept: 'application/json' }),
  'a query by POST': ask(many),
  'a query in chunks': inChunks(JSON.stringify({ query: many })),
  'a mutation': ask(create),
  'a move': ask(move('ada')),
  'a move back, as events': ask(move('bob'), sse),
  'a query as events by GET': get('{ __typename }', sse),
  'a query as events': ask(many, sse),
  'a query as parts': ask(many, { accept: 'multipart/mixed' }),
  'a subscription': ask(subscription, sse),
  'a subscription by GET': get(subscription, sse),
  'a subscription that is refused': ask('subscription { handoffEvents(after: "x") { type } }', sse),
  'two subscriptions, the second pipelined': Buffer.concat([ask(subscription, sse), ask(subscription, sse)]),
  'a socket': Buffer.concat([upgrade, ...spoken]),
  'an MCP message': http('POST', '/mcp', { ...json, accept: 'application/json, text/event-stream' }, rpc),
  'a call of a tool over MCP': http(
    'POST',
    '/mcp/ada',
    { ...json, accept: 'application/json, text/event-stream' },
    inbox,
  ),
  'an MCP stream': http('GET', '/mcp', sse),
  'an MCP stream of an agent': http('GET', '/mcp/ada', sse),
  'a download': http('GET', `/sessions/${sessionId}.json`, { 'accept-encoding': 'gzip' }),
  'a download of a handoff': http('GET', `/handoffs/${encodeId('handoff', handoff.handoffId!)}.md`),
  'a session for Claude Code': http('GET', `/sessions/${sessionId}.claude-code.jsonl`),
  'a session for Codex': http('GET', `/sessions/${sessionId}.codex.jsonl`, { 'accept-encoding': 'gzip' }),
  'a handoff as JSON': http('GET', `/handoffs/${encodeId('handoff', handoff.handoffId!)}.json`),
  'a list as CSV': http('GET', '/sessions.csv', { 'accept-encoding': 'gzip' }),
  'another list as CSV': http('GET', '/handoffCounts.csv'),
  'an upload in chunks': inChunks(workTranscript(200_000), '/sessions/new/transcript?title=x'),
  'an import of agents in chunks': inChunks(JSON.stringify({ files: [] }), '/agents/import'),
  'an upload': http('POST', '/sessions/new/transcript?title=x', {}, workTranscript(200_000)),
  'an import of agents': http('POST', '/agents/import', json, JSON.stringify({ files: [], pad: 'x'.repeat(100_000) })),
  'a refused upload': http('POST', '/nowhere', {}, 'x'.repeat(300_000)),
  'the dashboard': http('GET', '/', { accept: 'text/html', 'accept-encoding': 'br' }),
  GraphiQL: http('GET', '/graphql', { accept: 'text/html' }),
  'an address of no page': http('GET', '/nowhere', { accept: 'text/html' }),
  'an icon of the dashboard': http('GET', '/favicon.svg'),
  'a preflight': http('OPTIONS', '/graphql', { origin: 'https://a.example', 'access-control-request-method': 'POST' }),
  'a HEAD': http('HEAD', '/'),
  metrics: http('GET', '/metrics'),
  'a sign of life': http('GET', '/livez'),
  'a probe': http('GET', '/readyz'),
};

interface Broken {
  kind: string;
  /** The part of the request that is sent. */
  part: number;
  /** When it is broken off after that, in milliseconds, or at the answer's first bytes. */
  when: number | 'answer';
  way: 'fin' | 'rst' | 'silence';
}
const anyBroken: fc.Arbitrary<Broken> = fc.record({
  kind: fc.constantFrom(...Object.keys(kinds)),
  part: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
  when: fc.oneof(fc.constant('answer' as const), fc.integer({ min: 0, max: 30 })),
  way: fc.constantFrom('fin' as const, 'rst' as const, 'silence' as const),
});

const silent: Socket[] = [];
atEnd(() => silent.forEach((socket) => socket.destroy()));

function breakOff({ kind, part, when, way }: Broken): Promise<void> {
  return new Promise((resolve) => {
    const bytes = kinds[kind]!;
    const socket = connect(port, '127.0.0.1');
    const end = (): void => {
      if (way === 'rst') socket.resetAndDestroy();
      else if (way === 'fin') socket.destroy();
      else silent.push(socket.pause());
      resolve();
    };
    socket.on('error', resolve).on('close', () => resolve());
    const sent = bytes.subarray(0, Math.ceil(bytes.length * part));
    if (when === 'answer' && part === 1) socket.once('data', end);
    socket.write(sent, () => {
      if (when !== 'answer' || part < 1) setTimeout(end, when === 'answer' ? 0 : when);
    });
  });
}

/** A receiver of webhooks that breaks each request off, in turn at once, after its first bytes and in its own answer. */
async function breakingReceiver(): Promise<string> {
  let n = 0;
  const receiver = createServer((socket) => {
    socket.on('error', () => undefined);
    const way = n++ % 4;
    if (way === 0) return void socket.resetAndDestroy();
    socket.once('data', () => {
      if (way === 1) return socket.resetAndDestroy();
      if (way === 2) return socket.end('HTTP/1.1 200 OK\r\ncontent-le');
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nx', () => socket.resetAndDestroy());
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  atEnd(() => void receiver.close());
  return `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
}

interface Resources {
  activeResources: Record<string, number>;
  listeners: Record<string, number>;
}

async function resources(): Promise<Resources> {
  const lines = (): string[] => server.logs.filter((line) => line.startsWith('{"activeResources"'));
  const before = lines().length;
  process.kill(server.pid, 'SIGUSR2');
  await vi.waitFor(() => expect(lines().length).toBeGreaterThan(before), patiently);
  return JSON.parse(lines().at(-1)!) as Resources;
}

/** Open streams and sockets, and connections of the pool that are in use. */
const openNow = async (): Promise<string[]> =>
  (await send(`${server.url}/metrics`)).body
    .split('\n')
    .filter((line) => /^baton_(sockets|streams|pool_waiting|pool_connections{state="busy"}) /.test(line));

/** What the server holds. Connections to PostgreSQL are pipes here. */
async function holdings(): Promise<Record<string, number>> {
  const { activeResources, listeners } = await resources();
  const { TCPServerWrap = 0, TCPSocketWrap = 0, Timeout = 0 } = activeResources;
  const open = (await openNow()).map((line) => line.split(' ') as [string, string]);
  return {
    TCPServerWrap,
    TCPSocketWrap,
    Timeout,
    ...listeners,
    ...Object.fromEntries(open.map(([name, value]) => [name, Number(value)])),
  };
}

/** What there is more of than before. */
const grown = (before: Record<string, number>, now: Record<string, number>): string[] =>
  Object.entries(now).flatMap(([name, value]) =>
    value > (before[name] ?? 0) ? [`${name}: ${before[name] ?? 0}, ${value}`] : [],
  );

test(
  `${runs} requests of every kind, broken off anywhere, leave the server as it was`,
  { timeout: 240_000 },
  async () => {
    await api.post('{ agents { totalCount } }');
    await api.post(`mutation ($url: String!) { createWebhook(input: { url: $url }) { __typename } }`, {
      url: await breakingReceiver(),
    });
    // What a server makes at the first request of a kind stays.
    for (const kind of Object.keys(kinds)) await breakOff({ kind, part: 1, when: 'answer', way: 'fin' });
    api.close();
    const before = await holdings();

    const samples = fc.sample(anyBroken, { numRuns: runs, seed });
    const all: Broken[] = [
      // Each kind as a whole by each way, too: a sample may miss one.
      ...Object.keys(kinds).flatMap((kind) =>
        (['fin', 'rst'] as const).flatMap((way) =>
          [0, 'answer' as const].map((when) => ({ kind, part: 1, when, way })),
        ),
      ),
      ...samples,
    ];
    for (let n = 0; n < all.length; n += 10) {
      await Promise.all(all.slice(n, n + 10).map(breakOff));
      const { status } = await api.post(create).catch((error: unknown) => {
        throw new Error(`After ${JSON.stringify(all.slice(n, n + 10))}: ${server.logs.slice(-15).join('\n')}`, {
          cause: error,
        });
      });
      expect(status).toBe(200);
    }
    for (const socket of silent) socket.resetAndDestroy();

    expect(await api.post('{ agents { totalCount } }')).toMatchObject({ data: { agents: { totalCount: 2 } } });
    api.close();
    // No socket, timer, listener or connection in use is left.
    await vi.waitFor(async () => expect(grown(before, await holdings())).toEqual([]), threadsEnd);
    const { rows } = await database.pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
    );
    expect(rows).toEqual([{ n: 0 }]);
    expect(await brokenInvariants(database.pool)).toEqual([]);
    expect(server.logs.filter((line) => /"level":[56]0/.test(line))).toEqual([]);
    expect(await server.kill()).toEqual({ code: 0, signal: null });
  },
);
