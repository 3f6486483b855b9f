import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { Doorbell, Hint } from '../core/doorbell.ts';
import { atEnd } from '../testing/database.ts';
import { startRedis, startRedisCluster } from '../testing/redis.ts';
import { createDoorbell } from './doorbell.ts';
import { fromMessage, toMessages } from './hints.ts';
import { silentLog } from './log.ts';

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
  test('rings for every listener at once, in the order of ringing, until it stops listening', () => {
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
])('processes that share %s', (_name, urls) => {
  test('hear each other, those of one database only', async () => {
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

test('a Redis that is killed, frozen, or cuts listeners off is noticed; what was missed meanwhile is said when it is back', async () => {
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

test('what could not be published makes the others look when it can be again', async () => {
  const own = await startRedis();
  atEnd(() => own.stop());
  const id = randomUUID();
  const [one, two] = [open([own.url], id), open([own.url], id)];
  await hears(one.bell, two.bell);
  // The publisher alone is cut off and kept off for a moment.
  own.freeze();
  one.bell.ring([all(1)]);
  await deaf(one.bell);
  await deaf(two.bell);
  const before = two.missed.times;
  own.resume();
  await hears(one.bell, two.bell);
  await expect.poll(() => two.missed.times, patience).toBeGreaterThan(before);
});

test('a Redis that is not there delays nothing, and is found when it comes', async () => {
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

test('garbage in the channel is no hint', async () => {
  const id = randomUUID();
  const { bell, heard } = open([redis.url], id);
  await hears(bell);
  const mad = new Redis(redis.url);
  atEnd(() => mad.disconnect());
  for (const text of ['', 'all', 'all -1', 'all 1e9', 'all 99999999999999999999', 'inbox ADA 1', 'inbox ada', 'key 1', '\0', 'x'.repeat(100_000), 'echo 1 2', '{"all": 1}']) {
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
  await expect.poll(async () => String(await own.command('CLIENT', 'LIST')).includes('name=baton'), patience).toBe(false);
});

test('hints survive the way through messages of less than 100 bytes', () => {
  const slug = fc.stringMatching(/^[a-z0-9]([a-z0-9_-]{0,50}[a-z0-9])?$/);
  const hint = fc.oneof(
    fc.record({ about: fc.constant('all' as const), number: fc.integer({ min: 0, max: 999_999_999_999_999 }) }),
    fc.record({ about: fc.constant('inbox' as const), agentId: slug, number: fc.integer({ min: 0, max: 999_999_999 }) }),
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
