import { expect, it, vi } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { startServer } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { createStamper } from '../../delivery/live/stamp.ts';
import { silentLog } from '../../infra/log.ts';
import { completeSession } from '../sessions/changeSession.ts';

const db = await testDatabase();
const { pool } = db;
const { agent, session, turn, run } = world(pool);
const left = (): Promise<number> => db.prisma.session.count();

it('a server with BATON_KEEP_DAYS prunes, and after its kill another one goes on', async () => {
  await agent('ada', { maxCapacity: 10 });
  for (let n = 0; n < 200; n += 1) {
    const sessionId = await session('ada');
    await turn(sessionId);
    await run(completeSession, { sessionId, expectedVersion: null, result: null, summary: null });
  }
  await createStamper({ pool, log: silentLog, stamped: () => undefined }).now();
  await pool.query(`UPDATE sessions SET last_activity_at = last_activity_at - interval '2 days'`);
  const start = () => startServer({ databaseUrl: db.url, env: { BATON_KEEP_DAYS: '1', LOG_LEVEL: 'info' } });
  const first = await start();
  await vi.waitFor(async () => expect(await left()).toBeLessThan(200), { timeout: 10_000, interval: 5 });
  await first.kill('SIGKILL');
  expect(await left()).toBeGreaterThan(0);
  expect(await brokenInvariants(pool)).toEqual([]);
  // The minute of a dead process is over.
  await pool.query(`UPDATE pruning SET until = clock_timestamp() - interval '1 second'`);
  const second = await start();
  await vi.waitFor(async () => expect(await left()).toBe(0), { timeout: 20_000, interval: 50 });
  await second.kill();
  expect(second.logs.join()).toContain('Finished sessions are pruned after BATON_KEEP_DAYS');
  expect(await brokenInvariants(pool)).toEqual([]);
}, 60_000);
