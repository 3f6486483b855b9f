import { expect, test } from 'vitest';
import { atEnd, testDatabase } from '../../../test/database.ts';
import { client, send } from '../../../test/graphql.ts';
import { secretFor } from '../../../test/keyring.ts';
import { startRedisCluster } from '../../../test/redis.ts';
import { startApp } from '../../../test/server.ts';
import { rawSocket } from '../../../test/socket.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { createRates } from '../../infra/limits/rates.ts';

interface Heard {
  event: { id: string; type: string; handoff: { id: string } | null };
}

test('with six nodes of which a master is killed under load, streams lose and repeat nothing, and hints and rates go through the other nodes', async () => {
  const [cluster, database] = await Promise.all([startRedisCluster({ replicas: 1 }), testDatabase()]);
  atEnd(() => cluster.stop());
  const { agent, session } = world(database.pool);
  for (const id of ['ada', 'bob']) await agent(id, { maxCapacity: 10_000 });
  const key = await secretFor(database.pool, 'OPERATOR');
  const start = async () => {
    const rates = createRates({ rateOf: () => ({ perMinute: 1, burst: 100_000 }) });
    const { url } = await startApp(database, { variables: { REDIS_URL: cluster.url }, rates });
    const { post } = client(url, { key });
    const degraded = async () =>
      (JSON.parse((await send(`${url}/readyz`)).body) as { degraded?: string[] }).degraded ?? [];
    const left = async () =>
      (await post<{ rateLimit: { writes: { remaining: number } } }>('{ rateLimit { writes { remaining } } }')).data
        .rateLimit.writes.remaining;
    return { url, post, degraded, left };
  };
  const servers = [await start(), await start()] as const;
  for (const { degraded } of servers) await expect.poll(degraded, { interval: 50 }).toEqual([]);

  // When each Handoff was answered, and the longest time from there to its event.
  const answered = new Map<string, number>();
  let latest = 0;
  const subscribers = await Promise.all(
    servers.map(async ({ url }) => {
      const socket = await rawSocket(url);
      atEnd(() => socket.terminate());
      await socket.init({ authorization: `Bearer ${key}` });
      socket.subscribe('all', 'subscription { event: handoffEvents { id type handoff { id } } }');
      await socket.result('all');
      const heard: string[] = [];
      const hear = async (): Promise<void> => {
        for (;;) {
          const { event } = (await socket.result<Heard>('all')).data!;
          if (event.type !== 'HEARTBEAT') heard.push(event.id);
          const since = answered.get(event.handoff?.id ?? '');
          if (event.type === 'HANDOFF_INITIATED' && since !== undefined)
            latest = Math.max(latest, performance.now() - since);
        }
      };
      hear().catch(() => undefined);
      return heard;
    }),
  );

  let going = true;
  let slowest = 0;
  const write = async ({ post }: (typeof servers)[number]): Promise<void> => {
    while (going) {
      const sessionId = encodeId('session', await session('ada'));
      const began = performance.now();
      const { data } = await post<{ move: { handoff: { id: string } } }>(
        'mutation ($id: ID!) { move: reassignSession(input: { sessionId: $id, agentId: "bob" }) { ... on ReassignSessionPayload { handoff { id } } } }',
        { id: sessionId },
      );
      slowest = Math.max(slowest, performance.now() - began);
      answered.set(data.move.handoff.id, performance.now());
    }
  };
  const writing = Promise.all(servers.map(write));
  atEnd(async () => {
    going = false;
    await writing.catch(() => undefined);
  });
  const masters = async () =>
    String(await cluster.nodes[1]!.command('CLUSTER', 'NODES'))
      .split('\n')
      .filter((line) => /master -/.test(line)).length;
  await expect.poll(() => subscribers[1]!.length).toBeGreaterThan(10);
  expect(await masters()).toBe(3);

  // Both servers are connected to it.
  await cluster.nodes[0]!.kill();
  for (const { degraded } of servers) await expect.poll(degraded, { interval: 20 }).toEqual(['redis']);
  for (const { degraded } of servers) await expect.poll(degraded, { interval: 50 }).toEqual([]);
  await expect.poll(masters, { interval: 100 }).toBe(3);
  const after = subscribers[1]!.length;
  await expect.poll(() => subscribers[1]!.length).toBeGreaterThan(after + 10);
  going = false;
  await writing;

  const { rows } = await database.pool.query<{ id: string }>(
    `SELECT e.id FROM event_positions p JOIN events e ON e.id = p.event_id WHERE e.type NOT IN ('TURN_APPENDED', 'LOG_CHANGED') ORDER BY p.position`,
  );
  const all = rows.map(({ id }) => encodeId('event', id));
  for (const heard of subscribers) await expect.poll(() => heard.at(-1)).toBe(all.at(-1));
  for (const heard of subscribers) expect(heard).toEqual(all.slice(all.indexOf(heard[0]!)));
  // Without Redis each process asks PostgreSQL twice a second.
  expect(latest).toBeLessThan(3_000);
  expect(slowest).toBeLessThan(5_000);

  const before = await servers[1].left();
  for (let nth = 0; nth < 40; nth += 1)
    await servers[0].post('mutation { pauseSession(input: { sessionId: "x" }) { __typename } }');
  await expect.poll(servers[1].left, { interval: 100 }).toBeLessThanOrEqual(before - 40);
});
