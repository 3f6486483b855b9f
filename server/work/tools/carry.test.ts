import { beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { agentCaller, operator, toolCall, world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { acceptHandoff } from '../handoffs/changeHandoff.ts';
import { recordDecision } from '../log/addToLog.ts';

const database = await testDatabase();
const { url } = await startApp(database);
const { post } = client(url);
const { agent, session, turn, initiate, reassign, run } = world(database.pool);

const defaults = {
  messages: 'ALL',
  lastMessages: null,
  toolCalls: 'ALL',
  files: true,
  tasks: true,
  decisions: true,
  variables: null,
  maxTokens: null,
};
const carryFields = 'carry { messages lastMessages toolCalls files tasks decisions variables maxTokens }';

async function ask<Data>(query: string, variables: object = {}): Promise<Data> {
  const { data, errors } = await post<Data>(query, variables);
  expect(errors).toBeUndefined();
  return data;
}

interface Changed {
  message?: string;
  path?: string[];
  handoffTool?: { id: string; carry: object | null };
  agent?: { collaborations: { carry: object | null }[] };
}
const change = async (
  mutation: 'createHandoffTool' | 'updateHandoffTool' | 'updateAgent',
  input: object,
): Promise<Changed> => {
  const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}`;
  const shown =
    mutation === 'updateAgent' ? `agent { collaborations { ${carryFields} } }` : `handoffTool { id ${carryFields} }`;
  return (
    await ask<{ answer: Changed }>(
      `mutation ($input: ${type}Input!) { answer: ${mutation}(input: $input) { ... on Error { message } ... on BadUserInputError { path } ... on ${type}Payload { ${shown} } } }`,
      { input },
    )
  ).answer;
};

interface Shown {
  via: string;
  carry: object | null;
  decisions: string[];
  contextVariables: { name: string }[];
  leftOut: { withheld: { kind: string; count: number; reason: string }[] };
  markdown: string;
  contextPrompt: { text: string };
}
const shown = async (handoffId: string | null): Promise<Shown> =>
  (
    await ask<{ handoff: Shown }>(
      `{ handoff(id: "${encodeId('handoff', handoffId!)}") { via ${carryFields} decisions contextVariables { name } leftOut { withheld { kind count reason } } markdown contextPrompt { text } } }`,
    )
  ).handoff;
const simulated = async (sessionId: string, given: object): Promise<{ context: { text: string } }> =>
  (
    await ask<{ answer: { context: { text: string } } }>(
      'query ($id: ID!, $to: ID, $tool: String, $args: JSON, $op: Boolean) { answer: simulateHandoff(sessionId: $id, targetAgentId: $to, toolName: $tool, arguments: $args, asOperator: $op) { context { text } } }',
      { id: encodeId('session', sessionId), ...given },
    )
  ).answer;

async function execute(sessionId: string, toolName: string, given: object = { reason: 'because' }): Promise<Shown> {
  const { answer } = await ask<{ answer: { message?: string; handoff: { id: string } } }>(
    'mutation ($input: ExecuteHandoffToolInput!) { answer: executeHandoffTool(input: $input) { ... on Error { message } ... on ExecuteHandoffToolPayload { handoff { id } } } }',
    { input: { sessionId: encodeId('session', sessionId), toolName, arguments: given } },
  );
  expect(answer.message).toBeUndefined();
  const { id } = await database.prisma.handoff.findFirstOrThrow({
    where: { sessionId },
    orderBy: { depth: 'desc' },
    select: { id: true },
  });
  return shown(id);
}

/** A session of ada with a decision. */
async function begun(): Promise<string> {
  const id = await session('ada', { maxHandoffs: 50 });
  await turn(id, {
    messages: [
      { role: 'USER', content: 'Do it.' },
      { role: 'ASSISTANT', content: 'I begin.' },
    ],
    toolCalls: [toolCall('c1', 'Read')],
  });
  await run(recordDecision, { sessionId: id, text: 'A decision.' });
  return id;
}

const tool = { targetAgentId: 'bob', agentIds: ['ada'], description: 'Hands off.' };
const withoutDecisions = { decisions: false };

beforeAll(async () => {
  for (const id of ['bob', 'eve']) await agent(id, { maxCapacity: 1_000 });
  await agent('ada', { maxCapacity: 1_000, collaborators: ['bob', 'eve'] });
  await change('updateAgent', {
    id: 'ada',
    collaborations: [{ agentId: 'bob', carry: withoutDecisions }, { agentId: 'eve' }],
  });
  await change('createHandoffTool', { ...tool, name: 'own', carry: { messages: 'NONE' } });
  await change('createHandoffTool', { ...tool, name: 'all', carry: {} });
  await change('createHandoffTool', { ...tool, name: 'silent' });
});

describe('the carry of a handoff', () => {
  it("is the collaboration's for initiateHandoff, also when an operator makes it for the holder, and none for reassignSession", async () => {
    for (const caller of [agentCaller('ada'), operator]) {
      const { handoffId } = await initiate(await begun(), 'bob', {}, { caller });
      expect(await shown(handoffId)).toMatchObject({
        via: 'API',
        carry: { ...defaults, decisions: false },
        decisions: [],
        leftOut: { withheld: [{ kind: 'DECISION', count: 1, reason: 'WITHHELD' }] },
      });
    }
    expect(await shown((await initiate(await begun(), 'eve')).handoffId)).toMatchObject({
      carry: null,
      decisions: ['A decision.'],
      leftOut: { withheld: [] },
    });
    expect(await shown((await reassign(await begun(), { agentId: 'bob' })).handoffId)).toMatchObject({
      via: 'OPERATOR',
      carry: null,
      decisions: ['A decision.'],
    });
  });

  it.each([
    ['own', { ...defaults, messages: 'NONE' }, ['A decision.']],
    ['all', null, ['A decision.']],
    ['silent', { ...defaults, decisions: false }, []],
    ['transfer_to_bob', { ...defaults, decisions: false }, []],
  ])("is the tool's, else the collaboration's: %s", async (name, carry, decisions) => {
    expect(await execute(await begun(), name)).toMatchObject({ carry, decisions });
  });

  it('is named in the prompt and in the record, without the content', async () => {
    const { contextPrompt, markdown } = await execute(await begun(), 'own');
    expect(contextPrompt.text).toContain('Withheld from you: 2 messages.');
    for (const text of [contextPrompt.text, markdown]) expect(text).not.toContain('I begin.');
  });

  it('is applied by simulateHandoff', async () => {
    const id = await begun();
    const texts = await Promise.all([
      simulated(id, { to: 'bob' }),
      simulated(id, { tool: 'silent', args: { reason: 'x' } }),
      simulated(id, { tool: 'own', args: { reason: 'x' } }),
      simulated(id, { to: 'eve' }),
      simulated(id, { to: 'bob', op: true }),
    ]);
    expect(texts.map(({ context: { text } }) => [text.includes('A decision.'), text.includes('I begin.')])).toEqual([
      [false, true],
      [false, true],
      [true, false],
      [true, true],
      [true, true],
    ]);
  });

  it('hides nothing from the loop rule', async () => {
    const id = await session('ada', { maxHandoffs: 50 });
    const act = async (): Promise<void> =>
      run(acceptHandoff, { handoffId: (await initiate(id, 'bob')).handoffId }).then(() => undefined);
    const back = async (): Promise<void> =>
      run(acceptHandoff, { handoffId: (await initiate(id, 'ada')).handoffId }).then(() => undefined);
    await act();
    await back();
    // Only a decision differs, which the carry withholds.
    await run(recordDecision, { sessionId: id, text: 'Another decision.' });
    await act();
    await back();
    await expect(act()).rejects.toMatchObject({ code: 'HANDOFF_LOOP' });
  });
});

describe('a carry in the input', () => {
  it('of a tool is shown, is replaced, and is cleared by null', async () => {
    const { handoffTool } = await change('createHandoffTool', {
      ...tool,
      name: 'changing',
      carry: { messages: 'LAST', variables: ['branch'] },
    });
    expect(handoffTool!.carry).toEqual({ ...defaults, messages: 'LAST', lastMessages: 10, variables: ['branch'] });
    const toolId = handoffTool!.id;
    expect((await change('updateHandoffTool', { toolId, description: 'Other.' })).handoffTool!.carry).toMatchObject({
      messages: 'LAST',
    });
    expect((await change('updateHandoffTool', { toolId, carry: { maxTokens: 500 } })).handoffTool!.carry).toEqual({
      ...defaults,
      maxTokens: 500,
    });
    expect((await change('updateHandoffTool', { toolId, carry: null })).handoffTool!.carry).toBeNull();
  });

  it('of a collaboration stays when it is left out, and is cleared by null', async () => {
    await agent('carol', { collaborators: ['bob'] });
    const set = async (fields: object) =>
      (await change('updateAgent', { id: 'carol', collaborations: [{ agentId: 'bob', ...fields }] })).agent!
        .collaborations[0]!.carry;
    expect(await set({ carry: { toolCalls: 'SUMMARY', files: false } })).toEqual({
      ...defaults,
      toolCalls: 'SUMMARY',
      files: false,
    });
    expect(await set({ when: 'now' })).toMatchObject({ toolCalls: 'SUMMARY' });
    expect(await set({ carry: null })).toBeNull();
  });

  it.each([
    [{ lastMessages: 0 }, 'lastMessages'],
    [{ lastMessages: 41 }, 'lastMessages'],
    [{ maxTokens: 199 }, 'maxTokens'],
    [{ variables: [''] }, 'variables'],
  ])('is refused with its path: %j', async (carry, field) => {
    expect((await change('createHandoffTool', { ...tool, name: 'refused', carry })).path).toEqual(
      expect.arrayContaining(['input', 'carry', field]),
    );
  });
});
