import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { adminKey, secretFor } from '../../../test/keyring.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { decodeId } from '../../core/ids.ts';
import { updateAgent } from '../agents/updateAgent.ts';
import { beginners, choiceOf } from '../learning/choose.ts';
import type { Scored } from '../learning/score.ts';

const db = await testDatabase();
const { url } = await startApp(db, { variables: { BATON_ADMIN_KEY: adminKey } });
const { agent, run } = world(db.pool);
const roles = { biller: 'billing and invoices', tester: 'tests and coverage', writer: 'documents' };
for (const [id, role] of Object.entries(roles)) {
  await agent(id, { role, maxCapacity: 20 });
  await run(updateAgent, { id, description: `Works on ${role}.` });
}

interface Created {
  code?: string;
  message?: string;
  session?: {
    id: string;
    status: string;
    agent: { id: string } | null;
    choice: { agent: { id: string }; confidence: number; explanation: string } | null;
    messages: { nodes: { role: string; content: string; recordedBy: { principal: string } }[] };
  };
}
const document = `mutation ($input: CreateSessionInput!) { answer: createSession(input: $input) {
  ... on CreateSessionPayload { session { id status agent { id } choice { agent { id } confidence explanation }
    messages { nodes { role content recordedBy { principal } } } } }
  ... on Error { code message } } }`;
const create = async (fields: object, key = adminKey): Promise<Created> =>
  (await client(url, { key }).post<{ answer: Created }>(document, { input: { title: 'Work', ...fields } })).data.answer;

describe('createSession with a request', () => {
  it('records it as the first message of a person, with one event after all others, also without an agent', async () => {
    for (const given of [{ agentId: 'writer' }, {}]) {
      const { session } = await create({ ...given, request: 'Say what changed.' });
      expect(session!.messages.nodes).toEqual([
        { role: 'USER', content: 'Say what changed.', recordedBy: { principal: 'admin' } },
      ]);
      expect(session!.choice).toBeNull();
      const events = await db.prisma.event.findMany({
        where: { sessionId: decodeId(session!.id)!.uuid },
        orderBy: { sessionSequence: 'asc' },
      });
      expect(events.map(({ type }) => type)).toEqual(['SESSION_CREATED', 'TURN_APPENDED']);
    }
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });

  it('gives it to the agent that fits best, and keeps why and how sure', async () => {
    const request = 'The invoices of May are wrong: correct the billing.';
    const { session } = await create({ request, choose: true });
    expect(session).toMatchObject({ status: 'RUNNING', agent: { id: 'biller' } });
    expect(session!.choice!.agent.id).toBe('biller');
    expect(session!.choice!.confidence).toBeGreaterThan(0.05);
    expect(session!.choice!.explanation).toMatch(
      /^Score 0\.\d+, next is '\w+' with 0\.\d+\. .*shares with the text: .*billing/,
    );
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });

  it('answers the first choice again to the same key', async () => {
    const input = { request: 'Write the tests.', choose: true, idempotencyKey: 'once' };
    const first = await create(input);
    await run(updateAgent, { id: 'writer', description: 'Writes the tests. Writes tests, tests.' });
    expect(await create(input)).toEqual(first);
    await run(updateAgent, { id: 'writer', description: 'Works on documents.' });
  });

  it('chooses the next when the best is full, exactly as many times as there are places', async () => {
    await agent('rare', { role: 'zeppelins', maxCapacity: 2 });
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => create({ request: 'Repair the zeppelins.', choose: true })),
    );
    const chosen = answers.map(({ session }) => session!.agent!.id);
    expect(chosen.filter((id) => id === 'rare')).toHaveLength(2);
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });

  it('is refused without a request, beside an agent, and to an agent', async () => {
    expect(await create({ choose: true })).toMatchObject({ code: 'BAD_USER_INPUT' });
    expect(await create({ choose: true, request: 'x', agentId: 'writer' })).toMatchObject({
      code: 'BAD_USER_INPUT',
      message:
        'input.choose chooses an agent for a request: give request, and leave out agentId, agentType and pipeline',
    });
    const key = await secretFor(db.pool, 'AGENT', 'writer');
    const { errors } = await client(url, { key }).post(document, {
      input: { title: 'Work', agentId: 'writer', request: 'x' },
    });
    expect(errors?.[0]?.extensions.code).toBe('FORBIDDEN');
  });

  it('chooses only from the agents that are named, and of equals the one to which the fewest of them hand off', async () => {
    for (const id of ['first', 'second', 'third']) await agent(id, { maxCapacity: 50 });
    await run(updateAgent, { id: 'third', collaborators: ['first'] });
    await run(updateAgent, { id: 'biller', collaborators: ['second'] });
    const request = 'Correct the billing of the invoices.';
    const chosen = async (...chooseFrom: string[]) =>
      (await create({ request, choose: true, chooseFrom })).session!.agent!.id;
    expect(await chosen('third', 'second', 'first')).toBe('second');
    expect(await chosen('biller', 'first')).toBe('biller');
    expect(await create({ request, choose: true, chooseFrom: ['nobody'] })).toMatchObject({
      code: 'NO_AGENT_AVAILABLE',
    });
    expect(await create({ request, chooseFrom: ['biller'] })).toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  it('is NO_AGENT_AVAILABLE when no agent has a free place', async () => {
    await db.pool.query(`UPDATE agents SET administrative_status = 'OFFLINE'`);
    expect(await create({ request: 'Do it.', choose: true })).toMatchObject({ code: 'NO_AGENT_AVAILABLE' });
    await db.pool.query(`UPDATE agents SET administrative_status = 'AVAILABLE'`);
  });
});

describe('the choice', () => {
  const suggested = (agentId: string, words: number, paths: number): Scored => ({
    agentId,
    score: 0,
    factors: [
      { name: 'PATH_SUCCESS', value: paths, weight: 0.4, explanation: 'paths' },
      { name: 'SHARED_WORDS', value: words, weight: 0.3, explanation: `words of ${agentId}` },
      { name: 'COST_TIER', value: 0, weight: 0.1, explanation: 'Its cost tier is high' },
    ],
  });

  it('is by the words of the request, not by who was handed work before', () => {
    const ranking = beginners([suggested('writer', 0, 1), suggested('planner', 0.5, 0)], new Map());
    expect(choiceOf(ranking, () => true)).toEqual({
      agentId: 'planner',
      confidence: 0.15,
      explanation: "Score 0.15, next is 'writer' with 0. words of planner",
    });
  });

  it('is of equals the one to which the fewest hand off, then the first by id', () => {
    const team = ['writer', 'critic', 'planner', 'zoe'].map((id) => suggested(id, 0.5, 1));
    const sources = new Map([
      ['writer', 2],
      ['critic', 1],
    ]);
    expect(beginners(team, sources).map(({ agentId }) => agentId)).toEqual(['planner', 'zoe', 'critic', 'writer']);
  });

  it('is the best with a place; its confidence is its margin over the next, from 0 to 1', () => {
    const values = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });
    fc.assert(
      fc.property(values, fc.func(fc.boolean()), (all, places) => {
        const ranking = beginners(
          all.map((value, n) => suggested(`a${n}`, value, 0)),
          new Map(),
        );
        const [best, next] = ranking.filter(({ agentId }) => places(agentId));
        const choice = choiceOf(ranking, (agentId) => places(agentId));
        expect(choice?.agentId).toBe(best?.agentId);
        if (choice === null || best === undefined) return;
        expect(choice.confidence).toBeCloseTo(best.score - (next?.score ?? 0), 4);
        expect(choice.confidence).toBeGreaterThanOrEqual(0);
        expect(choice.confidence).toBeLessThanOrEqual(1);
      }),
    );
  });
});
