import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { limits } from '../../server/infra/prisma.ts';
import { atEnd, testDatabase } from '../database.ts';
import { startRedis } from '../redis.ts';
import { startApp } from '../server.ts';
import { rawSocket, sseStream } from '../socket.ts';
import { world } from '../world.ts';
import { random } from './random.ts';

const db = await testDatabase();
const { agent } = world(db.pool);
const count = 10_000;
const atOnce = 20;
setFlagsFromString('--expose_gc');
const collect = runInNewContext('gc') as () => void;

const subscriptions = [
  'handoffAssigned(agentId: "a")',
  'handoffAssigned(agentId: "b")',
  'handoffEvents',
  'sessionUpdated',
].map((field) => `subscription { event: ${field} { type session { title } } }`);

/** Comes, and goes at one of the moments at which one can go. */
async function visit(url: string, dice: ReturnType<typeof random>): Promise<void> {
  const query = dice.pick(subscriptions);
  const moment = dice.below(8);
  if (moment === 0) {
    const stream = await sseStream(url, query);
    await stream.result();
    stream.close();
    await stream.ended;
    return;
  }
  const socket = await rawSocket(url);
  if (moment >= 2) await socket.init();
  if (moment >= 3) socket.subscribe('1', query);
  if (moment >= 5) await socket.result('1');
  if (moment === 6) socket.send({ id: '1', type: 'complete' });
  if (dice.below(2) === 0) socket.terminate();
  else socket.close();
  await socket.closed;
}

it('10,000 connections leave no listener, timer, Redis subscription, database connection or memory behind', async () => {
  await agent('a');
  await agent('b');
  const redis = await startRedis();
  atEnd(() => redis.stop());
  const { url, streams } = await startApp(db, { variables: { REDIS_URL: redis.url } });
  const visitMany = async (visits: number, seed: number): Promise<void> => {
    let left = visits;
    const visitor = async (_: unknown, n: number): Promise<void> => {
      const dice = random(seed, n);
      while (left > 0) {
        left -= 1;
        await visit(url, dice);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, visitor));
  };
  const patience = { timeout: 60_000, interval: 50 };
  /** What is there when they are gone. */
  const left = async () => {
    const { rows } = await db.pool.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database()',
    );
    const [channels, clients] = await Promise.all([
      redis.command('PUBSUB', 'CHANNELS'),
      redis.command('CLIENT', 'LIST'),
    ]);
    const resources = process.getActiveResourcesInfo();
    return {
      streams: streams.size,
      timers: resources.filter((name) => name === 'Timeout').length,
      sockets: resources.filter((name) => name === 'TCPSocketWrap').length,
      listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
      channels: (channels as string[]).length,
      redisClients: String(clients)
        .split('\n')
        .filter((line) => line.includes('name=baton')).length,
      databaseConnections: rows[0]!.n <= limits.connections,
    };
  };
  // One stays, so that what is kept for each stream is there all the time and could grow.
  const constant = await rawSocket(url);
  atEnd(() => constant.terminate());
  await constant.init();
  for (const [n, query] of subscriptions.entries()) {
    constant.subscribe(String(n), query);
    await constant.result(String(n));
  }
  // The first ones bring what stays: pooled connections, compiled code, caches.
  await visitMany(2_000, 1);
  await expect.poll(() => streams.size, patience).toBe(subscriptions.length);
  const before = await left();
  collect();
  const memory = process.memoryUsage().heapUsed;

  const began = performance.now();
  await visitMany(count, 2);
  const tookMs = performance.now() - began;

  await expect
    .poll(async () => {
      const now = await left();
      // Pooled sockets may have been fewer before; there must not be more now.
      return { ...now, sockets: now.sockets <= before.sockets, timers: now.timers <= before.timers };
    }, patience)
    .toEqual({ ...before, sockets: true, timers: true });
  collect();
  const grown = (process.memoryUsage().heapUsed - memory) / 1_048_576;
  process.stdout.write(
    `${count} came and went in ${Math.round(tookMs)} ms; the heap has grown by ${grown.toFixed(1)} MB: ${JSON.stringify(await left())}\n`,
  );
  expect(before).toMatchObject({ streams: subscriptions.length, channels: 1, databaseConnections: true });
  // A listener left behind by each would be 10 MB; caches still fill by 3, as much after 40,000.
  expect(grown).toBeLessThan(6);
}, 400_000);
