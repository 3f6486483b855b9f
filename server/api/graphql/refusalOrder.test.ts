import { expect, it } from 'vitest';
import { hashAllTables } from '../../../test/hash.ts';
import { house, unknownId, type Mutation } from '../../../test/refusals.ts';
import { encodeId } from '../../core/ids.ts';
import { setAgentStatus } from '../../work/agents/setAgentStatus.ts';
import { acceptHandoff } from '../../work/handoffs/changeHandoff.ts';
import { completeSession } from '../../work/sessions/changeSession.ts';

// Of two reasons to refuse, the earlier one is given (rule: order of refusals). Each test causes both and gets the first.
const home = await house();
const { db, agent, session, initiate, run, unique, uniqueType, send } = home;

const publicId = (id: string): string => encodeId('session', id);
const finish = (sessionId: string) =>
  run(completeSession, { sessionId, expectedVersion: null, result: null, summary: null });
const offline = (id: string) => run(setAgentStatus, { id, status: 'OFFLINE' });

async function anAgent(stem: string, fields: Parameters<typeof agent>[1] = {}): Promise<string> {
  const id = unique(stem);
  await agent(id, fields);
  return id;
}
async function held(fields: Parameters<typeof session>[1] = {}, collaborators: string[] = []) {
  const holder = await anAgent('holder', { collaborators });
  return { holder, id: await session(holder, fields) };
}
async function usedKey(): Promise<string> {
  const idempotencyKey = unique('key');
  await send('createSession', { title: 'Before', idempotencyKey });
  return idempotencyKey;
}
async function hears(code: string, mutation: Mutation, input: object): Promise<void> {
  const before = await hashAllTables(db.pool);
  expect((await send(mutation, input)).code).toBe(code);
  expect(await hashAllTables(db.pool)).toEqual(before);
}
/** A limit that is reached is told as an Event, and nothing moves. */
async function hearsOfLimit(code: string, input: { sessionId: string; targetAgentId: string }): Promise<void> {
  const custody = `SELECT s.agent_id, s.status, s.handoff_count, (SELECT count(*) FROM handoffs) AS handoffs, (SELECT sum(current_load) FROM agents) AS load
    FROM sessions s ORDER BY s.id`;
  const before = (await db.pool.query<object>(custody)).rows;
  expect((await send('initiateHandoff', input)).code).toBe(code);
  expect((await db.pool.query<object>(custody)).rows).toEqual(before);
  const told = await db.pool.query<{ type: string }>('SELECT type FROM events ORDER BY id DESC LIMIT 1');
  expect(told.rows).toEqual([{ type: 'SESSION_STUCK' }]);
}

it('input comes before NOT_FOUND', async () => {
  await hears('BAD_USER_INPUT', 'reassignSession', {
    sessionId: unknownId('session'),
    agentId: 'nobody',
    reason: 'NUL \0',
  });
  await hears('LIMIT_EXCEEDED', 'setTasks', {
    sessionId: unknownId('session'),
    tasks: Array.from({ length: 501 }, () => ({ content: '', status: 'DONE' })),
  });
});

it('input comes before a used key', async () => {
  await hears('BAD_USER_INPUT', 'createSession', { title: '', idempotencyKey: await usedKey() });
});

it('NOT_FOUND comes before a used key', async () => {
  const idempotencyKey = await usedKey();
  const { id } = await held();
  await hears('NOT_FOUND', 'reassignSession', {
    sessionId: unknownId('session'),
    agentId: await anAgent('other'),
    idempotencyKey,
  });
  await hears('NOT_FOUND', 'reassignSession', { sessionId: publicId(id), agentId: 'nobody', idempotencyKey });
  await hears('NOT_FOUND', 'initiateHandoff', { sessionId: publicId(id), targetAgentId: 'nobody', idempotencyKey });
  await hears('NOT_FOUND', 'createSession', { title: 'Work', agentId: 'nobody', idempotencyKey });
  await hears('NOT_FOUND', 'recordDecision', { sessionId: unknownId('session'), text: 'So be it', idempotencyKey });
  await hears('NOT_FOUND', 'captureSnapshot', { sessionId: unknownId('session'), idempotencyKey });
  await hears('NOT_FOUND', 'appendTurn', {
    sessionId: publicId(id),
    agentId: 'nobody',
    messages: [{ role: 'USER', content: 'Well?' }],
    idempotencyKey,
  });
});

it('NOT_FOUND comes before the version', async () => {
  await hears('NOT_FOUND', 'reassignSession', {
    sessionId: publicId((await held()).id),
    agentId: 'nobody',
    expectedVersion: 99,
  });
  await hears('NOT_FOUND', 'pauseSession', { sessionId: unknownId('session'), expectedVersion: 99 });
});

it('a used key comes before the version', async () => {
  const { id } = await held();
  await hears('IDEMPOTENCY_MISMATCH', 'reassignSession', {
    sessionId: publicId(id),
    agentId: await anAgent('other'),
    expectedVersion: 99,
    idempotencyKey: await usedKey(),
  });
});

it('a used key comes before the state of the session', async () => {
  const { id } = await held();
  await finish(id);
  const idempotencyKey = await usedKey();
  const sessionId = publicId(id);
  await hears('IDEMPOTENCY_MISMATCH', 'recordDecision', { sessionId, text: 'So be it', idempotencyKey });
  await hears('IDEMPOTENCY_MISMATCH', 'captureSnapshot', { sessionId, idempotencyKey });
  await hears('IDEMPOTENCY_MISMATCH', 'appendTurn', {
    sessionId,
    messages: [{ role: 'USER', content: 'Well?' }],
    idempotencyKey,
  });
  await hears('IDEMPOTENCY_MISMATCH', 'initiateHandoff', {
    sessionId,
    targetAgentId: await anAgent('other'),
    idempotencyKey,
  });
});

it('a used key comes before the type', async () => {
  const agentId = await anAgent('codex', { type: 'CODEX' });
  await hears('IDEMPOTENCY_MISMATCH', 'createSession', {
    title: 'Work',
    agentId,
    agentType: 'CLAUDE',
    idempotencyKey: await usedKey(),
  });
});

it('the version comes before the state of the session', async () => {
  const { id } = await held();
  await finish(id);
  await hears('CONFLICT', 'reassignSession', {
    sessionId: publicId(id),
    agentId: await anAgent('other'),
    expectedVersion: 1,
  });
  for (const mutation of ['pauseSession', 'resumeSession', 'cancelSession'] as const) {
    await hears('CONFLICT', mutation, { sessionId: publicId(id), expectedVersion: 1 });
  }
  await hears('CONFLICT', 'failSession', { sessionId: publicId(id), reason: 'because', expectedVersion: 1 });
});

it('the state of the session comes before ALREADY_ASSIGNED', async () => {
  const { id, holder } = await held();
  await finish(id);
  await hears('INVALID_STATE', 'reassignSession', { sessionId: publicId(id), agentId: holder });
  await hears('INVALID_STATE', 'initiateHandoff', { sessionId: publicId(id), targetAgentId: holder });
});

it('ALREADY_ASSIGNED comes before guards, type and availability', async () => {
  const { id, holder } = await held({ handoffsEnabled: false });
  await offline(holder);
  await hears('ALREADY_ASSIGNED', 'initiateHandoff', { sessionId: publicId(id), targetAgentId: holder });
  await hears('ALREADY_ASSIGNED', 'reassignSession', { sessionId: publicId(id), agentId: holder, agentType: 'CODEX' });
});

it('the guards come in the order enabled, collaborator, limit, loop', async () => {
  const stranger = await anAgent('stranger');
  const friend = await anAgent('friend');
  await hears('HANDOFFS_DISABLED', 'initiateHandoff', {
    sessionId: publicId((await held({ handoffsEnabled: false, maxHandoffs: 0 })).id),
    targetAgentId: stranger,
  });
  const none = await held({ maxHandoffs: 0 }, [friend]);
  await hears('NOT_A_COLLABORATOR', 'initiateHandoff', { sessionId: publicId(none.id), targetAgentId: stranger });
  const twice = await held({ maxHandoffs: 2 }, [friend]);
  for (const target of [friend, twice.holder]) await run(acceptHandoff, await initiate(twice.id, target));
  await hearsOfLimit('MAX_HANDOFFS_REACHED', { sessionId: publicId(twice.id), targetAgentId: friend });
});

it('every guard comes before availability and capacity', async () => {
  const full = await anAgent('full', { maxCapacity: 1 });
  const { id, holder } = await held({}, [full]);
  for (const target of [full, holder]) await run(acceptHandoff, await initiate(id, target));
  await session(full);
  await offline(full);
  await hearsOfLimit('HANDOFF_LOOP', { sessionId: publicId(id), targetAgentId: full });
  const stranger = await held();
  await hears('NOT_A_COLLABORATOR', 'initiateHandoff', { sessionId: publicId(stranger.id), targetAgentId: full });
});

it('the type comes before availability, which comes before capacity', async () => {
  const type = uniqueType();
  const full = await anAgent('full', { type, maxCapacity: 1 });
  await session(full);
  await offline(full);
  const { id } = await held();
  for (const [mutation, what] of [
    ['reassignSession', { sessionId: publicId(id) }],
    ['createSession', { title: 'Work' }],
  ] as const) {
    await hears('AGENT_TYPE_MISMATCH', mutation, { ...what, agentId: full, agentType: 'CODEX' });
    await hears('AGENT_UNAVAILABLE', mutation, { ...what, agentId: full, agentType: type });
    await hears('AGENT_UNAVAILABLE', mutation, { ...what, agentId: full });
  }
});
