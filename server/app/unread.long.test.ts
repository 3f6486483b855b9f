import { connect, type Socket } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { atEnd, testDatabase } from '../../test/database.ts';
import { client, send } from '../../test/graphql.ts';
import { adminKey, secretFor } from '../../test/keyring.ts';
import { startApp } from '../../test/server.ts';
import { sseStream } from '../../test/socket.ts';
import { world } from '../../test/world.ts';
import { encodeId } from '../core/ids.ts';
import { limits } from '../core/limits.ts';

const database = await testDatabase();
const { agent, session, turn } = world(database.pool);
const MB = 1024 * 1024;
const query = 'query ($id: ID!, $first: Int!) { session(id: $id) { messages(first: $first) { nodes { content } } } }';
let id = '';

beforeAll(async () => {
  await agent('ada', { maxCapacity: 100 });
  const sessionId = await session('ada');
  await turn(sessionId, { messages: Array.from({ length: 40 }, () => ({ role: 'ASSISTANT' as const, content: 'x' })) });
  await database.pool.query(`UPDATE messages SET content = repeat('x', 250000)`);
  id = encodeId('session', sessionId);
});

/** A connection that asks and reads nothing. */
function unread(url: string, { first, times = 1, key }: { first: number; times?: number; key?: string }): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  atEnd(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.pause();
  const body = JSON.stringify({ query, variables: { id, first } });
  const headers = [
    'host: localhost',
    'content-type: application/json',
    'accept: application/json',
    `content-length: ${body.length}`,
    ...(key === undefined ? [] : [`authorization: Bearer ${key}`]),
  ];
  socket.write(`POST /graphql HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`.repeat(times));
  return socket;
}

/** A client that does not read learns by writing that the other end is gone. */
function isClosed(socket: Socket): boolean {
  if (!socket.destroyed) socket.write('\r\n');
  return socket.destroyed;
}

const closed = (socket: Socket) => expect.poll(() => isClosed(socket), { timeout: 20_000 }).toBe(true);

describe('a client that reads nothing', () => {
  const impatient = { http: { drainWithin: 400, checkedEvery: 50 } };

  test('of a large answer is disconnected after a while', async () => {
    const { url } = await startApp(database, impatient);
    const socket = unread(url, { first: 40 });
    await closed(socket);
    expect(socket.bytesRead).toBeLessThan(10_000_000);
  });

  test('of Server-Sent Events is disconnected after a while', async () => {
    const { url, streams } = await startApp(database, { ...impatient, pace: { heartbeatMs: 3_600_000, pollMs: 20 } });
    const stream = await sseStream(
      url,
      'subscription { event: sessionUpdated { type session { messages(first: 10) { nodes { content } } } } }',
    );
    await stream.result();
    stream.pause();
    // More than the kernels on both ends keep for a connection.
    for (let n = 0; n < 6; n += 1) {
      const sessionId = await session('ada');
      await turn(sessionId, {
        messages: Array.from({ length: 10 }, () => ({ role: 'ASSISTANT' as const, content: 'x'.repeat(250_000) })),
      });
    }
    await expect.poll(() => streams.size, { timeout: 20_000 }).toBe(0);
    stream.close();
  });

  test('stays connected while it reads a little now and then', async () => {
    const drainWithin = 3_000;
    const { url } = await startApp(database, { http: { drainWithin, checkedEvery: 50 } });
    const socket = unread(url, { first: 40 });
    const began = performance.now();
    await new Promise<void>((resolve, reject) => {
      socket.once('close', () => reject(new Error(`closed after ${socket.bytesRead} bytes`)));
      const drip = setInterval(() => {
        if (socket.read(200_000) === null) socket.read();
        if (performance.now() - began < 1.5 * drainWithin) return;
        clearInterval(drip);
        resolve();
      }, 100);
    });
  });
});

describe('unread answers', () => {
  test('are limited for the process: more is UNAVAILABLE until stalled clients are disconnected', async () => {
    const { url } = await startApp(database, { unread: { process: 12 * MB, stalledMs: 4_000 } });
    const sockets: Socket[] = [];
    const { post } = client(url);
    await expect
      .poll(
        async () => {
          // The kernel may keep most of an answer, and on a busy machine a socket may be disconnected before the next request.
          sockets.push(unread(url, { first: 40 }));
          return (await post(query, { id, first: 40 })).status;
        },
        { timeout: 40_000, interval: 20 },
      )
      .toBe(503);
    await expect.poll(async () => (await post(query, { id, first: 40 })).status, { timeout: 20_000 }).toBe(200);
    await expect.poll(() => sockets.some(isClosed), { timeout: 20_000 }).toBe(true);
  });

  test('are limited for each connection: further requests get 429', async () => {
    let executed = 0;
    const counting = { onExecute: () => ({ onExecuteDone: () => void (executed += 1) }) };
    const { url } = await startApp(database, { unread: { stalledMs: 3_600_000 }, plugins: [counting] });
    const socket = unread(url, { first: 40, times: 4 });
    await expect.poll(() => executed, { timeout: 20_000 }).toBe(4);
    await send(`${url}/livez`);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1').replace(/x{100,}/g, '')));
    socket.resume();
    await expect.poll(() => [...text.matchAll(/HTTP\/1.1 (\d+)/g)].length, { timeout: 30_000 }).toBe(4);
    expect([...text.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status)).toContain('429');
    expect(text).toContain(`exceed ${limits.unread.connection} bytes`);
  });

  // The last: a database that has keys is not open any more.
  test('are limited for each key: more is RATE_LIMITED, while small answers and other keys succeed', async () => {
    const { url } = await startApp(database, {
      variables: { BATON_ADMIN_KEY: adminKey },
      unread: { key: 12 * MB, stalledMs: 3_600_000 },
    });
    const greedy = await secretFor(database.pool, 'OPERATOR');
    const sockets = [unread(url, { first: 40, key: greedy })];
    const same = client(url, { key: greedy });
    // On a busy machine the first may be refused for other reasons, and then keeps nothing waiting.
    const another = async (): Promise<number> => {
      const { status } = await same.post(query, { id, first: 40 });
      if (status === 200) sockets.push(unread(url, { first: 40, key: greedy }));
      return status;
    };
    await expect.poll(another, { timeout: 20_000 }).toBe(429);
    expect((await same.post(query, { id, first: 40 })).errors).toMatchObject([
      { extensions: { code: 'RATE_LIMITED' } },
    ]);
    expect(await same.post(`{ session(id: "${id}") { title } }`)).toMatchObject({ status: 200, errors: undefined });
    expect((await client(url, { key: adminKey }).post(query, { id, first: 40 })).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await expect.poll(async () => (await same.post(query, { id, first: 40 })).status, { timeout: 20_000 }).toBe(200);
  });
});
