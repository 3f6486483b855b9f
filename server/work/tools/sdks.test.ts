import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent, OpenAIResponsesModel, Runner, tool as agentTool } from '@openai/agents';
import { dynamicTool, generateText, jsonSchema, stepCountIs, type ToolSet } from 'ai';
import { AIMessage, ToolMessage } from '@langchain/core/messages';
import { tool as langchainTool, type ToolRuntime } from '@langchain/core/tools';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { scriptedModel, type Step } from '../../../test/scriptedModel.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { archiveAgent } from '../agents/archiveAgent.ts';
import { createHandoffTool } from './changeTool.ts';
import type { JsonSchema } from './define.ts';

// From the definitions to a scripted model through a real SDK, and its answer to executeHandoffs. Only the model's words are made up.

const database = await testDatabase();
const { url } = await startApp(database);
const { post } = client(url);
const { agent, session, run } = world(database.pool);
await agent('reviewer');
await agent('support');
await agent('coder', { collaborators: ['reviewer'] });
await run(createHandoffTool, {
  name: 'escalate',
  targetAgentId: 'support',
  agentIds: ['coder'],
  description: 'Call it when a customer is angry.',
  instructions: null,
  variables: [
    { name: 'severity', type: 'INTEGER', required: true, description: 'From 1 to 3.', enum: [1, 2, 3], default: null },
  ],
});

interface Definition {
  name: string;
  description: string;
  parameters: JsonSchema;
}
const definitions = async () =>
  (
    await post<{ agent: { tools: Definition[] } }>(
      '{ agent(id: "coder") { tools: handoffToolDefinitions(format: OPENAI_RESPONSES) } }',
    )
  ).data.agent.tools;

interface Done {
  __typename: string;
  toolResult: { callId: string; content: string; isError: boolean };
  others?: { callId: string; content: string }[];
  session?: { agent: { id: string }; messages: { nodes: { content: string }[] } };
  handoff?: { id: string; targetAgent: { id: string }; contextVariables: { name: string; value: unknown }[] };
}
async function executeHandoffs(sessionId: string, response: unknown): Promise<Done> {
  const { data, errors } = await post<{ answer: Done }>(
    `mutation ($input: ExecuteHandoffsInput!) { answer: executeHandoffs(input: $input) { __typename ... on Error { toolResult { callId content isError } }
       ... on ExecuteHandoffsPayload { toolResult { callId content isError } others { callId content }
         session { agent { id } messages(last: 1) { nodes { content } } } handoff { id targetAgent { id } contextVariables { name value } } } } }`,
    { input: { sessionId, agentId: 'coder', response } },
  );
  expect(errors).toBeUndefined();
  return data.answer;
}
const waitingFor = async (agentId: string) =>
  (
    await database.prisma.inboxEntry.findMany({
      where: { agentId, event: { type: 'HANDOFF_INITIATED' } },
      include: { event: true },
    })
  ).map(({ event }) => encodeId('handoff', event.handoffId!));

const wrong: Step = { calls: [{ id: 'call_1', name: 'escalate', arguments: { severity: 'high' } }] };
const right: Step = {
  calls: [{ id: 'call_2', name: 'escalate', arguments: { severity: 3, reason: 'The customer shouts.' } }],
};

async function expectEscalated(sessionId: string, answer: Done): Promise<void> {
  expect(answer).toMatchObject({
    __typename: 'ExecuteHandoffsPayload',
    session: { agent: { id: 'support' }, messages: { nodes: [{ content: 'Routed to support' }] } },
  });
  expect(answer.handoff!.contextVariables).toEqual(expect.arrayContaining([{ name: 'severity', value: 3 }]));
  expect(await waitingFor('support')).toContain(answer.handoff!.id);
  expect(
    (
      await executeHandoffs(sessionId, {
        role: 'assistant',
        type: 'message',
        content: [{ type: 'tool_use', id: 'call_2', name: 'escalate', input: {} }],
      })
    ).handoff!.id,
  ).toBe(answer.handoff!.id);
}

describe('the real OpenAI Agents SDK', () => {
  /** Runs an agent until it calls a tool, or to its end. Each call goes to Baton in the model's whole answer. */
  async function runAgent(
    sessionId: string,
    steps: Step[],
  ): Promise<{ results: Done[]; received: Awaited<ReturnType<typeof scriptedModel>>['received']; output: unknown }> {
    const { url: baseURL, received, answers } = await scriptedModel(steps);
    const results: Done[] = [];
    const tools = (await definitions()).map(({ name, description, parameters }) =>
      agentTool({
        name,
        description,
        parameters: parameters as never,
        strict: false,
        execute: async () => {
          const result = await executeHandoffs(sessionId, answers.at(-1));
          results.push(result);
          return result.toolResult.content;
        },
      }),
    );
    const model = new OpenAIResponsesModel(new OpenAI({ apiKey: 'none', baseURL }), 'scripted');
    const result = await new Runner({ tracingDisabled: true }).run(
      new Agent({ name: 'coder', instructions: 'Help.', model, tools }),
      'My order is late!',
    );
    return { results, received, output: result.finalOutput };
  }

  it('hands off after the model has corrected its arguments', async () => {
    const sessionId = encodeId('session', await session('coder'));
    const { results, received, output } = await runAgent(sessionId, [wrong, right, { text: 'I have handed off.' }]);
    expect(output).toBe('I have handed off.');
    expect(results.map(({ __typename }) => __typename)).toEqual([
      'InvalidToolArgumentsError',
      'ExecuteHandoffsPayload',
    ]);
    expect(received[0]!.body.tools.map((each) => (each as Definition).name)).toEqual([
      'escalate',
      'transfer_to_reviewer',
    ]);
    // What the model reads of its mistake.
    expect(JSON.stringify(received[1]!.body.input)).toContain('severity is not an integer: give an integer');
    await expectEscalated(sessionId, results[1]!);
  });
});

it('executes the handoff of the Agents SDK itself, whose tool takes no arguments', async () => {
  const sessionId = encodeId('session', await session('coder'));
  const { url: baseURL, answers } = await scriptedModel([
    { calls: [{ id: 'call_1', name: 'transfer_to_reviewer', arguments: {} }] },
    { text: 'Reviewed.' },
  ]);
  const model = new OpenAIResponsesModel(new OpenAI({ apiKey: 'none', baseURL }), 'scripted');
  const coder = new Agent({ name: 'coder', model, handoffs: [new Agent({ name: 'reviewer', model })] });
  const { lastAgent } = await new Runner({ tracingDisabled: true }).run(coder, 'Review it.');
  expect(lastAgent?.name).toBe('reviewer');
  expect(await executeHandoffs(sessionId, answers[0])).toMatchObject({
    __typename: 'ExecuteHandoffsPayload',
    handoff: { targetAgent: { id: 'reviewer' } },
  });
});

describe('the real Vercel AI SDK', () => {
  async function runText(sessionId: string, steps: Step[]) {
    const { url: baseURL, received, answers } = await scriptedModel(steps);
    const results: Done[] = [];
    const tools: ToolSet = Object.fromEntries(
      (await definitions()).map(({ name, description, parameters }) => [
        name,
        dynamicTool({
          description,
          inputSchema: jsonSchema(parameters),
          execute: async () => {
            const result = await executeHandoffs(sessionId, answers.at(-1));
            results.push(result);
            return result.toolResult.content;
          },
        }),
      ]),
    );
    const model = createOpenAICompatible({ name: 'scripted', baseURL })('scripted');
    const { text } = await generateText({ model, tools, prompt: 'My order is late!', stopWhen: stepCountIs(5) });
    return { results, received, text };
  }

  it('hands off after the model has corrected its arguments', async () => {
    const sessionId = encodeId('session', await session('coder'));
    const { results, received, text } = await runText(sessionId, [wrong, right, { text: 'I have handed off.' }]);
    expect([text, results.map(({ __typename }) => __typename)]).toEqual([
      'I have handed off.',
      ['InvalidToolArgumentsError', 'ExecuteHandoffsPayload'],
    ]);
    expect(JSON.stringify(received[1]!.body.messages)).toContain('severity is not an integer: give an integer');
    await expectEscalated(sessionId, results[1]!);
  });

  it('of two handoffs in one answer runs the first, and the second is answered as ignored', async () => {
    const sessionId = encodeId('session', await session('coder'));
    const two: Step = {
      calls: [
        { id: 'call_1', name: 'transfer_to_reviewer', arguments: { reason: 'Please review.' } },
        { id: 'call_2', name: 'escalate', arguments: { severity: 1 } },
      ],
    };
    const { results } = await runText(sessionId, [two, { text: 'Done.' }]);
    // Both calls give Baton the same answer of the model.
    expect(new Set(results.map(({ handoff }) => handoff!.id)).size).toBe(1);
    expect(results[0]).toMatchObject({
      handoff: { targetAgent: { id: 'reviewer' } },
      toolResult: { callId: 'call_1' },
      others: [{ callId: 'call_2', content: 'ignored: only the first handoff runs' }],
    });
  });

  it('tells the model that a target was archived since it got the definitions', async () => {
    const sessionId = encodeId('session', await session('coder'));
    await agent('short-lived');
    await run(createHandoffTool, {
      name: 'ask',
      targetAgentId: 'short-lived',
      agentIds: ['coder'],
      description: 'Asks.',
      variables: [],
      instructions: null,
    });
    const call: Step = { calls: [{ id: 'call_1', name: 'ask', arguments: {} }] };
    const tools = await definitions();
    expect(tools.map(({ name }) => name)).toContain('ask');
    await run(archiveAgent, { id: 'short-lived' });
    const { answers, url: baseURL } = await scriptedModel([call]);
    await new OpenAI({ apiKey: 'none', baseURL }).responses.create({
      model: 'scripted',
      input: 'Go.',
      tools: tools as never,
    });
    expect(await executeHandoffs(sessionId, answers[0])).toMatchObject({
      __typename: 'AgentUnavailableError',
      toolResult: { callId: 'call_1', isError: true, content: "Agent 'short-lived' is archived: choose another" },
    });
  });
});

describe('the real LangGraph', () => {
  /** A ToolNode with the agent's tools, each of which gives its call to Baton. */
  async function nodeFor(sessionId: string): Promise<ToolNode> {
    const tools = (await definitions()).map(({ name, description, parameters }) =>
      langchainTool(
        async (given: object, { toolCall }: ToolRuntime) => {
          const callId = toolCall?.id ?? '';
          const { data } = await post<{ answer: Done }>(
            `mutation ($input: ExecuteHandoffToolInput!) { answer: executeHandoffTool(input: $input) { __typename
               ... on Error { toolResult { content isError } } ... on ExecuteHandoffToolPayload { toolResult { content isError } } } }`,
            { input: { sessionId, agentId: 'coder', toolName: name, arguments: given, callId } },
          );
          const { content, isError } = data.answer.toolResult;
          return new ToolMessage({ name, content, tool_call_id: callId, status: isError ? 'error' : 'success' });
        },
        { name, description, schema: parameters as never },
      ),
    );
    return new ToolNode(tools);
  }
  const answerOf = ({ calls }: Step): AIMessage =>
    new AIMessage({
      content: '',
      tool_calls: calls!.map(({ id, name, arguments: args }) => ({ id, name, args: args as Record<string, unknown> })),
    });

  it('checks the arguments against the definition, and hands off when they are right', async () => {
    const sessionId = encodeId('session', await session('coder'));
    const node = await nodeFor(sessionId);
    const { messages: refused } = (await node.invoke({ messages: [answerOf(wrong)] })) as { messages: ToolMessage[] };
    expect(refused.map(({ tool_call_id, content }) => [tool_call_id, content])).toEqual([
      ['call_1', expect.stringContaining('did not match expected schema')],
    ]);
    const { messages } = (await node.invoke({ messages: [answerOf(right)] })) as { messages: ToolMessage[] };
    expect(messages.map(({ tool_call_id, status }) => [tool_call_id, status])).toEqual([['call_2', 'success']]);
    const { data } = await post<{ session: { agent: { id: string } } }>(
      'query ($id: ID!) { session(id: $id) { agent { id } } }',
      { id: sessionId },
    );
    expect(data.session.agent.id).toBe('support');
  });

  it('of two handoffs in one answer, which it calls at once, exactly one runs', async () => {
    const sessionId = encodeId('session', await session('coder'));
    const both: Step = {
      calls: [
        { id: 'call_1', name: 'transfer_to_reviewer', arguments: { reason: 'Please review.' } },
        { id: 'call_2', name: 'escalate', arguments: { severity: 1 } },
      ],
    };
    const { messages } = (await (await nodeFor(sessionId)).invoke({ messages: [answerOf(both)] })) as {
      messages: ToolMessage[];
    };
    expect(messages.map(({ status }) => status).sort()).toEqual(['error', 'success']);
  });
});
