import { afterEach, describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { hashAllTables } from '../../../test/hash.ts';
import { brokenInvariants, waitInVain } from '../../../test/invariants.ts';
import { operator, world } from '../../../test/world.ts';
import { silentLog } from '../../infra/log.ts';
import { setAgentStatus } from '../agents/setAgentStatus.ts';
import { updateAgent } from '../agents/updateAgent.ts';
import { acceptHandoff, cancelHandoff, failHandoff, rejectHandoff, timeOutHandoff } from '../handoffs/changeHandoff.ts';
import { cancelSession, completeSession, failSession, pauseSession, resumeSession } from '../sessions/changeSession.ts';
import { updateSession } from '../sessions/updateSession.ts';
import { assignQueued } from './assign.ts';

const db = await testDatabase();
const { agent, session, reassign, initiate, turn, run } = world(db.pool);
const assign = () => assignQueued({ pool: db.pool, log: silentLog });

let count = 0;
const plain = { expectedVersion: null, reason: 'because', result: null, summary: null };

/** An agent of a type of its own without a free place, and the Session that takes it. */
async function full(): Promise<{ type: string; id: string; held: string }> {
  const id = `full-${(count += 1)}`;
  const type = `TYPE_${count}`;
  await agent(id, { type, maxCapacity: 1, instructions: 'Mind the tests.' });
  return { type, id, held: await session(id) };
}
const queued = (type: string, fields: object = {}) => session(null, { agentType: type, queue: true, ...fields });
const look = (id: string) =>
  db.prisma.session.findUniqueOrThrow({
    where: { id },
    select: { status: true, agentId: true, queueEntry: { select: { suspended: true } } },
  });
const waits = { status: 'PAUSED', agentId: null, queueEntry: { suspended: false } };
const heldBy = (agentId: string) => ({ status: 'RUNNING', agentId, queueEntry: null });
const complete = (sessionId: string) => run(completeSession, { ...plain, sessionId });
const typesOf = async (sessionId: string) =>
  (await db.prisma.event.findMany({ where: { sessionId }, orderBy: { sessionSequence: 'asc' } })).map(
    ({ type }) => type,
  );
/** In the order in which they get the one place of the agent. */
async function turnsOf(id: string, first: string, names: Record<string, string>): Promise<string[]> {
  const order: string[] = [];
  for (let held: string | undefined = first; held !== undefined;) {
    await complete(held);
    held = (await db.prisma.session.findFirst({ where: { agentId: id, status: 'RUNNING' } }))?.id;
    if (held !== undefined) order.push(Object.keys(names).find((name) => names[name] === held) ?? held);
  }
  return order;
}

afterEach(async () => {
  expect(await brokenInvariants(db.pool)).toEqual([]);
  await assign();
  expect(await waitInVain(db.pool)).toEqual([]);
});

describe('createSession with queue', () => {
  it('waits PAUSED and unassigned, and is RUNNING with an ACTIVE tenure and no handoff when a place is free', async () => {
    const { type, id, held } = await full();
    const waiting = await queued(type);
    expect(await look(waiting)).toEqual(waits);
    expect(await typesOf(waiting)).toEqual(['SESSION_CREATED', 'SESSION_QUEUED']);
    await complete(held);
    expect(await look(waiting)).toEqual(heldBy(id));
    expect(await db.prisma.agentSession.findMany({ where: { sessionId: waiting } })).toMatchObject([
      { agentId: id, state: 'ACTIVE' },
    ]);
    const last = await db.prisma.event.findFirstOrThrow({
      where: { sessionId: waiting },
      orderBy: { sessionSequence: 'desc' },
      include: { inboxes: true },
    });
    expect(last).toMatchObject({
      type: 'SESSION_REASSIGNED',
      holderId: id,
      actorPrincipal: 'queue',
      actorRole: null,
      inboxes: [{ agentId: id }],
    });
  });

  it('does not wait when an agent has a free place', async () => {
    const { type } = await full();
    await agent(`other-${count}`, { type });
    expect(await look(await queued(type))).toEqual(heldBy(`other-${count}`));
  });

  it('waits for a type that no agent has, and gets the first agent of it', async () => {
    const type = `NEW_${(count += 1)}`;
    const waiting = await queued(type);
    expect(await look(waiting)).toEqual(waits);
    await agent(`new-${count}`, { type });
    expect(await look(waiting)).toEqual(heldBy(`new-${count}`));
  });
});

describe('reassignSession with queue', () => {
  it('frees the place of the holder, keeps the Context of that moment, and hands over with the holder as source', async () => {
    const { type, id, held } = await full();
    const source = `source-${count}`;
    await agent(source);
    const moving = await session(source, { contextVariables: { branch: 'main' } });
    await turn(moving, { messages: [{ role: 'ASSISTANT', content: 'Half of it is done.' }] });
    const as = { idempotencyKey: `key-${count}` };
    const to = { agentType: type, queue: true, reason: 'review it', metadata: { ticket: 7 } };
    const answer = await reassign(moving, to, as);
    expect(answer).toMatchObject({
      handoffId: null,
      handoffCreated: false,
      previousAgentId: source,
      assignedAgentId: null,
    });
    expect(answer.message).toContain('waits in the queue');
    expect(await reassign(moving, to, as)).toEqual(answer);
    expect(await look(moving)).toEqual(waits);
    expect((await db.prisma.agent.findUniqueOrThrow({ where: { id: source } })).currentLoad).toBe(0);
    const left = await db.prisma.event.findFirstOrThrow({
      where: { sessionId: moving, type: 'SESSION_QUEUED' },
      include: { inboxes: true },
    });
    expect(left).toMatchObject({ actorPrincipal: 'operator', reason: 'review it', inboxes: [{ agentId: source }] });

    // Later entries do not change what was queued.
    await turn(moving, { messages: [{ role: 'USER', content: 'Hurry up.' }] });
    await run(updateSession, { sessionId: moving, contextVariables: { branch: 'other' }, expectedVersion: null });
    await complete(held);
    expect(await look(moving)).toEqual(heldBy(id));
    const handoff = await db.prisma.handoff.findFirstOrThrow({
      where: { sessionId: moving },
      include: { sourceAgentSession: true, targetAgentSession: true, snapshot: true },
    });
    expect(handoff).toMatchObject({
      status: 'INITIATED',
      via: 'OPERATOR',
      reason: 'review it',
      metadata: { ticket: 7 },
      sourceAgentId: source,
      targetAgentId: id,
      actorPrincipal: 'queue',
      sourceAgentSession: { state: 'HANDED_OFF', terminatedByHandoffId: handoff.id },
      targetAgentSession: { state: 'PENDING' },
      snapshot: { userCount: 1, assistantCount: 1 },
      context: {
        instructions: 'Mind the tests.',
        lastMessage: { content: 'Half of it is done.' },
        contextVariables: expect.arrayContaining([
          { name: '_handoff_chain', value: [source, id], setBy: 'baton' },
          { name: '_handoff_from', value: source, setBy: 'baton' },
          { name: '_handoff_to', value: id, setBy: 'baton' },
          { name: 'branch', value: 'main', setBy: 'operator' },
        ]) as unknown,
      },
    });
    expect(JSON.stringify(handoff.context)).not.toContain('Hurry up');
    expect((await db.prisma.session.findUniqueOrThrow({ where: { id: moving } })).contextVariables).toMatchObject({
      branch: { value: 'other' },
    });

    // The source gets it back when the target declines.
    await run(rejectHandoff, { handoffId: handoff.id, reason: 'no' });
    expect(await look(moving)).toEqual(heldBy(source));
  });

  it('moves without a handoff with skipHandoff, and keeps reason, summary and metadata for the event', async () => {
    const { type, id, held } = await full();
    await agent(`source-${count}`);
    const moving = await session(`source-${count}`);
    await turn(moving);
    await reassign(moving, {
      agentType: type,
      queue: true,
      skipHandoff: true,
      reason: 'why',
      summary: 'so far',
      metadata: { a: 1 },
    });
    await complete(held);
    expect(await look(moving)).toEqual(heldBy(id));
    expect(await db.prisma.handoff.count({ where: { sessionId: moving } })).toBe(0);
    const event = await db.prisma.event.findFirstOrThrow({ where: { sessionId: moving, type: 'SESSION_REASSIGNED' } });
    expect(event).toMatchObject({ holderId: id, reason: 'why', summary: 'so far', metadata: { a: 1 } });
  });

  it('supersedes a waiting handoff: its source becomes the source', async () => {
    const { type, id, held } = await full();
    for (const name of ['a', 'b']) await agent(`${name}-${count}`);
    const moving = await session(`a-${count}`);
    await reassign(moving, { agentId: `b-${count}` });
    await reassign(moving, { agentType: type, queue: true });
    // Nor does it go back to the agent that it was taken from.
    await run(updateAgent, { id: `b-${count}`, type });
    expect(await look(moving)).toEqual(waits);
    expect(await typesOf(moving)).toEqual([
      'SESSION_CREATED',
      'HANDOFF_INITIATED',
      'SESSION_REASSIGNED',
      'HANDOFF_CANCELLED',
      'SESSION_QUEUED',
    ]);
    await complete(held);
    expect(await db.prisma.handoff.findFirstOrThrow({ where: { sessionId: moving, depth: 2 } })).toMatchObject({
      sourceAgentId: `a-${count}`,
      targetAgentId: id,
      status: 'INITIATED',
    });
  });

  it('never gives the session back to the agent that let it go', async () => {
    const { type, id, held } = await full();
    await reassign(held, { agentType: type, queue: true });
    expect(await look(held)).toEqual(waits);
    await assign();
    expect(await look(held)).toEqual(waits);
    // Another Session of the type does not wait behind it.
    const other = await session(null, { agentType: type, queue: true });
    expect(await look(other)).toEqual(heldBy(id));
    await agent(`other-${count}`, { type });
    expect(await look(held)).toEqual(heldBy(`other-${count}`));
  });

  it('queues again for the same type at its old place, for another type at a new one, and leaves the queue by a reassign to an agent', async () => {
    const { type, held } = await full();
    const { type: elsewhere } = await full();
    const source = `source-${count}`;
    await agent(source);
    const moving = await session(source);
    await reassign(moving, { agentType: type, queue: true });
    const entry = () => db.prisma.queueEntry.findUniqueOrThrow({ where: { sessionId: moving } });
    const first = await entry();
    await reassign(moving, { agentType: type, queue: true });
    expect(await entry()).toMatchObject({ queuedAt: first.queuedAt, sourceAgentId: source });
    await reassign(moving, { agentType: elsewhere, queue: true });
    expect((await entry()).queuedAt.getTime()).toBeGreaterThan(first.queuedAt.getTime());
    await reassign(moving, { agentId: source });
    expect(await look(moving)).toEqual(heldBy(source));
    expect(await db.prisma.handoff.findFirstOrThrow({ where: { sessionId: moving } })).toMatchObject({
      sourceAgentId: null,
      targetAgentId: source,
    });
    await complete(held);
    expect(await look(moving)).toEqual(heldBy(source));
  });
});

describe('a queued session', () => {
  it('gets its turn by priority, then by time; updateSession changes its place', async () => {
    const { type, id, held } = await full();
    const names: Record<string, string> = {};
    for (const [name, priority] of [
      ['low', 'LOW'],
      ['first', 'NORMAL'],
      ['second', 'NORMAL'],
      ['raised', 'LOW'],
      ['urgent', 'URGENT'],
    ] as const)
      names[name] = await queued(type, { priority });
    await run(updateSession, { sessionId: names['raised']!, priority: 'HIGH', expectedVersion: null });
    expect(await turnsOf(id, held, names)).toEqual(['urgent', 'raised', 'first', 'second', 'low']);
  });

  it('that waited 30 minutes longer comes before one of the next priority', async () => {
    const { type, id, held } = await full();
    const names: Record<string, string> = { old: await queued(type) };
    await db.pool.query(
      `UPDATE queue_entries SET queued_at = queued_at - interval '31 minutes', effective_at = effective_at - interval '31 minutes' WHERE session_id = $1`,
      [names['old']],
    );
    names['high'] = await queued(type, { priority: 'HIGH' });
    names['urgent'] = await queued(type, { priority: 'URGENT' });
    expect(await turnsOf(id, held, names)).toEqual(['urgent', 'old', 'high']);
  });

  it('keeps its place while paused and gets no agent before it is resumed', async () => {
    const { type, id, held } = await full();
    const [first, second] = [await queued(type), await queued(type)];
    const by = (command: typeof pauseSession, caller = operator) =>
      run(command, { sessionId: first, expectedVersion: null }, { caller });
    await by(pauseSession);
    const paused = await hashAllTables(db.pool);
    await by(pauseSession);
    expect(await hashAllTables(db.pool)).toEqual(paused);
    await expect(by(pauseSession, { ...operator, principal: 'other' })).rejects.toMatchObject({
      code: 'INVALID_STATE',
      state: 'SUSPENDED',
    });
    await complete(held);
    expect([await look(first), await look(second)]).toEqual([
      { ...waits, queueEntry: { suspended: true } },
      heldBy(id),
    ]);
    await by(resumeSession);
    await by(resumeSession);
    await expect(by(resumeSession, { ...operator, principal: 'other' })).rejects.toMatchObject({
      code: 'INVALID_STATE',
      state: 'QUEUED',
    });
    expect(await look(first)).toEqual(waits);
    await complete(second);
    expect(await look(first)).toEqual(heldBy(id));
    expect(await typesOf(first)).toEqual([
      'SESSION_CREATED',
      'SESSION_QUEUED',
      'SESSION_STATUS_CHANGED',
      'SESSION_STATUS_CHANGED',
      'SESSION_REASSIGNED',
    ]);
  });

  it('that was paused when it was queued waits until it is resumed', async () => {
    const { type, id, held } = await full();
    await agent(`source-${count}`);
    const moving = await session(`source-${count}`);
    await run(pauseSession, { sessionId: moving, expectedVersion: null });
    await reassign(moving, { agentType: type, queue: true });
    await complete(held);
    expect(await look(moving)).toEqual({ ...waits, queueEntry: { suspended: true } });
    await run(resumeSession, { sessionId: moving, expectedVersion: null });
    await assign();
    expect(await look(moving)).toEqual(heldBy(id));
  });

  it.each([
    ['completeSession', completeSession],
    ['failSession', failSession],
    ['cancelSession', cancelSession],
  ])('leaves the queue by %s', async (_name, end) => {
    const { type, id, held } = await full();
    const [first, second] = [await queued(type), await queued(type)];
    await run(end, { ...plain, sessionId: first });
    await complete(held);
    expect([(await look(first)).agentId, await look(second)]).toEqual([null, heldBy(id)]);
  });

  it('that another transaction has locked is passed over by the sweep and keeps its place before later ones', async () => {
    const { type, id, held } = await full();
    const [first, second] = [await queued(type), await queued(type)];
    const other = await db.pool.connect();
    try {
      await other.query('BEGIN');
      await other.query('SELECT FROM sessions WHERE id = $1 FOR UPDATE', [first]);
      await complete(held);
      expect([await look(first), await look(second)]).toEqual([waits, waits]);
      await assign();
      expect([await look(first), await look(second)]).toEqual([waits, heldBy(id)]);
    } finally {
      await other.query('ROLLBACK');
      other.release();
    }
    await complete(second);
    expect(await look(first)).toEqual(heldBy(id));
  });

  it('that cannot be given is logged, and others get their agents', async () => {
    const type = `TYPE_${(count += 1)}`;
    const [broken, other] = [await queued(type), await queued(`${type}_OTHER`)];
    for (const id of ['of-broken', 'of-other']) await agent(id, { type: `${type}_NONE`, maxCapacity: 1 });
    await db.pool
      .query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'this row is broken'; END$$;
      CREATE TRIGGER fail BEFORE UPDATE ON sessions FOR EACH ROW WHEN (OLD.id = '${broken}') EXECUTE FUNCTION fail();
      UPDATE agents SET type = CASE id WHEN 'of-broken' THEN '${type}' ELSE '${type}_OTHER' END WHERE id IN ('of-broken', 'of-other')`);
    const logged: object[] = [];
    const log = { info: () => undefined, warn: () => undefined, error: (fields: object) => void logged.push(fields) };
    expect(await assignQueued({ pool: db.pool, log })).toBe(1);
    expect([await look(broken), await look(other)]).toEqual([waits, heldBy('of-other')]);
    expect(logged).toMatchObject([{ agentId: 'of-broken', err: { message: 'this row is broken' } }]);
    await db.pool.query('DROP FUNCTION fail CASCADE');
    expect(await assign()).toBe(0);
    expect(await look(broken)).toEqual(heldBy('of-broken'));
  });
});

it('finishers at once give each place once, and each session once', async () => {
  const type = `CROWD_${(count += 1)}`;
  await agent(`crowd-${count}`, { type, maxCapacity: 5 });
  const waiting: string[] = [];
  for (let n = 0; n < 20; n += 1) waiting.push(await queued(type));
  const running = () =>
    db.prisma.session.findMany({ where: { id: { in: waiting }, status: 'RUNNING' }, select: { id: true } });
  for (let done = 0; done < 20;) {
    const held = await running();
    expect(held.length).toBeGreaterThan(0);
    await Promise.all(held.map(({ id }) => complete(id)));
    done += held.length;
    await assign();
  }
  expect(await db.prisma.agent.findUniqueOrThrow({ where: { id: `crowd-${count}` } })).toMatchObject({
    currentLoad: 0,
    totalAssigned: 20,
  });
});

describe('a free place is given in the transaction of the act that frees it', () => {
  const source = 'giver';
  const acts: Record<string, (full: { id: string; type: string; held: string }) => Promise<unknown>> = {
    completeSession: ({ held }) => complete(held),
    failSession: ({ held }) => run(failSession, { ...plain, sessionId: held }),
    cancelSession: ({ held }) => run(cancelSession, { ...plain, sessionId: held }),
    'reassignSession away': ({ held }) => reassign(held, { agentId: source }),
    'reassignSession into another queue': ({ held }) => reassign(held, { agentType: 'NOBODY', queue: true }),
    skipHandoff: ({ held }) => reassign(held, { agentId: source, skipHandoff: true }),
    initiateHandoff: async ({ id, held }) => {
      await run(updateAgent, { id, collaborators: [source] });
      await initiate(held, source);
    },
    'a larger capacity': ({ id }) => run(updateAgent, { id, maxCapacity: 2 }),
    'an agent that becomes AVAILABLE': async ({ id, held }) => {
      await run(setAgentStatus, { id, status: 'OFFLINE' });
      await complete(held);
      expect(await db.prisma.queueEntry.count({ where: { agentType: `TYPE_${count}` } })).toBe(1);
      await run(setAgentStatus, { id, status: 'AVAILABLE' });
    },
    'an agent that gets the type': ({ type }) => run(updateAgent, { id: 'changeable', type }),
    'a new agent': ({ type }) => agent(`new-${count}`, { type }),
  };
  const declines = { rejectHandoff, failHandoff, cancelHandoff, timeOutHandoff };
  for (const [name, decline] of Object.entries(declines)) {
    acts[name] = async ({ id, held }) => {
      await complete(held);
      const { handoffId } = await reassign(await session(source), { agentId: id });
      const waiting = await queued(`TYPE_${count}`);
      expect(await look(waiting)).toEqual(waits);
      await run(decline, { handoffId: handoffId!, reason: 'because' });
      expect(await look(waiting)).toEqual(heldBy(id));
    };
  }

  it.each(Object.keys(acts))('%s', async (name) => {
    await agent(source, { maxCapacity: 1_000 }).catch(() => undefined);
    await agent('changeable', { type: 'SOMETHING' }).catch(() => undefined);
    const one = await full();
    const waiting = name in declines ? null : await queued(one.type);
    await acts[name]!(one);
    if (waiting !== null) expect(await look(waiting)).toMatchObject({ status: 'RUNNING', queueEntry: null });
  });

  it('an accept frees nothing, and a turn that completes a handoff frees nothing', async () => {
    const one = await full();
    await complete(one.held);
    await agent(source, { maxCapacity: 1_000 }).catch(() => undefined);
    const id = await session(source);
    const { handoffId } = await reassign(id, { agentId: one.id });
    const waiting = await queued(one.type);
    await run(acceptHandoff, { handoffId: handoffId! });
    await turn(id);
    expect(await look(waiting)).toEqual(waits);
  });
});
