import { describe, expect, it } from 'vitest';
import { client } from '../../../test/graphql.ts';
import { hashAllTables } from '../../../test/hash.ts';
import { house, testRefusals, unknownId, type Expected, type House, type Refusal } from '../../../test/refusals.ts';
import { startApp } from '../../../test/server.ts';
import { toolCall } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { archiveAgent } from '../agents/archiveAgent.ts';
import { setAgentStatus } from '../agents/setAgentStatus.ts';
import { updateAgent } from '../agents/updateAgent.ts';
import { acceptHandoff, rejectHandoff } from '../handoffs/changeHandoff.ts';
import { completeSession, pauseSession } from '../sessions/changeSession.ts';
import { archiveHandoffTool, createHandoffTool } from './changeTool.ts';

const home = await house();
const publicId = (id: string): string => encodeId('session', id);

/** A session whose holder may hand off to `other`, and has a tool that hands off to `support`. */
async function held(
  h: House,
  { maxCapacity = 5, ...fields }: { maxCapacity?: number; maxHandoffs?: number; handoffsEnabled?: boolean } = {},
) {
  const [holder, other, support] = [h.unique('holder'), h.unique('other'), h.unique('support')];
  for (const id of [other, support]) await h.agent(id, { maxCapacity });
  await h.agent(holder, { collaborators: [other] });
  const tool = {
    name: 'escalate',
    targetAgentId: support,
    agentIds: [holder],
    description: 'Call it when a customer is angry.',
    instructions: 'Apologise first.',
    variables: [
      { name: 'severity', type: 'INTEGER' as const, required: true, description: null, enum: [1, 2, 3], default: null },
      { name: 'city', type: 'STRING' as const, required: false, description: null, enum: null, default: 'Rome' },
    ],
  };
  const { toolId } = await h.run(createHandoffTool, tool);
  return { sessionId: await h.session(holder, fields), holder, other, support, toolId };
}

/** The same call for both mutations. */
interface Asked {
  sessionId: string;
  toolName: string;
  arguments?: unknown;
  callId?: string;
  fields?: object;
}
const inputs = {
  executeHandoffTool: ({ sessionId, toolName, arguments: given, callId = 'c1', fields }: Asked): object => ({
    sessionId,
    toolName,
    arguments: given ?? { reason: 'because' },
    callId,
    ...fields,
  }),
  executeHandoffs: ({ sessionId, toolName, arguments: given, callId = 'c1', fields }: Asked): object => ({
    sessionId,
    response: {
      role: 'assistant',
      type: 'message',
      content: [
        { type: 'text', text: 'I hand off.' },
        { type: 'tool_use', id: callId, name: toolName, input: given ?? { reason: 'because' } },
      ],
    },
    ...fields,
  }),
};
const both = ['executeHandoffTool', 'executeHandoffs'] as const;

type Given = (h: House, input: (asked: Asked) => object, mutation: (typeof both)[number]) => Promise<Expected>;
const refusal = (error: Refusal['error'], when: string, given: Given, says: RegExp): Refusal[] =>
  both.map((mutation) => ({ mutation, error, when, says, given: (h) => given(h, inputs[mutation], mutation) }));

const cases: Refusal[] = [
  ...refusal(
    'TransitionNotAllowedError',
    'the target fits no stage that may follow in the pipeline',
    async (h, input) => {
      const { holder, other } = await held(h);
      const slug = h.unique('pipeline');
      await h.pipeline(slug, ['write DONE review', 'review DONE end'], { write: { role: null } });
      const sessionId = publicId(await h.session(holder, { pipeline: slug }));
      return {
        input: input({ sessionId, toolName: `transfer_to_${other}` }),
        data: { stage: 'write', outcome: null, allowed: ['DONE'] },
      };
    },
    /fits no stage that may follow 'write'/,
  ),
  refusal(
    'BadUserInputError',
    'the id is that of a handoff',
    async (_h, input) => ({
      input: input({ sessionId: unknownId('handoff'), toolName: 'transfer_to_ada' }),
      data: { path: ['input', 'sessionId'] },
    }),
    /give the id of a session/,
  ),
  refusal(
    'NotFoundError',
    'there is no such session',
    async (_h, input) => {
      const sessionId = unknownId('session');
      return { input: input({ sessionId, toolName: 'transfer_to_ada' }), data: { id: sessionId } };
    },
    /check the id/,
  ),
  refusal(
    'NotFoundError',
    'there is no such agent',
    async (h, input) => ({
      input: input({
        sessionId: publicId((await held(h)).sessionId),
        toolName: 'transfer_to_ada',
        fields: { agentId: 'nobody' },
      }),
      data: { id: 'nobody' },
    }),
    /no agent 'nobody'/,
  ),
  refusal(
    'IdempotencyMismatchError',
    'the key was used with another input',
    async (h, input, mutation) => {
      const { sessionId, other } = await held(h);
      const asked = { sessionId: publicId(sessionId), toolName: `transfer_to_${other}` };
      const idempotencyKey = h.unique('key');
      await h.send(mutation, input({ ...asked, fields: { idempotencyKey } }));
      return { input: input({ ...asked, callId: 'c2', fields: { idempotencyKey } }), data: { idempotencyKey } };
    },
    /use a new key/,
  ),
  refusal(
    'InvalidStateError',
    'the session is finished',
    async (h, input) => {
      const { sessionId, other } = await held(h);
      await h.run(completeSession, { sessionId, expectedVersion: null, result: null, summary: null });
      return {
        input: input({ sessionId: publicId(sessionId), toolName: `transfer_to_${other}` }),
        data: { state: 'COMPLETED' },
      };
    },
    /it can no longer be changed/,
  ),
  refusal(
    'InvalidStateError',
    'the session is paused, whatever the tool',
    async (h, input) => {
      const { sessionId } = await held(h);
      await h.run(pauseSession, { sessionId, expectedVersion: null });
      return {
        input: input({ sessionId: publicId(sessionId), toolName: 'transfer_to_nobody' }),
        data: { state: 'PAUSED' },
      };
    },
    /resumeSession/,
  ),
  refusal(
    'InvalidStateError',
    'another agent holds the session',
    async (h, input) => {
      const { sessionId, holder, other } = await held(h);
      return {
        input: input({ sessionId: publicId(sessionId), toolName: `transfer_to_${holder}`, fields: { agentId: other } }),
        data: { state: `HELD BY ${holder}` },
      };
    },
    /only its holder hands it off/,
  ),
  refusal(
    'UnknownHandoffTargetError',
    'no agent has the name, with the nearest',
    async (h, input) => {
      const { sessionId, other } = await held(h);
      return {
        input: input({ sessionId: publicId(sessionId), toolName: `transfer_to_${other}x` }),
        data: { suggestions: expect.arrayContaining([other]) as unknown },
      };
    },
    /No agent is named 'other-\d+x': did you mean/,
  ),
  refusal(
    'InvalidToolArgumentsError',
    'the arguments do not match the schema',
    async (h, input) => {
      const { sessionId } = await held(h);
      const schema = expect.objectContaining({ required: ['severity'], additionalProperties: false }) as unknown;
      return {
        input: input({ sessionId: publicId(sessionId), toolName: 'escalate', arguments: { severity: 9, town: 'x' } }),
        data: { toolName: 'escalate', schema },
      };
    },
    /severity is not among the allowed values: give one of 1, 2, 3; town is no argument of this tool: leave it out/,
  ),
  refusal(
    'AlreadyAssignedError',
    'the target is the holder',
    async (h, input) => {
      const { sessionId, holder } = await held(h);
      return {
        input: input({ sessionId: publicId(sessionId), toolName: `transfer_to_${holder}` }),
        data: { agentId: holder },
      };
    },
    /already holds this session/,
  ),
  refusal(
    'HandoffsDisabledError',
    'agents may not hand it off',
    async (h, input) => {
      const { sessionId, other } = await held(h, { handoffsEnabled: false });
      return { input: input({ sessionId: publicId(sessionId), toolName: `transfer_to_${other}` }) };
    },
    /ask an operator/,
  ),
  refusal(
    'NotACollaboratorError',
    'the target of a known style is no collaborator',
    async (h, input) => {
      const [{ sessionId, holder, other }, stranger] = [await held(h), h.unique('stranger')];
      await h.agent(stranger);
      return {
        input: input({ sessionId: publicId(sessionId), toolName: `transfer_back_to_${stranger}`, arguments: {} }),
        data: { agentId: holder, targetAgentId: stranger, collaborators: [other] },
      };
    },
    /may not hand off to 'stranger-\d+'/,
  ),
  refusal(
    'MaxHandoffsReachedError',
    'agents have started as many as they may',
    async (h, input) => {
      const { sessionId, holder, other } = await held(h, { maxHandoffs: 1 });
      const { handoffId } = await h.initiate(sessionId, other);
      await h.run(acceptHandoff, { handoffId });
      return {
        input: input({ sessionId: publicId(sessionId), toolName: `transfer_back_to_${holder}`, arguments: {} }),
        data: { count: 1 },
      };
    },
    /an operator has to reassign it/,
  ),
  refusal(
    'HandoffLoopError',
    'the same call was made before and nothing is new',
    async (h, input, mutation) => {
      const { sessionId, holder, other } = await held(h);
      const asked = { sessionId: publicId(sessionId), toolName: `transfer_to_${other}` };
      for (const [callId, toolName] of [
        ['c1', asked.toolName],
        ['c2', `transfer_back_to_${holder}`],
      ] as const) {
        const { handoff } = (await h.send(mutation, input({ ...asked, toolName, callId }))) as unknown as {
          handoff: { id: string };
        };
        await h.send('acceptHandoff', { handoffId: handoff.id });
      }
      return { input: input({ ...asked, callId: 'c3' }), data: { agentId: holder, targetAgentId: other } };
    },
    /nothing new since/,
  ),
  refusal(
    'AgentUnavailableError',
    'the target is archived since the model got its tools',
    async (h, input) => {
      const { sessionId, support } = await held(h);
      await h.run(archiveAgent, { id: support });
      return {
        input: input({ sessionId: publicId(sessionId), toolName: 'escalate', arguments: { severity: 1 } }),
        data: { agentId: support },
      };
    },
    /is archived: choose another/,
  ),
  refusal(
    'AgentUnavailableError',
    'the target drains',
    async (h, input) => {
      const { sessionId, other } = await held(h);
      await h.run(setAgentStatus, { id: other, status: 'DRAINING' });
      return {
        input: input({ sessionId: publicId(sessionId), toolName: `transfer_to_${other}` }),
        data: { agentId: other, status: 'DRAINING' },
      };
    },
    /is DRAINING/,
  ),
  refusal(
    'AgentAtCapacityError',
    'the target is full',
    async (h, input) => {
      const { sessionId, other } = await held(h, { maxCapacity: 1 });
      await h.session(other);
      return {
        input: input({ sessionId: publicId(sessionId), toolName: `transfer_to_${other}` }),
        data: { agentId: other },
      };
    },
    /full capacity/,
  ),
].flat();
cases.push({
  mutation: 'executeHandoffs',
  error: 'NoHandoffFoundError',
  when: 'the model only talks of handing off',
  given: async (h) => ({
    input: {
      sessionId: publicId((await held(h)).sessionId),
      response: { role: 'assistant', type: 'message', content: [{ type: 'text', text: 'I transfer_to_other.' }] },
    },
  }),
  says: /no call of a handoff tool/,
});
cases.push({
  mutation: 'executeHandoffTool',
  error: 'UnknownHandoffTargetError',
  when: 'the tool is one of the model itself',
  given: async (h) => ({
    input: { sessionId: publicId((await held(h)).sessionId), toolName: 'transfer_money' },
    data: { target: 'transfer_money', suggestions: ['escalate', expect.any(String)] },
  }),
  says: /'transfer_money' is no handoff tool of the agent: call one of escalate, transfer_to_other-\d+/,
});
cases.push({
  mutation: 'executeHandoffTool',
  error: 'UnknownHandoffTargetError',
  when: 'the tool is archived since the model got it',
  given: async (h) => {
    const { sessionId, toolId } = await held(h);
    await h.run(archiveHandoffTool, { toolId });
    return { input: { sessionId: publicId(sessionId), toolName: 'escalate', arguments: { severity: 1 } } };
  },
  says: /'escalate' is no handoff tool of the agent/,
});

testRefusals(home, ['executeHandoffTool', 'executeHandoffs'], cases);

const { url } = await startApp(home.db);
const { post } = client(url);

interface Done {
  __typename: string;
  message?: string;
  toolResult: { callId: string | null; content: string; isError: boolean };
  others?: { callId: string; content: string; isError: boolean }[];
  session?: { id: string; agent: { id: string }; contextVariables: { name: string; value: unknown; setBy: string }[] };
  handoff?: {
    id: string;
    via: string;
    reason: string | null;
    summary: string;
    status: string;
    triggeringToolCalls: { callId: string; name: string; arguments: object; result: string | null }[];
    contextVariables: { name: string; value: unknown; setBy: string }[];
    contextPrompt: { text: string };
  };
}
const fragment = `__typename ... on Error { message toolResult { callId content isError } }`;
const done = `toolResult { callId content isError } others { callId content isError } session { id agent { id } contextVariables { name value setBy } }
  handoff { id via reason summary status triggeringToolCalls { callId name arguments result } contextVariables { name value setBy } contextPrompt { text } }`;
async function execute(mutation: (typeof both)[number], input: object): Promise<Done> {
  const name = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}`;
  const { data, errors } = await post<{ answer: Done }>(
    `mutation ($input: ${name}Input!) { answer: ${mutation}(input: $input) { ${fragment} ... on ${name}Payload { ${done} } } }`,
    { input },
  );
  expect(errors).toBeUndefined();
  return data.answer;
}

describe.each(both)('%s', (mutation) => {
  const input = inputs[mutation];

  it('hands off with the typed variables and the instructions of the tool, as quoted data', async () => {
    const { sessionId, holder, support } = await held(home);
    const { handoff, session, toolResult, others } = await execute(
      mutation,
      input({
        sessionId: publicId(sessionId),
        toolName: 'escalate',
        arguments: { severity: 2, reason: 'Angry.', summary: 'All of it.' },
      }),
    );
    expect([toolResult, others]).toEqual([
      { callId: 'c1', content: `Handed off to '${support}', which goes on with the work: stop here.`, isError: false },
      [],
    ]);
    expect(session).toMatchObject({
      agent: { id: support },
      contextVariables: [
        { name: 'city', value: 'Rome' },
        { name: 'severity', value: 2 },
      ],
    });
    expect(handoff).toMatchObject({
      via: 'TOOL',
      status: 'INITIATED',
      reason: 'Angry.',
      summary: 'All of it.',
      triggeringToolCalls: [{ callId: 'c1', name: 'escalate', arguments: { severity: 2 }, result: toolResult.content }],
    });
    expect(handoff!.contextVariables).toEqual(
      expect.arrayContaining([
        { name: '_handoff_chain', value: [holder, support], setBy: 'baton' },
        { name: '_handoff_from', value: holder, setBy: 'baton' },
        { name: '_handoff_instructions', value: 'Apologise first.', setBy: 'baton' },
        { name: '_handoff_tool', value: 'escalate', setBy: 'baton' },
        { name: 'severity', value: 2, setBy: 'loopback' },
      ]),
    );
    // Inside a fence: the line does not begin a paragraph of the prompt's own.
    expect(handoff!.contextPrompt.text).toMatch(
      /```[^]*_handoff_instructions = "Apologise first\." \(set by baton\)[^]*```/,
    );
  });

  it('uses a recorded call with its id, and stores the result there', async () => {
    const { sessionId, other } = await held(home);
    const call = toolCall('c7', `transfer_to_${other}`, { arguments: { reason: 'because' } });
    await home.turn(sessionId, { toolCalls: [toolCall('c6', 'Read'), { ...call, result: null }] });
    const before = await home.db.prisma.toolCall.count({ where: { sessionId } });
    const { handoff, toolResult } = await execute(
      mutation,
      input({ sessionId: publicId(sessionId), toolName: call.name, callId: 'c7' }),
    );
    expect(handoff!.triggeringToolCalls).toEqual([
      { callId: 'c7', name: call.name, arguments: { reason: 'because' }, result: toolResult.content },
    ]);
    expect(await home.db.prisma.toolCall.count({ where: { sessionId } })).toBe(before);
  });

  it.each([
    ['with the name of the MCP server', (other: string) => `mcp__baton__transfer_to_${other}`],
    ['by the tool baton_handoff', () => 'mcp__baton__baton_handoff'],
    ["with '_' for '-'", (other: string) => `transfer_to_${other.replaceAll('-', '_')}`],
  ])('uses an unanswered call that a client recorded before %s', async (_how, name) => {
    const { sessionId, other } = await held(home);
    await home.turn(sessionId, { toolCalls: [{ ...toolCall('c7', name(other)), result: null }] });
    const { handoff, toolResult } = await execute(
      mutation,
      input({ sessionId: publicId(sessionId), toolName: `transfer_to_${other}`, callId: 'c7' }),
    );
    expect(handoff!.triggeringToolCalls).toMatchObject([
      { callId: 'c7', name: name(other), result: toolResult.content },
    ]);
    expect(await home.db.prisma.toolCall.count({ where: { sessionId } })).toBe(1);
  });

  it('keeps a call once in the log when the turn with it is appended later', async () => {
    const { sessionId, holder, other } = await held(home);
    await execute(mutation, input({ sessionId: publicId(sessionId), toolName: `transfer_to_${other}` }));
    await home.run(rejectHandoff, {
      handoffId: (await home.db.prisma.handoff.findFirstOrThrow({ where: { sessionId } })).id,
      reason: 'busy',
    });
    const call = toolCall('c1', `transfer_to_${other}`, { arguments: { reason: 'because' } });
    await home.turn(sessionId, { agentId: holder, toolCalls: [toolCall('c0', 'Read'), call] });
    const alone = await home.turn(sessionId, { agentId: holder, messages: [], toolCalls: [call] });
    // The same id with another name is another call.
    await home.turn(sessionId, { agentId: holder, messages: [], toolCalls: [toolCall('c1', 'Read')] });
    const calls = await home.db.prisma.toolCall.findMany({ where: { sessionId }, orderBy: { index: 'asc' } });
    expect(calls.map(({ callId, name }) => [callId, name])).toEqual([
      ['c1', call.name],
      ['c0', 'Read'],
      ['c1', 'Read'],
    ]);
    expect(alone.turnId).toBe(calls[0]!.turnId);
  });

  it('takes the transfer tool of a framework, which has no arguments, under the name of a generated tool', async () => {
    const { sessionId, other } = await held(home);
    const { handoff } = await execute(
      mutation,
      input({ sessionId: publicId(sessionId), toolName: `transfer_to_${other}`, arguments: {} }),
    );
    expect(handoff!.reason).toBe(`The tool 'transfer_to_${other}' was called without a reason.`);
  });

  it('requires the reason of a generated tool when the call gives other arguments', async () => {
    const { sessionId, other } = await held(home);
    const answer = await execute(
      mutation,
      input({ sessionId: publicId(sessionId), toolName: `transfer_to_${other}`, arguments: { summary: 'Half done.' } }),
    );
    expect(answer).toMatchObject({
      __typename: 'InvalidToolArgumentsError',
      message: expect.stringContaining('reason is required') as string,
    });
  });

  it('returns the first answer again for the same call of the same agent, also after later changes', async () => {
    const { sessionId, holder, support, toolId } = await held(home);
    const asked = input({
      sessionId: publicId(sessionId),
      toolName: 'escalate',
      arguments: { severity: 1 },
      fields: { agentId: holder },
    });
    const first = await execute(mutation, asked);
    await home.run(acceptHandoff, {
      handoffId: (await home.db.prisma.handoff.findFirstOrThrow({ where: { sessionId } })).id,
    });
    const before = await hashAllTables(home.db.pool);
    const again = await execute(mutation, asked);
    expect([again.toolResult, again.handoff!.id, again.session!.agent.id]).toEqual([
      first.toolResult,
      first.handoff!.id,
      support,
    ]);
    expect(await hashAllTables(home.db.pool)).toEqual(before);
    if (mutation === 'executeHandoffs') return;
    await home.run(archiveHandoffTool, { toolId });
    expect((await execute(mutation, asked)).handoff!.id).toBe(first.handoff!.id);
  });

  it('makes one handoff from 10 concurrent executions of the same call', async () => {
    const { sessionId, other } = await held(home);
    const asked = input({ sessionId: publicId(sessionId), toolName: `transfer_to_${other}` });
    const answers = await Promise.all(Array.from({ length: 10 }, () => execute(mutation, asked)));
    expect(new Set(answers.map(({ handoff }) => handoff?.id)).size).toBe(1);
    expect(await home.db.prisma.handoff.count({ where: { sessionId } })).toBe(1);
    expect(await home.db.prisma.toolCall.count({ where: { sessionId } })).toBe(1);
  });

  it('drops reserved names, and names them in the tool result', async () => {
    const { sessionId, other } = await held(home);
    const given = { reason: 'because', _handoff_from: 'me', variables: { _handoff_tool: 'x', fine: 1 } };
    const { toolResult, handoff } = await execute(
      mutation,
      input({ sessionId: publicId(sessionId), toolName: `transfer_to_${other}`, arguments: given }),
    );
    expect(toolResult.content).toMatch(
      /stop here\. Dropped '_handoff_from', 'variables\._handoff_tool': names that begin with '_handoff_' belong to Baton\.$/,
    );
    expect(handoff!.contextVariables).toEqual(
      expect.arrayContaining([
        { name: 'fine', value: 1, setBy: 'loopback' },
        { name: '_handoff_tool', value: `transfer_to_${other}`, setBy: 'baton' },
      ]),
    );
  });

  it('returns the error and the schema to the model', async () => {
    const { sessionId } = await held(home);
    const { __typename, message, toolResult } = await execute(
      mutation,
      input({ sessionId: publicId(sessionId), toolName: 'escalate', arguments: { severity: '2' } }),
    );
    expect([__typename, toolResult.callId, toolResult.isError]).toEqual(['InvalidToolArgumentsError', 'c1', true]);
    expect(
      toolResult.content.startsWith(
        `${message}\nThe tool takes: {"type":"object","properties":{"severity":{"type":"integer","enum":[1,2,3]}`,
      ),
    ).toBe(true);
  });

  it('redacts secrets in the arguments before anything is stored', async () => {
    const { sessionId, other } = await held(home);
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const { handoff } = await execute(
      mutation,
      input({
        sessionId: publicId(sessionId),
        toolName: `transfer_to_${other}`,
        arguments: { reason: `token ${secret}`, variables: { token: secret } },
      }),
    );
    expect(handoff).toBeDefined();
    const { rows } = await home.db.pool.query<{ all: string }>(
      'SELECT (SELECT string_agg(c::text, $$ $$) FROM tool_calls c) || (SELECT string_agg(h::text, $$ $$) FROM handoffs h) || (SELECT string_agg(s::text, $$ $$) FROM sessions s) AS all',
    );
    expect(rows[0]!.all).not.toContain(secret);
  });
});

it('distinguishes calls whose ids look like secrets, and stores neither id', async () => {
  const { sessionId, other } = await held(home);
  const ids = ['a1B2c3D4e5F6', 'b7C8d9E1f2G3'].map((part) => `ghp_${part.repeat(3)}`);
  const asked = (callId: string) =>
    inputs.executeHandoffTool({ sessionId: publicId(sessionId), toolName: `transfer_to_${other}`, callId });
  const [first, again, second] = [
    await execute('executeHandoffTool', asked(ids[0]!)),
    await execute('executeHandoffTool', asked(ids[0]!)),
    await execute('executeHandoffTool', asked(ids[1]!)),
  ];
  expect([first.toolResult.callId, again.handoff!.id, second.__typename]).toEqual([
    ids[0],
    first.handoff!.id,
    'InvalidStateError',
  ]);
  const { rows } = await home.db.pool.query<{ call_id: string }>(
    'SELECT call_id FROM tool_calls WHERE session_id = $1',
    [sessionId],
  );
  expect(rows).toEqual([{ call_id: expect.stringMatching(/^sha256_/) as string }]);
});

describe('executeHandoffs', () => {
  it('runs the first of two handoffs, and answers the second as ignored', async () => {
    const { sessionId, holder, other, support } = await held(home);
    const content = [
      { type: 'tool_use', id: 'c0', name: 'Read', input: {} },
      { type: 'tool_use', id: 'c1', name: `transfer_to_${other}`, input: { reason: 'First.' } },
      { type: 'tool_use', id: 'c2', name: 'escalate', input: { severity: 1 } },
      { type: 'tool_use', id: 'c3', name: 'transfer_to_nobody_at_all', input: {} },
    ];
    const { session, others } = await execute('executeHandoffs', {
      sessionId: publicId(sessionId),
      agentId: holder,
      response: { type: 'message', role: 'assistant', content },
    });
    expect([session!.agent.id, support]).toEqual([other, support]);
    expect(others).toEqual(
      ['c2', 'c3'].map((callId) => ({ callId, content: 'ignored: only the first handoff runs', isError: false })),
    );
  });

  it('says which answers it cannot read', async () => {
    const { sessionId } = await held(home);
    expect(await execute('executeHandoffs', { sessionId: publicId(sessionId), response: { hello: 1 } })).toMatchObject({
      __typename: 'NoHandoffFoundError',
      message: expect.stringContaining('none of the known formats') as string,
    });
  });

  it('takes the styles of frameworks, with their arguments', async () => {
    const { sessionId, other } = await held(home);
    const call = {
      type: 'function_call',
      call_id: 'c1',
      name: 'handoff_to_agent',
      arguments: JSON.stringify({ agent_name: other, message: 'Please go on.', context: { city: 'Rome' } }),
    };
    const { handoff, session } = await execute('executeHandoffs', {
      sessionId: publicId(sessionId),
      response: { object: 'response', output: [call] },
    });
    expect([handoff!.reason, session!.contextVariables]).toMatchObject([
      'Please go on.',
      [{ name: 'city', value: 'Rome' }],
    ]);
  });
});

describe('executeHandoffTool', () => {
  it('takes arguments as the JSON text that OpenAI gives, and a call without an id', async () => {
    const { sessionId, other } = await held(home);
    const { toolResult, handoff } = await execute('executeHandoffTool', {
      sessionId: publicId(sessionId),
      toolName: `mcp__baton__transfer_to_${other}`,
      arguments: '{"reason":"because"}',
    });
    expect([toolResult.callId, handoff!.reason, handoff!.triggeringToolCalls]).toMatchObject([
      null,
      'because',
      [{ callId: expect.stringMatching(/^call_/) as string }],
    ]);
  });

  it('passes on the instructions of the collaboration behind a generated tool', async () => {
    const { sessionId, holder, other } = await held(home);
    await home.run(updateAgent, {
      id: holder,
      collaborations: [{ agentId: other, when: 'When code is ready.', instructions: 'Read the whole change.' }],
    });
    const { handoff } = await execute('executeHandoffTool', {
      sessionId: publicId(sessionId),
      toolName: `transfer_to_${other}`,
      arguments: { reason: 'because' },
    });
    expect(handoff!.contextVariables).toEqual(
      expect.arrayContaining([{ name: '_handoff_instructions', value: 'Read the whole change.', setBy: 'baton' }]),
    );
  });

  it('calls the one function of an agent with many collaborators', async () => {
    const { sessionId, holder, other } = await held(home);
    const helpers = Array.from({ length: 21 }, () => home.unique('helper'));
    for (const id of helpers) await home.agent(id);
    await home.run(updateAgent, { id: holder, collaborators: helpers });
    const asked = (target: string) =>
      execute('executeHandoffTool', {
        sessionId: publicId(sessionId),
        toolName: 'handoff',
        arguments: { target, reason: 'because' },
        callId: 'c1',
      });
    expect(await asked(other)).toMatchObject({ __typename: 'UnknownHandoffTargetError' });
    expect(await asked(helpers[3]!)).toMatchObject({ session: { agent: { id: helpers[3] } } });
  });

  it('permits with a tool what is no collaboration, and nothing besides', async () => {
    const { sessionId, holder, support } = await held(home);
    expect(
      await execute('executeHandoffTool', {
        sessionId: publicId(sessionId),
        toolName: `transfer_to_${support}`,
        arguments: { reason: 'x' },
      }),
    ).toMatchObject({ __typename: 'NotACollaboratorError' });
    await expect(home.initiate(sessionId, support)).rejects.toMatchObject({ code: 'NOT_A_COLLABORATOR' });
    expect(
      await execute('executeHandoffTool', {
        sessionId: publicId(sessionId),
        agentId: holder,
        toolName: 'escalate',
        arguments: { severity: 1 },
      }),
    ).toMatchObject({ session: { agent: { id: support } } });
  });

  it('refuses variables that do not fit beside those of the session', async () => {
    const { sessionId, other } = await held(home);
    await home.db.prisma.session.update({
      where: { id: sessionId },
      data: { contextVariables: { big: { value: 'x'.repeat(60_000), setBy: 'ada' } } },
    });
    const answer = await execute('executeHandoffTool', {
      sessionId: publicId(sessionId),
      toolName: `transfer_to_${other}`,
      arguments: { reason: 'x', variables: { more: 'y'.repeat(10_000) } },
    });
    expect(answer).toMatchObject({
      __typename: 'InvalidToolArgumentsError',
      message: expect.stringContaining('variables of the session are too large with these') as string,
    });
  });
});
