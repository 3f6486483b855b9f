import { afterEach, expect, it } from 'vitest';
import { crowd, tally, type Caller } from '../../test/crowd.ts';
import { testDatabase } from '../../test/database.ts';
import { brokenInvariants } from '../../test/invariants.ts';
import { unknownId, type Mutation, type Said } from '../../test/refusals.ts';
import { world } from '../../test/world.ts';
import { encodeId } from './ids.ts';

// With two server processes on one database (rule: one effect).
const db = await testDatabase();
const { agent, session } = world(db.pool);
const { all } = await crowd(db);
const times = 50;
let count = 0;

async function held() {
  const [holder, other] = [`holder-${(count += 1)}`, `other-${count}`];
  await agent(other, { type: 'CODEX', maxCapacity: 1_000 });
  await agent(holder, { collaborators: [other] });
  const id = await session(holder);
  return { id, sessionId: encodeId('session', id), other };
}

/** Repeats under the same key what was UNAVAILABLE, as clients do: on a slow machine fifty callers wait for one lock longer than they may. */
async function persistently(ask: Caller, mutation: Mutation, input: object): Promise<Said> {
  for (let tries = 1; ; tries += 1) {
    const said = await ask(mutation, input);
    if (said.code !== 'UNAVAILABLE' || tries === 5) return said;
  }
}

/** Asks fifty times at once and expects one answer, a payload. */
async function once(mutation: Mutation, input: object): Promise<void> {
  const keyed = { ...input, idempotencyKey: `key-${(count += 1)}` };
  const answers = await all(times, (ask) => persistently(ask, mutation, keyed));
  expect(tally(answers)).toEqual({ [`${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Payload`]: times });
  for (const answer of answers) expect(answer).toEqual(answers[0]);
}

afterEach(async () => {
  expect(await brokenInvariants(db.pool)).toEqual([]);
});

it('50 concurrent reassignSession calls under one key make one handoff and get the same answer', async () => {
  const { id, sessionId, other } = await held();
  await once('reassignSession', { sessionId, agentId: other });
  expect(await db.prisma.handoff.count({ where: { sessionId: id } })).toBe(1);
  expect(await db.prisma.event.count({ where: { sessionId: id } })).toBe(3);
});

it('50 concurrent reassignSession calls by type with skipHandoff under one key move the session once', async () => {
  const { id, sessionId } = await held();
  await once('reassignSession', { sessionId, agentType: 'CODEX', skipHandoff: true });
  expect(await db.prisma.agentSession.count({ where: { sessionId: id } })).toBe(2);
});

it('50 concurrent createSession calls under one key create one session', async () => {
  const { other } = await held();
  const before = await db.prisma.session.count();
  await once('createSession', { title: 'The one', agentId: other });
  expect(await db.prisma.session.count()).toBe(before + 1);
  expect((await db.prisma.agent.findUniqueOrThrow({ where: { id: other } })).currentLoad).toBe(1);
});

it('50 concurrent appendTurn calls under one key write one turn', async () => {
  const { id, sessionId } = await held();
  await once('appendTurn', {
    sessionId,
    messages: [{ role: 'ASSISTANT', content: 'Done.' }],
    toolCalls: [{ callId: 'c1', name: 'Read', result: 'ok' }],
  });
  expect(await db.prisma.turn.count({ where: { sessionId: id } })).toBe(1);
  expect(await db.prisma.message.count({ where: { sessionId: id } })).toBe(1);
});

it('50 concurrent initiateHandoff calls under one key make one handoff', async () => {
  const { id, sessionId, other } = await held();
  await once('initiateHandoff', { sessionId, targetAgentId: other });
  expect(await db.prisma.handoff.count({ where: { sessionId: id } })).toBe(1);
});

it('50 concurrent recordDecision or captureSnapshot calls under one key write one record', async () => {
  const { id, sessionId } = await held();
  await once('recordDecision', { sessionId, text: 'So be it' });
  await once('captureSnapshot', { sessionId });
  expect(await db.prisma.decision.count({ where: { sessionId: id } })).toBe(1);
  expect(await db.prisma.contextSnapshot.count({ where: { sessionId: id, type: 'CHECKPOINT' } })).toBe(1);
});

it('50 concurrent calls with different inputs under one key: one succeeds, 49 get IDEMPOTENCY_MISMATCH', async () => {
  const { id, sessionId } = await held();
  const idempotencyKey = `key-${(count += 1)}`;
  const answers = await all(times, (ask, n) =>
    ask('recordDecision', { sessionId, text: `Decision ${n}`, idempotencyKey }),
  );
  expect(tally(answers)).toEqual({ RecordDecisionPayload: 1, IDEMPOTENCY_MISMATCH: times - 1 });
  expect(await db.prisma.decision.count({ where: { sessionId: id } })).toBe(1);
});

it('50 refused calls store no answer under their key', async () => {
  const { other } = await held();
  const idempotencyKey = `key-${(count += 1)}`;
  const answers = await all(times, (ask) =>
    ask('reassignSession', { sessionId: unknownId('session'), agentId: other, idempotencyKey }),
  );
  expect(tally(answers)).toEqual({ NOT_FOUND: times });
  expect(await db.prisma.idempotencyAnswer.count({ where: { key: idempotencyKey } })).toBe(0);
});
