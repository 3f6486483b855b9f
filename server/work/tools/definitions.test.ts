import Anthropic from '@anthropic-ai/sdk';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ListToolsRequestSchema, type Tool as McpTool } from '@modelcontextprotocol/sdk/types.js';
import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { askersOf } from '../../../test/askers.ts';
import { recordQueries } from '../../../test/queries.ts';
import { scriptedModel } from '../../../test/scriptedModel.ts';
import { setAgentStatus } from '../agents/setAgentStatus.ts';
import { updateAgent } from '../agents/updateAgent.ts';
import { createHandoffTool } from './changeTool.ts';

const { db, askers, agent, run } = await askersOf();
const { sent } = recordQueries(db.pool);

interface Asked {
  agent: { handoffToolDefinitions: object[] };
}
const definitions = async (
  format: string,
  { of = 'ada', args = '', asker = 'OPERATOR' }: { of?: string; args?: string; asker?: keyof typeof askers } = {},
) => {
  const { data, errors } = await askers[asker].post<Asked>(
    `{ agent(id: "${of}") { handoffToolDefinitions(format: ${format}${args}) } }`,
  );
  expect(errors).toBeUndefined();
  return data.agent.handoffToolDefinitions;
};
const namesIn = (tools: object[]) => (tools as { name: string }[]).map(({ name }) => name);

beforeAll(async () => {
  await run(updateAgent, { id: 'bob', description: 'reviews code', name: 'Bob', role: 'reviewer' });
  await run(createHandoffTool, {
    name: 'escalate',
    targetAgentId: 'eve',
    agentIds: ['ada'],
    description: 'Call it when a customer is angry.',
    instructions: null,
    variables: [
      {
        name: 'severity',
        type: 'INTEGER',
        required: true,
        description: 'From 1 to 3.',
        enum: [1, 2, 3],
        default: null,
      },
    ],
  });
});

describe('Agent.handoffToolDefinitions', () => {
  it('returns defined and generated tools by name, with the description of the target', async () => {
    const tools = await definitions('ANTHROPIC');
    expect(namesIn(tools)).toEqual(['escalate', 'transfer_to_bob', 'transfer_to_eve']);
    expect(tools[1]).toMatchObject({
      description: "Hands this session off to the agent 'bob' (Bob, reviewer). Reviews code.",
      input_schema: { required: ['reason'] },
    });
  });

  it('is readable by the agent itself and by people', async () => {
    expect(await definitions('MCP', { asker: 'AGENT' })).toHaveLength(3);
    expect(await definitions('MCP', { asker: 'ANALYST' })).toHaveLength(3);
    const { errors } = await askers.AGENT.post('{ agent(id: "bob") { handoffToolDefinitions(format: MCP) } }');
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  });

  it('leaves out targets that take no work with onlyAvailable', async () => {
    await run(setAgentStatus, { id: 'eve', status: 'DRAINING' });
    expect(namesIn(await definitions('MCP', { args: ', onlyAvailable: true' }))).toEqual(['transfer_to_bob']);
    expect(await definitions('MCP')).toHaveLength(3);
    await run(setAgentStatus, { id: 'eve', status: 'AVAILABLE' });
  });

  it('returns one function for an agent with more than 20 collaborators', async () => {
    const others = Array.from({ length: 21 }, (_, index) => `helper-${index}`);
    for (const id of others) await agent(id);
    await agent('manager', { collaborators: others });
    const [many, ...rest] = await definitions('OPENAI_RESPONSES', { of: 'manager' });
    expect([many, rest]).toMatchObject([
      { name: 'handoff', parameters: { properties: { target: { enum: [...others].sort() } } } },
      [],
    ]);
  });

  it('reads the tools of all agents of a list in one statement', async () => {
    sent.length = 0;
    await askers.OPERATOR.post('{ agents { nodes { id handoffToolDefinitions(format: MCP) } } }');
    expect(sent).toHaveLength(2);
  });
});

// The script calls a tool; what matters here is that the SDK sends the definitions as they are, and takes the answer.
const call = { id: 'call_1', name: 'transfer_to_bob', arguments: { reason: 'Please review.' } };

describe('the real SDKs send the definitions to the model', () => {
  it('openai, chat completions', async () => {
    const { url, received } = await scriptedModel([{ calls: [call] }]);
    const tools = (await definitions('OPENAI_CHAT')) as OpenAI.ChatCompletionTool[];
    const { choices } = await new OpenAI({ apiKey: 'none', baseURL: url }).chat.completions.create({
      model: 'scripted',
      messages: [{ role: 'user', content: 'Go.' }],
      tools,
    });
    expect(received[0]!.body.tools).toEqual(tools);
    expect(choices[0]!.message.tool_calls).toMatchObject([{ function: { name: 'transfer_to_bob' } }]);
  });

  it('openai, responses', async () => {
    const { url, received } = await scriptedModel([{ calls: [call] }]);
    const tools = (await definitions('OPENAI_RESPONSES')) as OpenAI.Responses.Tool[];
    const { output } = await new OpenAI({ apiKey: 'none', baseURL: url }).responses.create({
      model: 'scripted',
      input: 'Go.',
      tools,
    });
    expect(received[0]!.body.tools).toEqual(tools);
    expect(output).toMatchObject([{ type: 'function_call', name: 'transfer_to_bob' }]);
  });

  it('@anthropic-ai/sdk', async () => {
    const { url, received } = await scriptedModel([{ calls: [call] }]);
    const tools = (await definitions('ANTHROPIC')) as Anthropic.Tool[];
    const { content } = await new Anthropic({ apiKey: 'none', baseURL: url }).messages.create({
      model: 'scripted',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Go.' }],
      tools,
    });
    expect(received[0]!.body.tools).toEqual(tools);
    expect(content).toMatchObject([{ type: 'tool_use', name: 'transfer_to_bob' }]);
  });

  it('@modelcontextprotocol/sdk, between its server and its client', async () => {
    const tools = (await definitions('MCP')) as McpTool[];
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    const server = new Server({ name: 'baton', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
    const client = new Client({ name: 'test', version: '1' });
    await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
    expect((await client.listTools()).tools).toEqual(tools);
    await client.close();
  });
});
