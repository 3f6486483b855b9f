import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { agentCaller, world } from '../../../test/world.ts';
import { silentLog } from '../../infra/log.ts';
import { setAgentStatus } from '../agents/setAgentStatus.ts';
import { assignQueued } from '../queue/assign.ts';
import { completeSession } from '../sessions/changeSession.ts';

const { pool, prisma } = await testDatabase();
const { agent, session, pipeline, initiate, run } = world(pool);
const assign = () => assignQueued({ pool, log: silentLog });
const end = (sessionId: string) =>
  run(completeSession, { sessionId, expectedVersion: null, result: null, summary: null });
const stateOf = (id: string) =>
  prisma.session.findUniqueOrThrow({
    where: { id },
    select: { status: true, agentId: true, stage: true, priority: true, queueEntry: { select: { role: true } } },
  });

let round = 0;
/** A full target, another agent of its type and role with a free place, and the session that keeps the target full. */
async function full() {
  round += 1;
  const [ada, bob, other] = [`ada-${round}`, `bob-${round}`, `other-${round}`];
  await agent(bob, { type: `CODEX_${round}`, role: 'r', maxCapacity: 1 });
  await agent(other, { type: `CODEX_${round}`, role: 'r' });
  await agent(ada, { collaborators: [bob] });
  return { ada, bob, other, filling: await session(bob) };
}

describe('initiateHandoff with queue', () => {
  it('waits for a target that is full, and for no other agent, and hands off at its turn', async () => {
    const { ada, bob, filling } = await full();
    const id = await session(ada);
    const given = { queue: true, reason: 'when you can', metadata: { ticket: 1 } };
    expect(await initiate(id, bob, given, { caller: agentCaller(ada) })).toEqual({ handoffId: null, sessionId: id });
    await assign();
    expect(await stateOf(id)).toMatchObject({ status: 'PAUSED', agentId: null, queueEntry: {} });
    await end(filling);
    await assign();
    expect(await stateOf(id)).toMatchObject({ status: 'RUNNING', agentId: bob, queueEntry: null });
    expect(await prisma.handoff.findFirstOrThrow({ where: { sessionId: id } })).toMatchObject({
      sourceAgentId: ada,
      targetAgentId: bob,
      via: 'API',
      status: 'INITIATED',
      reason: 'when you can',
      metadata: { ticket: 1 },
    });
  });

  it('gives the place to the more urgent session first', async () => {
    const { ada, bob, filling } = await full();
    const [first, urgent] = [await session(ada), await session(ada)];
    await initiate(first, bob, { queue: true });
    await initiate(urgent, bob, { queue: true, priority: 'URGENT' });
    await end(filling);
    await assign();
    expect([(await stateOf(first)).agentId, (await stateOf(urgent)).agentId]).toEqual([null, bob]);
  });

  it('hands off at once to a target with a free place, with the new priority', async () => {
    const { ada, bob, filling } = await full();
    await end(filling);
    const id = await session(ada);
    expect((await initiate(id, bob, { queue: true, priority: 'HIGH' })).handoffId).not.toBeNull();
    expect(await stateOf(id)).toMatchObject({ agentId: bob, priority: 'HIGH' });
  });

  it('waits for no agent that is not AVAILABLE, and without queue not at all', async () => {
    const { ada, bob } = await full();
    const id = await session(ada);
    await expect(initiate(id, bob)).rejects.toMatchObject({ code: 'AGENT_AT_CAPACITY' });
    await run(setAgentStatus, { id: bob, status: 'DRAINING' });
    await expect(initiate(id, bob, { queue: true })).rejects.toMatchObject({ code: 'AGENT_UNAVAILABLE' });
    expect(await stateOf(id)).toMatchObject({ agentId: ada });
  });

  it('in a pipeline enters the stage and waits for an agent of it', async () => {
    await agent('w', { role: 'q-write' });
    await agent('r', { role: 'q-review', maxCapacity: 1 });
    const filling = await session('r');
    await pipeline('q', ['write DONE review', 'review DONE end'], {
      write: { role: 'q-write' },
      review: { role: 'q-review' },
    });
    const id = await session('w', { pipeline: 'q' });
    await initiate(id, 'r', { queue: true });
    expect(await stateOf(id)).toMatchObject({ agentId: null, stage: 'review', queueEntry: { role: 'q-review' } });
    await end(filling);
    await assign();
    expect(await stateOf(id)).toMatchObject({ agentId: 'r', stage: 'review' });
  });
});
