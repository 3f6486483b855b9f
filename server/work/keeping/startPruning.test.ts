import { expect, it, vi } from 'vitest';
import { atEnd, testDatabase } from '../../../test/database.ts';
import { world } from '../../../test/world.ts';
import { createStamper } from '../../delivery/live/stamp.ts';
import { createMetrics } from '../../delivery/metrics/metrics.ts';
import { silentLog } from '../../infra/log.ts';
import { completeSession } from '../sessions/changeSession.ts';
import { startPruning } from './startPruning.ts';

const db = await testDatabase();
const { pool } = db;
const { agent, session, turn, run } = world(pool);
const stamper = createStamper({ pool, log: silentLog, stamped: () => undefined });
await agent('ada', { maxCapacity: 1_000 });

/** Finished two days ago. */
async function finished(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const sessionId = await session('ada');
    await turn(sessionId);
    await run(completeSession, { sessionId, expectedVersion: null, result: null, summary: null });
  }
  await stamper.now();
  await pool.query(`UPDATE sessions SET last_activity_at = last_activity_at - interval '2 days'`);
}
const left = (): Promise<number> => db.prisma.session.count();

it('prunes until stopped, says so in the log and the metrics, and goes on after a failure', async () => {
  const metrics = createMetrics({
    pool,
    isPersisted: () => false,
    live: () => ({ sockets: 0, streams: 0, lag: 0, redis: null }),
    everyMs: 0,
  });
  atEnd(() => metrics.stop());
  const valueOf = async (name: string): Promise<number> =>
    Number(new RegExp(`^baton_${name} (\\S+)$`, 'm').exec(await metrics.read())?.[1]);
  await finished(60);
  expect(await valueOf('oldest_finished_session_seconds')).toBeGreaterThan(2 * 86_400 - 1);
  const lines: string[] = [];
  const say = (_fields: object, message: string): void => void lines.push(message);
  await pool.query('ALTER TABLE sessions RENAME TO away');
  const pruning = startPruning({ pool, log: { ...silentLog, info: say, warn: say }, days: 1 }, 20);
  await vi.waitFor(() =>
    expect(lines).toContain(
      'Finished sessions could not be pruned: it will be tried again, and nothing else is affected',
    ),
  );
  await pool.query('ALTER TABLE away RENAME TO sessions');
  await vi.waitFor(async () => expect(await left()).toBe(0), 10_000);
  await vi.waitFor(() => expect(lines.at(-1)).toBe('Finished sessions were pruned'));
  await pruning.stop();
  expect(lines.filter((line) => line.startsWith('Finished sessions could not be pruned'))).toHaveLength(1);
  expect(await valueOf('background_failures_total\\{part="keeping"\\}')).toBeGreaterThan(0);
  expect(await valueOf('pruned_sessions_total')).toBe(60);
  expect(await valueOf('pruned_events_total')).toBe(180);
  expect(await valueOf('oldest_finished_session_seconds')).toBe(0);
  expect((await pool.query<{ holder: string | null }>('SELECT holder FROM pruning')).rows).toEqual([{ holder: null }]);
});
