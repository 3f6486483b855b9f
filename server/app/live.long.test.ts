import { beforeAll, describe, expect, test } from 'vitest';
import { atEnd, testDatabase } from '../../test/database.ts';
import { client, send } from '../../test/graphql.ts';
import { startRedis, startRedisCluster } from '../../test/redis.ts';
import { startServer } from '../../test/server.ts';
import { type RawSocket, rawSocket } from '../../test/socket.ts';
import { world } from '../../test/world.ts';
import { encodeId } from '../core/ids.ts';

const database = await testDatabase();
const { agent, session } = world(database.pool);

beforeAll(async () => {
  await agent('ada', { maxCapacity: 100 });
  await agent('bob', { maxCapacity: 100 });
});

interface Heard {
  event: { type: string; session: { id: string } | null };
}
async function subscribed(url: string): Promise<RawSocket> {
  const socket = await rawSocket(url);
  await socket.init();
  socket.subscribe('inbox', 'subscription { event: handoffAssigned(agentId: "bob") { type session { id } } }');
  socket.subscribe('all', 'subscription { event: handoffEvents { type session { id } } }');
  for (const id of ['inbox', 'all']) expect((await socket.result<Heard>(id)).data!.event.type).toBe('READY');
  return socket;
}

async function reassign(url: string): Promise<string> {
  const id = encodeId('session', await session('ada'));
  const { data } = await client(url).post<{ reassignSession: { __typename: string } }>(
    'mutation ($id: ID!) { reassignSession(input: { sessionId: $id, agentId: "bob" }) { __typename } }',
    { id },
  );
  expect(data.reassignSession.__typename).toBe('ReassignSessionPayload');
  return id;
}

async function hears(socket: RawSocket, id: string): Promise<void> {
  for (const stream of ['inbox', 'all']) {
    for (;;) {
      const { event } = (await socket.result<Heard>(stream)).data!;
      if (event.type === 'HANDOFF_INITIATED' && event.session?.id === id) break;
    }
  }
}
const readiness = async (url: string): Promise<unknown> => JSON.parse((await send(`${url}/readyz`)).body);

describe('a reassign through one server process reaches the subscribers of another', () => {
  test.each([
    ['without Redis', async (): Promise<Record<string, string>> => ({})],
    ['with a Redis that speaks TLS only', async () => keep(await startRedis({ tls: true })).env],
    ['with a cluster', async () => ({ REDIS_URL: keep(await startRedisCluster()).url })],
  ])('%s', async (_name, environment) => {
    const env = await environment();
    const [one, two] = await Promise.all([
      startServer({ databaseUrl: database.url, env }),
      startServer({ databaseUrl: database.url, env }),
    ]);
    const socket = await subscribed(two.url);
    if (env['REDIS_URL'] !== undefined)
      for (const { url } of [one, two])
        await expect.poll(() => readiness(url), { timeout: 20_000 }).toEqual({ status: 'ok' });
    await hears(socket, await reassign(one.url));
    expect(await one.kill()).toMatchObject({ code: 0 });
    expect(await two.kill()).toMatchObject({ code: 0 });
    expect(await socket.closed).toMatchObject({ code: 1012 });
  });
});

test('a server stays ready without its Redis, reports it as degraded, and still delivers events of other processes', async () => {
  const redis = keep(await startRedis());
  const env = { ...redis.env };
  const [one, two] = await Promise.all([
    startServer({ databaseUrl: database.url, env }),
    startServer({ databaseUrl: database.url, env }),
  ]);
  const socket = await subscribed(two.url);
  await expect.poll(() => readiness(two.url), { timeout: 20_000 }).toEqual({ status: 'ok' });
  await redis.kill();
  await expect.poll(() => readiness(two.url), { timeout: 20_000 }).toEqual({ status: 'ok', degraded: ['redis'] });
  await hears(socket, await reassign(one.url));
  await redis.start();
  await expect.poll(() => readiness(two.url), { timeout: 20_000 }).toEqual({ status: 'ok' });
  await hears(socket, await reassign(one.url));
  await one.kill();
  await two.kill();
});

function keep<T extends { stop(): Promise<void> }>(started: T): T {
  atEnd(() => started.stop());
  return started;
}
