import { expect, test } from 'vitest';
import { atEnd, testDatabase } from '../../../test/database.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { operator, world } from '../../../test/world.ts';
import { runWork } from '../../core/runWork.ts';
import { silentLog } from '../../infra/log.ts';
import { cursorsOf, markOf } from '../../work/events/cursors.ts';
import { setTasks } from '../../work/log/addToLog.ts';
import { LocalDoorbell } from './doorbell.ts';
import type { Item } from './hub.ts';
import { createStamper } from './stamp.ts';
import type { Stream } from './stream.ts';
import { Streams } from './streams.ts';

const database = await testDatabase();
const { pool } = database;
const { agent, session, reassign, turn, run } = world(pool);
const agents = ['a', 'b', 'c', 'd'];
for (const id of agents) await agent(id, { maxCapacity: 1_000 });

/** As two processes would: each with streams and a stamper of its own, and neither hears the other. */
const processes = [1, 2].map(() => new Streams({ pool, doorbell: new LocalDoorbell(), log: silentLog, pollMs: 50 }));
atEnd(async () => void (await Promise.all(processes.map((streams) => streams.stop()))));

const open = (streams: Streams, key: Parameters<Streams['open']>[0]['key'], after: string | null = null) =>
  streams.open({ key, caller: operator, after, accepts: () => true });

/** Reads until an event of this id has come. */
async function readTo(stream: Stream, lastId: string): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of stream) {
    if (item.event !== null) items.push(item);
    if (item.event?.id === lastId) break;
  }
  return items;
}
const idsOf = (items: Item[]): string[] => items.map(({ event }) => event!.id);

async function writeAtRandom(writer: number, times: number): Promise<void> {
  const announcer = processes[writer % 2]!;
  const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!;
  const own = await session(pick(agents));
  for (let n = 0; n < times; n += 1) {
    // The agents, and so the inboxes, are everybody's.
    const act = pick(['turn', 'reassign', 'tasks', 'create'] as const);
    if (act === 'reassign')
      await reassign(own, { agentId: pick(agents), skipHandoff: Math.random() < 0.3 }).catch(() => undefined);
    if (act === 'turn') await turn(own, { messages: [{ role: 'USER', content: 'And now?' }] });
    if (act === 'create') await session(pick(agents));
    if (act === 'tasks') {
      await runWork({ pool, announcer, log: silentLog, caller: operator, mutation: 'setTasks', input: {} }, (work) =>
        setTasks(work, { sessionId: own, tasks: [] }),
      );
    }
  }
}

test('while eight writers run, every stream of every process has every event once, in the order of each session and inbox', async () => {
  const streams = await Promise.all(
    processes.flatMap((each) => [
      open(each, { kind: 'all' }),
      ...agents.map((agentId) => open(each, { kind: 'inbox', agentId })),
    ]),
  );
  const [before] = (await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM events')).rows;
  const inboxBefore = new Map(
    (await database.prisma.agent.findMany()).map(({ id, inboxSequence }) => [id, inboxSequence]),
  );
  await Promise.all(Array.from({ length: 8 }, (_, writer) => writeAtRandom(writer, 40)));
  // An end that all streams have, written when everything else is committed.
  const ends = new Map<string, string>();
  for (const id of agents) await session(id);
  await createStamper({ pool, log: silentLog, stamped: () => undefined }).now();
  const { rows } = await pool.query<{ id: string; position: number }>(
    'SELECT event_id AS id, position::int FROM event_positions ORDER BY position',
  );
  for (const agentId of agents) {
    const last = await database.prisma.inboxEntry.findFirstOrThrow({
      where: { agentId },
      orderBy: { sequence: 'desc' },
    });
    ends.set(agentId, last.eventId);
  }
  const read = await Promise.all(
    streams.map((stream, n) => readTo(stream, n % 5 === 0 ? rows.at(-1)!.id : ends.get(agents[(n % 5) - 1]!)!)),
  );

  const expected = rows.slice(before!.n).map(({ id }) => id);
  expect(expected.length).toBeGreaterThan(250);
  expect(idsOf(read[0]!)).toEqual(expected);
  expect(idsOf(read[5]!)).toEqual(expected);
  for (const [n, agentId] of agents.entries()) {
    const entries = await database.prisma.inboxEntry.findMany({
      where: { agentId, sequence: { gt: inboxBefore.get(agentId)! } },
      orderBy: { sequence: 'asc' },
    });
    for (const items of [read[n + 1]!, read[n + 6]!]) {
      expect(idsOf(items)).toEqual(entries.map(({ eventId }) => eventId));
      expect(items.map(({ inboxSequence }) => inboxSequence)).toEqual(entries.map(({ sequence }) => sequence));
    }
  }
  expect(await brokenInvariants(pool)).toEqual([]);
});

test('a stream from any cursor returns exactly the events after it, also far behind the newest', async () => {
  const [streams] = processes;
  const { rows } = await pool.query<{ id: string }>('SELECT event_id AS id FROM event_positions ORDER BY position');
  const ids = rows.map(({ id }) => id);
  // More than a hub keeps, written while nobody of this process reads.
  const id = await session('a');
  for (let n = 0; n < 600; n += 50)
    await Promise.all(Array.from({ length: 50 }, () => run(setTasks, { sessionId: id, tasks: [] })));
  const all = await open(streams!, { kind: 'all' });
  await all.next();
  await all.return();
  const { rows: later } = await pool.query<{ id: string }>(
    'SELECT event_id AS id FROM event_positions ORDER BY position',
  );
  const everything = later.map((row) => row.id);
  expect(everything.slice(0, ids.length)).toEqual(ids);
  const cursors = await cursorsOf(pool);
  for (const number of [0, 1, Math.floor(everything.length / 2), everything.length - 1]) {
    const stream = await open(streams!, { kind: 'all' }, cursors.encode({ stream: 'all', number }, null));
    expect(idsOf(await readTo(stream, everything.at(-1)!))).toEqual(everything.slice(number));
  }
});

test('events that a dead process left without a position get one from the next listener', async () => {
  const stream = await open(processes[0]!, { kind: 'all' });
  await stream.next();
  // Announced to nobody.
  const id = await session('b');
  let first = (await stream.next()).value;
  while (first?.type === 'HEARTBEAT') first = (await stream.next()).value;
  expect(first).toMatchObject({ type: 'SESSION_CREATED', event: { sessionId: id } });
  await stream.return();
  const missed = await session('b');
  const ready = (await (await open(processes[1]!, { kind: 'all' })).next()).value!;
  const position = await database.prisma.eventPosition.findFirstOrThrow({ where: { event: { sessionId: missed } } });
  expect((await cursorsOf(pool)).decode(ready.cursor)).toEqual({
    stream: 'all',
    number: Number(position.position),
    mark: markOf(position.eventId),
  });
});

test('a closed stream stops watching its key', async () => {
  const watching = new Set<() => void>();
  const watchKey = (_caller: unknown, onEnded: () => void) => {
    watching.add(onEnded);
    return () => void watching.delete(onEnded);
  };
  const streams = new Streams({ pool, doorbell: new LocalDoorbell(), log: silentLog, watchKey });
  const [leaves, ends] = [await open(streams, { kind: 'all' }), await open(streams, { kind: 'inbox', agentId: 'a' })];
  expect(watching.size).toBe(2);
  await leaves.return();
  expect(watching.size).toBe(1);
  for (const onEnded of watching) onEnded();
  expect(watching.size).toBe(0);
  await ends.next().catch(() => undefined);
  await streams.stop();
});
