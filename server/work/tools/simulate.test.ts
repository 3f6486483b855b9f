import { beforeEach, describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { compareDryRuns } from '../../../test/dryRuns.ts';
import { client } from '../../../test/graphql.ts';
import { hashAllTables } from '../../../test/hash.ts';
import { adminKey, secretFor } from '../../../test/keyring.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { setAgentStatus } from '../agents/setAgentStatus.ts';
import { acceptHandoff } from '../handoffs/changeHandoff.ts';
import { cancelSession, pauseSession } from '../sessions/changeSession.ts';
import { createHandoffTool } from './changeTool.ts';

const database = await testDatabase();
const { url } = await startApp(database, { variables: { BATON_ADMIN_KEY: adminKey } });
const { agent, session, initiate, reassign, turn, run } = world(database.pool);
const admin = client(url, { key: adminKey });

interface Simulated {
  wouldSucceed: boolean;
  queued: boolean;
  verdicts: { rule: string; passed: boolean | null; code: string | null; message: string | null }[];
  target: { agent: { id: string }; freePlaces: number } | null;
  context: { text: string; tokenEstimate: number } | null;
  variables: { name: string; value: unknown }[] | null;
}
const fields =
  'wouldSucceed queued verdicts { rule passed code message } target { agent { id } freePlaces } context { text tokenEstimate } variables { name value }';
const document = `query ($sessionId: ID!, $targetAgentId: ID, $agentType: String, $toolName: String, $arguments: JSON, $asOperator: Boolean) {
  simulateHandoff(sessionId: $sessionId, targetAgentId: $targetAgentId, agentType: $agentType, toolName: $toolName, arguments: $arguments, asOperator: $asOperator) { ${fields} } }`;
async function simulate(sessionId: string, given: object, { post } = admin): Promise<Simulated | null> {
  const { data, errors } = await post<{ simulateHandoff: Simulated | null }>(document, {
    sessionId: encodeId('session', sessionId),
    ...given,
  });
  expect(errors).toBeUndefined();
  return data.simulateHandoff;
}

let round = 0;
let [ada, bob, eve] = ['', '', ''];
/** ada may hand off to bob, and has a tool that hands off to eve. Both have two places. */
async function newAgents(): Promise<void> {
  round += 1;
  [ada, bob, eve] = [`ada-${round}`, `bob-${round}`, `eve-${round}`];
  await agent(bob, { maxCapacity: 2, instructions: 'what bob is told', type: `TYPE_${round}` });
  await agent(eve, { maxCapacity: 2, type: `TYPE_${round}` });
  await agent(ada, { collaborators: [bob] });
  const variables = [
    { name: 'severity', type: 'INTEGER' as const, required: true, description: null, enum: null, default: null },
  ];
  await run(createHandoffTool, {
    name: 'escalate',
    targetAgentId: eve,
    agentIds: [ada],
    description: 'x',
    variables,
    instructions: 'Apologise first.',
  });
}
beforeEach(newAgents);

describe('simulateHandoff', () => {
  it('shows the target, the context and the variables of a handoff that would succeed, and writes nothing', async () => {
    const id = await session(ada, { title: 'Fix the login', contextVariables: { branch: 'main' } });
    await turn(id, { messages: [{ role: 'ASSISTANT', content: 'Half of it is done.' }] });
    const before = await hashAllTables(database.pool);
    const answer = await simulate(id, { toolName: 'escalate', arguments: { severity: 2, reason: 'Angry.' } });
    expect(answer).toMatchObject({ wouldSucceed: true, target: { agent: { id: eve }, freePlaces: 2 } });
    expect(answer!.verdicts.map(({ rule, passed }) => [rule, passed])).toEqual(
      [
        'target',
        'who may hand off',
        'version',
        'open session',
        'active only',
        'proposal',
        'tool',
        'arguments',
        'already assigned',
        'enabled',
        'collaborator',
        'transition',
        'payload',
        'limit',
        'loop',
        'type',
        'role',
        'free choice',
        'availability',
        'capacity',
      ].map((rule) => [rule, true]),
    );
    expect(answer!.context!.text).toMatch(/Fix the login[^]*Half of it is done/);
    expect(answer!.variables).toEqual(
      expect.arrayContaining([
        { name: '_handoff_instructions', value: 'Apologise first.' },
        { name: '_handoff_tool', value: 'escalate' },
        { name: 'branch', value: 'main' },
        { name: 'severity', value: 2 },
      ]),
    );
    expect(await hashAllTables(database.pool)).toEqual(before);
  });

  it('omits the verdicts after the refusal of an earlier rule', async () => {
    const id = await session(ada);
    await run(pauseSession, { sessionId: id, expectedVersion: null });
    const answer = await simulate(id, { targetAgentId: bob });
    expect(answer).toMatchObject({ wouldSucceed: false, context: null, variables: null });
    expect(answer!.verdicts.map(({ passed, code }) => code ?? passed)).toEqual([
      true,
      true,
      true,
      true,
      'INVALID_STATE',
      ...Array.from({ length: 15 }, () => null),
    ]);
  });

  it('returns the verdict of every guard together', async () => {
    const id = await session(ada, { handoffsEnabled: false, maxHandoffs: 0 });
    await run(setAgentStatus, { id: eve, status: 'OFFLINE' });
    const refused = (await simulate(id, { targetAgentId: eve }))!.verdicts.filter(({ passed }) => passed === false);
    expect(refused.map(({ rule, code }) => [rule, code])).toEqual([
      ['enabled', 'HANDOFFS_DISABLED'],
      ['collaborator', 'NOT_A_COLLABORATOR'],
      ['limit', 'MAX_HANDOFFS_REACHED'],
      ['availability', 'AGENT_UNAVAILABLE'],
    ]);
  });

  it('chooses by type as reassignSession does', async () => {
    const id = await session(ada);
    await session(bob);
    expect(await simulate(id, { agentType: `TYPE_${round}`, asOperator: true })).toMatchObject({
      wouldSucceed: true,
      queued: false,
      target: { agent: { id: eve } },
    });
    expect(await simulate(id, { agentType: 'NOBODY', asOperator: true })).toMatchObject({
      wouldSucceed: false,
      queued: true,
      target: null,
    });
    // As the act itself does; and a finished session is refused before.
    expect(await reassign(id, { agentType: 'NOBODY', queue: true })).toMatchObject({ assignedAgentId: null });
    await run(cancelSession, { sessionId: id, expectedVersion: null, reason: null });
    expect(await simulate(id, { agentType: 'NOBODY', asOperator: true })).toMatchObject({
      wouldSucceed: false,
      queued: false,
    });
  });

  it('judges for an agent what it may do itself, without the instructions of the target', async () => {
    const id = await session(ada);
    const [byAda, byBob] = [
      client(url, { key: await secretFor(database.pool, 'AGENT', ada) }),
      client(url, { key: await secretFor(database.pool, 'AGENT', bob) }),
    ];
    expect((await simulate(id, { targetAgentId: bob }, byAda))!.context!.text).not.toContain('what bob is told');
    expect((await simulate(id, { targetAgentId: bob }))!.context!.text).toContain('what bob is told');
    expect(await simulate(id, { targetAgentId: bob }, byBob)).toBeNull();
    await initiate(id, bob);
    expect((await simulate(id, { targetAgentId: eve }, byAda))!.verdicts[1]).toMatchObject({
      rule: 'who may hand off',
      passed: false,
      code: 'FORBIDDEN',
    });
    const { errors } = await byAda.post(document, {
      sessionId: encodeId('session', id),
      targetAgentId: bob,
      asOperator: true,
    });
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  });

  it.each([
    {},
    { agentType: 'CLAUDE' },
    { toolName: 'escalate', targetAgentId: 'bob' },
    { targetAgentId: 'bob', agentType: 'CLAUDE' },
  ])('refuses %j with BAD_USER_INPUT', async (given) => {
    const { errors } = await admin.post(document, { sessionId: encodeId('session', await session(ada)), ...given });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});

it('says before any act what the act then does', async () => {
  // The property says little unless many outcomes occur.
  expect((await compareDryRuns(database, url, 50)).size).toBeGreaterThan(6);
}, 240_000);

it('finds the loop that the recorded call itself would be', async () => {
  const id = await session(ada);
  const perform = async (call: object): Promise<string | null> => {
    const { data } = await admin.post<{ answer: { code?: string } }>(
      'mutation ($input: ExecuteHandoffToolInput!) { answer: executeHandoffTool(input: $input) { ... on Error { code } } }',
      { input: { sessionId: encodeId('session', id), ...call } },
    );
    return data.answer.code ?? null;
  };
  const call = { toolName: `transfer_to_${bob}`, arguments: { reason: 'because' } };
  for (const one of [call, { toolName: `transfer_back_to_${ada}`, arguments: {} }]) {
    expect(await perform(one)).toBeNull();
    const { lastHandoffId } = await database.prisma.session.findUniqueOrThrow({ where: { id } });
    await run(acceptHandoff, { handoffId: lastHandoffId! });
  }
  expect((await simulate(id, call))!.verdicts.find(({ passed }) => passed === false)).toMatchObject({
    rule: 'loop',
    code: 'HANDOFF_LOOP',
  });
  expect(await perform(call)).toBe('HANDOFF_LOOP');
  expect((await simulate(id, { ...call, arguments: { reason: 'something new' } }))!.wouldSucceed).toBe(true);
});
