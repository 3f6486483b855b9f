import { expect, it, vi } from 'vitest';
import { movableClock } from '../../../test/clock.ts';
import { testDatabase } from '../../../test/database.ts';
import { world } from '../../../test/world.ts';
import { silentLog } from '../../infra/log.ts';
import { ClockSteps } from './clockSteps.ts';
import { sweep } from './sweep.ts';

const db = await testDatabase();
const clock = await movableClock(db);
const { agent, session, reassign } = world(db.pool);
for (const id of ['a', 'b']) await agent(id, { maxCapacity: 50 });
/** Deadlines of seven milliseconds, which a test can wait for. */
const hasty = world(db.pool, 0.000_12);

const statusOf = async (id: string) => (await db.prisma.handoff.findUniqueOrThrow({ where: { id } })).status;
const waiting = async ({ reassign: move } = { reassign }) =>
  (await move(await session('a'), { agentId: 'b' })).handoffId!;

it('times out nothing when the clock steps past a deadline, and logs the step', async () => {
  const clocks = new ClockSteps();
  const warn = vi.fn();
  const options = { pool: db.pool, log: { ...silentLog, warn } };
  const handoffId = await waiting();
  await sweep(options, clocks);
  await clock.move('2 hours');
  expect([await sweep(options, clocks), await sweep(options, clocks)]).toEqual([0, 0]);
  expect(await statusOf(handoffId)).toBe('INITIATED');
  expect(warn.mock.calls).toEqual([
    [{ steppedMs: expect.closeTo(7_200_000, -4) as number }, expect.stringContaining('stepped ahead') as string],
  ]);
});

it('times out by the new clock on a server that starts after the step', async () => {
  const running = new ClockSteps();
  const options = { pool: db.pool, log: silentLog };
  await sweep(options, running);
  const handoffId = await waiting();
  await clock.move('2 hours');
  await sweep(options, running);
  expect(await statusOf(handoffId)).toBe('INITIATED');
  await sweep(options, new ClockSteps());
  expect(await statusOf(handoffId)).toBe('TIMED_OUT');
});

it('times out after a step what was due before it, and later handoffs by their own deadline', async () => {
  const clocks = new ClockSteps();
  const swept = () => sweep({ pool: db.pool, log: silentLog }, clocks);
  await swept();
  const before = await waiting(hasty);
  await clock.move('2 hours');
  await vi.waitFor(async () => expect([await swept(), await statusOf(before)]).toEqual([0, 'TIMED_OUT']), {
    timeout: 30_000,
    interval: 5,
  });
  const after = await waiting(hasty);
  await vi.waitFor(async () => expect([await swept(), await statusOf(after)]).toEqual([0, 'TIMED_OUT']), {
    timeout: 30_000,
    interval: 5,
  });
});

it('times out nothing when the clock steps between its two reads', async () => {
  const clocks = new ClockSteps();
  const handoffId = await waiting();
  await sweep({ pool: db.pool, log: silentLog }, clocks);
  const query = db.pool.query.bind(db.pool);
  const asked = vi.spyOn(db.pool, 'query').mockImplementation((async (statement: { text: string }) => {
    if (statement.text.includes('deadline_at'))
      await query(`UPDATE moved_clock SET ahead = ahead + interval '2 hours'`);
    return query(statement);
  }) as never);
  expect(await sweep({ pool: db.pool, log: silentLog }, clocks)).toBe(0);
  // The clock, the old answers, once the due handoffs, and the sessions that wait in vain.
  expect(asked).toHaveBeenCalledTimes(4);
  asked.mockRestore();
  expect(await statusOf(handoffId)).toBe('INITIATED');
});
