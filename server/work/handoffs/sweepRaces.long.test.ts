import { afterEach, expect, it } from 'vitest';
import { atEnd, testDatabase } from '../../../test/database.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { world } from '../../../test/world.ts';
import { DomainError } from '../../core/errors.ts';
import { silentLog } from '../../infra/log.ts';
import { createDatabase } from '../../infra/prisma.ts';
import { acceptHandoff } from './changeHandoff.ts';
import { sweep } from './sweep.ts';

const db = await testDatabase();
const other = createDatabase(db.url, silentLog);
atEnd(() => other.close());
const { agent, session, reassign, run } = world(db.pool);
await agent('source', { maxCapacity: 1_000 });
await agent('target', { maxCapacity: 1_000 });

async function waiting(count: number): Promise<string[]> {
  return Promise.all(
    Array.from(
      { length: count },
      async () => (await reassign(await session('source'), { agentId: 'target' })).handoffId ?? '',
    ),
  );
}
const makeDue = (ids: string[]) =>
  db.pool.query(`UPDATE handoffs SET deadline_at = now() - interval '1 second' WHERE id = ANY ($1)`, [ids]);
const timeOuts = (ids: string[]) =>
  db.prisma.event.count({ where: { handoffId: { in: ids }, type: 'HANDOFF_TIMED_OUT' } });
const statuses = async (ids: string[]) =>
  (await db.prisma.handoff.findMany({ where: { id: { in: ids } } })).map(({ status }) => status);

afterEach(async () => {
  expect(await brokenInvariants(db.pool)).toEqual([]);
});

it('two concurrent sweeps time out each of 250 due handoffs once, and none that is not due', async () => {
  const [due, young] = [await waiting(250), await waiting(10)];
  await makeDue(due);
  const swept = await Promise.all([
    sweep({ pool: db.pool, log: silentLog }),
    sweep({ pool: other.pool, log: silentLog }),
  ]);
  // What one had locked the other passed over; a second look finds nothing left.
  const rest = await sweep({ pool: db.pool, log: silentLog });
  expect(swept[0] + swept[1] + rest).toBe(250);
  expect(await timeOuts(due)).toBe(250);
  expect(new Set(await statuses(due))).toEqual(new Set(['TIMED_OUT']));
  expect(new Set(await statuses(young))).toEqual(new Set(['INITIATED']));
}, 60_000);

it('each handoff is either accepted or timed out when its target accepts during a sweep', async () => {
  const due = await waiting(100);
  await makeDue(due);
  const accepted = due.map((handoffId) =>
    run(acceptHandoff, { handoffId }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof DomainError && error.code === 'INVALID_STATE') return false;
        throw error;
      },
    ),
  );
  const swept = await Promise.all([
    sweep({ pool: db.pool, log: silentLog }),
    sweep({ pool: other.pool, log: silentLog }),
  ]);
  const won = (await Promise.all(accepted)).filter(Boolean).length;
  const late = await sweep({ pool: db.pool, log: silentLog });
  expect(won + swept[0] + swept[1] + late).toBe(100);
  expect(await timeOuts(due)).toBe(100 - won);
  expect((await statuses(due)).filter((status) => status === 'ACCEPTED')).toHaveLength(won);
}, 60_000);

it('a sweep skips a locked session without waiting, and times it out in the next run', async () => {
  const due = await waiting(3);
  await makeDue(due);
  const [locked] = await db.prisma.handoff.findMany({ where: { id: due[0]! } });
  const holder = await other.pool.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM sessions WHERE id = $1 FOR UPDATE', [locked?.sessionId]);
  expect(await sweep({ pool: db.pool, log: silentLog })).toBe(2);
  const took: number[] = [];
  for (let n = 0; n < 3; n += 1) {
    const before = performance.now();
    expect(await sweep({ pool: db.pool, log: silentLog })).toBe(0);
    took.push(performance.now() - before);
  }
  // Waiting for the lock would take 2 s each time. The fastest of three is not slow by chance.
  expect(Math.min(...took)).toBeLessThan(1_500);
  await holder.query('ROLLBACK');
  holder.release();
  expect(await sweep({ pool: db.pool, log: silentLog })).toBe(1);
});
