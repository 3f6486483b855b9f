import pg from 'pg';
import { expect, test } from 'vitest';
import { atEnd, testDatabase } from '../../test/database.ts';
import { fewConnections } from '../../test/fewConnections.ts';
import { client, send } from '../../test/graphql.ts';
import { adminKey } from '../../test/keyring.ts';
import { postgresProxy } from '../../test/postgresProxy.ts';
import { startApp } from '../../test/server.ts';
import { silentLog } from './log.ts';
import { requireMigrated } from './migrate.ts';
import { createPing } from './ping.ts';
import { createDatabase } from './prisma.ts';
import { isOutOfConnections, SharedPool } from './sharedPool.ts';

const owner = await testDatabase();
const patience = { timeout: 60_000 };

/** A process as far as the database is concerned, which asks as much as it is answered until it is stopped. */
function process(url: string) {
  const database = createDatabase(url, silentLog);
  const open = new Set<unknown>();
  database.pool.on('connect', (client) => void open.add(client)).on('remove', (client) => void open.delete(client));
  const refused: unknown[] = [];
  let [answered, over] = [0, false];
  const one = async () => {
    while (!over) {
      await database.pool.query('SELECT pg_sleep(0.01)').then(
        () => (answered += 1),
        (error: unknown) => refused.push(error),
      );
      if (refused.length > 1_000) over = true;
    }
  };
  let running: Promise<unknown> = Promise.resolve();
  const asking = {
    refused,
    get answered() {
      return answered;
    },
    get connections() {
      return open.size;
    },
    begin() {
      running = Promise.all(Array.from({ length: 40 }, one));
    },
    async stop() {
      over = true;
      await running;
    },
  };
  atEnd(async () => {
    await asking.stop();
    await database.close();
  });
  return asking;
}

test('two processes share 14 connections without a refusal, and end with equal numbers', async () => {
  const url = await fewConnections(owner, 14);
  const [first, second] = [process(url), process(url)];
  first.begin();
  await expect.poll(() => first.connections, patience).toBe(10);
  second.begin();
  await expect.poll(() => second.answered, patience).toBeGreaterThan(20);
  await expect
    .poll(() => [first, second].every(({ connections, refused }) => connections >= 6 || refused.length > 0), patience)
    .toBe(true);
  await Promise.all([first.stop(), second.stop()]);
  expect([first.refused, second.refused]).toEqual([[], []]);
}, 180_000);

test('a new process gets a connection when another process has all of them', async () => {
  const url = await fewConnections(owner, 8);
  const [first, second] = [process(url), process(url)];
  first.begin();
  await expect.poll(() => first.connections, patience).toBe(8);
  second.begin();
  await expect.poll(() => second.answered, patience).toBeGreaterThan(20);
  await Promise.all([first.stop(), second.stop()]);
  expect([first.refused, second.refused]).toEqual([[], []]);
}, 180_000);

test('two servers that share 14 connections answer every request and stay ready', async () => {
  const url = await fewConnections(owner, 14);
  const servers = await Promise.all(
    [1, 2].map(async () => {
      await requireMigrated(url);
      const database = createDatabase(url, silentLog);
      atEnd(() => database.close());
      // All requests compete for connections: none waits for others of its key, which is refused after 10 s.
      return startApp(
        { ...owner, ...database },
        { variables: { BATON_ADMIN_KEY: adminKey }, heavyReads: { cost: Infinity, atOnce: 1, waiting: 0, waitMs: 0 } },
      );
    }),
  );
  const wrong: unknown[] = [];
  const ask = async (server: string) => {
    const { post } = client(server, { key: adminKey });
    for (let n = 0; n < 25; n += 1) {
      const { status, errors } = await post(
        '{ sessions { totalCount nodes { id } } agents { totalCount nodes { id } } handoffs { totalCount nodes { id } } }',
      );
      if (status !== 200 || errors !== undefined) wrong.push(status, errors?.[0]);
    }
  };
  await Promise.all(servers.flatMap((server) => Array.from({ length: 20 }, () => ask(server.url))));
  expect(wrong).toEqual([]);
  for (const server of servers) expect(await send(`${server.url}/readyz`)).toMatchObject({ status: 200 });
}, 180_000);

test('PostgreSQL counts as up while all connections are taken, and a starting server waits for one', async () => {
  const url = await fewConnections(owner, 1);
  const taken = new pg.Client({ connectionString: url });
  await taken.connect();
  const ping = createPing(url);
  expect(await ping.answers()).toBe(true);
  const starting = requireMigrated(url);
  expect(await ping.answers()).toBe(true);
  await taken.end();
  await starting;
  await expect.poll(() => ping.answers(), patience).toBe(true);
  await ping.close();
});

test('a request waits while all ten connections are taken, and is UNAVAILABLE when none becomes free', async () => {
  const database = await testDatabase();
  const { url } = await startApp(database);
  const ask = () => client(url).post('{ agents(first: 1) { nodes { id } } }');
  const take = () => Promise.all(Array.from({ length: 10 }, () => database.pool.connect()));
  expect((await ask()).errors).toBeUndefined();
  const first = await take();
  const waiting = ask();
  await expect.poll(() => database.pool.waitingCount, patience).toBeGreaterThan(0);
  for (const connection of first) connection.release();
  expect((await waiting).errors).toBeUndefined();
  const second = await take();
  expect((await ask()).errors).toMatchObject([{ extensions: { code: 'UNAVAILABLE' } }]);
  for (const connection of second) connection.release();
  expect((await ask()).errors).toBeUndefined();
}, 120_000);

test('rejects a caller when no connection is free within the wait', async () => {
  const url = await fewConnections(owner, 1);
  const taken = new pg.Client({ connectionString: url });
  await taken.connect();
  const pool = new SharedPool({ connectionString: url, max: 10, connectionTimeoutMillis: 300, Client: pg.Client });
  const began = performance.now();
  const refused = await Promise.all(
    Array.from({ length: 20 }, () => pool.query('SELECT 1').catch((error: unknown) => error)),
  );
  expect(performance.now() - began).toBeGreaterThanOrEqual(290);
  for (const error of refused)
    expect([
      isOutOfConnections(error),
      error instanceof Error && error.message.startsWith('timeout exceeded'),
    ]).toContain(true);
  await taken.end();
  await expect
    .poll(
      () =>
        pool.query('SELECT 1').then(
          ({ rowCount }) => rowCount,
          () => 0,
        ),
      patience,
    )
    .toBe(1);
  await pool.end();
});

test('a request whose connection cannot be opened in time gets one that becomes free, else it is refused within seconds', async () => {
  let [opens, attempts] = [true, 0];
  // New connections are accepted, and PostgreSQL's greeting does not come.
  const slow = await postgresProxy(owner.url, () => {
    const passes = opens;
    attempts += 1;
    return { asked: (_chunk, pass) => void (passes && pass()), answered: (_chunk, pass) => pass() };
  });
  const { pool, close } = createDatabase(slow, silentLog);
  atEnd(close);
  const held = await pool.connect();
  opens = false;
  const began = performance.now();
  await expect(pool.query('SELECT 1')).rejects.toThrow(/timeout/);
  expect(performance.now() - began).toBeGreaterThan(3_900);
  expect(performance.now() - began).toBeLessThan(8_000);

  const before = attempts;
  const waiting = pool.query('SELECT 1');
  await expect.poll(() => attempts, patience).toBeGreaterThan(before);
  held.release();
  expect(await waiting).toMatchObject({ rowCount: 1 });
});

test('an idle process keeps one connection', async () => {
  const idle = process(await fewConnections(owner, 14));
  idle.begin();
  await expect.poll(() => idle.connections, patience).toBe(10);
  await idle.stop();
  await expect.poll(() => idle.connections, patience).toBe(1);
}, 180_000);
