import { describe, expect, it } from 'vitest';
import { movableClock } from '../../../test/clock.ts';
import { testDatabase } from '../../../test/database.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { agentCaller, world } from '../../../test/world.ts';
import { silentLog } from '../../infra/log.ts';
import { acceptHandoff } from './changeHandoff.ts';
import { ClockSteps } from './clockSteps.ts';
import { sweep } from './sweep.ts';
import { touchHandoff } from './touchHandoff.ts';

const db = await testDatabase();
const clock = await movableClock(db);
const { agent, session, reassign, run } = world(db.pool);
for (const id of ['a', 'b', 'c']) await agent(id, { maxCapacity: 500 });

const waiting = async (): Promise<string> => (await reassign(await session('a'), { agentId: 'b' })).handoffId!;
const touch = (handoffId: string) => run(touchHandoff, { handoffId, note: 'still reading' });
const look = (id: string) => db.prisma.handoff.findUniqueOrThrow({ where: { id } });
const events = async (handoffId: string) =>
  (await db.prisma.event.findMany({ where: { handoffId }, orderBy: { sessionSequence: 'asc' } })).map(
    ({ type }) => type,
  );
/** A sweep of a process that began after the clock was moved. */
const swept = () => sweep({ pool: db.pool, log: silentLog }, new ClockSteps());
const remindIn = (handoffId: string, minutes: number) =>
  db.pool.query(`UPDATE handoffs SET remind_at = initiated_at + $2 * interval '1 minute' WHERE id = $1`, [
    handoffId,
    minutes,
  ]);

describe('touchHandoff', () => {
  it('gives the full time again from now on, three times, and keeps the note and the version', async () => {
    const handoffId = await waiting();
    const before = await look(handoffId);
    await clock.move('20 minutes');
    await touch(handoffId);
    await clock.move('20 minutes');
    expect(await swept()).toBe(0);
    const after = await look(handoffId);
    expect(after).toMatchObject({ status: 'INITIATED', extensions: 1 });
    expect(after.deadlineAt.getTime() - before.deadlineAt.getTime()).toBeGreaterThanOrEqual(20 * 60_000);
    expect(await db.prisma.event.findFirstOrThrow({ where: { handoffId, type: 'HANDOFF_EXTENDED' } })).toMatchObject({
      reason: 'still reading',
      actorPrincipal: 'operator',
    });
    expect((await db.prisma.session.findUniqueOrThrow({ where: { id: after.sessionId } })).version).toBe(2);
    await touch(handoffId);
    await touch(handoffId);
    await expect(touch(handoffId)).rejects.toMatchObject({ code: 'INVALID_STATE', state: 'EXTENDED 3' });
    await clock.move('31 minutes');
    expect(await swept()).toBe(1);
    expect(await look(handoffId)).toMatchObject({ status: 'TIMED_OUT' });
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });

  it("is the target's and an operator's, also past the deadline until the time-out", async () => {
    const handoffId = await waiting();
    const as = (agentId: string) => run(touchHandoff, { handoffId, note: null }, { caller: agentCaller(agentId) });
    await expect(as('a')).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining("target agent of the handoff ('b')") as string,
    });
    await expect(as('c')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await look(handoffId)).toMatchObject({ extensions: 0 });
    await clock.move('31 minutes');
    await as('b');
    expect(await swept()).toBe(0);
    expect(await look(handoffId)).toMatchObject({ status: 'INITIATED', extensions: 1 });
    expect(await events(handoffId)).toEqual(['HANDOFF_INITIATED', 'SESSION_REASSIGNED', 'HANDOFF_EXTENDED']);
    await run(acceptHandoff, { handoffId });
  });

  it('of a touch and a time-out at the same moment one wins', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => waiting()));
    await clock.move('31 minutes');
    const [first, ...touched] = await Promise.all([
      swept(),
      ...all.map((id) =>
        touch(id).then(
          () => 1,
          () => 0,
        ),
      ),
    ]);
    const rest = await swept();
    expect(touched.reduce((sum, n) => sum + n, first + rest)).toBe(20);
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });
});

describe('a reminder', () => {
  it('is written once by two sweeps at the same moment, before the time-out by a server that started in between', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => waiting()));
    const later = await waiting();
    for (const id of all) await remindIn(id, 10);
    await remindIn(later, 25);
    await clock.move('11 minutes');
    expect(await Promise.all([swept(), swept()])).toEqual([0, 0]);
    await swept();
    for (const id of all)
      expect(await events(id)).toEqual(['HANDOFF_INITIATED', 'SESSION_REASSIGNED', 'HANDOFF_REMINDED']);
    expect(await events(later)).toEqual(['HANDOFF_INITIATED', 'SESSION_REASSIGNED']);
    const [first] = all;
    expect(await look(first!)).toMatchObject({ status: 'INITIATED', remindedAt: expect.any(Date) as Date });
    const reminder = await db.prisma.event.findFirstOrThrow({
      where: { handoffId: first!, type: 'HANDOFF_REMINDED' },
      include: { inboxes: { orderBy: { agentId: 'asc' } } },
    });
    expect([reminder.actorPrincipal, reminder.inboxes.map(({ agentId }) => agentId)]).toEqual(['sweep', ['a', 'b']]);
    await clock.move('20 minutes');
    await swept();
    expect(await events(first!)).toEqual([
      'HANDOFF_INITIATED',
      'SESSION_REASSIGNED',
      'HANDOFF_REMINDED',
      'HANDOFF_TIMED_OUT',
      'SESSION_RETURNED',
    ]);
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });

  it('moves with the deadline as long as it is not written, and is not written again after it', async () => {
    const handoffId = await waiting();
    await remindIn(handoffId, 10);
    const reminders = async () => {
      await swept();
      return (await events(handoffId)).filter((type) => type === 'HANDOFF_REMINDED').length;
    };
    await clock.move('6 minutes');
    await touch(handoffId);
    await clock.move('6 minutes');
    expect(await reminders()).toBe(0);
    await clock.move('5 minutes');
    expect(await reminders()).toBe(1);
    await touch(handoffId);
    await clock.move('25 minutes');
    expect(await reminders()).toBe(1);
    expect(await look(handoffId)).toMatchObject({ status: 'INITIATED' });
  });

  it('is not written for a handoff that was accepted, or that is past its deadline', async () => {
    const [accepted, late] = [await waiting(), await waiting()];
    for (const id of [accepted, late]) await remindIn(id, 10);
    await run(acceptHandoff, { handoffId: accepted });
    await clock.move('40 minutes');
    await swept();
    expect([await events(accepted), await events(late)]).toEqual([
      ['HANDOFF_INITIATED', 'SESSION_REASSIGNED', 'HANDOFF_ACCEPTED'],
      ['HANDOFF_INITIATED', 'SESSION_REASSIGNED', 'HANDOFF_TIMED_OUT', 'SESSION_RETURNED'],
    ]);
  });
});
