import { describe, expect, it } from 'vitest';
import { hashAllTables } from '../../../test/hash.ts';
import { house, somebodyElse, type Mutation, type Said } from '../../../test/refusals.ts';
import { decodeId, encodeId } from '../../core/ids.ts';
import { acceptHandoff } from '../../work/handoffs/changeHandoff.ts';

const home = await house();
const { db, agent, session, reassign, run, unique, send } = home;

const publicId = (id: string): string => encodeId('session', id);

async function held() {
  const [holder, other] = [unique('holder'), unique('other')];
  await agent(other);
  await agent(holder, { collaborators: [other] });
  const id = await session(holder);
  return { id, sessionId: publicId(id), holder, other };
}
async function waiting() {
  const { id, holder, other } = await held();
  const { handoffId } = await reassign(id, { agentId: other });
  return { handoffId: encodeId('handoff', handoffId ?? ''), holder, other, id };
}

/** The second answer is the first again, and nothing at all has changed. */
async function repeats(mutation: Mutation, input: object): Promise<Said> {
  const first = await send(mutation, input);
  expect(first.__typename).toBe(`${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Payload`);
  const before = await hashAllTables(db.pool);
  expect(await send(mutation, input)).toEqual(first);
  expect(await hashAllTables(db.pool)).toEqual(before);
  return first;
}

describe('a life-cycle change repeated by the same principal changes nothing and writes no event (rule: repeat)', () => {
  it.each(['pauseSession', 'completeSession', 'cancelSession'] as const)('%s', async (mutation) => {
    await repeats(mutation, { sessionId: (await held()).sessionId });
  });

  it('failSession', async () => {
    await repeats('failSession', { sessionId: (await held()).sessionId, reason: 'because' });
  });

  it('resumeSession', async () => {
    const { sessionId } = await held();
    await send('pauseSession', { sessionId });
    await repeats('resumeSession', { sessionId });
  });

  it('completeSession with the version of the first call', async () => {
    await repeats('completeSession', { sessionId: (await held()).sessionId, expectedVersion: 1 });
  });

  it.each(['acceptHandoff', 'cancelHandoff', 'timeOutHandoff'] as const)('%s', async (mutation) => {
    await repeats(mutation, { handoffId: (await waiting()).handoffId });
  });

  it.each(['rejectHandoff', 'failHandoff'] as const)('%s', async (mutation) => {
    await repeats(mutation, { handoffId: (await waiting()).handoffId, reason: 'because' });
  });

  it('completeHandoff, and acceptHandoff after it', async () => {
    const { handoffId } = await waiting();
    await send('acceptHandoff', { handoffId });
    await repeats('completeHandoff', { handoffId });
    await repeats('acceptHandoff', { handoffId });
  });

  it('cancelPendingHandoffs without a waiting handoff', async () => {
    const { id } = await waiting();
    await send('cancelPendingHandoffs', { sessionId: publicId(id) });
    await repeats('cancelPendingHandoffs', { sessionId: publicId(id) });
  });

  it('but a repeat by another principal is INVALID_STATE', async () => {
    const { handoffId } = await waiting();
    await run(acceptHandoff, { handoffId: decodeId(handoffId)?.uuid ?? '' }, { caller: somebodyElse });
    expect(await send('acceptHandoff', { handoffId })).toMatchObject({ code: 'INVALID_STATE', state: 'ACCEPTED' });
  });
});

describe('a repeat under an idempotency key returns the same ids and scalars and changes nothing (rule: idempotency)', () => {
  const idempotencyKey = (): { idempotencyKey: string } => ({ idempotencyKey: unique('key') });

  it('createSession', async () => {
    const { other } = await held();
    await repeats('createSession', { title: 'Work', agentId: other, ...idempotencyKey() });
  });

  it('appendTurn', async () => {
    const { sessionId } = await held();
    await repeats('appendTurn', {
      sessionId,
      messages: [{ role: 'ASSISTANT', content: 'Done.' }],
      ...idempotencyKey(),
    });
  });

  it('reassignSession by agent and by type, with and without a handoff, at a later version', async () => {
    const { sessionId, other } = await held();
    const first = await repeats('reassignSession', {
      sessionId,
      agentId: other,
      expectedVersion: 1,
      ...idempotencyKey(),
    });
    expect(first).toMatchObject({ handoffCreated: true, previousAgentType: 'CLAUDE', assignedAgent: { id: other } });
    expect(
      await repeats('reassignSession', { sessionId, agentType: 'CLAUDE', skipHandoff: true, ...idempotencyKey() }),
    ).toMatchObject({ handoffCreated: false });
  });

  it('initiateHandoff', async () => {
    const { sessionId, other } = await held();
    await repeats('initiateHandoff', { sessionId, targetAgentId: other, ...idempotencyKey() });
  });

  it('but a refusal is not stored, and its key may succeed later', async () => {
    const { sessionId, other } = await held();
    const input = { sessionId, agentId: other, expectedVersion: 2, ...idempotencyKey() };
    expect(await send('reassignSession', input)).toMatchObject({ code: 'CONFLICT' });
    await send('pauseSession', { sessionId });
    expect(await repeats('reassignSession', input)).toMatchObject({ handoffCreated: true });
  });
});
