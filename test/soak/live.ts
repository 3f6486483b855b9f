import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Topic } from '../../client/stream/index.ts';
import { encodeId } from '../../server/core/ids.ts';
import { brokenInvariants } from '../invariants.ts';
import { webhookKey } from '../keyring.ts';
import { freePort } from '../ports.ts';
import { receiver, type Received } from '../receiver.ts';
import { startRedis } from '../redis.ts';
import { call, type Asked, type Stage } from './callers.ts';
import { damageOf, type History } from './history.ts';
import { prepare, repeatAll } from './kill.ts';
import { lostAnswers } from './lost.ts';
import { helperSubscriber, rawSubscriber, type Subscriber } from './liveSubscribers.ts';
import { beginning, disorder, truthOf } from './liveTruth.ts';
import { connection, type Connection } from './requests.ts';
import { startServerProcess, type ServerProcess } from './serverProcess.ts';

export interface LiveOptions {
  seed: number;
  databaseUrl: string;
  /** The second server's way to the same database, where it has one of its own. */
  secondDatabaseUrl?: string;
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
  /** What happens meanwhile, one after the other; each resolves when all works again. Writers go on until the last one has. */
  faults?: readonly (() => Promise<void>)[];
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
  /** For each fault the longest time without an acknowledged mutation. */
  gapsMs: number[];
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
 * once and in order, a webhook those of each session, and every answered mutation must be there and under its key.
 */
export async function liveRound({
  seed,
  databaseUrl,
  secondDatabaseUrl = databaseUrl,
  env = {},
  durationMs,
  paceMs = 40,
  faults = [],
  ...options
}: LiveOptions): Promise<LiveResult> {
  const redis = await startRedis();
  const ports = [await freePort(), await freePort()] as const;
  const start = (n: 0 | 1): Promise<ServerProcess> =>
    startServerProcess({
      DATABASE_URL: n === 0 ? databaseUrl : secondDatabaseUrl,
      ...redis.env,
      BATON_WEBHOOK_KEY: webhookKey,
      BATON_WEBHOOK_ALLOW: '127.0.0.1',
      ...env,
      PORT: String(ports[n]),
    });
  const servers: [ServerProcess, ServerProcess] = await Promise.all([start(0), start(1)]);
  const urls = servers.map(({ url }) => url);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  pool.on('error', () => undefined);
  let subscribers: Subscriber[] = [];
  const breaches: string[] = [];
  const tally = { redisKills: 0, serverKills: 0 };
  const answers: number[] = [];
  const acknowledged: number[] = [];
  const gapsMs: number[] = [];
  const asked: Asked[] = [];
  try {
    const api = connection(urls[0]!, { count: 0 });
    const stage = await prepare(api, `${seed}-${randomBytes(3).toString('hex')}`);
    const topics = topicsOf(stage);
    const hook = await receiver();
    await addWebhook(urls[0]!, hook.url);
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
    let isFaulty = faults.length > 0;
    const over = (): boolean => {
      const lasted = performance.now() - began;
      return !isFaulty && lasted >= durationMs && (answers.length >= options.leastAnswers || lasted >= 5 * durationMs);
    };
    const writing = Array.from({ length: options.writers }, (_, n) =>
      write({
        urls,
        stage,
        seed,
        n,
        paceMs,
        over,
        asked,
        answered: (tookMs, isPayload) => {
          answers.push(tookMs);
          if (isPayload) acknowledged.push(performance.now());
        },
      }),
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
      meet(faults, (from, to) => gapsMs.push(longestPause(acknowledged, from, to))).finally(() => (isFaulty = false)),
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
    breaches.push(
      ...(await unheard(pool, hook.received, since)),
      ...(await disorder(pool)),
      ...(await brokenInvariants(pool)),
      ...(await lostAnswers(pool, asked)),
      ...(await repeatAll(urls[0]!, sample(asked, 200), new Set(), 4)),
    );
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
      gapsMs,
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
  answered(tookMs: number, isPayload: boolean): void;
  /** Gets what was asked. */
  asked: Asked[];
}

/** Sends requests to one server or the other until the time is over, and reconnects when a connection breaks. */
async function write({ urls, stage, seed, n, paceMs, over, answered, asked }: Writing): Promise<void> {
  for (let life = 0; !over(); life += 1) {
    const inner = connection(urls[(n + life) % urls.length]!, { count: 0 });
    const paced: Connection = {
      async send(mutation, input) {
        await pause(paceMs);
        if (over()) throw new Error('The time is over');
        const before = performance.now();
        const answer = await inner.send(mutation, input);
        answered(performance.now() - before, answer.code === undefined);
        return answer;
      },
      close: () => inner.close(),
    };
    asked.push(...(await call(paced, stage, [seed, n, life], () => undefined)));
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

/** Lets the faults come one after the other, each with some time before it and after it. */
async function meet(faults: readonly (() => Promise<void>)[], met: (from: number, to: number) => void): Promise<void> {
  for (const fault of faults) {
    await pause(2_000);
    const from = performance.now();
    await fault();
    await pause(1_000);
    met(from, performance.now());
  }
}

/** The longest time between two of these moments, from one moment to another. */
function longestPause(moments: readonly number[], from: number, to: number): number {
  const within = [from, ...moments.filter((at) => at > from && at < to), to];
  return Math.round(Math.max(...within.map((at, n) => at - (within[n - 1] ?? at))));
}

const createWebhook =
  'mutation ($url: String!) { createWebhook(input: { url: $url }) { ... on Error { code message } } }';

async function addWebhook(url: string, receives: string): Promise<void> {
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: createWebhook, variables: { url: receives } }),
  });
  const { data } = (await answer.json()) as { data: { createWebhook: { code?: string } } };
  if (data.createWebhook.code !== undefined) throw new Error(`No webhook could be made: ${JSON.stringify(data)}`);
}

/** What the webhook did not get of each session, or not in order. It may get an event again. */
async function unheard(
  pool: pg.Pool,
  received: readonly Received[],
  since: Awaited<ReturnType<typeof beginning>>,
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM sessions');
  const histories = async (): Promise<History[]> =>
    Promise.all(
      rows.map(async ({ id }) => {
        const sessionId = encodeId('session', id);
        const heard = received.filter(({ event }) => event.session?.id === sessionId).map(({ event }) => event.id);
        const truth = await truthOf(pool, { kind: 'handoffEvents', where: { sessionId } }, since);
        return { name: `the webhook, of ${sessionId},`, heard: [...new Set(heard)], truth };
      }),
    );
  const isWhole = async (): Promise<boolean> =>
    (await histories()).every(({ heard, truth }) => heard.length >= truth.length);
  await eventually('the webhook has heard everything', isWhole).catch(() => undefined);
  return (await histories()).flatMap(damageOf);
}

/** Evenly spread ones. */
const sample = <T>(all: readonly T[], size: number): T[] =>
  all.filter((_, n) => n % Math.ceil(all.length / size) === 0);

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
