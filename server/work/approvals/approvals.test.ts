import { beforeEach, describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { agentCaller, operator, world } from '../../../test/world.ts';
import { ConflictError, InvalidStateError, type DomainError } from '../../core/errors.ts';
import { encodeId } from '../../core/ids.ts';
import type { Caller } from '../../core/work.ts';
import { silentLog } from '../../infra/log.ts';
import { updateAgent } from '../agents/updateAgent.ts';
import { acceptHandoff, cancelHandoff, timeOutHandoff } from '../handoffs/changeHandoff.ts';
import { sweep } from '../handoffs/sweep.ts';
import { updateSession } from '../sessions/updateSession.ts';
import { cancelSession, completeSession, failSession, pauseSession, resumeSession } from '../sessions/changeSession.ts';
import { readContext } from '../context/storage.ts';
import { itemsOf } from '../context/items.ts';
import { type HandoffFacts, renderMarkdown } from '../context/markdown.ts';
import { answerQuestion } from './answerQuestion.ts';
import { approveHandoff, type ApproveHandoffInput } from './approveHandoff.ts';
import { askPerson } from './askPerson.ts';
import { declineHandoff } from './declineHandoff.ts';

const db = await testDatabase();
const { agent, session, initiate, reassign, turn, run, pipeline, advance } = world(db.pool);

let count = 0;
let [ada, bob, cy] = ['', '', ''];
beforeEach(async () => {
  count += 1;
  [ada, bob, cy] = [`ada-${count}`, `bob-${count}`, `cy-${count}`];
  await agent(cy);
  await agent(bob);
  await agent(ada, { collaborators: [bob] });
});

const asAda = () => ({ caller: agentCaller(ada) });
const change = (sessionId: string) => ({ sessionId, expectedVersion: null, reason: 'because' });

/** A Session of ada with a Handoff to bob that waits for a person. */
async function proposed(fields: Parameters<typeof initiate>[2] = {}) {
  const id = await session(ada, { handoffApproval: 'REQUIRED' });
  await turn(id);
  const { handoffId } = await initiate(id, bob, { reason: 'Review it', ...fields }, asAda());
  return { id, handoffId };
}
const approve = (handoffId: string, given: Partial<ApproveHandoffInput> = {}) =>
  run(approveHandoff, { handoffId, expectedContentHash: null, edits: null, note: null, ...given });
const decline = (handoffId: string, reason = 'Not yet') => run(declineHandoff, { handoffId, reason });

const stateOf = (id: string) =>
  db.prisma.session.findUniqueOrThrow({
    where: { id },
    select: { status: true, agentId: true, lastAgentSession: { select: { state: true } } },
  });
const handoff = (id: string) => db.prisma.handoff.findUniqueOrThrow({ where: { id }, include: { approval: true } });
const loads = async () =>
  (await db.prisma.agent.findMany({ where: { id: { in: [ada, bob, cy] } }, orderBy: { id: 'asc' } })).map(
    ({ currentLoad }) => currentLoad,
  );
const typesOf = async (sessionId: string, from = 0) =>
  (
    await db.prisma.event.findMany({
      where: { sessionId, sessionSequence: { gt: from } },
      orderBy: { sessionSequence: 'asc' },
      include: { inboxes: { orderBy: { agentId: 'asc' } } },
    })
  ).map(({ type, inboxes }) => `${type}: ${inboxes.map(({ agentId }) => agentId.split('-')[0]).join(' ')}`.trim());
const refusal = (made: Promise<unknown>) =>
  made.then(
    () => null,
    (error: unknown) => error as DomainError,
  );

async function whole() {
  expect(await brokenInvariants(db.pool)).toEqual([]);
}

describe('a Handoff that a person has to approve', () => {
  it('is PROPOSED: the Session stays with its holder, nobody gets a place, and the target hears nothing', async () => {
    const { id, handoffId } = await proposed();
    expect(await stateOf(id)).toEqual({ status: 'RUNNING', agentId: ada, lastAgentSession: { state: 'ACTIVE' } });
    expect(await handoff(handoffId)).toMatchObject({
      status: 'PROPOSED',
      targetAgentId: bob,
      targetAgentSessionId: null,
      reason: 'Review it',
      approval: { kind: 'HANDOFF', demandedBy: 'SESSION', decidedAt: null },
    });
    expect(await loads()).toEqual([1, 0, 0]);
    expect((await typesOf(id)).at(-1)).toBe('HANDOFF_PROPOSED_FOR_APPROVAL: ada');
    await whole();
  });

  it.each(['collaboration', 'transition of a pipeline'])('is demanded by a %s', async (what) => {
    if (what === 'collaboration') {
      await run(updateAgent, { id: ada, collaborations: [{ agentId: bob, approval: 'REQUIRED' }] });
      const id = await session(ada);
      const { handoffId } = await initiate(id, bob, {}, asAda());
      expect(await handoff(handoffId)).toMatchObject({ status: 'PROPOSED', approval: { demandedBy: 'COLLABORATION' } });
      return whole();
    }
    await agent(`editor-${count}`, { role: `edit-${count}` });
    await agent(`writer-${count}`, { role: `write-${count}` });
    await pipeline(
      `text-${count}`,
      ['write DONE edit', 'edit DONE end'],
      { write: { role: `write-${count}` }, edit: { role: `edit-${count}` } },
      { 'write DONE edit': { approval: 'REQUIRED' } },
    );
    const id = await session(null, { pipeline: `text-${count}` });
    const { handoffId } = await advance(
      id,
      'DONE',
      { payload: { words: 3 }, contextVariables: { mood: 'calm' } },
      { caller: agentCaller(`writer-${count}`) },
    );
    expect(await handoff(handoffId!)).toMatchObject({ status: 'PROPOSED', approval: { demandedBy: 'TRANSITION' } });
    const before = await db.prisma.session.findUniqueOrThrow({ where: { id } });
    expect(before).toMatchObject({ stage: 'write', contextVariables: {} });
    await approve(handoffId!);
    const after = await db.prisma.session.findUniqueOrThrow({ where: { id }, include: { stageEntries: true } });
    expect(after).toMatchObject({
      stage: 'edit',
      agentId: `editor-${count}`,
      contextVariables: { mood: { value: 'calm' } },
    });
    expect(after.stageEntries.find(({ stage }) => stage === 'write')).toMatchObject({
      outcome: 'DONE',
      payload: { words: 3 },
    });
    await whole();
  });

  it('needs no approval when an operator starts it, also for the holder', async () => {
    const id = await session(ada, { handoffApproval: 'REQUIRED' });
    expect(await handoff((await initiate(id, bob)).handoffId)).toMatchObject({ status: 'INITIATED', approval: null });
    await whole();
  });

  it('moves the Session at the approval, with what the agent recorded meanwhile', async () => {
    const { id, handoffId } = await proposed();
    await turn(id, { messages: [{ role: 'ASSISTANT', content: 'One more thing: the cache is stale.' }] });
    const from = (await db.prisma.session.findUniqueOrThrow({ where: { id } })).eventCount;
    await approve(handoffId, { note: 'Go on' });
    expect(await stateOf(id)).toEqual({ status: 'RUNNING', agentId: bob, lastAgentSession: { state: 'PENDING' } });
    const row = await handoff(handoffId);
    expect(row).toMatchObject({ status: 'INITIATED', depth: 1, approval: { decision: 'APPROVED', note: 'Go on' } });
    expect(JSON.stringify(row.context)).toContain('the cache is stale');
    expect(await loads()).toEqual([0, 1, 0]);
    expect(await typesOf(id, from)).toEqual([
      'HANDOFF_APPROVED: ada',
      'HANDOFF_INITIATED: ada bob',
      'SESSION_REASSIGNED: ada bob',
    ]);
    await run(acceptHandoff, { handoffId });
    await whole();
  });

  it('is approved as it was seen: another Context is a CONFLICT with its hash', async () => {
    const { id, handoffId } = await proposed();
    const { contentHash } = await handoff(handoffId);
    await turn(id, { messages: [{ role: 'ASSISTANT', content: 'I went on.' }] });
    const conflict = await refusal(approve(handoffId, { expectedContentHash: contentHash }));
    expect(conflict).toBeInstanceOf(ConflictError);
    const present = (conflict as ConflictError).contentHash!;
    expect(present).not.toBe(contentHash);
    expect((await handoff(handoffId)).status).toBe('PROPOSED');
    await approve(handoffId, { expectedContentHash: present });
    expect((await handoff(handoffId)).status).toBe('INITIATED');
    await whole();
  });

  it.each<[string, boolean, (id: string) => Promise<unknown>]>([
    ['its target has other instructions', true, () => run(updateAgent, { id: bob, instructions: 'Delete everything' })],
    [
      'its session has another title',
      true,
      (id) => run(updateSession, { sessionId: id, expectedVersion: null, title: 'Other' }),
    ],
    ['its target has more places', false, () => run(updateAgent, { id: bob, maxCapacity: 7 })],
    ['another agent has other instructions', false, () => run(updateAgent, { id: cy, instructions: 'Be quick' })],
  ])('is not what was seen when what the target reads is another: %s (%s)', async (_what, isAnother, happens) => {
    const { id, handoffId } = await proposed();
    const { contentHash } = await handoff(handoffId);
    await happens(id);
    const refused = await refusal(
      approve(handoffId, { expectedContentHash: contentHash, edits: { targetAgentId: cy } }),
    );
    expect(refused?.code ?? null).toBe(isAnother ? 'CONFLICT' : null);
    expect((await handoff(handoffId)).status).toBe(isAnother ? 'PROPOSED' : 'INITIATED');
    await whole();
  });

  it('is decided once more by the same person without any change; another one is told who decided, and when', async () => {
    const [one, other] = [await proposed(), await proposed()];
    const ask = run(
      askPerson,
      { sessionId: await session(ada), question: 'Which?', options: ['a', 'b', 'a'] },
      asAda(),
    );
    const { questionId } = await ask;
    expect((await db.prisma.approval.findUniqueOrThrow({ where: { id: questionId } })).options).toEqual(['a', 'b']);
    const decide = [
      (caller: Caller) =>
        run(
          approveHandoff,
          { handoffId: one.handoffId, expectedContentHash: null, edits: null, note: null },
          { caller },
        ),
      (caller: Caller) => run(declineHandoff, { handoffId: other.handoffId, reason: 'no' }, { caller }),
      (caller: Caller) => run(answerQuestion, { questionId, answer: 'a' }, { caller }),
    ];
    for (const act of decide) {
      const first = await act(operator);
      const events = await db.prisma.event.count();
      expect(await act(operator)).toEqual(first);
      expect(await db.prisma.event.count()).toBe(events);
      const refused = await refusal(act({ ...operator, principal: 'another' }));
      expect(refused).toMatchObject({ code: 'INVALID_STATE' });
      expect(refused!.message).toMatch(/operator (approved|declined|answered) it at \d{4}-/);
    }
    await whole();
  });

  it('has its reason once in what is passed on, and none of a Handoff that was declined before', async () => {
    const { id, handoffId } = await proposed({ reason: 'Review the draft' });
    await decline(handoffId, 'Add tests first');
    await turn(id, { messages: [{ role: 'ASSISTANT', content: 'The tests are there.' }] });
    const again = await initiate(id, bob, { reason: 'Review the tests' }, asAda());
    await approve(again.handoffId);
    const { context, reason } = await handoff(again.handoffId);
    expect(reason).toBe('Review the tests');
    expect(JSON.stringify(context)).not.toMatch(/Review the draft|earlierReasons/);
    await whole();
  });

  it('has the same hash at the approval when nothing happened since', async () => {
    const { handoffId } = await proposed({ summary: 'All done', contextVariables: { mood: 'calm' } });
    await approve(handoffId, { expectedContentHash: (await handoff(handoffId)).contentHash });
    await whole();
  });

  it('is passed on with the edits of the person, beside the original', async () => {
    const { id, handoffId } = await proposed({ contextVariables: { mood: 'calm' } });
    const edits = {
      targetAgentId: cy,
      reason: 'Check the tests first',
      instructions: 'Be quick',
      contextVariables: { mood: 'bold' },
    };
    await approve(handoffId, { edits });
    const row = await handoff(handoffId);
    expect(row).toMatchObject({ status: 'INITIATED', targetAgentId: cy, reason: 'Check the tests first' });
    expect(row.approval!.edits).toEqual([
      { field: 'targetAgentId', before: bob, after: cy },
      { field: 'reason', before: 'Review it', after: 'Check the tests first' },
      { field: 'instructions', before: null, after: 'Be quick' },
      { field: 'contextVariables', before: { mood: 'calm' }, after: { mood: 'bold' } },
    ]);
    const { contextVariables } = await db.prisma.session.findUniqueOrThrow({ where: { id } });
    expect(contextVariables).toMatchObject({ mood: { value: 'bold', setBy: 'operator' } });
    expect(await loads()).toEqual([0, 0, 1]);
    await whole();
  });

  it('keeps the variables of the agent as set by the agent', async () => {
    const { id, handoffId } = await proposed({ contextVariables: { mood: 'calm' } });
    expect((await db.prisma.session.findUniqueOrThrow({ where: { id } })).contextVariables).toEqual({});
    await approve(handoffId);
    const { contextVariables } = await db.prisma.session.findUniqueOrThrow({ where: { id } });
    expect(contextVariables).toMatchObject({ mood: { value: 'calm', setBy: ada } });
  });

  it('asks the guards again', async () => {
    const { id, handoffId } = await proposed();
    await run(updateAgent, { id: bob, maxCapacity: 1 });
    const other = await session(bob);
    expect(await refusal(approve(handoffId))).toMatchObject({ code: 'AGENT_AT_CAPACITY' });
    await run(cancelSession, change(other));
    await run(pauseSession, change(id));
    expect(await refusal(approve(handoffId))).toMatchObject({ code: 'INVALID_STATE', state: 'PAUSED' });
    await run(resumeSession, change(id));
    await approve(handoffId);
    await whole();
  });

  it('that is declined leaves the Session with its holder, which is told', async () => {
    const { id, handoffId } = await proposed();
    await decline(handoffId, 'Finish the tests');
    expect(await stateOf(id)).toMatchObject({ agentId: ada, status: 'RUNNING' });
    expect(await handoff(handoffId)).toMatchObject({
      status: 'DECLINED',
      approval: { decision: 'DECLINED', note: 'Finish the tests' },
    });
    expect((await typesOf(id)).at(-1)).toBe('HANDOFF_DECLINED: ada');
    const again = await initiate(id, bob, {}, asAda());
    expect(await handoff(again.handoffId)).toMatchObject({
      status: 'PROPOSED',
      depth: 2,
      previousHandoffId: handoffId,
    });
    await whole();
  });

  it('stands alone: another one of the agent is refused with its id', async () => {
    const { id, handoffId } = await proposed();
    const error = await refusal(initiate(id, bob, {}, asAda()));
    expect(error).toBeInstanceOf(InvalidStateError);
    expect(error!.message).toMatch(/handoff_\w+ of this session waits for a person's approval/);
    await run(cancelHandoff, { handoffId, reason: 'Changed my mind' }, asAda());
    expect(await handoff(handoffId)).toMatchObject({ status: 'CANCELLED', cancelReason: 'Changed my mind' });
    await initiate(id, bob, {}, asAda());
    await whole();
  });

  it.each<[string, (id: string) => Promise<unknown>, string]>([
    ['is reassigned', (id) => reassign(id, { agentId: cy }), 'superseded'],
    ['is reassigned without a handoff', (id) => reassign(id, { agentId: cy, skipHandoff: true }), 'superseded'],
    ['waits for a type', (id) => reassign(id, { agentType: 'NOBODY', queue: true }), 'superseded'],
    ['is handed off by an operator', (id) => initiate(id, bob), 'superseded'],
    ['ends', (id) => run(cancelSession, change(id)), 'session ended'],
  ])('is cancelled when its Session %s', async (_how, move, reason) => {
    const { id, handoffId } = await proposed();
    await move(id);
    expect(await handoff(handoffId)).toMatchObject({
      status: 'CANCELLED',
      cancelReason: reason,
      approval: { decision: 'CANCELLED' },
    });
    await whole();
  });

  it('decides once: whoever comes later is told what was decided', async () => {
    const { handoffId } = await proposed();
    const given = { handoffId, expectedContentHash: null, edits: null, note: null, reason: 'no' };
    const made = await Promise.allSettled(
      [approveHandoff, declineHandoff, approveHandoff, declineHandoff].map((decide, n) =>
        run(decide as typeof approveHandoff, given, { caller: { ...operator, principal: `operator-${n}` } }),
      ),
    );
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const each of made)
      if (each.status === 'rejected')
        expect(each.reason).toMatchObject({ code: 'INVALID_STATE', allowed: ['PROPOSED'] });
    await whole();
  });

  it('times out when nobody decides, after one reminder, and stays with its holder', async () => {
    const { id, handoffId } = await proposed();
    const due = (column: string) =>
      db.pool.query(`UPDATE approvals SET ${column} = clock_timestamp() - interval '1 second' WHERE id = $1`, [
        handoffId,
      ]);
    await due('remind_at');
    await sweep({ pool: db.pool, log: silentLog });
    await sweep({ pool: db.pool, log: silentLog });
    expect((await typesOf(id)).filter((type) => type.startsWith('HANDOFF_REMINDED'))).toEqual([
      'HANDOFF_REMINDED: ada',
    ]);
    await due('deadline_at');
    await db.pool.query(`UPDATE handoffs SET deadline_at = clock_timestamp() - interval '1 second' WHERE id = $1`, [
      handoffId,
    ]);
    expect(await sweep({ pool: db.pool, log: silentLog })).toBe(1);
    expect(await handoff(handoffId)).toMatchObject({ status: 'TIMED_OUT', approval: { decision: 'TIMED_OUT' } });
    expect((await typesOf(id)).at(-1)).toBe('HANDOFF_TIMED_OUT: ada');
    expect(await stateOf(id)).toMatchObject({ agentId: ada, status: 'RUNNING' });
    expect(
      await refusal(run(timeOutHandoff, { handoffId }, { caller: { ...operator, principal: 'another' } })),
    ).toMatchObject({
      code: 'INVALID_STATE',
    });
    await whole();
  });
});

describe('a question to a person', () => {
  const facts: HandoffFacts = {
    id: 'handoff_1',
    title: 'Buckets',
    reason: null,
    metadata: null,
    status: 'INITIATED',
    closedBecause: null,
    depth: 1,
    sourceAgentId: null,
    sourceAgentType: null,
    targetAgentId: '',
    targetAgentType: 'CLAUDE',
    actor: 'operator',
    initiatedAt: new Date(),
    acceptedAt: null,
    completedAt: null,
    closedAt: null,
    deadlineAt: new Date(),
  };
  const ask = (sessionId: string, question = 'Which database?', options: string[] | null = null) =>
    run(askPerson, { sessionId, question, options }, asAda());
  const answer = (questionId: string, text: string) => run(answerQuestion, { questionId, answer: text });

  it('pauses the Session until it is answered; the answer is what a person said', async () => {
    const id = await session(ada);
    const { questionId } = await ask(id, 'Which database?', ['PostgreSQL', 'SQLite']);
    expect(await stateOf(id)).toEqual({ status: 'PAUSED', agentId: ada, lastAgentSession: { state: 'PAUSED' } });
    expect(await loads()).toEqual([1, 0, 0]);
    await whole();
    await answer(questionId, 'PostgreSQL');
    expect(await stateOf(id)).toEqual({ status: 'RUNNING', agentId: ada, lastAgentSession: { state: 'ACTIVE' } });
    const [said] = await db.prisma.message.findMany({ where: { sessionId: id } });
    expect(said).toMatchObject({ role: 'USER', content: 'PostgreSQL', recordedBy: 'operator' });
    expect((await typesOf(id)).slice(-5)).toEqual([
      'QUESTION_ASKED: ada',
      'SESSION_STATUS_CHANGED: ada',
      'TURN_APPENDED:',
      'QUESTION_ANSWERED: ada',
      'SESSION_STATUS_CHANGED: ada',
    ]);
    expect(await refusal(answer(questionId, 'SQLite'))).toMatchObject({ code: 'INVALID_STATE', state: 'ANSWERED' });
    await whole();
  });

  it('ends without an answer when the Session is resumed, moves or ends; after a move the next agent goes on', async () => {
    const [resumed, moved, ended] = [await session(ada), await session(ada), await session(ada)];
    const questions = [];
    for (const id of [resumed, moved, ended]) questions.push((await ask(id)).questionId);
    await run(resumeSession, change(resumed));
    await reassign(moved, { agentId: bob });
    await run(cancelSession, change(ended));
    expect(await stateOf(resumed)).toMatchObject({ status: 'RUNNING', lastAgentSession: { state: 'ACTIVE' } });
    expect(await stateOf(moved)).toMatchObject({
      status: 'RUNNING',
      agentId: bob,
      lastAgentSession: { state: 'PENDING' },
    });
    expect(await stateOf(ended)).toMatchObject({ status: 'CANCELLED' });
    for (const id of questions)
      expect(await db.prisma.approval.findUniqueOrThrow({ where: { id } })).toMatchObject({ decision: 'CANCELLED' });
    await whole();
  });

  it.each([
    ['Two are left. Shall I delete the old bucket?', null, 'no', 'Shall I delete the old bucket?'],
    ['Name the zone', ['UTC', 'that of the user'], 'UTC', 'Name the zone'],
  ])(
    '%j stands in what is passed on with its answer, and as open until there is one',
    async (question, options, answer, to) => {
      const id = await session(ada);
      const { questionId } = await run(askPerson, { sessionId: id, question, options }, asAda());
      const context = async (moved: Promise<{ handoffId: string | null }>) =>
        readContext(await handoff((await moved).handoffId!));
      await run(answerQuestion, { questionId, answer });
      const answered = await context(initiate(id, bob, {}, asAda()));
      expect(answered.replies).toEqual([{ sequence: 1, to }]);
      expect(answered).toMatchObject({ originalRequest: null, openQuestions: [] });
      expect(renderMarkdown({ ...facts, targetAgentId: bob }, answered)).toContain(`**user**, message 1, to: ${to}`);
      const said = itemsOf(answered, { reason: null }).map(({ content }) => content);
      expect(said).toContain(`#1 user: ${answer} (to: ${to})`);

      const open = await session(ada);
      await run(askPerson, { sessionId: open, question, options }, asAda());
      const { openQuestions } = await context(reassign(open, { agentId: bob }));
      expect(openQuestions).toEqual([options === null ? question : `${question} (UTC / that of the user)`]);
    },
  );

  it('waits alone: what the agent does meanwhile, also a second question, is refused with the id of the first; so is one beside a proposal', async () => {
    const id = await session(ada);
    const question = encodeId('question', (await ask(id)).questionId);
    const hint = `wait for the answer to ${question}, or go on without one (resumeSession)`;
    const acts = [
      () => ask(id),
      () => initiate(id, bob, {}, asAda()),
      () => turn(id, {}, asAda()),
      () => run(completeSession, { ...change(id), result: 'done', summary: null }, asAda()),
      () => run(failSession, { ...change(id), reason: 'I give up' }, asAda()),
    ];
    for (const act of acts)
      expect(await refusal(act())).toMatchObject({
        code: 'INVALID_STATE',
        message: expect.stringContaining(hint) as string,
      });
    const { id: other } = await proposed();
    expect(await refusal(ask(other))).toMatchObject({ code: 'INVALID_STATE', state: 'PROPOSED' });
    await whole();
  });
});
