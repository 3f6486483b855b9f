import { beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { startApp } from '../../../test/server.ts';
import { rawSocket, sseStream } from '../../../test/socket.ts';
import { world } from '../../../test/world.ts';

const database = await testDatabase();
const { agent, session } = world(database.pool);
const query = 'subscription { event: handoffEvents { type cursor } }';

beforeAll(async () => {
  await agent('ada', { maxCapacity: 1_000 });
});

describe('Server-Sent Events', () => {
  test('have heartbeats, and leave no stream when the client is gone', async () => {
    const { url, streams } = await startApp(database, { pace: { heartbeatMs: 100 } });
    const many = await Promise.all(Array.from({ length: 20 }, () => sseStream(url, query)));
    for (const stream of many)
      for (const type of ['READY', 'HEARTBEAT', 'HEARTBEAT'])
        expect(await stream.result()).toMatchObject({ data: { event: { type } } });
    expect(streams.size).toBe(20);
    for (const stream of many) stream.close();
    await expect.poll(() => streams.size, { timeout: 20_000 }).toBe(0);
  });

  test('end with UNAVAILABLE, and sockets with 1012, when the server stops without waiting for a frozen client', async () => {
    const { url, streams, stop } = await startApp(database);
    const sse = await sseStream(url, query);
    await sse.result();
    const socket = await rawSocket(url);
    await socket.init();
    socket.subscribe('1', query);
    await socket.result('1');
    const frozen = await rawSocket(url);
    await frozen.init();
    frozen.pause();
    const began = performance.now();
    await stop();
    expect(performance.now() - began).toBeLessThan(14_000);
    expect(await socket.closed).toMatchObject({ code: 1012 });
    // Told to come again, not that there is no more.
    expect(socket.left.map(({ type }) => type)).toEqual([]);
    expect(await sse.result()).toMatchObject({ errors: [{ extensions: { code: 'UNAVAILABLE' } }] });
    await sse.ended;
    expect(streams.size).toBe(0);
    frozen.terminate();
  });
});

test('a client that reads nothing is disconnected, and gets everything from its cursor later', async () => {
  const { url, streams } = await startApp(database, {
    limits: { pingMs: 100, drainMs: 500, waitingBytes: 1 },
    pace: { heartbeatMs: 3_600_000, pollMs: 20 },
  });
  const socket = await rawSocket(url);
  await socket.init();
  const wide =
    'subscription ($after: String) { event: sessionUpdated(after: $after) { cursor type session { title metadata } } }';
  socket.subscribe('1', wide);
  const ready = (await socket.result<{ event: { cursor: string } }>('1')).data!.event;
  socket.pause();
  const metadata = { long: 'x'.repeat(60_000) };
  // More than the kernels on both ends keep for a connection.
  for (let n = 0; n < 200; n += 1) await session('ada', { metadata });
  await expect.poll(() => streams.size, { timeout: 30_000 }).toBe(0);
  socket.terminate();

  // Of a server that gives its readers time.
  const again = await rawSocket((await startApp(database, { pace: { heartbeatMs: 3_600_000 } })).url);
  await again.init();
  again.subscribe('1', wide, { after: ready.cursor });
  await again.result('1');
  for (let n = 0; n < 200; n += 1)
    expect(await again.result('1')).toMatchObject({ data: { event: { type: 'SESSION_CREATED' } } });
  again.close();
});
