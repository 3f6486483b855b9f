import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { storedKey } from '../../core/work.ts';
import { silentLog } from '../../infra/log.ts';
import { acceptHandoff } from './changeHandoff.ts';
import { sweep } from './sweep.ts';

const db = await testDatabase();
const { agent, session, reassign, run } = world(db.pool);
await agent('a', { maxCapacity: 500 });
await agent('b', { maxCapacity: 500 });

const due = (handoffId: string) =>
  db.pool.query(`UPDATE handoffs SET deadline_at = clock_timestamp() - interval '1 second' WHERE id = $1`, [handoffId]);
const waiting = async () => {
  const id = await session('a');
  const { handoffId } = await reassign(id, { agentId: 'b' });
  return { id, handoffId: handoffId! };
};
const swept = () => sweep({ pool: db.pool, log: silentLog });
const statusOf = async (id: string) => (await db.prisma.handoff.findUniqueOrThrow({ where: { id } })).status;

describe('the sweep', () => {
  it('times out a handoff after its deadline, returns the session, and records itself as the actor', async () => {
    const { id, handoffId } = await waiting();
    const young = await waiting();
    await due(handoffId);
    expect(await swept()).toBe(1);
    expect(await statusOf(handoffId)).toBe('TIMED_OUT');
    expect(await statusOf(young.handoffId)).toBe('INITIATED');
    const session1 = await db.prisma.session.findUniqueOrThrow({ where: { id } });
    expect(session1).toMatchObject({ agentId: 'a', status: 'RUNNING' });
    const event = await db.prisma.event.findFirstOrThrow({ where: { handoffId, type: 'HANDOFF_TIMED_OUT' } });
    expect(event).toMatchObject({ actorPrincipal: 'sweep', actorRole: null });
  });

  it('ignores an accepted handoff of any age', async () => {
    const { handoffId } = await waiting();
    await run(acceptHandoff, { handoffId });
    await due(handoffId);
    expect(await swept()).toBe(0);
    expect(await statusOf(handoffId)).toBe('ACCEPTED');
  });

  it('skips a locked session, and times it out in the next run', async () => {
    const { id, handoffId } = await waiting();
    await due(handoffId);
    const other = await db.pool.connect();
    try {
      await other.query('BEGIN');
      await other.query('SELECT FROM sessions WHERE id = $1 FOR UPDATE', [id]);
      expect(await swept()).toBe(0);
    } finally {
      await other.query('ROLLBACK');
      other.release();
    }
    expect(await swept()).toBe(1);
    expect(await statusOf(handoffId)).toBe('TIMED_OUT');
  });

  it('times out each handoff once when several run at the same time', async () => {
    const all = [];
    for (let n = 0; n < 20; n += 1) all.push(await waiting());
    for (const { handoffId } of all) await due(handoffId);
    const counts = await Promise.all([swept(), swept(), swept(), swept()]);
    // Sessions that two of them met on are left to the next run.
    const rest = await swept();
    expect(counts.reduce((sum, n) => sum + n, rest)).toBe(20);
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });

  it('times out the others when one handoff fails, logs that one, and tries it again', async () => {
    const [broken, other] = [await waiting(), await waiting()];
    for (const { handoffId } of [broken, other]) await due(handoffId);
    await db.pool
      .query(`UPDATE handoffs SET deadline_at = deadline_at - interval '1 hour' WHERE id = '${broken.handoffId}';
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'this row is broken'; END$$;
      CREATE TRIGGER fail BEFORE UPDATE ON handoffs FOR EACH ROW WHEN (OLD.id = '${broken.handoffId}') EXECUTE FUNCTION fail()`);
    const logged: object[] = [];
    const log = { info: () => undefined, warn: () => undefined, error: (fields: object) => void logged.push(fields) };
    expect(await sweep({ pool: db.pool, log })).toBe(1);
    expect([await statusOf(broken.handoffId), await statusOf(other.handoffId)]).toEqual(['INITIATED', 'TIMED_OUT']);
    expect(logged).toMatchObject([
      { handoffId: encodeId('handoff', broken.handoffId), err: { message: 'this row is broken' } },
    ]);
    await db.pool.query('DROP FUNCTION fail CASCADE');
    expect(await swept()).toBe(1);
    expect(await statusOf(broken.handoffId)).toBe('TIMED_OUT');
  });

  it('deletes idempotency answers after a day', async () => {
    await session('a', {}, { idempotencyKey: 'old' });
    await session('a', {}, { idempotencyKey: 'new' });
    await db.pool.query(`UPDATE idempotency_answers SET created_at = created_at - interval '25 hours' WHERE key = $1`, [
      storedKey('old'),
    ]);
    await swept();
    expect((await db.prisma.idempotencyAnswer.findMany()).map(({ key }) => key)).toEqual([storedKey('new')]);
  });
});
