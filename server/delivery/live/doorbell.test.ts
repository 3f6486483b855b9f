import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { atEnd } from '../../../test/database.ts';
import { freePort } from '../../../test/ports.ts';
import { startRedis, startRedisCluster, type TestRedis } from '../../../test/redis.ts';
import type { Hint } from '../../core/work.ts';
import { silentLog } from '../../infra/log.ts';
import type { Doorbell } from './doorbell.ts';
import { fromMessage, toMessages } from './hint.ts';
import { createDoorbell } from './redisDoorbell.ts';

const patience = { timeout: 20_000, interval: 10 };
const redis = await startRedis();
const cluster = await startRedisCluster();
atEnd(() => redis.stop());
atEnd(() => cluster.stop());

const opened: Doorbell[] = [];
afterAll(async () => {
  for (const bell of opened) await bell.close();
});

function open(urls: string[] | undefined, databaseId: string) {
  const bell = createDoorbell({ urls, databaseId, log: silentLog });
  opened.push(bell);
  const heard: Hint[] = [];
  const missed = { times: 0 };
  const stop = bell.listen({ heard: (hint) => heard.push(hint), missed: () => (missed.times += 1) });
  return { bell, heard, missed, stop };
}
const hears = (...bells: Doorbell[]) => expect.poll(() => bells.every((bell) => bell.hears), patience).toBe(true);
const deaf = (bell: Doorbell) => expect.poll(() => bell.hears, patience).toBe(false);

const all = (number: number): Hint => ({ about: 'all', number });
const inbox = (agentId: string, number: number): Hint => ({ about: 'inbox', agentId, number });

describe.each([
  ['in this process', () => undefined],
  ['through a Redis', () => [redis.url]],
  ['through a cluster', () => cluster.url.split(',')],
])('a doorbell %s', (_name, urls) => {
  test('rings for every listener in order until it stops listening', () => {
    const { bell, heard, stop } = open(urls(), randomUUID());
    const second: Hint[] = [];
    bell.listen({ heard: (hint) => second.push(hint), missed: () => undefined });
    bell.ring([inbox('ada', 3), all(7)]);
    expect(heard).toEqual([inbox('ada', 3), all(7)]);
    stop();
    bell.ring([all(8)]);
    expect(heard).toHaveLength(2);
    expect(second).toEqual([inbox('ada', 3), all(7), all(8)]);
  });
});

describe.each([
  ['a Redis', () => [redis.url]],
  ['a cluster', () => cluster.url.split(',')],
])('processes on %s', (_name, urls) => {
  test('hear the hints of their own database only', async () => {
    const id = randomUUID();
    const [one, two, stranger] = [open(urls(), id), open(urls(), id), open(urls(), randomUUID())];
    await hears(one.bell, two.bell, stranger.bell);
    const keyId = randomUUID();
    one.bell.ring([inbox('ada', 3), inbox('a'.repeat(52), 4), all(7), { about: 'key', keyId }]);
    await expect.poll(() => two.heard.length, patience).toBe(4);
    expect(two.heard).toEqual([inbox('ada', 3), inbox('a'.repeat(52), 4), all(7), { about: 'key', keyId }]);
    expect(stranger.heard).toEqual([]);
  });
});

test('a doorbell notices a killed, frozen or disconnecting Redis, and reports missed hints when it is back', async () => {
  const own = await startRedis();
  atEnd(() => own.stop());
  const { bell, missed } = open([own.url], randomUUID());
  await hears(bell);
  for (const [away, back] of [
    [() => own.kill(), () => own.start()],
    [async () => own.freeze(), async () => own.resume()],
  ] as const) {
    await away();
    const before = missed.times;
    const began = performance.now();
    bell.ring([all(1)]);
    expect(performance.now() - began).toBeLessThan(100);
    await deaf(bell);
    await back();
    await hears(bell);
    expect(missed.times).toBeGreaterThan(before);
  }
  const before = missed.times;
  await own.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
  await expect.poll(() => missed.times, patience).toBeGreaterThan(before);
  await hears(bell);
});

describe.each([
  [
    'a Redis',
    async () => {
      const own = await startRedis();
      return { url: own.url, nodes: [own], stop: () => own.stop() };
    },
  ],
  ['a cluster', () => startRedisCluster()],
])('on %s', (_name, start) => {
  test('a doorbell that loses only its publishing connection reconnects, hears, and is heard', async () => {
    const { url, nodes, stop } = await start();
    atEnd(stop);
    const id = randomUUID();
    const [one, two] = [open(url.split(','), id), open(url.split(','), id)];
    await hears(one.bell, two.bell);
    const lost = await cutPublishers(nodes);
    one.bell.ring([all(1)]);
    // It has noticed when it is connected anew.
    await expect
      .poll(async () => (await publishersOf(nodes)).some(({ id: known }) => !lost.includes(known)), patience)
      .toBe(true);
    await hears(one.bell, two.bell);
    one.bell.ring([all(2)]);
    await expect.poll(() => two.heard, patience).toContainEqual(all(2));
  });

  test('too many waiting hints make the other processes check the database', async () => {
    const { url, stop } = await start();
    atEnd(stop);
    const id = randomUUID();
    const [one, two] = [open(url.split(','), id), open(url.split(','), id)];
    await hears(one.bell, two.bell);
    const before = two.missed.times;
    for (let n = 1; n <= 1_000; n += 1) one.bell.ring([inbox('ada', n)]);
    await expect.poll(() => two.missed.times, patience).toBeGreaterThan(before);
  });
});

test('a hint that was not published makes the other processes check once publishing works', async () => {
  const own = await startRedis();
  atEnd(() => own.stop());
  const id = randomUUID();
  const two = open([own.url], id);
  await hears(two.bell);
  const others = (await publishersOf([own])).map(({ id: known }) => known);
  const one = open([own.url], id);
  await hears(one.bell);
  const before = two.missed.times;
  // The publisher alone is cut off, and two hears all the time.
  await expect
    .poll(async () => {
      await cutPublishers([own], others);
      one.bell.ring([all(1)]);
      return one.bell.hears;
    }, patience)
    .toBe(false);
  expect(two.bell.hears).toBe(true);
  await hears(one.bell);
  await expect.poll(() => two.missed.times, patience).toBeGreaterThan(before);
});

interface Publisher {
  node: TestRedis;
  id: string;
}

/** The connections of doorbells that listen to nothing. */
async function publishersOf(nodes: TestRedis[]): Promise<Publisher[]> {
  const lists = await Promise.all(nodes.map((node) => node.command('CLIENT', 'LIST')));
  return nodes.flatMap((node, n) => {
    const lines = String(lists[n])
      .split('\n')
      .filter((line) => line.includes('name=baton') && / sub=0 psub=0 ssub=0 /.test(line));
    return lines.map((line) => ({ node, id: /^id=(\d+)/.exec(line)![1]! }));
  });
}

async function cutPublishers(nodes: TestRedis[], except: string[] = []): Promise<string[]> {
  const publishers = (await publishersOf(nodes)).filter(({ id }) => !except.includes(id));
  for (const { node, id } of publishers) await node.command('CLIENT', 'KILL', 'ID', id);
  return publishers.map(({ id }) => id);
}

test('a missing Redis delays nothing, and is used once it starts', async () => {
  const own = await startRedis();
  atEnd(() => own.stop());
  await own.kill();
  const { bell, heard } = open([own.url], randomUUID());
  bell.ring([all(1)]);
  expect(heard).toEqual([all(1)]);
  expect(bell.hears).toBe(false);
  await own.start();
  await hears(bell);
});

test('uses the credentials of the first URL for a URL without credentials', async () => {
  const own = await startRedis();
  atEnd(() => own.stop());
  await own.command('CONFIG', 'SET', 'requirepass', 'p@ss');
  const { bell } = open([`redis://default:p%40ss@127.0.0.1:${await freePort()}`, own.url], randomUUID());
  await hears(bell);
});

test('ignores malformed messages in the channel', async () => {
  const id = randomUUID();
  const { bell, heard } = open([redis.url], id);
  await hears(bell);
  const mad = new Redis(redis.url);
  atEnd(() => mad.disconnect());
  for (const text of [
    '',
    'all',
    'all -1',
    'all 1e9',
    'all 99999999999999999999',
    'inbox ADA 1',
    'inbox ada',
    'key 1',
    '\0',
    'x'.repeat(100_000),
    'echo 1 2',
    '{"all": 1}',
  ]) {
    await mad.publish(`baton:${id}`, text);
  }
  await mad.publish(`baton:${id}`, Buffer.from([0xff, 0xfe, 0]));
  await mad.publish(`baton:${id}`, 'all 5');
  await expect.poll(() => heard, patience).toEqual([all(5)]);
});

test('a closed doorbell leaves no subscription and no connection', async () => {
  const own = await startRedis();
  atEnd(() => own.stop());
  const { bell } = open([own.url], randomUUID());
  await hears(bell);
  expect(await own.command('PUBSUB', 'CHANNELS')).toHaveLength(1);
  await bell.close();
  await expect.poll(() => own.command('PUBSUB', 'CHANNELS'), patience).toEqual([]);
  await expect
    .poll(async () => String(await own.command('CLIENT', 'LIST')).includes('name=baton'), patience)
    .toBe(false);
});

test('what callers used of their rates keeps its content in messages of at most 2,000 bytes', () => {
  const used = fc.record({
    principal: fc.stringMatching(/^[a-z0-9_]{1,40}$/),
    role: fc.constantFrom('ADMIN' as const, 'OPERATOR' as const, 'AGENT' as const, 'ANALYST' as const),
    kind: fc.constantFrom('read' as const, 'write' as const),
    tokens: fc.integer({ min: 1, max: 999_999_999 }),
  });
  fc.assert(
    fc.property(fc.array(used, { maxLength: 200 }), (all) => {
      const messages = toMessages([{ about: 'rates', process: '0123456789ab', used: all }]);
      for (const message of messages) expect(Buffer.byteLength(message)).toBeLessThanOrEqual(2_000);
      expect(messages.flatMap(fromMessage).flatMap((hint) => (hint.about === 'rates' ? hint.used : []))).toEqual(all);
    }),
  );
  expect(
    [
      'rates 0123456789ab\nx ADMIN write -1',
      'rates 0123456789ab\n',
      'rates x\na ADMIN read 1',
      `rates 0123456789ab\n${'a ADMIN read 1\n'.repeat(200)}`,
    ]
      .flatMap(fromMessage)
      .flatMap((hint) => (hint.about === 'rates' ? hint.used : [hint as never])),
  ).toEqual([]);
});

test('hints keep their content in messages of less than 100 bytes', () => {
  const slug = fc.stringMatching(/^[a-z0-9]([a-z0-9_-]{0,50}[a-z0-9])?$/);
  const hint = fc.oneof(
    fc.record({ about: fc.constant('all' as const), number: fc.integer({ min: 0, max: 999_999_999_999_999 }) }),
    fc.record({
      about: fc.constant('inbox' as const),
      agentId: slug,
      number: fc.integer({ min: 0, max: 999_999_999 }),
    }),
    fc.record({ about: fc.constant('key' as const), keyId: fc.uuid() }),
  );
  fc.assert(
    fc.property(fc.uniqueArray(hint, { selector: (each) => JSON.stringify(each) }), (hints) => {
      const messages = toMessages(hints);
      for (const message of messages) expect(Buffer.byteLength(message)).toBeLessThan(100);
      expect(messages.flatMap(fromMessage)).toEqual(hints);
    }),
  );
});
