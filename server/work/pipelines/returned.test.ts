import { expect, it } from 'vitest';
import { movableClock } from '../../../test/clock.ts';
import { testDatabase } from '../../../test/database.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { world } from '../../../test/world.ts';
import { rejectHandoff } from '../handoffs/changeHandoff.ts';
import { completeSession } from '../sessions/changeSession.ts';
import { updateSession } from '../sessions/updateSession.ts';

const db = await testDatabase();
const clock = await movableClock(db);
const { agent, session, pipeline, advance, run } = world(db.pool);

it('a return that finds no place stands before its own level in the queue, also after its priority changed', async () => {
  await agent('writer', { role: 'write', maxCapacity: 1 });
  await agent('reviewer', { role: 'review' });
  await pipeline('story', ['write DONE review', 'review DONE end']);
  const start = (title: string, priority: 'LOW' | 'NORMAL' | 'HIGH' = 'NORMAL') =>
    session(null, { pipeline: 'story', title, priority });
  const order = async () =>
    (
      await db.prisma.queueEntry.findMany({
        orderBy: [{ effectiveAt: 'asc' }, { id: 'asc' }],
        include: { session: true },
      })
    ).map(({ session: { title } }) => title);
  const returned = await start('returned');
  const { handoffId } = await advance(returned);
  const held = await start('held by the writer');
  await start('normal, waits since 31 minutes');
  await clock.move('31 minutes');
  for (const [title, priority] of [
    ['normal', 'NORMAL'],
    ['high', 'HIGH'],
    ['low', 'LOW'],
    ['normal too', 'NORMAL'],
  ] as const)
    await start(title, priority);
  await run(rejectHandoff, { handoffId: handoffId!, reason: 'no' });
  expect(await order()).toEqual(['normal, waits since 31 minutes', 'high', 'returned', 'normal', 'normal too', 'low']);
  expect(await brokenInvariants(db.pool)).toEqual([]);

  const prioritise = (priority: 'LOW' | 'NORMAL') =>
    run(updateSession, { sessionId: returned, priority, expectedVersion: null });
  await prioritise('LOW');
  expect(await order()).toEqual(['normal, waits since 31 minutes', 'high', 'normal', 'normal too', 'returned', 'low']);
  await prioritise('NORMAL');

  const turns: string[] = [];
  for (let sessionId: string | undefined = held; sessionId !== undefined;) {
    await run(completeSession, { sessionId, expectedVersion: null, result: null, summary: null });
    const next: { id: string; title: string } | null = await db.prisma.session.findFirst({
      where: { agentId: 'writer', status: 'RUNNING' },
    });
    if (next !== null) turns.push(next.title);
    sessionId = next?.id;
  }
  expect(turns).toEqual(['normal, waits since 31 minutes', 'high', 'returned', 'normal', 'normal too', 'low']);
  expect(await brokenInvariants(db.pool)).toEqual([]);
});
