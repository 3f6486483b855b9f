import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { beforeAll, expect, it, vi } from 'vitest';
import { encodeId } from '../../server/core/ids.ts';
import { atEnd, testDatabase } from '../database.ts';
import { client, send } from '../graphql.ts';
import { brokenInvariants } from '../invariants.ts';
import { startRedis } from '../redis.ts';
import { startServer } from '../server.ts';
import { rawSocket } from '../socket.ts';
import { tcpProxy } from '../tcpProxy.ts';
import { world } from '../world.ts';
import { damageOf } from './history.ts';
import { beginning, truthOf, type Beginning } from './liveTruth.ts';

const db = await testDatabase();
const { agent, session } = world(db.pool);
const redis = await startRedis();
atEnd(() => redis.stop());
const proxy = await tcpProxy(redis.port);
atEnd(() => proxy.close());

const environment = { databaseUrl: db.url, env: { REDIS_URL: `redis://127.0.0.1:${proxy.port}` } };
const [writing, listening] = await Promise.all([startServer(environment), startServer(environment)]);
const api = client(writing.url);
const patience = { timeout: 60_000, interval: 20 };

const topics = [{ kind: 'handoffAssigned', agentId: 'bob' }, { kind: 'sessionUpdated' }] as const;
const queries = {
  handoffAssigned: 'subscription { event: handoffAssigned(agentId: "bob") { id type } }',
  sessionUpdated: 'subscription { event: sessionUpdated { id type } }',
};
const heard: Record<keyof typeof queries, string[]> = { handoffAssigned: [], sessionUpdated: [] };
let since: Beginning;
let sessionId: string;

/** Takes every result as it comes; no connection is ever lost here, so nothing may be missing or come twice. */
async function listen(): Promise<void> {
  const socket = await rawSocket(listening.url);
  atEnd(() => socket.terminate());
  await socket.init();
  for (const { kind } of topics) {
    socket.subscribe(kind, queries[kind]);
    const next = async () => (await socket.result<{ event: { id: string; type: string } }>(kind)).data!.event;
    expect((await next()).type).toBe('READY');
    void (async () => {
      for (;;) {
        const { id, type } = await next();
        if (type !== 'HEARTBEAT') heard[kind].push(id);
      }
    })().catch(() => undefined);
  }
}

/** How the servers ended, if they did: nothing here may end one. */
const ends: unknown[] = [];
for (const server of [writing, listening])
  void server.exited.then((exit) => ends.push({ ...exit, said: server.logs.slice(-12) }));
const noneEnded = (): void => expect(ends).toEqual([]);

/** Until each kind of garbage was met, by one server or the other. */
async function garble(mood: 'garbage' | 'spoil'): Promise<void> {
  const before = proxy.garbled;
  proxy.setMood(mood);
  await vi.waitFor(() => {
    noneEnded();
    expect(proxy.garbled - before).toBeGreaterThan(mood === 'garbage' ? 45 : 15);
  }, patience);
}

const readiness = async (): Promise<unknown[]> =>
  Promise.all([writing, listening].map(async ({ url }) => JSON.parse((await send(`${url}/readyz`)).body) as unknown));
const bothReady = () =>
  vi.waitFor(async () => expect(await readiness()).toEqual([{ status: 'ok' }, { status: 'ok' }]), patience);
const bothDegraded = () =>
  vi.waitFor(
    async () => expect(await readiness()).toEqual([1, 2].map(() => ({ status: 'ok', degraded: ['redis'] }))),
    patience,
  );

const moves = 8;
const reassign =
  'mutation ($id: ID!, $agentId: ID!) { reassignSession(input: { sessionId: $id, agentId: $agentId }) { __typename } }';

/** How long each of some reassigns took until it was answered. */
async function write(): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < moves; n += 1) {
    const before = performance.now();
    const { data } = await api.post<{ reassignSession: { __typename: string } }>(reassign, {
      id: sessionId,
      agentId: n % 2 === 0 ? 'bob' : 'ada',
    });
    expect(data.reassignSession.__typename).toBe('ReassignSessionPayload');
    took.push(performance.now() - before);
  }
  return took;
}

async function everythingHeard(): Promise<void> {
  noneEnded();
  for (const topic of topics) {
    const truth = await truthOf(db.pool, topic, since);
    await vi.waitFor(() => expect(heard[topic.kind].length).toBeGreaterThanOrEqual(truth.length), patience);
    expect(damageOf({ name: topic.kind, heard: heard[topic.kind], truth })).toEqual([]);
  }
}

const median = (list: number[]): number => list.toSorted((a, b) => a - b)[list.length >> 1]!;
let calm: number;

beforeAll(async () => {
  await agent('ada', { maxCapacity: 100 });
  await agent('bob', { maxCapacity: 100 });
  sessionId = encodeId('session', await session('ada'));
  await listen();
  since = await beginning(db.pool);
  await bothReady();
  await write();
  calm = median(await write());
  await everythingHeard();
}, 120_000);

/** What happens while it lasts costs time at most: no event, no mutation, no process. */
async function survive(
  hostility: () => Promise<void> | void,
  peace: () => Promise<void> | void,
  degraded: boolean,
): Promise<void> {
  let took: number[];
  try {
    await hostility();
    if (degraded) await bothDegraded();
    took = await write();
    await everythingHeard();
  } finally {
    await peace();
  }
  await bothReady();
  await write();
  await everythingHeard();
  expect(await brokenInvariants(db.pool)).toEqual([]);
  // A mutation that waited for Redis would take its deadline of 500 ms.
  expect(median(took)).toBeLessThan(Math.max(500, 4 * calm));
}

it(
  'a Redis that is frozen',
  () =>
    survive(
      () => redis.freeze(),
      () => redis.resume(),
      true,
    ),
  200_000,
);
it(
  'a Redis that is killed, and started again empty',
  () =>
    survive(
      () => redis.kill(),
      () => redis.start(),
      true,
    ),
  200_000,
);
it(
  'a Redis that closes every connection',
  () =>
    survive(
      () => proxy.setMood('refuse'),
      () => proxy.setMood('pass'),
      true,
    ),
  200_000,
);
it(
  'a Redis that accepts connections and never answers',
  () =>
    survive(
      () => proxy.setMood('silent'),
      () => proxy.setMood('pass'),
      true,
    ),
  200_000,
);
it(
  'a Redis that answers what makes no sense',
  () =>
    survive(
      () => garble('garbage'),
      () => proxy.setMood('pass'),
      true,
    ),
  200_000,
);
it(
  'a Redis whose open connections break into garbage',
  () =>
    survive(
      () => garble('spoil'),
      () => proxy.setMood('pass'),
      true,
    ),
  200_000,
);

it('a Redis that cuts its subscribers off, again and again', async () => {
  let cutting: Promise<void> | undefined;
  let on = true;
  let cuts = 0;
  const cut = async (): Promise<void> => {
    while (on) {
      cuts += Number(await redis.command('CLIENT', 'KILL', 'TYPE', 'pubsub'));
      await pause(20);
    }
  };
  await survive(
    () => void (cutting = cut()),
    async () => {
      on = false;
      await cutting;
    },
    false,
  );
  expect(cuts).toBeGreaterThan(0);
}, 200_000);

it("a Redis that carries garbage, repeats and other streams' numbers", async () => {
  const listener = new Redis(redis.port);
  const publisher = new Redis(redis.port);
  atEnd(() => {
    listener.disconnect();
    publisher.disconnect();
  });
  const real: string[] = [];
  let published = 0;
  const publish = async (channel: string, message: string | Buffer): Promise<void> => {
    published += await publisher.publish(channel, message);
  };
  listener.on('pmessage', (_pattern: string, _channel: string, message: string) => {
    if (!message.startsWith('echo')) real.push(message);
  });
  await listener.psubscribe('*');
  let on = true;
  const lie = async (): Promise<void> => {
    const channels = (await publisher.call('PUBSUB', 'CHANNELS')) as string[];
    expect(channels).toHaveLength(1);
    const [channel] = channels as [string];
    for (let n = 0; on; n += 1) {
      const known = real.slice(-20);
      const forged = known.map((message) =>
        message.replaceAll(/\d+/g, (number) => String(Number(number) + (n % 5) * 1_000 - 2_000)),
      );
      const garbage = [
        '',
        '\n\n',
        'all',
        'all x',
        'all -1',
        'all 999999999999999',
        'all 99999999999999999999999',
        'inbox bob 0',
        'inbox bob 999999999',
        'inbox nobody 5',
        'key x',
        '{"all":1}',
        'echo',
        'look',
      ];
      for (const message of [...known, ...forged, ...garbage, randomBytes(60), randomBytes(1_000_000)])
        await publish(channel, message);
      await pause(5);
    }
  };
  let lying: Promise<void> | undefined;
  await survive(
    () => void (lying = lie()),
    async () => {
      on = false;
      await lying;
    },
    false,
  );
  expect(real.length).toBeGreaterThan(moves);
  expect(published).toBeGreaterThan(100);
}, 200_000);
