import { expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { world } from '../../../test/world.ts';
import { acceptHandoff, cancelHandoff } from './changeHandoff.ts';
import { confirmReturn } from './confirmReturn.ts';

const { pool } = await testDatabase();
const { agent, session, initiate, run } = world(pool);

it('keeps the first time at which the source was told, and refuses a handoff that did not come back', async () => {
  await agent('reviewer');
  await agent('author', { collaborators: ['reviewer'] });
  const { handoffId } = await initiate(await session('author'), 'reviewer');
  const confirm = () => run(confirmReturn, { handoffId });
  await expect(confirm()).rejects.toMatchObject({
    code: 'INVALID_STATE',
    message: expect.stringMatching(/INITIATED/) as string,
  });
  await run(cancelHandoff, { handoffId, reason: null });
  const toldAt = async () =>
    (await pool.query<{ at: Date | null }>('SELECT return_told_at AS at FROM handoffs WHERE id = $1', [handoffId]))
      .rows[0]!.at;
  expect(await toldAt()).toBeNull();
  await confirm();
  const first = await toldAt();
  await confirm();
  expect([first, await toldAt()]).toEqual([expect.any(Date), first]);

  const other = await initiate(await session('author'), 'reviewer');
  await run(acceptHandoff, { handoffId: other.handoffId });
  await expect(run(confirmReturn, { handoffId: other.handoffId })).rejects.toMatchObject({ code: 'INVALID_STATE' });
});
