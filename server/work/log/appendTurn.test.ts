import { describe, expect, it } from 'vitest';
import { brokenInvariants } from '../../../test/invariants.ts';
import { house, testRefusals, type Refusal } from '../../../test/refusals.ts';
import { held, refusalsOfLog, sessionId, times, tooMany, usedKey } from '../../../test/refusalsOfLog.ts';
import { toolCall } from '../../../test/world.ts';
import { acceptHandoff } from '../handoffs/changeHandoff.ts';
import { pauseSession } from '../sessions/changeSession.ts';

const home = await house();
const { db, agent, session, reassign, turn, run } = home;
await agent('a', { maxCapacity: 50 });
await agent('b', { maxCapacity: 50 });

describe('appendTurn', () => {
  it('numbers messages and calls without gaps, and gives the calls to the last message of the turn', async () => {
    const id = await session('a');
    await turn(id, {
      messages: [
        { role: 'USER', content: 'go' },
        { role: 'ASSISTANT', content: 'first' },
        { role: 'ASSISTANT', content: 'last' },
      ],
      toolCalls: [toolCall('x', 'Read'), toolCall('y', 'Read')],
    });
    await turn(id, { messages: [], toolCalls: [toolCall('x', 'Read')] });
    const calls = await db.prisma.toolCall.findMany({
      where: { sessionId: id },
      orderBy: { index: 'asc' },
      include: { message: true },
    });
    expect(calls.map(({ index, sequence, message }) => [index, sequence, message?.content])).toEqual([
      [1, 3, 'last'],
      [2, 3, 'last'],
      [3, 3, undefined],
    ]);
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });

  it('gives a turn of user messages to no agent, and completes no handoff with it', async () => {
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

  it('stores the kind of a message, which is TEXT when none is given', async () => {
    const id = await session('a');
    await turn(id, {
      messages: [
        { role: 'ASSISTANT', content: 'Overloaded', kind: 'ERROR' },
        { role: 'ASSISTANT', content: 'Again.' },
      ],
    });
    expect(
      await db.prisma.message.findMany({
        where: { sessionId: id },
        orderBy: { sequence: 'asc' },
        select: { kind: true },
      }),
    ).toEqual([{ kind: 'ERROR' }, { kind: 'TEXT' }]);
  });

  it('stores no modified files for a failed call', async () => {
    const id = await session('a');
    await turn(id, { toolCalls: [toolCall('x', 'Write', { error: 'denied', filesModified: ['a.ts'] })] });
    const [call] = await db.prisma.toolCall.findMany({ where: { sessionId: id } });
    expect(call).toMatchObject({ error: 'denied', result: null, filesModified: [] });
  });
});

const assistantMessage = { messages: [{ role: 'ASSISTANT', content: 'Working on it.' }] };
const refused = (error: Refusal['error'], when: string, given: Refusal['given'], says: RegExp): Refusal => ({
  mutation: 'appendTurn',
  error,
  when,
  given,
  says,
});
const agentTurns = {
  'an assistant message': assistantMessage,
  'the answer of a tool': { messages: [{ role: 'TOOL', content: 'ok' }] },
  'a tool call': { messages: [], toolCalls: [{ callId: 'c1', name: 'Read' }] },
};

const turns: Refusal[] = [
  refused(
    'NotFoundError',
    'the agent does not exist',
    async (h) => ({
      input: { sessionId: (await held(h)).sessionId, agentId: 'nobody', ...assistantMessage },
      data: { id: 'nobody' },
    }),
    /no agent 'nobody'/,
  ),
  ...Object.entries(agentTurns).flatMap(([what, input]) => [
    refused(
      'InvalidStateError',
      `${what} comes while the handoff is INITIATED`,
      async (h) => {
        const here = await held(h);
        const target = h.unique('target');
        await h.agent(target);
        await h.reassign(here.id, { agentId: target });
        return { input: { sessionId: here.sessionId, ...input }, data: { state: 'PENDING', allowed: ['ACTIVE'] } };
      },
      /has not accepted its handoff yet: accept it first \(acceptHandoff\)/,
    ),
    refused(
      'InvalidStateError',
      `${what} comes while the session is PAUSED`,
      async (h) => {
        const here = await held(h);
        await h.run(pauseSession, { sessionId: here.id, expectedVersion: null });
        return { input: { sessionId: here.sessionId, ...input }, data: { state: 'PAUSED', allowed: ['ACTIVE'] } };
      },
      /resumeSession/,
    ),
    refused(
      'InvalidStateError',
      `${what} comes for an unassigned session`,
      async ({ session }) => ({
        input: { sessionId: sessionId(await session(null)), ...input },
        data: { state: 'UNASSIGNED' },
      }),
      /reassignSession/,
    ),
  ]),
  refused(
    'InvalidStateError',
    'an agent other than the holder sends it',
    async (h) => {
      const here = await held(h);
      const other = h.unique('other');
      await h.agent(other);
      return {
        input: { sessionId: here.sessionId, agentId: other, ...assistantMessage },
        data: { state: `HELD BY ${here.holder}` },
      };
    },
    /is held by 'holder-\d+', not by 'other-\d+'/,
  ),
];

const emptyMessage = { role: 'ASSISTANT', content: '' };
const limits = [
  tooMany('appendTurn', 'messages', 200, 'append them in several turns', { messages: times(201, () => emptyMessage) }),
  tooMany('appendTurn', 'tool calls', 200, 'append them in several turns', {
    messages: [emptyMessage],
    toolCalls: times(201, (n) => ({ callId: `c${n}`, name: 'Read' })),
  }),
  tooMany('appendTurn', 'files of a tool call', 200, 'name the most important ones', {
    messages: [emptyMessage],
    toolCalls: [{ callId: 'c', name: 'Write', filesModified: times(201, (n) => `src/${n}.ts`) }],
  }),
];

testRefusals(
  home,
  ['appendTurn'],
  [...refusalsOfLog('appendTurn', assistantMessage), usedKey('appendTurn', assistantMessage), ...turns, ...limits],
);
