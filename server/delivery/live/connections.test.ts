import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { adminKey } from '../../../test/keyring.ts';
import { startApp } from '../../../test/server.ts';
import { rawSocket } from '../../../test/socket.ts';
import { world } from '../../../test/world.ts';

const database = await testDatabase();
const limit = 3;
const { url, streams, live } = await startApp(database, {
  limits: { connections: limit },
  variables: { BATON_ADMIN_KEY: adminKey },
});
await world(database.pool).agent('ada');
const authorization = `Bearer ${adminKey}`;
const patiently = { timeout: 20_000, interval: 20 };

interface Opened {
  /** The refusal as the client sees it; null when the stream is open. */
  refusal: unknown;
  tcp: Socket;
}

/** The first bytes of an answer decide: a stream's first event, or the whole refusal. */
async function byHttp(path: string, method: string, body: string, accept = 'text/event-stream'): Promise<Opened> {
  const outgoing = request(`${url}${path}`, {
    agent: false,
    method,
    headers: { authorization, accept, ...(method === 'POST' && { 'content-type': 'application/json' }) },
  });
  outgoing.on('error', () => undefined).end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  let text = '';
  response.on('error', () => undefined).on('data', (part: Buffer) => (text += part.toString()));
  await vi.waitFor(() => expect(text).toMatch(/data: *\{|^\{/), patiently);
  const [, errors] = /data: *(\{"errors".*)\n/.exec(text) ?? [];
  const refusal = errors ?? (response.statusCode === 200 ? null : text);
  const retry = response.headers['retry-after'];
  return {
    refusal: refusal === null ? null : { status: response.statusCode, retry, body: JSON.parse(refusal) as unknown },
    tcp: outgoing.socket!,
  };
}

const query = 'subscription { handoffEvents { type } }';
const kinds = {
  async socket(): Promise<Opened> {
    const socket = await rawSocket(url);
    const tcp = Reflect.get(socket.ws, '_socket') as Socket;
    const acknowledged = socket.init({ authorization }).then(
      () => null,
      () => socket.closed,
    );
    return { refusal: await acknowledged, tcp };
  },
  events: () => byHttp('/graphql', 'POST', JSON.stringify({ query })),
  'events by GET': () => byHttp(`/graphql?query=${encodeURIComponent(query)}`, 'GET', ''),
  mcp: () => byHttp('/mcp/ada', 'GET', ''),
};
type Kind = keyof typeof kinds;
const names = Object.keys(kinds) as Kind[];

const message = 'A key may have 3 sockets, SSE subscriptions and MCP streams together: close others, then try again';
const limited = {
  status: 200,
  body: {
    errors: [{ message, extensions: { code: 'LIMIT_EXCEEDED', what: 'connections', limit, actual: limit + 1 } }],
  },
};
const later = { status: 429, retry: '1', body: { error: { message } } };
const refusals: Record<Kind, object> = {
  socket: { code: 1013, reason: message },
  events: limited,
  'events by GET': limited,
  mcp: later,
};

const ways = {
  fin: (tcp: Socket) => tcp.destroy(),
  rst: (tcp: Socket) => tcp.resetAndDestroy(),
};

/** A refused attempt takes no place, so it may be repeated. */
const openAtLast = (kind: Kind): Promise<Opened> =>
  vi.waitFor(async () => {
    const opened = await kinds[kind]();
    expect(opened.refusal).toBeNull();
    return opened;
  }, patiently);

const nothingIsOpen = (): Promise<void> =>
  vi.waitFor(() => expect([streams.size, live.openSockets]).toEqual([0, 0]), patiently);

test.each(names)('%s: a key has them up to the limit, and the next one as soon as one ends', async (kind) => {
  const open = await Promise.all(Array.from({ length: limit }, () => kinds[kind]()));
  expect(open.map(({ refusal }) => refusal)).toEqual([null, null, null]);
  for (const way of Object.values(ways)) {
    expect((await kinds[kind]()).refusal).toMatchObject(refusals[kind]);
    way(open.shift()!.tcp);
    open.push(await openAtLast(kind));
  }
  for (const { tcp } of open) ways.fin(tcp);
  await nothingIsOpen();
});

test('all kinds count together, however each of them ends', async () => {
  const step = fc.record({
    kind: fc.constantFrom(...names),
    refused: fc.constantFrom(...names),
    way: fc.constantFrom<keyof typeof ways>('fin', 'rst'),
  });
  const open = await Promise.all(names.slice(0, limit).map(openAtLast));
  for (const { kind, refused, way } of fc.sample(step, { numRuns: 20, seed: 6 })) {
    expect((await kinds[refused]()).refusal).toMatchObject(refusals[refused]);
    ways[way](open.shift()!.tcp);
    open.push(await openAtLast(kind));
  }
  for (const { tcp } of open) ways.rst(tcp);
  await nothingIsOpen();
});

test('what is refused, not acceptable or left before its answer keeps no place', async () => {
  const bad = JSON.stringify({ query: 'subscription { handoffEvents(after: "x") { type } }' });
  for (let n = 0; n <= limit; n += 1) {
    expect((await byHttp('/graphql', 'POST', bad)).refusal).not.toBeNull();
    expect((await byHttp('/mcp/nobody', 'GET', '')).refusal).toMatchObject({ status: 404 });
    const unacceptable = request(`${url}/graphql`, {
      agent: false,
      method: 'POST',
      headers: { authorization, accept: 'image/png', 'content-type': 'application/json' },
    }).end(JSON.stringify({ query }));
    const [answer] = (await once(unacceptable, 'response')) as [IncomingMessage];
    expect(answer.resume().statusCode).toBe(406);
  }
  for (const [path, method, body] of [
    ['/graphql', 'POST', JSON.stringify({ query })],
    ['/mcp/ada', 'GET', ''],
  ] as const)
    for (const way of Object.values(ways))
      for (let n = 0; n <= limit; n += 1) {
        const left = request(`${url}${path}`, {
          agent: false,
          method,
          headers: { authorization, accept: 'text/event-stream', 'content-type': 'application/json' },
        });
        left.on('error', () => undefined);
        await new Promise<void>((resolve) => left.end(body, resolve));
        way(left.socket!);
      }
  await nothingIsOpen();
  const open = await Promise.all(names.slice(0, limit).map(openAtLast));
  expect((await kinds.mcp()).refusal).toMatchObject(later);
  for (const { tcp } of open) ways.fin(tcp);
  await nothingIsOpen();
});
