import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { agentCaller, world } from '../../../test/world.ts';
import { setAgentStatus } from '../agents/setAgentStatus.ts';
import { contextColumns, readContext } from '../context/storage.ts';
import { acceptHandoff, failHandoff, rejectHandoff } from '../handoffs/changeHandoff.ts';
import { completeSession, pauseSession, resumeSession } from '../sessions/changeSession.ts';

const db = await testDatabase();
const { agent, session, reassign, initiate, turn, run } = world(db.pool);
let names = 0;
/** Two agents of this test's own. */
const pair = async (capacity = 5) => {
  names += 1;
  const [a, b] = [`a${names}`, `b${names}`];
  await agent(b, { maxCapacity: capacity });
  await agent(a, { maxCapacity: capacity, collaborators: [b] });
  return { a, b };
};
const read = (id: string) =>
  db.prisma.session.findUniqueOrThrow({
    where: { id },
    include: { lastAgentSession: true, lastHandoff: true, agentSessions: { orderBy: { id: 'asc' } } },
  });
const reject = (handoffId: string) => run(rejectHandoff, { handoffId, reason: 'no' });

describe('a declined session', () => {
  it('becomes unassigned and PAUSED when its source has no free place, and the decline is committed', async () => {
    const { a, b } = await pair(1);
    const id = await session(a);
    const { handoffId } = await reassign(id, { agentId: b });
    await session(a);
    await reject(handoffId!);
    expect(await read(id)).toMatchObject({
      agentId: null,
      status: 'PAUSED',
      lastHandoff: { status: 'REJECTED' },
      lastAgentSession: { state: 'DECLINED' },
    });
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });

  it.each(['DRAINING', 'OFFLINE'] as const)('becomes unassigned when its source is %s', async (status) => {
    const { a, b } = await pair();
    const id = await session(a);
    const { handoffId } = await reassign(id, { agentId: b });
    await run(setAgentStatus, { id: a, status });
    await reject(handoffId!);
    expect(await read(id)).toMatchObject({ agentId: null, status: 'PAUSED' });
  });

  it('becomes unassigned again when it had no holder before, and its handoff has no source', async () => {
    const { b } = await pair();
    const id = await session(null);
    const { handoffId } = await reassign(id, { agentId: b });
    expect(await read(id)).toMatchObject({
      status: 'RUNNING',
      lastHandoff: { sourceAgentId: null, sourceAgentSessionId: null, sourceAgentType: null },
    });
    await reject(handoffId!);
    expect(await read(id)).toMatchObject({ agentId: null, status: 'PAUSED' });
  });

  it('returns PAUSED when it was paused after the handoff', async () => {
    const { a, b } = await pair();
    const id = await session(a);
    const { handoffId } = await reassign(id, { agentId: b });
    await run(pauseSession, { sessionId: id, expectedVersion: null });
    expect((await read(id)).lastAgentSession).toMatchObject({ state: 'PENDING' });
    await reject(handoffId!);
    expect(await read(id)).toMatchObject({ agentId: a, status: 'PAUSED', lastAgentSession: { state: 'PAUSED' } });
    await run(resumeSession, { sessionId: id, expectedVersion: null });
    expect(await read(id)).toMatchObject({ status: 'RUNNING', lastAgentSession: { state: 'ACTIVE' } });
  });

  it('returns in a new tenure when the accepted handoff fails', async () => {
    const { a, b } = await pair();
    const id = await session(a);
    const { handoffId } = await reassign(id, { agentId: b });
    await run(acceptHandoff, { handoffId: handoffId! });
    await run(failHandoff, { handoffId: handoffId!, reason: 'crashed' });
    const after = await read(id);
    expect(after.lastHandoff).toMatchObject({ status: 'FAILED', failureReason: 'crashed' });
    expect(after.agentSessions.map(({ agentId, state }) => [agentId, state])).toEqual([
      [a, 'HANDED_OFF'],
      [b, 'FAILED'],
      [a, 'ACTIVE'],
    ]);
  });

  it('never takes its source above its capacity', async () => {
    const { a, b } = await pair(1);
    const id = await session(a);
    const { handoffId } = await reassign(id, { agentId: b });
    await Promise.allSettled([reject(handoffId!), session(a), session(a), session(a)]);
    expect(await brokenInvariants(db.pool)).toEqual([]);
    expect((await db.prisma.agent.findUniqueOrThrow({ where: { id: a } })).currentLoad).toBe(1);
  });
});

describe('acceptHandoff', () => {
  it('succeeds when the target is OFFLINE and full, since the place is already its own', async () => {
    const { a, b } = await pair(1);
    const id = await session(a);
    const { handoffId } = await reassign(id, { agentId: b });
    await run(setAgentStatus, { id: b, status: 'OFFLINE' });
    await run(acceptHandoff, { handoffId: handoffId! });
    expect(await read(id)).toMatchObject({ agentId: b, lastAgentSession: { state: 'ACTIVE' } });
  });

  it('succeeds after the deadline as long as the handoff was not timed out', async () => {
    const { a, b } = await pair();
    const id = await session(a);
    const { handoffId } = await reassign(id, { agentId: b });
    await db.pool.query(`UPDATE handoffs SET deadline_at = clock_timestamp() - interval '1 hour' WHERE id = $1`, [
      handoffId,
    ]);
    await run(acceptHandoff, { handoffId: handoffId! });
    expect((await read(id)).lastHandoff).toMatchObject({ status: 'ACCEPTED' });
  });
});

describe('a handoff back to the source', () => {
  it('is allowed to an agent that accepted, even if the source is no collaborator, and is circular', async () => {
    const { a, b } = await pair();
    const id = await session(a);
    const first = await initiate(id, b);
    await run(acceptHandoff, first);
    await turn(id);
    await initiate(id, a, { summary: 'please mend it' });
    expect((await read(id)).lastHandoff).toMatchObject({
      sourceAgentId: b,
      targetAgentId: a,
      circular: true,
      depth: 2,
    });
    expect(await db.prisma.handoff.findUniqueOrThrow({ where: { id: first.handoffId } })).toMatchObject({
      circular: false,
    });
  });
});

describe('completeSession', () => {
  it('keeps the last holder and frees its place', async () => {
    const { a } = await pair(1);
    const id = await session(a);
    await run(completeSession, { sessionId: id, expectedVersion: null, result: { ok: true }, summary: 'done' });
    expect(await read(id)).toMatchObject({
      status: 'COMPLETED',
      agentId: a,
      result: { ok: true },
      summary: 'done',
      lastAgentSession: { state: 'COMPLETED' },
    });
    await session(a);
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });
});

describe('context variables', () => {
  it('are merged along the chain with the principal that set each last, and every handoff keeps its own values', async () => {
    const { a, b } = await pair();
    const id = await session(a, { contextVariables: { branch: 'main', ticket: 7 } });
    const as = { caller: agentCaller(a) };
    const { handoffId } = await initiate(id, b, { contextVariables: { branch: 'fix' } }, as);
    const carried = async () =>
      readContext(await db.prisma.handoff.findUniqueOrThrow({ where: { id: handoffId }, select: contextColumns }))
        .contextVariables;
    const before = await carried();
    expect(before).toEqual([
      { name: '_handoff_chain', value: [a, b], setBy: 'baton' },
      { name: '_handoff_depth', value: 1, setBy: 'baton' },
      { name: '_handoff_from', value: a, setBy: 'baton' },
      { name: '_handoff_reason', value: null, setBy: 'baton' },
      { name: '_handoff_to', value: b, setBy: 'baton' },
      { name: 'branch', value: 'fix', setBy: a },
      { name: 'ticket', value: 7, setBy: 'operator' },
    ]);
    await reassign(id, { agentId: a, contextVariables: { ticket: 8 } });
    expect((await read(id)).contextVariables).toEqual({
      branch: { value: 'fix', setBy: a },
      ticket: { value: 8, setBy: 'operator', sequence: 1 },
    });
    expect(await carried()).toEqual(before);
  });
});
