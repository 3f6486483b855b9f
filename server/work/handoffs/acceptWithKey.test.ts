import { expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { world } from '../../../test/world.ts';
import { acceptHandoff, completeHandoff } from './changeHandoff.ts';

const db = await testDatabase();
const { agent, session, reassign, run } = world(db.pool);
for (const id of ['a', 'b']) await agent(id, { maxCapacity: 500 });

it('lets exactly one of ten concurrent accepts with a key each succeed, and repeats its answer to its key', async () => {
  const { handoffId } = await reassign(await session('a'), { agentId: 'b' });
  const accept = (n: number) => run(acceptHandoff, { handoffId: handoffId! }, { idempotencyKey: `process ${n}` });
  const answers = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => accept(n)));
  const [winner, ...more] = answers.flatMap(({ status }, n) => (status === 'fulfilled' ? [n] : []));
  expect(more).toEqual([]);
  for (const answer of answers)
    if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'INVALID_STATE', state: 'ACCEPTED' });
  await run(completeHandoff, { handoffId: handoffId! });
  expect(await accept(winner!)).toEqual((answers[winner!] as PromiseFulfilledResult<object>).value);
  expect(await db.prisma.event.count({ where: { handoffId: handoffId!, type: 'HANDOFF_ACCEPTED' } })).toBe(1);
});
