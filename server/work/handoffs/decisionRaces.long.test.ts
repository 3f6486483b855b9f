import { afterEach, expect, it, vi } from 'vitest';
import { crowd, tally } from '../../../test/crowd.ts';
import { testDatabase } from '../../../test/database.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';

// With two server processes on one database (rule: one winner).
const db = await testDatabase();
const { agent, session, reassign } = world(db.pool);
const { all } = await crowd(db);
await agent('source', { maxCapacity: 1_000 });
await agent('target', { maxCapacity: 1_000 });

const ends = {
  acceptHandoff: 'ACCEPTED',
  rejectHandoff: 'REJECTED',
  cancelHandoff: 'CANCELLED',
  timeOutHandoff: 'TIMED_OUT',
} as const;
const rivals = Object.keys(ends) as (keyof typeof ends)[];

async function waiting(): Promise<{ id: string; handoffId: string }> {
  const { handoffId } = await reassign(await session('source'), { agentId: 'target' });
  return { id: handoffId ?? '', handoffId: encodeId('handoff', handoffId ?? '') };
}
const changesOf = (handoffId: string) =>
  db.prisma.event.findMany({
    where: { handoffId, type: { not: 'HANDOFF_INITIATED' } },
    orderBy: { sessionSequence: 'asc' },
    select: { type: true, actorPrincipal: true },
  });

afterEach(async () => {
  expect(await brokenInvariants(db.pool)).toEqual([]);
});

it('of concurrent accept, reject, cancel and time-out exactly one wins, and the others get INVALID_STATE with its status (100 rounds)', async () => {
  const won: Record<string, number> = {};
  for (let round = 0; round < 100; round += 1) {
    const { id, handoffId } = await waiting();
    // Another one is sent first each round.
    const order = rivals.map((_, n) => rivals[(n + round) % rivals.length]!);
    const answers = await all(4, (ask, n) =>
      ask(order[n]!, { handoffId, ...(order[n] === 'rejectHandoff' ? { reason: 'because' } : {}) }),
    );
    const winner = order[answers.findIndex(({ code }) => code === undefined)]!;
    const status = ends[winner];
    expect(answers.filter(({ code }) => code === undefined)).toHaveLength(1);
    for (const said of answers.filter(({ code }) => code !== undefined))
      expect(said).toMatchObject({ code: 'INVALID_STATE', state: status });
    expect((await db.prisma.handoff.findUniqueOrThrow({ where: { id } })).status).toBe(status);
    const types = (await changesOf(id)).map(({ type }) => type);
    expect(types).toEqual([
      'SESSION_REASSIGNED',
      `HANDOFF_${status}`,
      ...(status === 'ACCEPTED' ? [] : ['SESSION_RETURNED']),
    ]);
    won[status] = (won[status] ?? 0) + 1;
  }
  // It was a race, not a queue.
  expect(Object.keys(won).sort()).toEqual(Object.values(ends).sort());
}, 60_000);

it('of 20 concurrent accepts and 20 completes, one accept and at most one complete change the handoff', async () => {
  const { id, handoffId } = await waiting();
  const answers = await all(40, (ask, n) => ask(n % 2 === 0 ? 'acceptHandoff' : 'completeHandoff', { handoffId }));
  const early = answers.filter(({ code }) => code !== undefined);
  for (const said of early) expect(said).toMatchObject({ code: 'INVALID_STATE', state: 'INITIATED' });
  const types = (await changesOf(id)).map(({ type }) => type);
  expect(types.filter((type) => type === 'HANDOFF_ACCEPTED')).toHaveLength(1);
  expect(types.filter((type) => type === 'HANDOFF_COMPLETED')).toHaveLength(early.length === 20 ? 0 : 1);
});

it('of a concurrent acceptHandoff and cancelSession, both answers match the stored status (50 rounds)', async () => {
  for (let round = 0; round < 50; round += 1) {
    const { id, handoffId } = await waiting();
    const { sessionId } = await db.prisma.handoff.findUniqueOrThrow({ where: { id } });
    const [decided, ended] = await all(2, (ask, n) =>
      n === round % 2
        ? ask('cancelSession', { sessionId: encodeId('session', sessionId) })
        : ask('acceptHandoff', { handoffId }),
    ).then((answers) => (round % 2 === 0 ? answers.toReversed() : answers));
    expect(ended?.__typename).toBe('CancelSessionPayload');
    const { status } = await db.prisma.handoff.findUniqueOrThrow({ where: { id } });
    expect([decided?.code, status]).toEqual(
      decided?.code === undefined ? [undefined, 'COMPLETED'] : ['INVALID_STATE', 'CANCELLED'],
    );
  }
}, 60_000);

it('the sweeps of two processes time out each due handoff exactly once', async () => {
  const due = await Promise.all(Array.from({ length: 30 }, waiting));
  await db.pool.query(`UPDATE handoffs SET deadline_at = now() - interval '1 second' WHERE id = ANY ($1)`, [
    due.map(({ id }) => id),
  ]);
  await vi.waitFor(
    async () =>
      expect(
        await db.prisma.handoff.count({ where: { id: { in: due.map(({ id }) => id) }, status: 'TIMED_OUT' } }),
      ).toBe(30),
    { timeout: 20_000, interval: 100 },
  );
  for (const { id } of due) {
    expect(await changesOf(id)).toEqual([
      { type: 'SESSION_REASSIGNED', actorPrincipal: 'operator' },
      { type: 'HANDOFF_TIMED_OUT', actorPrincipal: 'sweep' },
      { type: 'SESSION_RETURNED', actorPrincipal: 'sweep' },
    ]);
  }
  expect(tally(await all(30, (ask, n) => ask('acceptHandoff', { handoffId: due[n]!.handoffId })))).toEqual({
    INVALID_STATE: 30,
  });
}, 60_000);
