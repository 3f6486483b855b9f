import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { atEnd, testDatabase } from '../../../test/database.ts';
import { startApp } from '../../../test/server.ts';
import { rawSocket, type RawSocket } from '../../../test/socket.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { createRates } from '../../infra/limits/rates.ts';
import { createLog } from '../../infra/log.ts';

const database = await testDatabase();
const { pool } = database;
const { agent } = world(pool);
const open = await startApp(database, {
  limits: { initMs: 300 },
  pace: { heartbeatMs: 200 },
  variables: { BATON_ALLOWED_ORIGINS: 'https://baton.example.com' },
});

const handoffs = 'subscription ($after: String) { event: handoffEvents(after: $after) { type cursor } }';
const subscription = (id: string) => ({ id, type: 'subscribe', payload: { query: handoffs } });

beforeAll(async () => {
  await agent('ada', { maxCapacity: 1_000 });
  await agent('bob');
});

describe('a violation of the protocol closes the socket with its code', () => {
  const violations: [number, string, (socket: RawSocket) => Promise<unknown> | void][] = [
    [4400, 'no JSON', (socket) => socket.sendText('{')],
    [4400, 'no message', (socket) => socket.sendText('[]')],
    [4400, 'an unknown type', (socket) => socket.send({ type: 'start' })],
    [
      4400,
      'a message that only servers send',
      async (socket) => {
        await socket.init();
        socket.send({ id: '1', type: 'next', payload: {} });
      },
    ],
    [4400, 'a subscription without a query', (socket) => socket.send({ id: '1', type: 'subscribe', payload: {} })],
    [4401, 'a subscription before the connection is acknowledged', (socket) => socket.send(subscription('1'))],
    [4408, 'no connection_init in time', () => undefined],
    [
      4409,
      'an id that is in use',
      async (socket) => {
        await socket.init();
        socket.send(subscription('1'));
        await socket.result('1');
        socket.send(subscription('1'));
      },
    ],
    [
      4409,
      'a long id that is in use',
      async (socket) => {
        await socket.init();
        const id = 'é'.repeat(200);
        socket.send(subscription(id));
        await socket.result(id);
        socket.send(subscription(id));
      },
    ],
    [
      4429,
      'a second connection_init',
      async (socket) => {
        await socket.init();
        socket.send({ type: 'connection_init' });
      },
    ],
    [
      1009,
      'a frame of more than 64 KB',
      (socket) => socket.sendText(JSON.stringify({ type: 'ping', payload: { text: 'x'.repeat(64 * 1024) } })),
    ],
  ];
  test.each(violations)('%i: %s', async (code, _name, violate) => {
    const socket = await rawSocket(open.url);
    await violate(socket);
    expect(await socket.closed).toMatchObject({ code });
    await expect.poll(() => open.streams.size, { timeout: 20_000 }).toBe(0);
  });

  test('4406: another subprotocol', async () => {
    for (const protocol of ['graphql-ws', 'mqtt']) {
      const socket = await rawSocket(open.url, { protocol }).catch((error: Error) => error);
      // The library of the client itself refuses a server that does not take up what it offers.
      if (socket instanceof Error) expect(socket.message).toMatch(/subprotocol/);
      else expect(await socket.closed).toMatchObject({ code: 4406 });
    }
    expect(await closeCodeOf(open.url, 'Sec-WebSocket-Protocol: mqtt')).toBe(4406);
  });
});

describe('an operation over a socket', () => {
  test('is parsed and validated as over HTTP, with the same codes and suggestions', async () => {
    const socket = await rawSocket(open.url);
    await socket.init();
    socket.subscribe('1', '{ sesions { nodes { id } } }');
    expect(await socket.message('error', '1')).toMatchObject({
      payload: [
        {
          message: 'Cannot query field "sesions" on type "Query". Did you mean "sessions" or "session"?',
          extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
        },
      ],
    });
    socket.subscribe('2', '{ ');
    expect(await socket.message('error', '2')).toMatchObject({
      payload: [{ extensions: { code: 'GRAPHQL_PARSE_FAILED' } }],
    });
    socket.subscribe('3', 'query A { viewer { role } } query B { viewer { role } }');
    expect(await socket.message('error', '3')).toMatchObject({
      payload: [{ extensions: { code: 'OPERATION_RESOLUTION_FAILURE' } }],
    });
    socket.subscribe('4', '{ agent(id: "ada") { id currentLoad } }');
    expect(await socket.result('4')).toMatchObject({
      data: { agent: { id: 'ada', currentLoad: 0 } },
      extensions: { cost: { limit: 5_000 } },
    });
    await socket.message('complete', '4');
    socket.close();
  });

  test('has the limits of HTTP', async () => {
    const socket = await rawSocket(open.url);
    await socket.init();
    socket.subscribe('1', `{ ${Array.from({ length: 16 }, (_, n) => `a${n}: __typename`).join(' ')} }`);
    expect(await socket.message('error', '1')).toMatchObject({
      payload: [{ extensions: { code: 'LIMIT_EXCEEDED', what: 'aliases', limit: 15, actual: 16 } }],
    });
    socket.subscribe('2', 'query ($v: JSON) { viewer { role } }', {
      v: JSON.parse('['.repeat(100) + ']'.repeat(100)) as object,
    });
    expect(await socket.message('error', '2')).toMatchObject({ payload: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
    socket.close();
    const few = await startApp(database, {
      rates: createRates({ rateOf: () => ({ perMinute: 60, burst: 3 }) }),
      variables: { BATON_ADMIN_KEY: 'k'.repeat(32) },
    });
    const limited = await rawSocket(few.url);
    await limited.init({ authorization: `Bearer ${'k'.repeat(32)}` });
    for (const id of ['1', '2', '3']) {
      limited.send(subscription(id));
      await limited.result(id);
    }
    limited.send(subscription('4'));
    const { payload } = await limited.message('error', '4');
    expect(payload).toMatchObject([
      { extensions: { code: 'RATE_LIMITED', retryAfterMs: expect.any(Number) as number } },
    ]);
    expect(JSON.stringify(payload)).not.toContain('http');
    limited.close();
    await few.stop();
  });

  test('beyond 20 at once is refused with LIMIT_EXCEEDED, and the socket and its other operations go on', async () => {
    const lines: string[] = [];
    const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } });
    const { url, stop } = await startApp(database, { log, pace: { heartbeatMs: 200 } });
    const socket = await rawSocket(url);
    await socket.init();
    for (let n = 0; n < 20; n += 1) socket.send(subscription(`${n}`));
    await Promise.all(Array.from({ length: 20 }, (_, n) => socket.result(`${n}`)));
    // Sent at once: more than a socket works on at a time.
    for (let n = 20; n < 320; n += 1)
      socket.send(
        n % 2 === 0
          ? subscription(`${n}`)
          : { id: `${n}`, type: 'subscribe', payload: { query: '{ viewer { role } }' } },
      );
    for (let n = 20; n < 320; n += 1) {
      expect(await socket.message('error', `${n}`)).toMatchObject({
        payload: [
          {
            message: 'A socket may have 20 operations at once: complete one first, or open another socket',
            extensions: { code: 'LIMIT_EXCEEDED', what: 'subscriptions', limit: 20, actual: 21 },
          },
        ],
      });
    }
    expect(await socket.result('0')).toMatchObject({ data: { event: { type: 'HEARTBEAT' } } });
    socket.send({ id: '7', type: 'complete' });
    socket.subscribe('20', '{ viewer { role } }');
    expect(await socket.result('20')).toMatchObject({ data: { viewer: { role: 'ADMIN' } } });
    await stop();
    expect(await socket.closed).toMatchObject({ code: 1012 });
    expect(lines.join('')).not.toContain('a reason that is ours');
  });

  test('of a foreign page is refused at the upgrade, and those of own and allowed pages and of programs are not', async () => {
    const host = new URL(open.url).host;
    for (const origin of [
      'https://evil.example',
      'null',
      `http://${host}.evil.example`,
      'https://baton.example.com.evil.example',
    ]) {
      await expect(rawSocket(open.url, { origin })).rejects.toThrow('403');
    }
    for (const options of [{ origin: `http://${host}` }, { origin: 'https://baton.example.com' }, {}]) {
      const socket = await rawSocket(open.url, options);
      await socket.init();
      socket.close();
    }
    await expect(rawSocket(`${open.url}/elsewhere`)).rejects.toThrow('404');
    await expect(rawSocket(open.url, { headers: { host: 'evil.example' } })).rejects.toThrow('403');
  });

  const slow = 'subscription ($ids: [ID!]) { event: sessionUpdated(sessionIds: $ids) { type cursor } }';
  test.each([
    ['sooner', handoffs, slow],
    ['later', slow, handoffs],
  ])(
    'whose id is reused before it has begun, and which opens %s than the second, leaves nothing behind',
    async (_order, first, second) => {
      const ids = [encodeId('session', await world(pool).session('ada'))];
      for (const end of [
        (socket: RawSocket) => socket.close(),
        (socket: RawSocket) => socket.send({ id: '1', type: 'complete' }),
      ]) {
        const socket = await rawSocket(open.url);
        await socket.init();
        socket.subscribe('1', first, first === slow ? { ids } : {});
        socket.send({ id: '1', type: 'complete' });
        socket.subscribe('1', second, second === slow ? { ids } : {});
        expect(await socket.result('1')).toMatchObject({ data: { event: { type: 'READY' } } });
        // Two streams would say so twice.
        for (let n = 0; n < 4; n += 1)
          expect(await socket.result('1')).toMatchObject({ data: { event: { type: 'HEARTBEAT' } } });
        expect(open.streams.size).toBe(1);
        expect(socket.left).toEqual([]);
        end(socket);
        await expect.poll(() => open.streams.size, { timeout: 20_000 }).toBe(0);
        socket.close();
      }
    },
  );

  test('has heartbeats with the cursor of its stream', async () => {
    const socket = await rawSocket(open.url);
    await socket.init();
    socket.subscribe('1', handoffs);
    const { data } = await socket.result<{ event: { cursor: string } }>('1');
    for (let n = 0; n < 3; n += 1)
      expect(await socket.result('1')).toEqual({ data: { event: { type: 'HEARTBEAT', cursor: data!.event.cursor } } });
    socket.close();
  });
});

test('clients that do not close, stay after a refusal, or send nothing do not delay the stop of the server', async () => {
  const { url, live, stop } = await startApp(database);
  const [leaving, refused, silent] = await Promise.all([halfOpen(url), halfOpen(url, '', '/elsewhere'), halfOpen(url)]);
  atEnd(async () => [leaving, refused, silent].forEach((socket) => socket.destroy()));
  await expect.poll(() => live.openSockets, { timeout: 20_000 }).toBe(2);
  // A close frame with code 1000, masked with nothing.
  leaving.write(Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8]));
  await once(leaving, 'end');
  const began = performance.now();
  await stop();
  expect(performance.now() - began).toBeLessThan(14_000);
});

/** A connection that asks to be a socket, and then does not end when the server ends it. */
async function halfOpen(
  url: string,
  header = 'Sec-WebSocket-Protocol: graphql-transport-ws',
  path = '/graphql',
): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(upgradeOf(url, header, path));
  await once(socket, 'readable');
  socket.resume();
  return socket;
}

const upgradeOf = (url: string, header: string, path = '/graphql'): string =>
  `GET ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\n${header}\r\n\r\n`;

/** The code of the first close frame that a server sends to a client with these headers. */
function closeCodeOf(url: string, header: string): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(upgradeOf(url, header)));
    let bytes = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      const at = bytes.indexOf('\r\n\r\n') + 4;
      if (at < 4 || bytes.length < at + 4) return;
      socket.destroy();
      resolve(bytes.readUInt16BE(at + 2));
    });
    socket.on('error', reject);
  });
}
