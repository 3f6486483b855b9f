import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { WebSocket } from 'ws';
import { encodeId } from '../server/core/ids.ts';
import { freePort } from '../test/ports.ts';
import { startRedis } from '../test/redis.ts';
import { world } from '../test/world.ts';
import { type Listening, startListening } from './listening.ts';
import { Receiver } from './liveReceiver.ts';
import type { Place } from './place.ts';
import { atLeast, atMost, digits, spread, type Line } from './report.ts';
import { alternate, ratioOf } from './rounds.ts';

const subscribers = 1_000;
const burst = 100;
const rounds = 15;
const idleSockets = 5_000;
const steady = { sockets: 200, everyMs: 50, events: 200 };

const query = `subscription Badges($sessionIds: [ID!]) { sessionUpdated(sessionIds: $sessionIds) {
  cursor type at sessionSequence session { id title status version agent { id name } } handoff { id status } agent { id } } }`;
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const changeOf = (id: string): string =>
  JSON.stringify({
    query: 'mutation ($id: ID!) { setTasks(input: { sessionId: $id, tasks: [] }) { __typename } }',
    variables: { id },
  });
const portOf = ({ url }: Listening): number => Number(new URL(url).port);
export const toBaton = {
  messages: [
    { type: 'connection_init' },
    { id: '$id', type: 'subscribe', payload: { query, variables: '$variables' } },
  ],
};
const toBare = { messages: [{ type: 'connection_init' }] };

/** A server with a port that reports its memory use. */
export type Probed = Listening & { probe: string };

/** Measures the delivery of an event to many subscribers and the cost of idle ones, beside a bare `ws` server that sends prepared texts. */
export async function live(place: Place, say: (line: string) => void): Promise<Line[]> {
  const { url, pool } = await place.database();
  const { agent, session } = world(pool);
  await agent('ada', { maxCapacity: 10_000 });
  const [one, two, three] = [await session('ada'), await session('ada'), await session('ada')];
  const idOf = (sessionId: string): string => encodeId('session', sessionId);
  const others: string[] = [];
  for (let n = 0; n < 50; n += 1) others.push(idOf(await session('ada')));

  const redis = await startRedis();
  place.atEnd(() => redis.stop());
  const startBaton = () =>
    startProbed(['--import', 'tsx', 'server/main.ts'], {
      ...redis.env,
      DATABASE_URL: url,
      PORT: '0',
      LOG_LEVEL: 'info',
      BATON_HEARTBEAT_SECONDS: '12',
    });
  const startBare = () => startProbed([here('liveBare.mjs')], { ...redis.env });
  const [same, different, bare] = [await startBaton(), await startBaton(), await startBare()];
  // Writes one after the other through a third server: the measured servers get hints through Redis and only deliver.
  const writer = await startBaton();
  const write = async (sessionId: string, then: (n: number) => unknown = () => undefined): Promise<void> => {
    for (let n = 0; n < burst; n += 1) {
      await post(writer, changeOf(idOf(sessionId)), '/graphql');
      await then(n);
    }
  };
  const teller = new Redis(redis.url);
  place.atEnd(() => teller.disconnect());
  const texts = await textsOf(same, { sessionIds: [idOf(one)] }, () => write(one));

  say(`  ${subscribers} sockets each`);
  const identicalVariables = Array.from({ length: subscribers }, () => ({ sessionIds: [idOf(one)] }));
  const pairs = others
    .flatMap((a, n) => others.slice(n + 1).map((b) => ({ sessionIds: [idOf(two), a, b] })))
    .slice(0, subscribers);
  const receivers = [
    await Receiver.start({ port: portOf(same), count: subscribers, ...toBaton, variables: identicalVariables }),
    await Receiver.start({ port: portOf(different), count: subscribers, ...toBaton, variables: pairs }),
    await Receiver.start({ port: portOf(bare), count: subscribers, ...toBare }),
  ] as const;
  // Counts the server's own processor time only, without the receiver and other processes.
  const toAll = async (server: Probed, receiver: Receiver, send: () => Promise<unknown>): Promise<number> => {
    const before = await probe(server, 'seconds');
    await receiver.receive({ frames: burst }, send);
    const after = await probe(server, 'seconds');
    return (burst * subscribers) / (after - before);
  };
  say(`  ${burst} events to each, ${rounds} rounds`);
  const results = await alternate(rounds, {
    identical: () => toAll(same, receivers[0], () => write(one)),
    different: () => toAll(different, receivers[1], () => write(two)),
    bare: () => toAll(bare, receivers[2], () => write(three, (n) => teller.publish('bare', texts[n]!))),
  });
  for (const receiver of receivers) await receiver.stop();
  const beside = `a bare \`ws\` that sends the same bytes: ${spread(results.bare, 'messages a second of its processor')}`;
  const ratios = {
    identical: ratioOf(results.identical, results.bare),
    different: ratioOf(results.different, results.bare),
  };
  say('  delays at a fixed rate');
  const delays = await delaysOf(same, idOf(one));
  await Promise.all([same.stop(), different.stop(), bare.stop(), writer.stop()]);

  say(`  memory of ${idleSockets} idle sockets`);
  const { ours, theirs } = await alternate(3, {
    ours: () => idleMemory(startBaton, toBaton),
    theirs: () => idleMemory(startBare, toBare),
  });
  const memory = ratioOf(ours, theirs);
  const size = Math.round(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / texts.length);
  return [
    {
      what: `one event to ${subscribers} identical subscribers, ${size} bytes each`,
      figure: spread(results.identical, 'messages a second of its processor'),
      beside,
      ratio: ratios.identical,
      goal: atLeast(ratios.identical.median, 0.7),
    },
    {
      what: `one event to ${subscribers} subscribers with different variables`,
      figure: spread(results.different, 'messages a second of its processor'),
      beside,
      ratio: ratios.different,
      goal: atLeast(ratios.different.median, 0.2),
    },
    {
      what: `from the time at which a change is to be sent until ${steady.sockets} subscribers have it, ${1_000 / steady.everyMs} changes a second`,
      figure: `p50 ${digits(delays.p50)} ms, p99 ${digits(delays.p99)} ms`,
    },
    {
      what: `memory of an idle socket with its subscription, ${idleSockets} of them`,
      figure: spread(ours, 'KB'),
      beside: `a socket of a bare \`ws\`: ${spread(theirs, 'KB')}`,
      ratio: memory,
      goal: atMost(memory.median, 2.5),
    },
  ];
}

/** The texts that a subscriber receives, for the bare server to send. */
async function textsOf(server: Listening, variables: object, send: () => Promise<void>): Promise<string[]> {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  await once(socket, 'open');
  const texts: string[] = [];
  const done = new Promise<void>((resolve) => {
    socket.on('message', (data: Buffer) => {
      texts.push(data.toString());
      if (texts.length === 1)
        socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query, variables } }));
      if (texts.length === burst + 2) resolve();
      if (texts.length === 2) void send();
    });
  });
  socket.send('{"type":"connection_init"}');
  await done;
  socket.close();
  return texts.slice(2);
}

async function delaysOf(server: Listening, id: string): Promise<{ p50: number; p99: number }> {
  const variables = Array.from({ length: steady.sockets }, () => ({ sessionIds: [id] }));
  const receiver = await Receiver.start({ port: portOf(server), count: steady.sockets, ...toBaton, variables });
  const from = performance.timeOrigin + performance.now() + 500;
  const { delays } = await receiver.receive({ frames: steady.events, from, every: steady.everyMs }, async () => {
    const answers: Promise<unknown>[] = [];
    for (let n = 0; n < steady.events; n += 1) {
      await wait(Math.max(from + n * steady.everyMs - performance.timeOrigin - performance.now(), 0));
      answers.push(post(server, changeOf(id), '/graphql'));
    }
    await Promise.all(answers);
  });
  await receiver.stop();
  return { p50: delays[Math.floor(delays.length * 0.5)]!, p99: delays[Math.floor(delays.length * 0.99)]! };
}

async function post({ url }: Listening, body: string, path: string): Promise<void> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body,
  });
  const answer = await response.text();
  if (!response.ok || answer.includes('"errors"')) throw new Error(`${url} answered ${answer}`);
}

export async function startProbed(program: string[], env: Record<string, string>): Promise<Probed> {
  const probe = String(await freePort());
  return {
    ...(await startListening(process.execPath, ['--expose-gc', '--import', here('probe.mjs'), ...program], {
      ...env,
      PROBE_PORT: probe,
    })),
    probe,
  };
}

/** KB of additional memory per socket after garbage collection. */
export async function idleMemory(
  start: () => Promise<Probed>,
  opening: typeof toBaton | typeof toBare,
  sockets = idleSockets,
): Promise<number> {
  const server = await start();
  const some = await Receiver.start({ port: portOf(server), count: 200, ...opening });
  const before = await held(server);
  const receivers: Receiver[] = [];
  for (let open = 0; open < sockets; open += 500)
    receivers.push(await Receiver.start({ port: portOf(server), count: 500, ...opening }));
  const after = await held(server);
  for (const receiver of [some, ...receivers]) await receiver.stop();
  await server.stop();
  return (after - before) / sockets / 1024;
}

async function held(server: Probed): Promise<number> {
  // Waits until no socket expects a first message.
  await wait(4_000);
  return probe(server, 'bytes');
}

export const probe = async (server: Probed, what: 'seconds' | 'bytes'): Promise<number> =>
  Number(await (await fetch(`http://127.0.0.1:${server.probe}/${what}`)).text());
