import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashAllTables } from '../../../test/hash.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { house, testRefusals } from '../../../test/refusals.ts';
import { held, refusalsOfLog, sessionId, times, tooMany } from '../../../test/refusalsOfLog.ts';
import { agentCaller, toolCall, type As } from '../../../test/world.ts';
import { acceptHandoff } from '../handoffs/changeHandoff.ts';
import { pauseSession } from '../sessions/changeSession.ts';
import { recordToolResults, type NewResult } from './recordToolResults.ts';

const home = await house();
const { db, agent, session, reassign, initiate, turn, run, send } = home;
await agent('b', { maxCapacity: 200 });
await agent('a', { maxCapacity: 200, collaborators: ['b'] });

const ok = (callId: string, result = 'done'): NewResult => ({ callId, result, error: null });
const failed = (callId: string, error = 'no such file'): NewResult => ({ callId, result: null, error });
const record = (id: string, results: readonly NewResult[], as: As = {}) =>
  run(recordToolResults, { sessionId: id, results }, as);
const called = async (...callIds: string[]): Promise<string> => {
  const id = await session('a');
  await turn(id, { messages: [], toolCalls: callIds.map((callId) => toolCall(callId, 'Bash', { result: null })) });
  return id;
};
const look = async (id: string) =>
  (
    await db.prisma.toolCall.findMany({
      where: { sessionId: id },
      orderBy: { index: 'asc' },
      select: { callId: true, result: true, error: true, filesModified: true, durationMs: true },
    })
  ).map(({ callId, ...rest }) => [callId, rest] as const);
const eventsOf = async (id: string) =>
  (await db.prisma.event.findMany({ where: { sessionId: id }, orderBy: { sessionSequence: 'asc' } })).map(
    ({ type }) => type,
  );

describe('recordToolResults', () => {
  it('fills the results of calls in any order, with one event, and gives back their ids in the order of the input', async () => {
    const id = await called('x', 'y', 'z');
    const { toolCallIds } = await record(id, [
      { ...ok('z'), filesModified: ['a.ts'], durationMs: 12 },
      { ...failed('x'), filesModified: ['b.ts'] },
    ]);
    const open = { result: null, error: null, filesModified: [], durationMs: null };
    expect(await look(id)).toEqual([
      ['x', { ...open, error: 'no such file' }],
      ['y', open],
      ['z', { ...open, result: 'done', filesModified: ['a.ts'], durationMs: 12 }],
    ]);
    const ids = await db.prisma.toolCall.findMany({ where: { id: { in: toolCallIds } } });
    expect(toolCallIds.map((each) => ids.find((call) => call.id === each)!.callId)).toEqual(['z', 'x']);
    expect(await eventsOf(id)).toEqual(['SESSION_CREATED', 'TURN_APPENDED', 'LOG_CHANGED']);
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });

  it('changes nothing when all results are known, and refuses another one with all others of the request', async () => {
    const id = await called('x', 'y');
    await record(id, [ok('x')]);
    const before = await hashAllTables(db.pool);
    await record(id, [ok('x')]);
    for (const other of [ok('x', 'something else'), failed('x', 'done')])
      await expect(record(id, [ok('y'), other])).rejects.toMatchObject({ code: 'INVALID_STATE', state: 'SUCCEEDED' });
    expect(await hashAllTables(db.pool)).toEqual(before);
    await record(id, [ok('x'), failed('y')]);
    await expect(record(id, [failed('y', 'else')])).rejects.toMatchObject({ state: 'FAILED', allowed: ['PENDING'] });
  });

  it('gives each call the first of the results that race for it', async () => {
    const id = await called('x');
    const answers = await Promise.allSettled(times(20, (n) => record(id, [ok('x', `result ${n}`)])));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const [call] = await look(id);
    expect(answers[Number(call![1].result!.split(' ')[1])]!.status).toBe('fulfilled');
  });

  it('redacts a result, and knows the redacted one again', async () => {
    const id = await called('x');
    const input = {
      sessionId: sessionId(id),
      results: [{ callId: 'x', result: `token ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}` }],
    };
    expect((await send('recordToolResults', input)).__typename).toBe('RecordToolResultsPayload');
    expect(await look(id)).toMatchObject([['x', { result: 'token [redacted: github token]' }]]);
    const before = await hashAllTables(db.pool);
    expect((await send('recordToolResults', input)).__typename).toBe('RecordToolResultsPayload');
    expect(await hashAllTables(db.pool)).toEqual(before);
  });

  it('means the newest call of an id that several turns used', async () => {
    const id = await called('x');
    await turn(id, { messages: [], toolCalls: [toolCall('x', 'Read', { result: null })] });
    await record(id, [ok('x')]);
    expect((await look(id)).map(([, { result }]) => result)).toEqual([null, 'done']);
  });

  it("is the holder's, also while the session is paused, and for the calls of its present tenure alone", async () => {
    const id = await called('x', 'y');
    await run(pauseSession, { sessionId: id, expectedVersion: null });
    await record(id, [ok('x')], { caller: agentCaller('a') });
    await reassign(id, { agentId: 'b' });
    await expect(record(id, [ok('y')], { caller: agentCaller('a') })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(record(id, [ok('y')], { caller: agentCaller('b') })).rejects.toMatchObject({
      code: 'INVALID_STATE',
      state: 'PENDING',
    });
    const { lastHandoffId } = await db.prisma.session.findUniqueOrThrow({ where: { id } });
    await run(acceptHandoff, { handoffId: lastHandoffId! });
    await expect(record(id, [ok('y')], { caller: agentCaller('b') })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      id: 'y',
    });
    await record(id, [ok('y')]);
  });

  it('is found by a search, and carried by a handoff made after it', async () => {
    const id = await called('x');
    await record(id, [failed('x', 'ENOENT: the zanzibar file is missing')]);
    const { rows } = await db.pool.query(
      `SELECT id FROM search_entries WHERE kind = 'TOOL_CALL' AND session_id = $1 AND words @@ to_tsquery('simple', 'zanzibar')`,
      [id],
    );
    expect(rows).toHaveLength(1);
    const { handoffId } = await initiate(id, 'b');
    const { context } = await db.prisma.handoff.findUniqueOrThrow({ where: { id: handoffId } });
    expect(JSON.stringify(context)).toContain('zanzibar');
  });

  it('leaves the log as one turn with all results would have left it, however they are split', async () => {
    const outcome = fc.record({ fails: fc.boolean(), part: fc.integer({ min: 0, max: 3 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(outcome, { minLength: 1, maxLength: 8 }), async (outcomes) => {
        const calls = outcomes.map(({ fails }, n) => (fails ? failed(`c${n}`, `e${n}`) : ok(`c${n}`, `r${n}`)));
        const whole = await session('a');
        await turn(whole, {
          messages: [],
          toolCalls: calls.map(({ callId, result, error }) =>
            toolCall(callId, 'Bash', error === null ? { result } : { error }),
          ),
        });
        const split = await called(...calls.map(({ callId }) => callId));
        for (const part of [0, 1, 2, 3]) {
          const some = calls.filter((_, n) => outcomes[n]!.part === part);
          if (some.length > 0) await record(split, some);
        }
        expect(await look(split)).toEqual(await look(whole));
      }),
      { numRuns: 15 },
    );
  });
});

const mutation = 'recordToolResults';
testRefusals(
  home,
  ['recordToolResults'],
  [
    ...refusalsOfLog(mutation, { results: [{ callId: 'x', result: 'ok' }] }),
    tooMany(mutation, 'results', 200, 'record them in several requests', {
      results: times(201, (n) => ({ callId: `c${n}`, result: 'ok' })),
    }),
    {
      mutation,
      error: 'NotFoundError',
      when: 'no call has the id',
      given: async (h) => ({
        input: { sessionId: (await held(h)).sessionId, results: [{ callId: 'nothing', result: 'ok' }] },
        data: { id: 'nothing' },
      }),
      says: /There is no tool call 'nothing'/,
    },
    {
      mutation,
      error: 'InvalidStateError',
      when: 'the call has another result',
      given: async () => {
        const id = await called('x');
        await record(id, [ok('x')]);
        return {
          input: { sessionId: sessionId(id), results: [{ callId: 'x', result: 'else' }] },
          data: { state: 'SUCCEEDED', allowed: ['PENDING'] },
        };
      },
      says: /'x' has another result already: a call gets its result once/,
    },
  ],
);
