import { expect, it, vi } from 'vitest';
import { movableClock } from '../../../test/clock.ts';
import { testDatabase } from '../../../test/database.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { startServer } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { silentLog } from '../../infra/log.ts';
import { ClockSteps } from './clockSteps.ts';
import { sweep } from './sweep.ts';

const db = await testDatabase();
const clock = await movableClock(db);
const { agent, session, pipeline, advance } = world(db.pool);
const count = 60;

const start = () => startServer({ databaseUrl: db.url });
const written = (type: 'HANDOFF_REMINDED' | 'HANDOFF_TIMED_OUT', handoffIds: string[]): Promise<number> =>
  db.prisma.event.count({ where: { type, handoffId: { in: handoffIds } } });
const until = (condition: () => Promise<void>) => vi.waitFor(condition, { timeout: 240_000, interval: 5 });

// A server takes a clock that moves while it runs for a step, so the clock moves while none runs.
it('servers that are killed among reminders and among time-outs write one of each for every handoff', async () => {
  for (const id of ['r1', 'r2']) await agent(id, { role: 'review', maxCapacity: count });
  await agent('w', { role: 'write', maxCapacity: count });
  await pipeline('story', ['write DONE review', 'review DONE end'], {
    review: { remindAfterMinutes: 10, acceptWithinMinutes: 30 },
  });
  const handoffIds: string[] = [];
  for (let n = 0; n < count; n += 1)
    handoffIds.push((await advance(await session(null, { pipeline: 'story' }))).handoffId!);
  const atLeast = (type: Parameters<typeof written>[0], least: number) =>
    until(async () => expect(await written(type, handoffIds)).toBeGreaterThanOrEqual(least));

  await clock.move('11 minutes');
  const reminding = await start();
  await atLeast('HANDOFF_REMINDED', 1);
  await reminding.kill('SIGKILL');
  const [second, third] = await Promise.all([start(), start()]);
  await atLeast('HANDOFF_REMINDED', count);
  await Promise.all([second.kill('SIGKILL'), third.kill('SIGKILL')]);

  await clock.move('20 minutes');
  const [dies, stays] = await Promise.all([start(), start()]);
  await atLeast('HANDOFF_TIMED_OUT', 1);
  await dies.kill('SIGKILL');
  await atLeast('HANDOFF_TIMED_OUT', count);
  await stays.kill();

  expect(await sweep({ pool: db.pool, log: silentLog }, new ClockSteps())).toBe(0);
  for (const type of ['HANDOFF_REMINDED', 'HANDOFF_TIMED_OUT'] as const) {
    const events = await db.prisma.event.findMany({ where: { type } });
    expect(events.map(({ handoffId }) => handoffId).sort()).toEqual(handoffIds.toSorted());
  }
  const next = await db.prisma.handoff.findMany({ where: { status: 'INITIATED' } });
  expect(next.map(({ previousHandoffId, sourceAgentId }) => [previousHandoffId, sourceAgentId]).sort()).toEqual(
    handoffIds.toSorted().map((id) => [id, 'w']),
  );
  expect(await brokenInvariants(db.pool)).toEqual([]);
}, 600_000);
