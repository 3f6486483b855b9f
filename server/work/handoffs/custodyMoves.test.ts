import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { toolCall, world } from '../../../test/world.ts';
import { readContext } from '../context/storage.ts';
import { acceptHandoff, rejectHandoff } from './changeHandoff.ts';

const db = await testDatabase();
const { agent, session, reassign, initiate, turn, run } = world(db.pool);

const read = (id: string) =>
  db.prisma.session.findUniqueOrThrow({
    where: { id },
    include: {
      lastHandoff: {
        include: {
          triggeringToolCalls: { orderBy: { position: 'asc' }, include: { toolCall: true } },
          snapshot: true,
          priorTurn: true,
        },
      },
      lastAgentSession: true,
      agentSessions: { orderBy: { startedAt: 'asc' } },
      events: { orderBy: { sessionSequence: 'asc' } },
    },
  });

describe('a handoff', () => {
  it('Given a session with 3 turns with tool calls, when it is handed off, then the handoff has its prior turn, calls and snapshot; when the target accepts, then its tenure is ACTIVE, and its first turn completes the handoff', async () => {
    await agent('opus-agent');
    await agent('claude-code', { collaborators: ['opus-agent'] });
    const id = await session('claude-code');
    let lastTurn = '';
    for (const n of [1, 2, 3]) {
      const { turnId } = await turn(id, {
        messages: [
          { role: 'USER', content: `Step ${n}, please` },
          { role: 'ASSISTANT', content: `Did step ${n}` },
        ],
        toolCalls: [toolCall(`read-${n}`, 'Read'), toolCall(`write-${n}`, 'Write', { filesModified: [`src/${n}.ts`] })],
      });
      lastTurn = turnId;
    }
    const { handoffId } = await initiate(id, 'opus-agent');

    const initiated = await read(id);
    expect(initiated.lastHandoff?.id).toBe(handoffId);
    expect(initiated.lastHandoff?.priorTurn?.id).toBe(lastTurn);
    expect(initiated.lastHandoff?.triggeringToolCalls.map(({ toolCall: call }) => call.callId)).toEqual([
      'read-3',
      'write-3',
    ]);
    expect(initiated.lastHandoff?.snapshot).toMatchObject({
      type: 'HANDOFF_INITIATED',
      sequenceStart: 1,
      sequenceEnd: 6,
      userCount: 3,
      assistantCount: 3,
      callStart: 1,
      callEnd: 6,
    });
    const context = readContext(initiated.lastHandoff!);
    expect(context.toolSummaries).toEqual([
      { toolName: 'Read', callCount: 3, errorCount: 0, lastResult: 'ok' },
      { toolName: 'Write', callCount: 3, errorCount: 0, lastResult: 'ok' },
    ]);
    expect(context.filesModified).toEqual(['src/3.ts', 'src/2.ts', 'src/1.ts']);
    expect(initiated.lastAgentSession).toMatchObject({ agentId: 'opus-agent', state: 'PENDING' });

    await run(acceptHandoff, { handoffId });
    expect((await read(id)).lastAgentSession).toMatchObject({ agentId: 'opus-agent', state: 'ACTIVE' });

    await turn(id, { agentId: 'opus-agent' });
    const completed = await read(id);
    expect(completed.lastHandoff?.status).toBe('COMPLETED');
    expect(completed.events.map(({ type }) => type).slice(-5)).toEqual([
      'HANDOFF_INITIATED',
      'SESSION_REASSIGNED',
      'HANDOFF_ACCEPTED',
      'TURN_APPENDED',
      'HANDOFF_COMPLETED',
    ]);
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });

  it('returns the session to its source when the target rejects it', async () => {
    await agent('a');
    await agent('b');
    const id = await session('a');
    const { handoffId } = await reassign(id, { agentId: 'b', reason: 'b knows this' });
    await run(rejectHandoff, { handoffId: handoffId!, reason: 'not mine' });
    const after = await read(id);
    expect(after).toMatchObject({ agentId: 'a', status: 'RUNNING', version: 3, previousAgentType: 'CLAUDE' });
    expect(after.agentSessions.map(({ agentId, state }) => [agentId, state])).toEqual([
      ['a', 'HANDED_OFF'],
      ['b', 'DECLINED'],
      ['a', 'ACTIVE'],
    ]);
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });

  it('is superseded by the next move while it waits, and the new source is the agent before it', async () => {
    await agent('c');
    const id = await session('a');
    await reassign(id, { agentId: 'b' });
    const answer = await reassign(id, { agentId: 'c' });
    expect(answer).toMatchObject({ previousAgentId: 'b', assignedAgentId: 'c', handoffCreated: true });
    const after = await read(id);
    expect(after.lastHandoff).toMatchObject({ sourceAgentId: 'a', targetAgentId: 'c', depth: 2, status: 'INITIATED' });
    expect(after.agentSessions.map(({ agentId, state }) => [agentId, state])).toEqual([
      ['a', 'HANDED_OFF'],
      ['b', 'DECLINED'],
      ['c', 'PENDING'],
    ]);
    expect(after.events.map(({ type }) => type)).toEqual([
      'SESSION_CREATED',
      'HANDOFF_INITIATED',
      'SESSION_REASSIGNED',
      'HANDOFF_CANCELLED',
      'HANDOFF_INITIATED',
      'SESSION_REASSIGNED',
    ]);
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });
});
