import { describe, expect, it } from 'vitest';
import { client } from '../../../test/graphql.ts';
import { hashAllTables } from '../../../test/hash.ts';
import { house, testRefusals, type Mutation } from '../../../test/refusals.ts';
import { held, refusalsOfLog, sessionId, times, tooMany, usedKey } from '../../../test/refusalsOfLog.ts';
import { startApp } from '../../../test/server.ts';
import { toolCall } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { acceptHandoff } from '../handoffs/changeHandoff.ts';
import { captureSnapshot, recordDecision, recordWorkingTree, setTasks } from './addToLog.ts';

const home = await house();
const { db, session, reassign, turn, run, agent, unique, send } = home;
const task = (content: string) => ({ content, status: 'PENDING' as const });

testRefusals(
  home,
  ['recordDecision', 'setTasks', 'recordWorkingTree', 'captureSnapshot'],
  [
    ...refusalsOfLog('recordDecision', { text: 'Use PostgreSQL' }),
    usedKey('recordDecision', { text: 'Use PostgreSQL' }),
    ...refusalsOfLog('setTasks', { tasks: [task('Write it down')] }),
    tooMany('setTasks', 'tasks', 500, 'the list replaces the previous one: combine or drop some', {
      tasks: times(501, (n) => task(`Step ${n}`)),
    }),
    ...refusalsOfLog('recordWorkingTree', { status: ' M a.ts', diffstat: '' }),
    ...refusalsOfLog('captureSnapshot', {}),
    usedKey('captureSnapshot', {}),
  ],
);

/** Sends a mutation twice under one key. */
async function expectRepeat(mutation: Mutation, input: object): Promise<void> {
  const keyed = { ...input, idempotencyKey: unique('key') };
  const first = await send(mutation, keyed);
  expect(first.__typename).toMatch(/Payload$/);
  const before = await hashAllTables(db.pool);
  expect(await send(mutation, keyed)).toEqual(first);
  expect(await hashAllTables(db.pool)).toEqual(before);
}

describe('recordDecision', () => {
  const tenureOf = async (decisionId: string) =>
    (await db.prisma.decision.findUniqueOrThrow({ where: { id: decisionId }, include: { agentSession: true } }))
      .agentSession?.agentId ?? null;

  it('stores the decision with the tenure of the holder', async () => {
    const { id, holder } = await held(home);
    const { decisionId } = await run(recordDecision, { sessionId: id, text: 'Use PostgreSQL' });
    expect(await db.prisma.decision.findUniqueOrThrow({ where: { id: decisionId } })).toMatchObject({
      sessionId: id,
      text: 'Use PostgreSQL',
    });
    expect(await tenureOf(decisionId)).toBe(holder);
  });

  it('stores no tenure for an unassigned session or before the target accepts', async () => {
    const { id } = await held(home);
    const target = unique('target');
    await agent(target);
    const { handoffId } = await reassign(id, { agentId: target });
    const decide = async (at: string) =>
      tenureOf((await run(recordDecision, { sessionId: at, text: 'Wait' })).decisionId);
    expect(await decide(id)).toBeNull();
    await run(acceptHandoff, { handoffId: handoffId! });
    expect(await decide(id)).toBe(target);
    expect(await decide(await session(null))).toBeNull();
  });

  it('records one decision when it is repeated under an idempotency key', async () => {
    await expectRepeat('recordDecision', { sessionId: (await held(home)).sessionId, text: 'Use PostgreSQL' });
  });
});

describe('setTasks', () => {
  const tasksOf = async (id: string) =>
    (await db.prisma.task.findMany({ where: { sessionId: id }, orderBy: { position: 'asc' } })).map(
      ({ content }) => content,
    );

  it('replaces the list, in the given order', async () => {
    const { id } = await held(home);
    await run(setTasks, { sessionId: id, tasks: [task('Write it'), task('Test it')] });
    await run(setTasks, { sessionId: id, tasks: [task('Test it'), task('Release it'), task('Rest')] });
    expect(await tasksOf(id)).toEqual(['Test it', 'Release it', 'Rest']);
    await run(setTasks, { sessionId: id, tasks: [] });
    expect(await tasksOf(id)).toEqual([]);
  });

  it('changes no handoff that exists', async () => {
    const { id } = await held(home);
    await run(setTasks, { sessionId: id, tasks: [task('Write it')] });
    const target = unique('target');
    await agent(target);
    const where = { id: (await reassign(id, { agentId: target })).handoffId! };
    const before = await db.prisma.handoff.findUniqueOrThrow({ where });
    expect(JSON.stringify(before)).toContain('Write it');
    await run(setTasks, { sessionId: id, tasks: [] });
    expect(await db.prisma.handoff.findUniqueOrThrow({ where })).toEqual(before);
  });

  it('stores the same list when it is repeated', async () => {
    const { id } = await held(home);
    const input = { sessionId: sessionId(id), tasks: [task('Write it'), task('Test it')] };
    for (const repeat of [1, 2])
      expect([repeat, await send('setTasks', input)]).toMatchObject([repeat, { __typename: 'SetTasksPayload' }]);
    expect(await tasksOf(id)).toEqual(['Write it', 'Test it']);
  });
});

describe('captureSnapshot', () => {
  it('counts 5 user and 5 assistant messages in a log of 5 each', async () => {
    const { id } = await held(home);
    for (const n of [1, 2, 3, 4, 5]) {
      await turn(id, {
        messages: [
          { role: 'USER', content: `question ${n}` },
          { role: 'ASSISTANT', content: `answer ${n}` },
        ],
      });
    }
    const { snapshotId } = await run(captureSnapshot, { sessionId: id });
    const snapshot = await db.prisma.contextSnapshot.findUniqueOrThrow({ where: { id: snapshotId } });
    expect(snapshot).toMatchObject({
      type: 'CHECKPOINT',
      userCount: 5,
      assistantCount: 5,
      systemCount: 0,
      toolCount: 0,
      handoffCount: 0,
      sequenceStart: 1,
      sequenceEnd: 10,
    });
    // Four bytes a token: 'question n' and 'answer n', five times each.
    expect(snapshot.tokenEstimate).toBe(Math.ceil((5 * 10 + 5 * 8) / 4));
  });

  it('covers only what follows the last truncation', async () => {
    const { id } = await held(home);
    await turn(id, { messages: [{ role: 'ASSISTANT', content: 'one' }], toolCalls: [toolCall('1', 'Read')] });
    await turn(id, {
      messages: [{ role: 'ASSISTANT', content: 'two' }],
      toolCalls: [toolCall('1', 'Read')],
      truncated: true,
    });
    await run(captureSnapshot, { sessionId: id });
    const all = await db.prisma.contextSnapshot.findMany({ where: { sessionId: id }, orderBy: { id: 'asc' } });
    expect(
      all.map(({ type, sequenceStart, sequenceEnd, callStart, callEnd }) => [
        type,
        sequenceStart,
        sequenceEnd,
        callStart,
        callEnd,
      ]),
    ).toEqual([
      ['SESSION_START', 1, 0, 1, 0],
      ['TRUNCATION', 1, 1, 1, 1],
      ['CHECKPOINT', 2, 2, 2, 2],
    ]);
  });

  it('captures one snapshot when it is repeated under an idempotency key', async () => {
    await expectRepeat('captureSnapshot', { sessionId: (await held(home)).sessionId });
  });
});

describe('recordWorkingTree', () => {
  const tree = { branch: 'main', commit: 'abc1234', status: ' M fence.ts\n?? gate.ts', diffstat: ' fence.ts | 2 +-' };

  it('is in the session, the next handoff and its prompt, with time and agent, until the next one replaces it', async () => {
    const { id, sessionId: publicId, holder } = await held(home);
    const target = unique('target');
    await agent(target);
    expect(await send('recordWorkingTree', { sessionId: publicId, ...tree })).toMatchObject({
      __typename: 'RecordWorkingTreePayload',
    });
    const { handoffId } = await reassign(id, { agentId: target });
    await run(acceptHandoff, { handoffId: handoffId! });
    await run(recordWorkingTree, { sessionId: id, ...tree, commit: null, status: '', diffstat: '' });
    const { data } = await client((await startApp(db)).url).post<{
      session: { workingTree: object };
      handoff: { workingTree: object; contextPrompt: { text: string } };
    }>(
      `{ session(id: "${publicId}") { workingTree { branch commit status diffstat agentId } }
         handoff(id: "${encodeId('handoff', handoffId!)}") { workingTree { branch commit status diffstat agentId takenAt } contextPrompt(maxTokens: 4000) { text } } }`,
    );
    expect(data.session.workingTree).toEqual({ ...tree, commit: null, status: '', diffstat: '', agentId: target });
    expect(data.handoff.workingTree).toEqual({ ...tree, agentId: holder, takenAt: expect.any(String) as string });
    expect(data.handoff.contextPrompt.text).toMatch(
      new RegExp(
        `## Working tree\n\`\`\`\n[0-9-]+ [0-9:]+ UTC, of ${holder}, branch main, commit abc1234: git status --porcelain:\n M fence.ts\n\\?\\? gate.ts\n fence.ts \\| 2`,
      ),
    );
  });

  it('is withheld by a Carry without files, and from an agent that reads only what follows', async () => {
    const [source, target] = [unique('source'), unique('target')];
    await agent(target);
    await agent(source);
    await send('updateAgent', { id: source, collaborations: [{ agentId: target, carry: { files: false } }] });
    const id = await session(source);
    await run(recordWorkingTree, { sessionId: id, ...tree });
    const { handoffId } = await home.initiate(id, target);
    await run(acceptHandoff, { handoffId });
    const { rows } = await db.pool.query<{ context: object }>('SELECT context FROM handoffs WHERE id = $1', [
      handoffId,
    ]);
    expect(rows[0]!.context).not.toHaveProperty('workingTree');
    expect(rows[0]!.context).toMatchObject({ leftOut: { withheld: { WORKING_TREE: 1 } } });
  });
});
