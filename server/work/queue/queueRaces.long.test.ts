import { expect, it, vi } from 'vitest';
import { crowd, persistent, tally } from '../../../test/crowd.ts';
import { testDatabase } from '../../../test/database.ts';
import { brokenInvariants, waitInVain } from '../../../test/invariants.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';

// With two server processes on one database (rule: queue).
const db = await testDatabase();
const { agent, session } = world(db.pool);
const together = await crowd(db);
const finishers = 8;

it('8 finishers at once on 2 servers give 10 places to 100 waiting sessions: each place once, each session once, in order', async () => {
  for (const id of ['one', 'two']) await agent(id, { type: 'WORKER', maxCapacity: 5 });
  const held = await Promise.all(Array.from({ length: 10 }, (_, n) => session(n % 2 === 0 ? 'one' : 'two')));
  const waiting: string[] = [];
  for (let n = 0; n < 100; n += 1)
    waiting.push(await session(null, { agentType: 'WORKER', queue: true, priority: n % 10 === 9 ? 'HIGH' : 'NORMAL' }));
  const order = (await db.prisma.queueEntry.findMany({ orderBy: [{ effectiveAt: 'asc' }, { id: 'asc' }] })).map(
    ({ sessionId }) => sessionId,
  );
  expect(order).toHaveLength(100);

  const todo = new Set(held);
  let done = 0;
  const finish = async (ask: ReturnType<typeof together.caller>): Promise<void> => {
    while (done < 110) {
      for (const { id } of await db.prisma.session.findMany({ where: { status: 'RUNNING' }, select: { id: true } }))
        todo.add(id);
      const [next] = todo;
      if (next === undefined) {
        // Everything that is held is being finished, or the task that gives places away has to come first.
        await vi.waitFor(
          async () =>
            expect(done === 110 || (await db.prisma.session.count({ where: { status: 'RUNNING' } })) > 0).toBe(true),
          { timeout: 60_000 },
        );
        continue;
      }
      todo.delete(next);
      const said = await persistent(ask)('completeSession', { sessionId: encodeId('session', next) });
      if (said.code === 'INVALID_STATE') continue;
      expect(said).toMatchObject({ __typename: 'CompleteSessionPayload' });
      done = await db.prisma.session.count({ where: { status: 'COMPLETED' } });
    }
  };
  await Promise.all(Array.from({ length: finishers }, () => finish(together.caller())));

  const given = await db.prisma.event.findMany({
    where: { type: 'SESSION_REASSIGNED', actorPrincipal: 'queue' },
    orderBy: { at: 'asc' },
    select: { sessionId: true },
  });
  const turns = given.map(({ sessionId }) => sessionId!);
  expect(turns.toSorted()).toEqual(waiting.toSorted());
  // Only sessions that are given at the same moment may come in another order: a few of 100.
  expect(Math.max(...turns.map((id, turn) => Math.abs(turn - order.indexOf(id))))).toBeLessThan(3 * finishers);
  const agents = await db.prisma.agent.findMany({ where: { type: 'WORKER' } });
  expect(agents.reduce((sum, { totalAssigned }) => sum + totalAssigned, 0)).toBe(110);
  expect(agents.map(({ currentLoad }) => currentLoad)).toEqual([0, 0]);
  expect(await db.prisma.queueEntry.count()).toBe(0);
  expect(await brokenInvariants(db.pool)).toEqual([]);
}, 180_000);

it('sessions that are queued while agents finish are all given a place, and nobody waits in vain', async () => {
  await agent('three', { type: 'RACER', maxCapacity: 3 });
  const held = await Promise.all(Array.from({ length: 3 }, async () => encodeId('session', await session('three'))));
  const answers = await together.all(23, (ask, n) =>
    n < 3
      ? persistent(ask)('completeSession', { sessionId: held[n] })
      : persistent(ask)('createSession', { title: `Work ${n}`, agentType: 'RACER', queue: true }),
  );
  expect(tally(answers)).toEqual({ CompleteSessionPayload: 3, CreateSessionPayload: 20 });
  await vi.waitFor(
    async () =>
      expect([
        await waitInVain(db.pool),
        (await db.prisma.agent.findUniqueOrThrow({ where: { id: 'three' } })).currentLoad,
      ]).toEqual([[], 3]),
    { timeout: 60_000 },
  );
  expect(await db.prisma.queueEntry.count()).toBe(17);
  expect(await brokenInvariants(db.pool)).toEqual([]);
}, 120_000);
