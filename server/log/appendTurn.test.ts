import { describe, expect, it } from 'vitest';
import { acceptHandoff } from '../handoffs/changeHandoff.ts';
import { testDatabase } from '../../test/database.ts';
import { brokenInvariants } from '../../test/invariants.ts';
import { toolCall, world } from '../../test/world.ts';
import { captureSnapshot } from './addToLog.ts';

const db = await testDatabase();
const { agent, session, reassign, turn, run } = world(db.pool);
await agent('a', { maxCapacity: 50 });
await agent('b', { maxCapacity: 50 });

const snapshotsOf = (sessionId: string) => db.prisma.contextSnapshot.findMany({ where: { sessionId }, orderBy: { id: 'asc' } });

describe('a snapshot', () => {
  it('Given 5 user messages and 5 assistant messages, when a snapshot is captured, then it counts 5 user and 5 assistant messages', async () => {
    const id = await session('a');
    for (const n of [1, 2, 3, 4, 5]) {
      await turn(id, { messages: [{ role: 'USER', content: `question ${n}` }, { role: 'ASSISTANT', content: `answer ${n}` }] });
    }
    const { snapshotId } = await run(captureSnapshot, { sessionId: id });
    const snapshot = await db.prisma.contextSnapshot.findUniqueOrThrow({ where: { id: snapshotId } });
    expect(snapshot).toMatchObject({ type: 'CHECKPOINT', userCount: 5, assistantCount: 5, systemCount: 0, toolCount: 0, handoffCount: 0, sequenceStart: 1, sequenceEnd: 10 });
    // Four bytes a token: 'question n' and 'answer n', five times each.
    expect(snapshot.tokenEstimate).toBe(Math.ceil((5 * 10 + 5 * 8) / 4));
  });

  it('is captured when a tenure begins, and marks where a window was cut', async () => {
    const id = await session('a');
    await turn(id, { messages: [{ role: 'ASSISTANT', content: 'one' }], toolCalls: [toolCall('1', 'Read')] });
    await turn(id, { messages: [{ role: 'ASSISTANT', content: 'two' }], toolCalls: [toolCall('1', 'Read')], truncated: true });
    await run(captureSnapshot, { sessionId: id });
    const all = await snapshotsOf(id);
    expect(all.map(({ type, sequenceStart, sequenceEnd, callStart, callEnd }) => [type, sequenceStart, sequenceEnd, callStart, callEnd])).toEqual([
      ['SESSION_START', 1, 0, 1, 0],
      ['TRUNCATION', 1, 1, 1, 1],
      ['CHECKPOINT', 2, 2, 2, 2],
    ]);
  });
});

describe('a turn', () => {
  it('is numbered without gaps, message by message and call by call, and its calls belong to its last words', async () => {
    const id = await session('a');
    await turn(id, { messages: [{ role: 'USER', content: 'go' }, { role: 'ASSISTANT', content: 'first' }, { role: 'ASSISTANT', content: 'last' }], toolCalls: [toolCall('x', 'Read'), toolCall('y', 'Read')] });
    await turn(id, { messages: [], toolCalls: [toolCall('x', 'Read')] });
    const calls = await db.prisma.toolCall.findMany({ where: { sessionId: id }, orderBy: { index: 'asc' }, include: { message: true } });
    expect(calls.map(({ index, sequence, message }) => [index, sequence, message?.content])).toEqual([
      [1, 3, 'last'],
      [2, 3, 'last'],
      [3, 3, undefined],
    ]);
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });

  it('of user messages alone belongs to no agent and completes nothing', async () => {
    const id = await session('a');
    const { handoffId } = await reassign(id, { agentId: 'b' });
    await turn(id, { messages: [{ role: 'USER', content: 'who is there?' }] });
    await run(acceptHandoff, { handoffId: handoffId! });
    await turn(id, { messages: [{ role: 'USER', content: 'go on' }] });
    const handoff = await db.prisma.handoff.findUniqueOrThrow({ where: { id: handoffId! } });
    expect(handoff.status).toBe('ACCEPTED');
    const turns = await db.prisma.turn.findMany({ where: { sessionId: id } });
    expect(turns.map(({ agentSessionId }) => agentSessionId)).toEqual([null, null]);
  });

  it('that failed wrote no file', async () => {
    const id = await session('a');
    await turn(id, { toolCalls: [toolCall('x', 'Write', { error: 'denied', filesModified: ['a.ts'] })] });
    const [call] = await db.prisma.toolCall.findMany({ where: { sessionId: id } });
    expect(call).toMatchObject({ error: 'denied', result: null, filesModified: [] });
  });
});
