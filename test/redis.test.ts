import { Cluster, Redis } from 'ioredis';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { atEnd } from './database.ts';
import { startRedis, startRedisCluster } from './redis.ts';

test('a test Redis answers, is empty after a kill, keeps its port, and does not answer while frozen', async () => {
  const redis = await startRedis();
  atEnd(() => redis.stop());
  await redis.command('SET', 'a', '1');
  expect(await redis.command('GET', 'a')).toBe('1');
  await redis.kill();
  await expect(redis.command('PING')).rejects.toThrow(/Connection refused/);
  await redis.start();
  expect(await redis.command('GET', 'a')).toBeNull();

  redis.freeze();
  const client = new Redis(redis.url, { commandTimeout: 300, maxRetriesPerRequest: 0, retryStrategy: null });
  atEnd(() => client.disconnect());
  client.on('error', () => undefined);
  await expect(client.ping()).rejects.toThrow();
  redis.resume();
  expect(await redis.command('PING')).toBe('PONG');
});

test('a test Redis with TLS answers clients that trust its certificate, and none without TLS', async () => {
  const redis = await startRedis({ tls: true });
  atEnd(() => redis.stop());
  expect(redis.url).toMatch(/^rediss:/);
  const client = new Redis(redis.url, { tls: { ca: readFileSync(redis.env.NODE_EXTRA_CA_CERTS!) } });
  atEnd(() => client.disconnect());
  expect(await client.ping()).toBe('PONG');
  const plain = new Redis(redis.port, { maxRetriesPerRequest: 0, retryStrategy: null });
  plain.on('error', () => undefined);
  atEnd(() => plain.disconnect());
  await expect(plain.ping()).rejects.toThrow();
});

test('a test cluster of three spreads its keys', async () => {
  const cluster = await startRedisCluster();
  atEnd(() => cluster.stop());
  const client = new Cluster(cluster.url.split(','));
  atEnd(() => client.disconnect());
  await Promise.all(Array.from({ length: 30 }, (_, n) => client.set(`key-${n}`, n)));
  const sizes = await Promise.all(cluster.nodes.map((node) => node.command('DBSIZE')));
  expect(sizes.reduce((sum: number, size) => sum + Number(size), 0)).toBe(30);
  for (const size of sizes) expect(Number(size)).toBeGreaterThan(0);
});
