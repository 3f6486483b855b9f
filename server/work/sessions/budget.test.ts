import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { brokenInvariants } from '../../../test/invariants.ts';
import { imports } from '../../../test/imports.ts';
import { agentCaller } from '../../../test/world.ts';
import { acceptHandoff } from '../handoffs/changeHandoff.ts';
import { completeSession, pauseSession, resumeSession } from './changeSession.ts';
import { budgetAct } from './rules.ts';
import { updateSession } from './updateSession.ts';

const { db, agent, session, reassign, turn, run, load } = await imports();
await agent('a', { maxCapacity: 100 });
await agent('b', { maxCapacity: 100 });

const spend = (id: string, tokens: Partial<Record<'inputTokens' | 'outputTokens' | 'cacheReadInputTokens', number>>) =>
  turn(id, {
    usage: {
      inputTokens: null,
      outputTokens: null,
      cacheCreationInputTokens: null,
      cacheReadInputTokens: null,
      model: null,
      ...tokens,
    },
  });
const look = async (id: string) => {
  const { status, pauseReason, lastAgentSession } = await db.prisma.session.findUniqueOrThrow({
    where: { id },
    include: { lastAgentSession: true },
  });
  return [status, pauseReason, lastAgentSession?.state];
};
const told = async (id: string) =>
  (
    await db.prisma.event.findMany({
      where: { sessionId: id, type: { in: ['TOKEN_BUDGET_LOW', 'SESSION_STATUS_CHANGED'] } },
      orderBy: { sessionSequence: 'asc' },
      include: { inboxes: true },
    })
  ).map(({ type, reason, metadata, inboxes }) => [type, reason ?? metadata, ...inboxes.map(({ agentId }) => agentId)]);
const budget = (id: string, tokenBudget: number | null) =>
  run(updateSession, { sessionId: id, tokenBudget, expectedVersion: null });
const resume = (id: string) => run(resumeSession, { sessionId: id, expectedVersion: null });
const paused = ['PAUSED', 'token budget used', 'PAUSED'];

describe('a token budget', () => {
  it('is announced to the holder at 80 % once, and pauses the session when it is used, with the turn recorded', async () => {
    const id = await session('a', { tokenBudget: 1_000 });
    await spend(id, { inputTokens: 100, cacheReadInputTokens: 600, outputTokens: 99 });
    expect(await told(id)).toEqual([]);
    await spend(id, { outputTokens: 1 });
    await spend(id, { outputTokens: 50 });
    await turn(id, {});
    expect(await told(id)).toEqual([['TOKEN_BUDGET_LOW', { usedTokens: 800, tokenBudget: 1_000 }, 'a']]);
    await spend(id, { outputTokens: 150 });
    expect(await look(id)).toEqual(paused);
    expect((await told(id)).slice(1)).toEqual([['SESSION_STATUS_CHANGED', 'token budget used', 'a']]);
    expect(await db.prisma.turn.count({ where: { sessionId: id } })).toBe(5);
    await expect(spend(id, { outputTokens: 1 })).rejects.toMatchObject({ code: 'INVALID_STATE', state: 'PAUSED' });
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });

  it('lets the session be resumed with a higher one only, and may be removed', async () => {
    const id = await session('a', { tokenBudget: 10 });
    await spend(id, { outputTokens: 25 });
    const refusal = { code: 'INVALID_STATE', state: 'TOKEN_BUDGET_USED' };
    await expect(resume(id)).rejects.toMatchObject(refusal);
    await budget(id, 25);
    await expect(resume(id)).rejects.toMatchObject(refusal);
    await budget(id, 26);
    expect(await look(id)).toEqual(paused);
    await resume(id);
    expect(await look(id)).toEqual(['RUNNING', null, 'ACTIVE']);
    await spend(id, { outputTokens: 1 });
    await budget(id, null);
    await resume(id);
    await spend(id, { outputTokens: 1_000 });
    expect(await look(id)).toEqual(['RUNNING', null, 'ACTIVE']);
  });

  it('pauses the session at once when it is set below what was used, and is announced again for each budget', async () => {
    const id = await session('a');
    await spend(id, { inputTokens: 90 });
    await budget(id, 100);
    await budget(id, 101);
    await budget(id, 1_000);
    await budget(id, 100);
    await budget(id, 90);
    expect(await told(id)).toEqual([
      ['TOKEN_BUDGET_LOW', { usedTokens: 90, tokenBudget: 100 }, 'a'],
      ['TOKEN_BUDGET_LOW', { usedTokens: 90, tokenBudget: 100 }, 'a'],
      ['SESSION_STATUS_CHANGED', 'token budget used', 'a'],
    ]);
  });

  it('counts an import, with what a longer file corrects, and the turns of earlier holders', async () => {
    const id = await session('a', { tokenBudget: 200 });
    await spend(id, { inputTokens: 60 });
    const { handoffId } = await reassign(id, { agentId: 'b' });
    await run(acceptHandoff, { handoffId: handoffId! });
    const answer = (n: number, outputTokens: number) =>
      JSON.stringify({
        type: 'assistant',
        uuid: `u${n}`,
        sessionId: 's',
        message: {
          id: `m${n}`,
          role: 'assistant',
          content: [{ type: 'text', text: `Answer ${n}.` }],
          usage: { input_tokens: 0, output_tokens: outputTokens },
        },
      });
    await load(Readable.from([answer(1, 100)]), { sessionId: id });
    expect(await told(id)).toEqual([['TOKEN_BUDGET_LOW', { usedTokens: 160, tokenBudget: 200 }, 'b']]);
    await load(Readable.from([`${answer(1, 100)}\n${answer(2, 40)}`]), { sessionId: id });
    expect(await look(id)).toEqual(paused);
  });

  it("is an operator's to give", async () => {
    const caller = agentCaller('a');
    await expect(session('a', { tokenBudget: 10 }, { caller })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const id = await session('a');
    await expect(
      run(updateSession, { sessionId: id, tokenBudget: 10, expectedVersion: null }, { caller }),
    ).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('is exact when turns race', async () => {
    const id = await session('a', { tokenBudget: 100 });
    const answers = await Promise.allSettled(Array.from({ length: 20 }, () => spend(id, { outputTokens: 10 })));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect((await told(id)).map(([type]) => type)).toEqual(['TOKEN_BUDGET_LOW', 'SESSION_STATUS_CHANGED']);
  });

  it('warns once on the way up, and never lets a running session stay at or above its budget', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.array(fc.nat(120), { maxLength: 40 }), (total, reports) => {
        let used = 0;
        let warnings = 0;
        for (const tokens of reports) {
          const act = budgetAct({ budget: total, used }, { budget: total, used: used + tokens }, true);
          used += tokens;
          if (act === 'WARN') warnings += 1;
          expect(act === 'PAUSE').toBe(used >= total);
          if (act === 'PAUSE') break;
        }
        expect(warnings).toBeLessThanOrEqual(1);
        if (used < total) expect(warnings).toBe(used * 100 >= total * 80 ? 1 : 0);
      }),
    );
  });
});

describe('pauseSession', () => {
  it('keeps the reason until the session is resumed or ended', async () => {
    const id = await session('a');
    await run(pauseSession, { sessionId: id, expectedVersion: null, reason: '40 steps were made' });
    expect(await look(id)).toEqual(['PAUSED', '40 steps were made', 'PAUSED']);
    expect(await told(id)).toEqual([['SESSION_STATUS_CHANGED', '40 steps were made', 'a']]);
    await resume(id);
    expect(await look(id)).toEqual(['RUNNING', null, 'ACTIVE']);
    await run(pauseSession, { sessionId: id, expectedVersion: null, reason: 'Ctrl-C' });
    await run(completeSession, { sessionId: id, expectedVersion: null, result: null, summary: null });
    expect(await look(id)).toEqual(['COMPLETED', null, 'COMPLETED']);
  });

  it('keeps the reason of a suspended place in the queue', async () => {
    await agent('full', { type: 'FULL', maxCapacity: 1 });
    await session('full');
    const id = await session(null, { agentType: 'FULL', queue: true });
    await run(pauseSession, { sessionId: id, expectedVersion: null, reason: 'not today' });
    expect(await look(id)).toEqual(['PAUSED', 'not today', undefined]);
    await resume(id);
    expect(await look(id)).toEqual(['PAUSED', null, undefined]);
  });
});
