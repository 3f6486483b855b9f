import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { encodeId } from '../../server/core/ids.ts';
import { atEnd, testDatabase } from '../database.ts';
import { client } from '../graphql.ts';
import { startServer } from '../server.ts';
import { rawSocket, type RawSocket } from '../socket.ts';
import { world } from '../world.ts';

const db = await testDatabase();
const { agent, session } = world(db.pool);
const perRound = 120;
const perSecond = 30;

interface Heard {
  event: { type: string; at: string; sessionSequence: number | null };
}

interface Round {
  p50: number;
  p99: number;
  memory: number;
}

const light = '{ type at sessionSequence }';
// Half a megabyte an event: more than the kernel keeps for a socket after a second.
const heavy = `{ type at sessionSequence ${Array.from({ length: 8 }, (_, n) => `a${n}: session { metadata }`).join(' ')} }`;

/** Takes everything, and hands each event to who asks. */
async function subscribe(
  url: string,
  sessionId: string,
  fields: string,
  heard: (event: Heard['event']) => void,
): Promise<RawSocket> {
  const socket = await rawSocket(url);
  atEnd(() => socket.terminate());
  await socket.init();
  socket.subscribe('1', `subscription ($ids: [ID!]) { event: sessionUpdated(sessionIds: $ids) ${fields} }`, {
    ids: [sessionId],
  });
  const next = async () => (await socket.result<Heard>('1')).data!.event;
  expect((await next()).type).toBe('READY');
  void (async () => {
    for (;;) heard(await next());
  })().catch(() => undefined);
  return socket;
}

const percentile = (list: number[], share: number): number =>
  list.toSorted((a, b) => a - b)[Math.floor((list.length - 1) * share)]!;
const residentMB = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024;

it.runIf(process.platform === 'linux')(
  'a subscriber that stops reading delays no other, costs no memory, and gets everything when it reads again',
  async () => {
    await agent('a', { maxCapacity: 10 });
    const id = encodeId('session', await session('a', { metadata: { text: 'x'.repeat(60_000) } }));
    const server = await startServer({ databaseUrl: db.url });
    const api = client(server.url);
    let latencies: number[] = [];
    const others = Array.from({ length: 10 }, () =>
      subscribe(
        server.url,
        id,
        light,
        ({ type, at }) => type === 'HEARTBEAT' || latencies.push(Date.now() - Date.parse(at)),
      ),
    );
    await Promise.all(others);
    const slowHeard: number[] = [];
    const slow = await subscribe(
      server.url,
      id,
      heavy,
      ({ type, sessionSequence }) => type === 'HEARTBEAT' || slowHeard.push(sessionSequence!),
    );

    let written = 1;
    /** Writes at a fixed rate, whatever the answers take. */
    async function round(): Promise<Round> {
      latencies = [];
      let memory = 0;
      const began = performance.now();
      const answers: Promise<unknown>[] = [];
      for (let n = 0; n < perRound; n += 1) {
        await pause(Math.max(0, began + (n * 1_000) / perSecond - performance.now()));
        answers.push(
          api.post(
            'mutation ($id: ID!) { appendTurn(input: { sessionId: $id, messages: [{ role: USER, content: "More" }] }) { ... on AppendTurnPayload { turn { id } } ... on Error { message } } }',
            { id },
          ),
        );
        memory = Math.max(memory, residentMB(server.pid));
      }
      await Promise.all(answers);
      written += perRound;
      await expect.poll(() => latencies.length, { timeout: 60_000, interval: 20 }).toBe(perRound * others.length);
      return {
        p50: percentile(latencies, 0.5),
        p99: percentile(latencies, 0.99),
        memory: Math.max(memory, residentMB(server.pid)),
      };
    }
    const caughtUp = () => expect.poll(() => slowHeard.at(-1), { timeout: 60_000, interval: 20 }).toBe(written);

    // The first is for the server to warm up.
    await round();
    await caughtUp();
    const reading: Round[] = [];
    const paused: Round[] = [];
    for (let n = 0; n < 2; n += 1) {
      reading.push(await round());
      await caughtUp();
      slow.pause();
      paused.push(await round());
      const before = slowHeard.length;
      expect(slow.ws.isPaused).toBe(true);
      // It really was behind: some events were written that the server had not sent.
      expect(before).toBeLessThan(written - 1 - perRound / 2);
      slow.resume();
      await caughtUp();
    }
    expect(slowHeard).toEqual(Array.from({ length: written - 1 }, (_, n) => n + 2));
    const worst = (rounds: Round[], of: (one: Round) => number): number => Math.max(...rounds.map(of));
    process.stdout.write(`one paused: ${JSON.stringify({ reading, paused })}\n`);
    // Half a second is what other work on the machine may add; who waits for the paused one waits for seconds.
    expect(worst(paused, ({ p99 }) => p99)).toBeLessThan(2 * worst(reading, ({ p99 }) => p99) + 500);
    // What waits for it would be 60 MB a round.
    expect(worst(paused, ({ memory }) => memory) - worst(reading, ({ memory }) => memory)).toBeLessThan(35);
  },
  400_000,
);
