import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { agentCaller, operator, world } from '../../../test/world.ts';
import { silentLog } from '../../infra/log.ts';
import { archiveAgent } from '../agents/archiveAgent.ts';
import { setAgentStatus } from '../agents/setAgentStatus.ts';
import { updateAgent } from '../agents/updateAgent.ts';
import { answerQuestion } from '../approvals/answerQuestion.ts';
import { approveHandoff } from '../approvals/approveHandoff.ts';
import { askPerson } from '../approvals/askPerson.ts';
import { declineHandoff } from '../approvals/declineHandoff.ts';
import {
  acceptHandoff,
  cancelHandoff,
  completeHandoff,
  failHandoff,
  rejectHandoff,
  timeOutHandoff,
} from '../handoffs/changeHandoff.ts';
import { initiateHandoff } from '../handoffs/initiateHandoff.ts';
import { touchHandoff } from '../handoffs/touchHandoff.ts';
import { recordDecision, recordWorkingTree, setTasks } from '../log/addToLog.ts';
import { runAct } from '../queue/runCommand.ts';
import { cancelSession, completeSession, failSession, pauseSession } from '../sessions/changeSession.ts';
import { updateSession } from '../sessions/updateSession.ts';
import { archiveHandoffTool, createHandoffTool, updateHandoffTool } from '../tools/changeTool.ts';
import { type Call, executeCall, type ExecuteInput } from '../tools/executeCall.ts';

const db = await testDatabase();
const { agent, session, reassign, initiate, turn, run, pipeline, advance } = world(db.pool);
await agent('b', { maxCapacity: 100 });
await agent('c', { maxCapacity: 100 });
await agent('a', { maxCapacity: 100, collaborators: ['b', 'c'] });

/** The events that an act adds to its session's stream, each with the inboxes that it went into: "TYPE: a b". */
async function heard(sessionId: string, act: () => Promise<unknown>): Promise<string[]> {
  const before = await db.prisma.event.count({ where: { sessionId } });
  await act();
  const events = await db.prisma.event.findMany({
    where: { sessionId, sessionSequence: { gt: before } },
    orderBy: { sessionSequence: 'asc' },
    include: { inboxes: { orderBy: { agentId: 'asc' } } },
  });
  return events.map(({ type, inboxes }) => `${type}: ${inboxes.map(({ agentId }) => agentId).join(' ')}`.trim());
}

const held = () => session('a');
const waiting = async () => {
  const id = await held();
  return { id, handoffId: (await reassign(id, { agentId: 'b' })).handoffId! };
};
const accepted = async () => {
  const it = await waiting();
  await run(acceptHandoff, { handoffId: it.handoffId });
  return it;
};
const transferTo = (targetAgentId: string): Call => ({
  callId: 'c1',
  detected: {
    index: 0,
    callId: 'c1',
    toolName: `transfer_to_${targetAgentId}`,
    arguments: { reason: 'because' },
    kind: 'HANDOFF',
    targetAgentId,
    tool: null,
    problem: null,
  },
  refusal: null,
});
const transfer = {
  targetAgentId: 'b',
  reason: null,
  summary: null,
  priorTurnId: null,
  triggeringToolCallIds: null,
  contextVariables: null,
  metadata: null,
};
const plain = { expectedVersion: null, reason: 'because', result: null, summary: null };

describe('an act writes its events in order and delivers them to the inboxes of the agents concerned', () => {
  it('createSession: to the assigned agent', async () => {
    const ids = [await session('a'), await session(null)];
    const events = await db.prisma.event.findMany({
      where: { sessionId: { in: ids } },
      orderBy: { id: 'asc' },
      include: { inboxes: true },
    });
    expect(events.map(({ type, inboxes }) => [type, inboxes.map(({ agentId }) => agentId)])).toEqual([
      ['SESSION_CREATED', ['a']],
      ['SESSION_CREATED', []],
    ]);
  });

  it('the queue: SESSION_QUEUED to the agents that let go, then to the agent that gets its turn', async () => {
    const [id, waits] = [await held(), (await waiting()).id];
    expect(await heard(id, () => reassign(id, { agentType: 'QUEUED', queue: true }))).toEqual(['SESSION_QUEUED: a']);
    expect(await heard(waits, () => reassign(waits, { agentType: 'QUEUED', queue: true, skipHandoff: true }))).toEqual([
      'HANDOFF_CANCELLED: a b',
      'SESSION_QUEUED: a b',
    ]);
    const created = await session(null, { agentType: 'QUEUED', queue: true });
    let both: string[] = [];
    expect(
      await heard(id, async () => {
        both = await heard(waits, () => agent('q', { type: 'QUEUED' }));
      }),
    ).toEqual(['HANDOFF_INITIATED: q', 'SESSION_REASSIGNED: q']);
    expect(both).toEqual(['SESSION_REASSIGNED: q']);
    const events = await db.prisma.event.findMany({
      where: { sessionId: created },
      orderBy: { sessionSequence: 'asc' },
      include: { inboxes: true },
    });
    expect(events.map(({ type, inboxes }) => [type, inboxes.map(({ agentId }) => agentId)])).toEqual([
      ['SESSION_CREATED', []],
      ['SESSION_QUEUED', []],
      ['SESSION_REASSIGNED', ['q']],
    ]);
  });

  it('reassignSession: to the target and the source', async () => {
    const id = await held();
    expect(await heard(id, () => reassign(id, { agentId: 'b' }))).toEqual([
      'HANDOFF_INITIATED: a b',
      'SESSION_REASSIGNED: a b',
    ]);
  });

  it('initiateHandoff: to the target and the source', async () => {
    const id = await held();
    expect(await heard(id, () => initiate(id, 'b'))).toEqual(['HANDOFF_INITIATED: a b', 'SESSION_REASSIGNED: a b']);
  });

  it('a handoff tool: the call is recorded first', async () => {
    const id = await held();
    const execute = (sessionId: string, agentId: string) =>
      run((work, input: ExecuteInput, settings) => executeCall(work, input, transferTo(agentId), settings), {
        sessionId,
        agentId: null,
      });
    expect(await heard(id, () => execute(id, 'b'))).toEqual([
      'TURN_APPENDED:',
      'HANDOFF_INITIATED: a b',
      'SESSION_REASSIGNED: a b',
    ]);
    const { handoffId } = await waiting();
    await run(acceptHandoff, { handoffId });
    const { sessionId } = await db.prisma.handoff.findUniqueOrThrow({ where: { id: handoffId } });
    expect(await heard(sessionId, () => execute(sessionId, 'a'))).toEqual([
      'TURN_APPENDED:',
      'HANDOFF_COMPLETED: a b',
      'HANDOFF_INITIATED: a b',
      'SESSION_REASSIGNED: a b',
    ]);
  });

  it('a handoff that a person has to approve: to the source only, until it is approved', async () => {
    const made = async () => {
      const id = await session('a', { handoffApproval: 'REQUIRED' });
      return { id, handoffId: (await initiate(id, 'b', {}, { caller: agentCaller('a') })).handoffId };
    };
    const [approved, declined, left, taken] = [await made(), await made(), await made(), await made()];
    const again = await session('a', { handoffApproval: 'REQUIRED' });
    expect(await heard(again, () => initiate(again, 'b', {}, { caller: agentCaller('a') }))).toEqual([
      'HANDOFF_PROPOSED_FOR_APPROVAL: a',
    ]);
    const given = { expectedContentHash: null, edits: null, note: null };
    expect(await heard(approved.id, () => run(approveHandoff, { ...approved, ...given }))).toEqual([
      'HANDOFF_APPROVED: a',
      'HANDOFF_INITIATED: a b',
      'SESSION_REASSIGNED: a b',
    ]);
    expect(await heard(declined.id, () => run(declineHandoff, { ...declined, reason: 'no' }))).toEqual([
      'HANDOFF_DECLINED: a',
    ]);
    expect(await heard(left.id, () => reassign(left.id, { agentId: 'c' }))).toEqual([
      'HANDOFF_CANCELLED: a',
      'HANDOFF_INITIATED: a c',
      'SESSION_REASSIGNED: a c',
    ]);
    expect(await heard(taken.id, () => run(cancelHandoff, { ...taken, reason: null }))).toEqual([
      'HANDOFF_CANCELLED: a',
    ]);
  });

  it('a question and its answer: to the holder', async () => {
    const id = await held();
    let questionId = '';
    expect(
      await heard(id, async () => {
        ({ questionId } = await run(askPerson, { sessionId: id, question: 'Which?', options: null }));
      }),
    ).toEqual(['QUESTION_ASKED: a', 'SESSION_STATUS_CHANGED: a']);
    expect(await heard(id, () => run(answerQuestion, { questionId, answer: 'This' }))).toEqual([
      'TURN_APPENDED:',
      'QUESTION_ANSWERED: a',
      'SESSION_STATUS_CHANGED: a',
    ]);
  });

  it('reassignSession of a waiting handoff: also to the superseded target', async () => {
    const { id } = await waiting();
    expect(await heard(id, () => reassign(id, { agentId: 'c' }))).toEqual([
      'HANDOFF_CANCELLED: a b',
      'HANDOFF_INITIATED: a c',
      'SESSION_REASSIGNED: a b c',
    ]);
  });

  it('reassignSession after an accept: HANDOFF_COMPLETED comes first', async () => {
    const { id } = await accepted();
    expect(await heard(id, () => reassign(id, { agentId: 'c' }))).toEqual([
      'HANDOFF_COMPLETED: a b',
      'HANDOFF_INITIATED: b c',
      'SESSION_REASSIGNED: b c',
    ]);
  });

  it('reassignSession back to the source of a waiting handoff: HANDOFF_CANCELLED and SESSION_RETURNED', async () => {
    const { id } = await waiting();
    expect(await heard(id, () => reassign(id, { agentId: 'a' }))).toEqual([
      'HANDOFF_CANCELLED: a b',
      'SESSION_RETURNED: a b',
    ]);
  });

  it('reassignSession with skipHandoff: to the new and the old holder', async () => {
    const id = await held();
    expect(await heard(id, () => reassign(id, { agentId: 'b', skipHandoff: true }))).toEqual([
      'SESSION_REASSIGNED: a b',
    ]);
    const { id: other } = await waiting();
    expect(await heard(other, () => reassign(other, { agentId: 'c', skipHandoff: true }))).toEqual([
      'HANDOFF_CANCELLED: a b',
      'SESSION_REASSIGNED: b c',
    ]);
  });

  it('acceptHandoff and completeHandoff: to the target and the source', async () => {
    const { id, handoffId } = await waiting();
    expect(await heard(id, () => run(acceptHandoff, { handoffId }))).toEqual(['HANDOFF_ACCEPTED: a b']);
    expect(await heard(id, () => run(completeHandoff, { handoffId }))).toEqual(['HANDOFF_COMPLETED: a b']);
  });

  it('touchHandoff: to the target and the source', async () => {
    const { id, handoffId } = await waiting();
    expect(await heard(id, () => run(touchHandoff, { handoffId, note: 'soon' }))).toEqual(['HANDOFF_EXTENDED: a b']);
  });

  it('the first turn of the target: TURN_APPENDED, then HANDOFF_COMPLETED', async () => {
    const { id } = await accepted();
    expect(await heard(id, () => turn(id))).toEqual(['TURN_APPENDED:', 'HANDOFF_COMPLETED: a b']);
    expect(await heard(id, () => turn(id))).toEqual(['TURN_APPENDED:']);
  });

  it.each([
    ['rejectHandoff', rejectHandoff, 'HANDOFF_REJECTED'],
    ['cancelHandoff', cancelHandoff, 'HANDOFF_CANCELLED'],
    ['timeOutHandoff', timeOutHandoff, 'HANDOFF_TIMED_OUT'],
    ['failHandoff', failHandoff, 'HANDOFF_FAILED'],
  ])('%s: to the target and the source, then SESSION_RETURNED', async (_name, decline, event) => {
    const { id, handoffId } = await waiting();
    expect(await heard(id, () => run(decline, { handoffId, reason: 'because' }))).toEqual([
      `${event}: a b`,
      'SESSION_RETURNED: a b',
    ]);
  });

  it('a decline that cannot return: one SESSION_UNASSIGNED', async () => {
    const { id, handoffId } = await waiting();
    await run(setAgentStatus, { id: 'a', status: 'OFFLINE' });
    expect(await heard(id, () => run(rejectHandoff, { handoffId, reason: 'no' }))).toEqual([
      'HANDOFF_REJECTED: a b',
      'SESSION_UNASSIGNED: a b',
    ]);
    await run(setAgentStatus, { id: 'a', status: 'AVAILABLE' });
  });

  it('advancePipeline: as initiate, then SESSION_STAGE_CHANGED to the holder; at the end PIPELINE_COMPLETED', async () => {
    await agent('writer', { role: 'write' });
    await agent('editor', { role: 'edit' });
    await pipeline('text', ['write DONE edit', 'edit DONE end']);
    const id = await session(null, { pipeline: 'text' });
    expect(await heard(id, () => advance(id))).toEqual([
      'HANDOFF_INITIATED: editor writer',
      'SESSION_REASSIGNED: editor writer',
      'SESSION_STAGE_CHANGED: editor',
    ]);
    const { id: handoffId } = await db.prisma.handoff.findFirstOrThrow({ where: { sessionId: id } });
    expect(await heard(id, () => run(rejectHandoff, { handoffId, reason: 'no' }))).toEqual([
      'HANDOFF_REJECTED: editor writer',
      'SESSION_RETURNED: editor writer',
      'SESSION_STAGE_CHANGED: writer',
    ]);
    const again = await advance(id);
    await run(acceptHandoff, { handoffId: again.handoffId! });
    expect(await heard(id, () => advance(id))).toEqual([
      'HANDOFF_COMPLETED: editor writer',
      'SESSION_STATUS_CHANGED: editor',
      'PIPELINE_COMPLETED: editor',
    ]);
    const stages = await db.prisma.event.findMany({
      where: { sessionId: id, type: { in: ['SESSION_STAGE_CHANGED', 'PIPELINE_COMPLETED'] } },
      orderBy: { sessionSequence: 'asc' },
    });
    const told = (from: string | null, outcome: string | null, stage: string | null) => ({
      pipeline: 'text',
      version: 1,
      from,
      outcome,
      stage,
    });
    expect(stages.map(({ metadata }) => metadata)).toEqual([
      told(null, null, 'write'),
      told('write', 'DONE', 'edit'),
      told('edit', null, 'write'),
      told('write', 'DONE', 'edit'),
      told('edit', 'DONE', null),
    ]);
  });

  it('usage that reaches 80 % of the token budget, and all of it: TURN_APPENDED, then TOKEN_BUDGET_LOW or SESSION_STATUS_CHANGED to the holder', async () => {
    const id = await session('a', { tokenBudget: 100 });
    const use = (inputTokens: number) =>
      heard(id, () =>
        turn(id, {
          usage: {
            inputTokens,
            outputTokens: null,
            cacheCreationInputTokens: null,
            cacheReadInputTokens: null,
            model: null,
          },
        }),
      );
    expect(await use(80)).toEqual(['TURN_APPENDED:', 'TOKEN_BUDGET_LOW: a']);
    expect(await use(20)).toEqual(['TURN_APPENDED:', 'SESSION_STATUS_CHANGED: a']);
    const budget = (tokenBudget: number) =>
      heard(id, () => run(updateSession, { sessionId: id, tokenBudget, expectedVersion: null }));
    expect(await budget(1_000)).toEqual(['SESSION_CHANGED: a']);
    expect(await budget(125)).toEqual(['SESSION_CHANGED: a', 'TOKEN_BUDGET_LOW: a']);
  });

  it('a time-out in a pipeline: HANDOFF_TIMED_OUT, then as initiate to the next agent', async () => {
    for (const id of ['checker-1', 'checker-2']) await agent(id, { role: 'check' });
    await pipeline('checked', ['write DONE check', 'check DONE end']);
    const id = await session(null, { pipeline: 'checked' });
    const { handoffId } = await advance(id);
    expect(await heard(id, () => run(timeOutHandoff, { handoffId: handoffId! }))).toEqual([
      'HANDOFF_TIMED_OUT: checker-1 writer',
      'HANDOFF_INITIATED: checker-2 writer',
      'SESSION_REASSIGNED: checker-1 checker-2 writer',
    ]);
  });

  it('a time-out that escalates: HANDOFF_ESCALATED to target and source, then the move or SESSION_QUEUED', async () => {
    await agent('signer', { role: 'sign' });
    const none = { agentId: null, role: null, operators: false };
    await pipeline('signed', ['write DONE sign', 'sign DONE end'], { sign: { escalateTo: { ...none, agentId: 'c' } } });
    await pipeline('asked', ['write DONE sign', 'sign DONE end'], {
      sign: { escalateTo: { ...none, operators: true } },
    });
    const escalated = ['HANDOFF_TIMED_OUT: signer writer', 'HANDOFF_ESCALATED: signer writer'];
    for (const [slug, moves] of [
      ['signed', ['HANDOFF_INITIATED: c writer', 'SESSION_REASSIGNED: c signer writer']],
      ['asked', ['SESSION_QUEUED: signer writer']],
    ] as const) {
      const id = await session(null, { pipeline: slug });
      const { handoffId } = await advance(id);
      expect(await heard(id, () => run(timeOutHandoff, { handoffId: handoffId! }))).toEqual([...escalated, ...moves]);
    }
  });

  it('a limit that refuses a handoff: SESSION_STUCK to the holder', async () => {
    const id = await session('a', { maxHandoffs: 0 });
    const refused = (): Promise<unknown> =>
      runAct(
        { pool: db.pool, log: silentLog, caller: operator, mutation: 'initiateHandoff', input: { sessionId: id } },
        (work) => initiateHandoff(work, { ...transfer, sessionId: id }, { staleAfterMinutes: 30 }),
      ).catch(() => null);
    expect(await heard(id, refused)).toEqual(['SESSION_STUCK: a']);
    expect(await heard(id, refused)).toEqual([]);
  });

  it('updateSession: to the holder, and no event when nothing changes', async () => {
    const id = await held();
    const rename = () => run(updateSession, { sessionId: id, title: 'Other words', expectedVersion: null });
    expect(await heard(id, rename)).toEqual(['SESSION_CHANGED: a']);
    expect(await heard(id, rename)).toEqual([]);
  });

  it('pausing and ending: to the holder, after the event that closes the open handoff', async () => {
    const id = await held();
    expect(await heard(id, () => run(pauseSession, { sessionId: id, expectedVersion: null }))).toEqual([
      'SESSION_STATUS_CHANGED: a',
    ]);
    const waits = await waiting();
    expect(await heard(waits.id, () => run(cancelSession, { sessionId: waits.id, ...plain }))).toEqual([
      'HANDOFF_CANCELLED: a b',
      'SESSION_STATUS_CHANGED: b',
    ]);
    const done = await accepted();
    expect(await heard(done.id, () => run(completeSession, { sessionId: done.id, ...plain }))).toEqual([
      'HANDOFF_COMPLETED: a b',
      'SESSION_STATUS_CHANGED: b',
    ]);
    const failing = await accepted();
    expect(await heard(failing.id, () => run(failSession, { sessionId: failing.id, ...plain }))).toEqual([
      'HANDOFF_FAILED: a b',
      'SESSION_STATUS_CHANGED: b',
    ]);
  });

  it('appendTurn, recordDecision, setTasks and recordWorkingTree: to no inbox, and no new version', async () => {
    const id = await held();
    expect(await heard(id, () => turn(id))).toEqual(['TURN_APPENDED:']);
    expect(await heard(id, () => run(recordDecision, { sessionId: id, text: 'so be it' }))).toEqual(['LOG_CHANGED:']);
    expect(await heard(id, () => run(setTasks, { sessionId: id, tasks: [] }))).toEqual(['LOG_CHANGED:']);
    const tree = { branch: null, commit: null, status: '', diffstat: '' };
    expect(await heard(id, () => run(recordWorkingTree, { sessionId: id, ...tree }))).toEqual(['LOG_CHANGED:']);
    expect((await db.prisma.session.findUniqueOrThrow({ where: { id } })).version).toBe(1);
  });

  it('usage over the limit of the window: TURN_APPENDED, then HANDOFF_PROPOSED to the holder', async () => {
    await agent('full', { contextWindow: 100 });
    const id = await session('full');
    const usage = {
      inputTokens: 90,
      outputTokens: null,
      cacheCreationInputTokens: null,
      cacheReadInputTokens: null,
      model: null,
    };
    expect(await heard(id, () => turn(id, { usage }))).toEqual(['TURN_APPENDED:', 'HANDOFF_PROPOSED: full']);
    expect(await heard(id, () => turn(id, { usage }))).toEqual(['TURN_APPENDED:']);
  });

  it('changes of an agent: to that agent, without a session', async () => {
    await agent('d');
    const before = await db.prisma.event.count({ where: { agentId: 'd' } });
    await run(setAgentStatus, { id: 'd', status: 'DRAINING' });
    // No change, and nobody hears of it.
    await run(setAgentStatus, { id: 'd', status: 'DRAINING' });
    await run(updateAgent, { id: 'd', name: 'Dora' });
    await run(archiveAgent, { id: 'd' });
    const events = await db.prisma.event.findMany({
      where: { agentId: 'd' },
      include: { inboxes: true },
      orderBy: { id: 'asc' },
      skip: before,
    });
    expect(
      events.map(({ type, sessionId, inboxes }) => [type, sessionId, inboxes.map(({ agentId }) => agentId)]),
    ).toEqual(Array.from({ length: 3 }, () => ['AGENT_CHANGED', null, ['d']]));
  });

  it('changes of a handoff tool: the agents to which it is or was offered', async () => {
    const heardBy = async (act: () => Promise<unknown>): Promise<string[]> => {
      const before = await db.prisma.event.findFirst({ orderBy: { id: 'desc' }, select: { id: true } });
      await act();
      const events = await db.prisma.event.findMany({
        where: { id: { gt: before!.id } },
        orderBy: { agentId: 'asc' },
        include: { inboxes: true },
      });
      return events.map(({ type, inboxes }) => `${type}: ${inboxes.map(({ agentId }) => agentId).join(' ')}`);
    };
    let toolId = '';
    const create = async () => {
      ({ toolId } = await run(createHandoffTool, {
        name: 'ask',
        targetAgentId: 'c',
        agentIds: ['a'],
        description: 'Hands off.',
        variables: [],
        instructions: null,
      }));
    };
    expect(await heardBy(create)).toEqual(['AGENT_CHANGED: a']);
    expect(await heardBy(() => run(updateHandoffTool, { toolId, agentIds: ['b'] }))).toEqual([
      'AGENT_CHANGED: a',
      'AGENT_CHANGED: b',
    ]);
    expect(await heardBy(() => run(archiveHandoffTool, { toolId }))).toEqual(['AGENT_CHANGED: b']);
    expect(await heardBy(() => run(archiveHandoffTool, { toolId }))).toEqual([]);
  });
});
