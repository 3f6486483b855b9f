import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { adminKey, secretFor } from '../../../test/keyring.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { setAgentStatus } from '../agents/setAgentStatus.ts';
import { updateAgent } from '../agents/updateAgent.ts';
import { asCarry } from '../context/carry.ts';
import { acceptHandoff, completeHandoff, failHandoff, rejectHandoff } from '../handoffs/changeHandoff.ts';
import { setTasks } from '../log/addToLog.ts';
import { pauseSession } from '../sessions/changeSession.ts';
import { updateSession } from '../sessions/updateSession.ts';

const db = await testDatabase();
const { url } = await startApp(db, { variables: { BATON_ADMIN_KEY: adminKey } });
const { agent, session, initiate, reassign, run, pipeline } = world(db.pool);
const admin = client(url, { key: adminKey });

interface Suggestion {
  agent: { id: string };
  score: number;
  factors: { name: string; value: number; weight: number; explanation: string }[];
}
const document =
  'query ($sessionId: ID, $text: String, $first: Int) { suggestTargets(sessionId: $sessionId, text: $text, first: $first) { agent { id } score factors { name value weight explanation } } }';
const ask = (
  { sessionId = null, ...given }: { sessionId?: string | null; text?: string; first?: number },
  { post } = admin,
) =>
  post<{ suggestTargets: Suggestion[] | null }>(document, {
    sessionId: sessionId && encodeId('session', sessionId),
    ...given,
  });
async function suggest(...given: Parameters<typeof ask>): Promise<Suggestion[]> {
  const { data, errors } = await ask(...given);
  expect(errors).toBeUndefined();
  return data.suggestTargets!;
}
const idsOf = (suggestions: Suggestion[]): string[] => suggestions.map(({ agent: { id } }) => id);
const explained = (suggestion: Suggestion | undefined): Record<string, string> =>
  Object.fromEntries(suggestion!.factors.map(({ name, explanation }) => [name, explanation]));
const keyed = async (agentId: string) => client(url, { key: await secretFor(db.pool, 'AGENT', agentId) });

const other = fc.record({
  status: fc.constantFrom('AVAILABLE' as const, 'AVAILABLE' as const, 'AVAILABLE' as const, 'DRAINING' as const),
  full: fc.boolean(),
  known: fc.boolean(),
  role: fc.constantFrom('write', 'review'),
});
const state = fc.constantFrom(
  'active',
  'active',
  'pending',
  'paused',
  'unassigned',
  'disabled',
  'exhausted',
  'repeats',
  'pipeline',
  'pipeline',
);

describe('suggestTargets', () => {
  it('suggests exactly the agents to which no guard refuses the move', async () => {
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(other, { minLength: 3, maxLength: 3 }),
        state,
        fc.boolean(),
        async (others, kind, lately) => {
          const number = (round += 1);
          const [holder, before, ...ids] = ['holder', 'before', 'one', 'two', 'three'].map(
            (name) => `${name}-${number}`,
          ) as [string, string, ...string[]];
          await agent(holder, { maxCapacity: 3, role: `write-${number}` });
          await agent(before, { maxCapacity: 2, role: `review-${number}` });
          for (const [index, { full, role }] of others.entries()) {
            await agent(ids[index]!, { maxCapacity: 1, role: `${role}-${number}` });
            if (full) await session(ids[index]!);
          }
          await run(updateAgent, { id: holder, collaborators: ids.filter((_, index) => others[index]!.known) });
          await run(updateAgent, { id: before, collaborators: [holder] });
          const fields =
            kind === 'pipeline'
              ? {
                  pipeline:
                    (await pipeline(`p-${number}`, [
                      `write-${number} DONE review-${number}`,
                      `review-${number} DONE end`,
                      `review-${number} REJECT write-${number}`,
                    ])) && `p-${number}`,
                }
              : {};
          const id = await session(kind === 'unassigned' ? null : kind === 'pipeline' ? holder : before, fields);
          if (kind !== 'unassigned' && kind !== 'pipeline') {
            const { handoffId } = await initiate(id, holder);
            if (kind !== 'pending') await run(acceptHandoff, { handoffId });
          }
          if (
            kind === 'repeats' &&
            others.some(({ known, full, status }) => known && !full && status === 'AVAILABLE')
          ) {
            const target =
              ids[others.findIndex(({ known, full, status }) => known && !full && status === 'AVAILABLE')]!;
            const { handoffId } = await initiate(id, target);
            await run(acceptHandoff, { handoffId });
            await run(failHandoff, { handoffId, reason: 'again' });
          }
          if (kind === 'paused') await run(pauseSession, { sessionId: id, reason: null, expectedVersion: null });
          if (kind === 'disabled')
            await run(updateSession, { sessionId: id, handoffsEnabled: false, expectedVersion: null });
          if (kind === 'exhausted') await run(updateSession, { sessionId: id, maxHandoffs: 0, expectedVersion: null });
          for (const [index, { status }] of others.entries())
            if (status !== 'AVAILABLE') await run(setAgentStatus, { id: ids[index]!, status });
          if (lately) await run(setAgentStatus, { id: before, status: 'OFFLINE' });

          const all = [holder, before, ...ids];
          for (const [caller, asOperator] of [
            [admin, true],
            ...(kind === 'unassigned' ? [] : [[await keyed(holder), false] as const]),
          ] as const) {
            const simulations = all.map(
              (target, index) =>
                `t${index}: simulateHandoff(sessionId: "${encodeId('session', id)}", targetAgentId: "${target}", asOperator: ${asOperator}) { wouldSucceed }`,
            );
            const { data } = await caller.post<Record<string, { wouldSucceed: boolean }>>(
              `{ ${simulations.join(' ')} }`,
            );
            const allowed = all.filter((_, index) => data[`t${index}`]!.wouldSucceed);
            const suggested = idsOf(await suggest({ sessionId: id, first: 50 }, caller));
            expect(suggested.filter((each) => all.includes(each)).sort(), `${kind} ${asOperator}`).toEqual(
              allowed.sort(),
            );
            if (!asOperator) expect(suggested.every((each) => all.includes(each))).toBe(true);
          }
        },
      ),
      { numRuns: 10, endOnFailure: true, interruptAfterTimeLimit: 40_000 },
    );
  }, 60_000);

  describe('the reasons', () => {
    let id = '';
    beforeAll(async () => {
      await db.pool.query(`UPDATE agents SET administrative_status = 'OFFLINE'`);
      await agent('ann', { maxCapacity: 50 });
      await agent('ben', { maxCapacity: 4 });
      await agent('cat', { maxCapacity: 4 });
      await agent('dan', { maxCapacity: 4 });
      await run(updateAgent, { id: 'ben', description: 'Reviews billing code.', metadata: { costTier: 'high' } });
      await run(updateAgent, {
        id: 'ann',
        collaborations: [
          { agentId: 'ben', when: null, carry: null },
          { agentId: 'cat', when: 'The login is broken', carry: null },
        ],
      });
      await run(updateAgent, { id: 'ben', collaborators: ['ann'] });
      id = await session('ann', { title: 'A piece of work', maxHandoffs: 99 });
      for (const [time, target] of ['ben', 'ben', 'cat', 'ben'].entries()) {
        const { handoffId } = await initiate(id, target, { summary: `${time}` });
        if (time === 3) {
          await run(rejectHandoff, { handoffId, reason: 'no' });
          continue;
        }
        await run(acceptHandoff, { handoffId });
        await run(completeHandoff, { handoffId });
        const back = await reassign(id, { agentId: 'ann' });
        await run(acceptHandoff, { handoffId: back.handoffId! });
      }
      await run(setTasks, {
        sessionId: id,
        agentId: null,
        tasks: [
          { content: 'Repair the login of the billing page', status: 'PENDING' },
          { content: 'Tell Dan', status: 'DONE' },
        ],
      } as never);
    });

    it('are told to an operator, best first, and are the same each time', async () => {
      const found = await suggest({ sessionId: id });
      expect(await suggest({ sessionId: id })).toEqual(found);
      expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).toSorted((a, b) => b - a));
      expect(idsOf(await suggest({ sessionId: id, first: 2 }))).toEqual(idsOf(found).slice(0, 2));
      const byId = new Map(found.map((each) => [each.agent.id, explained(each)]));
      expect([...byId.keys()].sort()).toEqual(['ben', 'cat', 'dan']);
      expect(byId.get('ben')).toEqual({
        PATH_SUCCESS: '2 of 3 handoffs from ann to ben completed, 1 rejected',
        SHARED_WORDS: 'Its description shares with the pending tasks: billing',
        LOAD: '0 of 4 places taken',
        COST_TIER: 'Its cost tier is high',
      });
      expect(byId.get('cat')).toMatchObject({
        PATH_SUCCESS: '1 of 1 handoffs from ann to cat completed',
        SHARED_WORDS: 'Its description shares with the pending tasks: login',
        COST_TIER: 'No cost tier is known',
      });
      expect(byId.get('dan')).toMatchObject({
        PATH_SUCCESS: 'No handoff from ann to dan has an outcome yet',
        SHARED_WORDS: 'Its description shares no word with the pending tasks',
      });
    });

    it('follow the text, which also does without a session', async () => {
      expect(idsOf(await suggest({ sessionId: id, text: 'Who reviews code?' }))[0]).toBe('ben');
      const found = await suggest({ text: 'Review the billing code' });
      expect(idsOf(found)[0]).toBe('ben');
      expect(explained(found[0])).toMatchObject({
        PATH_SUCCESS: '2 of 3 handoffs from any agent to ben completed, 1 rejected',
      });
      expect(idsOf(found)).toContain('ann');
    });

    it('put an agent that rejected 4 of 4 behind one that was never tried, whatever its description', async () => {
      await agent('eve', { maxCapacity: 9 });
      await agent('fay', { maxCapacity: 1 });
      await run(updateAgent, { id: 'eve', description: 'Repairs the login of the billing page.' });
      await run(updateAgent, { id: 'fay', metadata: { costTier: 'high' } });
      const other = await session('cat', { maxHandoffs: 99 });
      await run(updateAgent, { id: 'cat', collaborators: ['eve', 'fay'] });
      for (let time = 1; time <= 4; time += 1) {
        const { handoffId } = await initiate(other, 'eve', { summary: `${time}` });
        await run(rejectHandoff, { handoffId, reason: 'no' });
      }
      const text = 'Repair the login of the billing page';
      for (const asked of [{ sessionId: other, text }, { text }]) {
        const found = await suggest({ ...asked, first: 50 });
        expect(idsOf(found).indexOf('eve')).toBeGreaterThan(idsOf(found).indexOf('fay'));
        expect(explained(found.find(({ agent: { id: each } }) => each === 'eve'))['PATH_SUCCESS']).toMatch(
          /^0 of 4 handoffs from (cat|any agent) to eve completed, 4 rejected: it ranks behind agents not tried$/,
        );
      }
      await run(setAgentStatus, { id: 'eve', status: 'OFFLINE' });
      await run(setAgentStatus, { id: 'fay', status: 'OFFLINE' });
    });

    it('tell an agent nothing that it may not read: other sessions, metadata, tasks that a carry withheld', async () => {
      const asked = await keyed('ann');
      expect(
        explained((await suggest({ sessionId: id }, asked)).find(({ agent: { id: each } }) => each === 'ben')),
      ).toEqual({
        PATH_SUCCESS: '2 of 3 handoffs from ann to ben completed, 1 rejected',
        SHARED_WORDS: 'Its description shares with the pending tasks: billing',
        LOAD: '0 of 4 places taken',
      });

      // ann gets another Session with nothing of its log; two Handoffs of ann in it were an operator's.
      await run(updateAgent, {
        id: 'dan',
        collaborations: [
          { agentId: 'ann', when: null, carry: asCarry({ messages: 'NONE', toolCalls: 'NONE', tasks: false }) },
        ],
      });
      const hidden = await session('dan', { title: 'A quiet title' });
      await run(setTasks, {
        sessionId: hidden,
        agentId: null,
        tasks: [{ content: 'billing code', status: 'PENDING' }],
      } as never);
      const { handoffId } = await initiate(hidden, 'ann');
      await run(acceptHandoff, { handoffId });
      const [found] = (await suggest({ sessionId: hidden }, asked)).filter(({ agent: { id: each } }) => each === 'ben');
      expect(explained(found)['SHARED_WORDS']).toBe('Its description shares no word with the title');
      const [whole] = (await suggest({ sessionId: hidden })).filter(({ agent: { id: each } }) => each === 'ben');
      expect(explained(whole)['SHARED_WORDS']).toBe('Its description shares with the pending tasks: billing, code');

      const moved = await reassign(hidden, { agentId: 'ben' });
      await run(acceptHandoff, { handoffId: moved.handoffId! });
      await run(completeHandoff, { handoffId: moved.handoffId! });
      const own = explained(
        (await suggest({ sessionId: id }, asked)).find(({ agent: { id: each } }) => each === 'ben'),
      );
      expect(own['PATH_SUCCESS']).toBe('2 of 3 handoffs from ann to ben completed, 1 rejected');
      expect(
        explained((await suggest({ sessionId: id })).find(({ agent: { id: each } }) => each === 'ben'))['PATH_SUCCESS'],
      ).toBe('3 of 4 handoffs from ann to ben completed, 1 rejected');
    });

    it('are refused without a session and a text, to an agent without a session, and null for a session that it may not read', async () => {
      expect((await ask({})).errors).toMatchObject([
        {
          message: 'sessionId and text are missing: give one of them, or both',
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ]);
      expect((await ask({ text: 'x' }, await keyed('ann'))).errors).toMatchObject([
        {
          message: 'Only operators choose the agent of a new session: give sessionId',
          extensions: { code: 'FORBIDDEN' },
        },
      ]);
      expect((await ask({ sessionId: id }, await keyed('cat'))).data).toMatchObject({
        suggestTargets: expect.any(Array) as unknown,
      });
      expect((await ask({ sessionId: id }, await keyed('dan'))).data).toEqual({ suggestTargets: null });
      expect((await ask({ sessionId: id, first: 101 })).errors).toMatchObject([
        { message: 'first is 101: give 0 to 100' },
      ]);
    });
  });
});
