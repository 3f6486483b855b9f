import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Topic } from '../../client/stream/index.ts';
import { brokenInvariants } from '../invariants.ts';
import { freePort } from '../ports.ts';
import { startRedis } from '../redis.ts';
import { call, type Stage } from './callers.ts';
import { damageOf } from './history.ts';
import { prepare } from './kill.ts';
import { helperSubscriber, rawSubscriber, type Subscriber } from './liveSubscribers.ts';
import { beginning, disorder, truthOf } from './liveTruth.ts';
import { connection, type Connection } from './requests.ts';
import { startServerProcess, type ServerProcess } from './serverProcess.ts';

export interface LiveOptions {
  seed: number;
  databaseUrl: string;
  /** Settings of the servers. */
  env?: Record<string, string>;
  durationMs: number;
  /** On a busy machine the round lasts up to five times longer, until this many mutations were answered. */
  leastAnswers: number;
  writers: number;
  subscribers: number;
  /** The number of Redis kills and restarts. */
  redisKills: number;
  /** The number of kills and restarts of one of the two servers. */
  serverKills: number;
  /** A writer's pause between requests. */
  paceMs?: number;
}

export interface LiveResult {
  /** Answered mutations, and their median and maximum latency. */
  answers: number;
  medianMs: number;
  slowestMs: number;
  /** Events written while all subscribers were active. */
  events: number;
  /** Deliveries over all subscribers. */
  heard: number;
  drops: number;
  redisKills: number;
  serverKills: number;
  /** The violations; empty when the round passed. */
  breaches: string[];
}

// Long enough for a busy machine; the streams need about a second.
const catchUpMs = 120_000;
const awayMs = 700;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Writers change sessions through two servers, subscribers on both disconnect and resume at random, and Redis and one server
 * are killed and restarted. In the end each subscriber must have received its stream's events, according to the database,
 * once and in order.
 */
export async function liveRound({
  seed,
  databaseUrl,
  env = {},
  durationMs,
  paceMs = 40,
  ...options
}: LiveOptions): Promise<LiveResult> {
  const redis = await startRedis();
  const ports = [await freePort(), await freePort()] as const;
  const start = (n: 0 | 1): Promise<ServerProcess> =>
    startServerProcess({ DATABASE_URL: databaseUrl, ...redis.env, ...env, PORT: String(ports[n]) });
  const servers: [ServerProcess, ServerProcess] = await Promise.all([start(0), start(1)]);
  const urls = servers.map(({ url }) => url);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  pool.on('error', () => undefined);
  let subscribers: Subscriber[] = [];
  const breaches: string[] = [];
  const tally = { redisKills: 0, serverKills: 0 };
  const answers: number[] = [];
  try {
    const api = connection(urls[0]!, { count: 0 });
    const stage = await prepare(api, `${seed}-${randomBytes(3).toString('hex')}`);
    const topics = topicsOf(stage);
    const since = await quietBeginning(pool);
    subscribers = Array.from({ length: options.subscribers }, (_, n) => {
      const topic = topics[n % topics.length]!;
      const listen = n % 2 === 0 ? helperSubscriber : rawSubscriber;
      // Each topic is used with both kinds of subscribers and on both servers.
      const url = urls[Math.floor(n / 2) % 2]!;
      return listen(`${listen.name} ${n} of ${JSON.stringify(topic)}`, {
        url,
        topic,
        seeds: [seed, n],
        stayMs: Math.max(1_500, durationMs / 8),
      });
    });
    await within(catchUpMs, 'all subscribers listen', Promise.all(subscribers.map(({ ready }) => ready)));

    const began = performance.now();
    const over = (): boolean => {
      const lasted = performance.now() - began;
      return lasted >= durationMs && (answers.length >= options.leastAnswers || lasted >= 5 * durationMs);
    };
    const writing = Array.from({ length: options.writers }, (_, n) =>
      write({ urls, stage, seed, n, paceMs, over, answered: (tookMs) => answers.push(tookMs) }),
    );
    await Promise.all([
      ...writing,
      changeAgents(urls[0]!, stage, over),
      times(options.redisKills, durationMs, async () => {
        await redis.kill();
        tally.redisKills += 1;
        await pause(awayMs);
        await redis.start();
      }),
      times(options.serverKills, durationMs, async () => {
        servers[1].kill('SIGKILL');
        await servers[1].exited;
        tally.serverKills += 1;
        servers[1] = await start(1);
      }),
    ]);
    for (const one of subscribers) one.settle();
    await allHeard(pool, subscribers, since);
    // Further events: a wrong repeat of the earlier ones would arrive before these.
    await api.send('reassignSession', { sessionId: stage.sessions[0]!, agentId: stage.agents[1]!, skipHandoff: true });
    await api.send('reassignSession', { sessionId: stage.sessions[0]!, agentId: stage.agents[0]!, skipHandoff: true });
    await allHeard(pool, subscribers, since);
    api.close();
    for (const one of subscribers) {
      breaches.push(
        ...one.breaches,
        ...damageOf({ name: one.name, heard: one.heard, truth: await truthOf(pool, one.topic, since) }),
      );
    }
    breaches.push(...(await disorder(pool)), ...(await brokenInvariants(pool)));
    const truth = await truthOf(pool, { kind: 'sessionUpdated' }, since);
    answers.sort((a, b) => a - b);
    const [medianMs, slowestMs] = [answers[answers.length >> 1], answers.at(-1)].map((ms) => Math.round(ms ?? 0)) as [
      number,
      number,
    ];
    return {
      ...tally,
      answers: answers.length,
      medianMs,
      slowestMs,
      events: truth.length,
      heard: sum(subscribers, ({ heard }) => heard.length),
      drops: sum(subscribers, ({ drops }) => drops),
      breaches,
    };
  } finally {
    await Promise.all(subscribers.map((one) => one.stop()));
    for (const server of servers) server.kill('SIGKILL');
    await Promise.all(servers.map(({ exited }) => exited));
    await redis.stop();
    await pool.end();
  }
}

export function topicsOf({ agents, sessions }: Stage): Topic[] {
  return [
    { kind: 'sessionUpdated' },
    { kind: 'handoffEvents' },
    { kind: 'handoffAssigned', agentId: agents[0]! },
    { kind: 'handoffAssigned', agentId: agents[1]! },
    { kind: 'handoffEvents', where: { sessionId: sessions[0]! } },
    { kind: 'handoffEvents', where: { agentId: agents[2]! } },
    { kind: 'sessionUpdated', sessionIds: sessions.slice(1, 3) },
  ];
}

interface Writing {
  urls: string[];
  stage: Stage;
  seed: number;
  n: number;
  paceMs: number;
  over(): boolean;
  answered(tookMs: number): void;
}

/** Sends requests to one server or the other until the time is over, and reconnects when a connection breaks. */
async function write({ urls, stage, seed, n, paceMs, over, answered }: Writing): Promise<void> {
  for (let life = 0; !over(); life += 1) {
    const inner = connection(urls[(n + life) % urls.length]!, { count: 0 });
    const paced: Connection = {
      async send(mutation, input) {
        await pause(paceMs);
        if (over()) throw new Error('The time is over');
        const before = performance.now();
        const answer = await inner.send(mutation, input);
        answered(performance.now() - before);
        return answer;
      },
      close: () => inner.close(),
    };
    await call(paced, stage, [seed, n, life], () => undefined);
    inner.close();
  }
}

const renameAgent = `mutation ($id: ID!, $description: String!) { updateAgent(input: { id: $id, description: $description }) { __typename } }`;

/** Writes events that belong to no session. */
async function changeAgents(url: string, { agents }: Stage, over: () => boolean): Promise<void> {
  for (let n = 0; !over(); n += 1) {
    const body = JSON.stringify({
      query: renameAgent,
      variables: { id: agents[n % agents.length], description: `Change ${n}` },
    });
    await fetch(`${url}/graphql`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    await pause(250);
  }
}

/** Runs an action `count` times, evenly spread and one after the other. */
async function times(count: number, durationMs: number, act: () => Promise<void>): Promise<void> {
  const began = performance.now();
  for (let n = 1; n <= count; n += 1) {
    await pause(began + (durationMs * n) / (count + 1) - performance.now());
    await act();
  }
}

/** The start of all streams before any writes, with all events positioned. */
export async function quietBeginning(pool: pg.Pool): ReturnType<typeof beginning> {
  await eventually('all events have their position', async () => (await disorder(pool)).length === 0);
  return beginning(pool);
}

/** Returns after a time limit too: the histories then show the missing events. */
export async function allHeard(
  pool: pg.Pool,
  subscribers: readonly Subscriber[],
  since: Awaited<ReturnType<typeof beginning>>,
): Promise<void> {
  const complete = async (): Promise<boolean> => {
    for (const { topic, heard } of subscribers)
      if (heard.length < (await truthOf(pool, topic, since)).length) return false;
    return true;
  };
  await eventually('all events have their position', async () => (await disorder(pool)).length === 0).catch(
    () => undefined,
  );
  await eventually('everybody has heard everything', complete).catch(() => undefined);
}

async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + catchUpMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Waited in vain until ${what}`);
    await pause(100);
  }
}

async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>(
    (_, reject) => (timer = setTimeout(() => reject(new Error(`Waited in vain until ${what}`)), ms)),
  );
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

const sum = <T>(list: readonly T[], of: (one: T) => number): number => list.reduce((total, one) => total + of(one), 0);
