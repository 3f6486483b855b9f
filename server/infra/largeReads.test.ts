import type { Socket } from 'node:net';
import pg from 'pg';
import { expect, test } from 'vitest';
import { atEnd, testDatabase } from '../../test/database.ts';
import { largeBytes, oneLargeAtOnce, withMostBytes } from './largeReads.ts';

const { url } = await testDatabase();
const readers = 6;
const pool = new pg.Pool({ connectionString: url, max: readers + 1, Client: oneLargeAtOnce(pg.Client) });
atEnd(() => pool.end());
const rowBytes = 200_000;
const rows = 60;
const read = (client: pg.Pool | pg.PoolClient) =>
  client.query<{ text: string }>('SELECT repeat($1, $2) AS text FROM generate_series(1, $3)', ['x', rowBytes, rows]);
const streamOf = (client: pg.PoolClient) => (Reflect.get(client, 'connection') as unknown as { stream: Socket }).stream;

test('reads one large answer at a time, all to their end, and small ones meanwhile', async () => {
  const clients = await Promise.all(Array.from({ length: readers }, () => pool.connect()));
  const began = clients.map((client) => streamOf(client).bytesRead);
  const done = new Set<pg.PoolClient>();
  const reading = Promise.all(clients.map((client) => read(client).finally(() => done.add(client))));
  let mostAtOnce = 0;
  let small = 0;
  while (done.size < readers) {
    const large = clients.filter(
      (client, n) => !done.has(client) && streamOf(client).bytesRead - began[n]! > 2 * largeBytes,
    );
    mostAtOnce = Math.max(mostAtOnce, large.length);
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    small += 1;
  }
  for (const { rows: found } of await reading)
    expect([found.length, found.at(-1)!.text.length]).toEqual([rows, rowBytes]);
  for (const client of clients) client.release();
  expect(mostAtOnce).toBe(1);
  expect(small).toBeGreaterThan(readers);
});

test('continues with the next answer when a connection breaks during a read or while it waits', async () => {
  const clients = await Promise.all(Array.from({ length: 3 }, () => pool.connect()));
  for (const client of clients) client.on('error', () => undefined);
  const [first, second, third] = clients.map((client) =>
    read(client).then(
      ({ rows: found }) => found.length,
      () => 'broken',
    ),
  );
  const breaking = clients.slice(0, 2).map(async (client) => {
    await expect.poll(() => streamOf(client).bytesRead).toBeGreaterThan(largeBytes);
    streamOf(client).destroy();
  });
  await Promise.all(breaking);
  expect(await third).toBe(rows);
  for (const client of clients) client.release(true);
  expect(await Promise.all([first, second])).toEqual(expect.arrayContaining([expect.anything()]));
  expect((await read(pool)).rows).toHaveLength(rows);
});

test('ends a statement whose answer is over its limit, counts the rows that came, and reads on with another connection', async () => {
  const bounded = withMostBytes(pool, 4_000_000);
  const before = await read(pool);
  const ended = await bounded
    .query({ text: 'SELECT repeat($1, $2) AS text FROM generate_series(1, $3)', values: ['x', rowBytes, rows] })
    .catch((error: unknown) => error);
  expect(ended).toMatchObject({
    code: 'ANSWER_TOO_LARGE',
    rows: expect.toSatisfy((count: number) => count >= 19 && count < 25) as number,
  });
  expect((await bounded.query<{ one: number }>({ text: 'SELECT 1 AS one' })).rows).toEqual([{ one: 1 }]);
  expect((await read(pool)).rows).toHaveLength(before.rows.length);
});

test('ends a statement when a row announces that it is over the limit, before it comes', async () => {
  const bounded = withMostBytes(pool, 4_000_000);
  const client = await pool.connect();
  client.on('error', () => undefined);
  const stream = streamOf(client);
  client.release();
  const before = stream.bytesRead;
  const ended = await bounded
    .query({ text: 'SELECT repeat($1, 50000000) AS text', values: ['x'] })
    .catch((error: unknown) => error);
  expect(ended).toMatchObject({
    code: 'ANSWER_TOO_LARGE',
    rows: 0,
    bytes: expect.toSatisfy((bytes: number) => bytes >= 50_000_000 && bytes < 50_100_000) as number,
  });
  expect(stream.bytesRead - before).toBeLessThan(1_000_000);
});

test('reads rows of any size to their end under a limit that they keep', async () => {
  const bounded = withMostBytes(pool, 4_000_000);
  const sizes = Array.from({ length: 3_000 }, (_, n) => (n * 7_919) % 1_500);
  const { rows: found } = await bounded.query<{ text: string }>({
    text: `SELECT repeat('x', size) AS text FROM unnest($1::int[]) size`,
    values: [sizes],
  });
  expect(found.map(({ text }) => text.length)).toEqual(sizes);
});
