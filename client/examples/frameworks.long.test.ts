import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { encodeId } from '../../server/core/ids.ts';
import { codingTool } from '../../test/codingTools.ts';
import { testDatabase } from '../../test/database.ts';
import { client } from '../../test/graphql.ts';
import { adminKey, secretFor } from '../../test/keyring.ts';
import { npmTool } from '../../test/npmTool.ts';
import { otherNode } from '../../test/otherNode.ts';
import { scriptedModel, type Step } from '../../test/scriptedModel.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';
import { packClient } from '../../packClient.ts';
import { temporaryFolder } from '../../test/temporary.ts';

// The examples as a user runs them, each with its real framework and `baton-handoffs/client` from its package. Only the models are scripted.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const database = await testDatabase();
const { url } = await startApp(database, { variables: { BATON_ADMIN_KEY: adminKey } });
const { post } = client(url, { key: adminKey });
const { agent, session, reassign } = world(database.pool);
const root = join(import.meta.dirname, '../..');
const folder = temporaryFolder('baton-examples');
const claude = codingTool('Claude Code');
/** The oldest Node that runs TypeScript as it is, and that AI SDK 7 and LangChain's OpenAI models run on. */
const node = otherNode('24');

function installed(name: string, from = join(root, 'node_modules', name)): void {
  const path = join(folder, 'node_modules', name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(from, path);
}

beforeAll(async () => {
  for (const name of ['@openai/agents', 'zod', '@langchain/core', '@langchain/langgraph', '@langchain/openai'])
    installed(name);
  const ai = npmTool('ai', '7.0.173', '@ai-sdk/openai-compatible@3.0.92');
  installed('ai', ai);
  installed('@ai-sdk/openai-compatible', join(ai, '../@ai-sdk/openai-compatible'));
  // Without its copy of Claude Code, which is installed already.
  if (claude !== null)
    installed(
      '@anthropic-ai/claude-agent-sdk',
      npmTool('@anthropic-ai/claude-agent-sdk', '0.3.197', '--omit=optional', '--omit=peer'),
    );
  mkdirSync(join(folder, 'node_modules/baton-handoffs'));
  copyFileSync(join(root, 'package.json'), join(folder, 'node_modules/baton-handoffs/package.json'));
  await packClient(join(folder, 'node_modules/baton-handoffs/lib'));
  await agent('reviewer');
  await agent('writer', { collaborators: ['reviewer'] });
  await agent('coder', { collaborators: ['reviewer', 'writer'] });
  await agent('closer', { collaborators: ['coder'] });
});

const running: (() => Promise<void>)[] = [];
afterEach(async () => void (await Promise.all(running.splice(0).map((stop) => stop()))));

/** Starts an example as the agent, in the folder of the examples; its model says these steps. */
async function start(file: string, agentId: string, steps: Step[]): Promise<{ output(): string; asked(): string }> {
  copyFileSync(join(import.meta.dirname, file), join(folder, file));
  const model = await scriptedModel(steps);
  const home = mkdtempSync(join(folder, 'home-'));
  const child = spawn(node, [file, agentId], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      BATON_URL: url,
      BATON_KEY: await secretFor(database.pool, 'AGENT', agentId),
      OPENAI_API_KEY: 'none',
      OPENAI_BASE_URL: model.url,
      OPENAI_AGENTS_DISABLE_TRACING: '1',
      ANTHROPIC_API_KEY: 'none',
      ANTHROPIC_BASE_URL: model.url,
      CLAUDE_PROGRAM: claude ?? '',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const stop = (): Promise<void> => (child.kill('SIGKILL'), ended);
  running.push(stop);
  return { output: () => output, asked: () => JSON.stringify(model.received.map(({ body }) => body)) };
}

const list = (id: string): Step => ({
  text: 'I look at the files first.',
  calls: [{ id, name: 'list_files', arguments: {} }],
});
const handOff = (id: string, to: string, given: object, text?: string): Step => ({
  ...(text !== undefined && { text }),
  calls: [{ id, name: `transfer_to_${to}`, arguments: given }],
});

interface Facts {
  session: {
    agent: { id: string };
    agentSessions: { nodes: { agent: { id: string }; state: string }[] };
    handoffs: {
      nodes: {
        sourceAgent: { id: string } | null;
        targetAgent: { id: string };
        status: string;
        reason: string;
        triggeringToolCalls: { name: string; callId: string }[];
      }[];
    };
    messages: { nodes: { content: string }[] };
    turns: { nodes: { toolCalls: { name: string }[] }[] };
  };
  sessionEvents: { nodes: { type: string; actor: { role: string } }[] };
}
/** What Baton has of a session, oldest first. */
async function factsOf(id: string) {
  const { data, errors } = await post<Facts>(
    `query ($id: ID!) { session(id: $id) { agent { id } agentSessions(first: 20) { nodes { agent { id } state } }
       handoffs(first: 20) { nodes { sourceAgent { id } targetAgent { id } status reason triggeringToolCalls { name callId } } }
       messages(first: 20) { nodes { content } } turns(first: 20) { nodes { toolCalls { name } } } }
       sessionEvents(sessionId: $id, first: 100) { nodes { type actor { role } } } }`,
    { id: encodeId('session', id) },
  );
  expect(errors).toBeUndefined();
  const { session: found, sessionEvents } = data;
  return {
    holder: found.agent.id,
    tenures: found.agentSessions.nodes.map(({ agent: { id: of }, state }) => `${of} ${state}`).reverse(),
    handoffs: found.handoffs.nodes
      .map(({ sourceAgent, targetAgent, status, reason, triggeringToolCalls: [call] }) => [
        sourceAgent?.id,
        targetAgent.id,
        status,
        reason,
        call?.callId,
      ])
      .reverse(),
    messages: found.messages.nodes.map(({ content }) => content).reverse(),
    toolCalls: found.turns.nodes.flatMap(({ toolCalls }) => toolCalls.map(({ name }) => name)).reverse(),
    events: sessionEvents.nodes.map(({ type, actor }) => `${actor.role} ${type}`),
  };
}

/** Waits until the last words of the work are recorded, and its last handoff is complete. */
async function workedOn(id: string, words: string, examples: { output(): string }[]) {
  await factsOf(id);
  await vi.waitFor(
    async () => {
      const { messages, handoffs } = await factsOf(id);
      const outputs = examples.map((example) => example.output().slice(-2_000)).join('\n');
      expect(messages, outputs).toContain(words);
      expect(handoffs.map(([, , status]) => status)).toEqual(handoffs.map(() => 'COMPLETED'));
    },
    { timeout: 200_000, interval: 200 },
  );
  return factsOf(id);
}

const given = (role: string) => ['HANDOFF_INITIATED', 'SESSION_REASSIGNED'].map((type) => `${role} ${type}`);
const created = ['OPERATOR SESSION_CREATED', ...given('OPERATOR')];
/** The first turn completes the handoff. */
const worked = (turns: number) =>
  ['HANDOFF_ACCEPTED', 'TURN_APPENDED', 'HANDOFF_COMPLETED', ...Array<string>(turns - 1).fill('TURN_APPENDED')].map(
    (type) => `AGENT ${type}`,
  );

describe('agents of different frameworks hand one session to each other', () => {
  it('from the OpenAI Agents SDK to LangGraph, back, and on to the Vercel AI SDK, and each model corrects a refused call', async () => {
    const coder = await start('openaiAgents.ts', 'coder', [
      list('call_1'),
      handOff('call_2', 'reviewer', { why: 'It is done.' }, 'The parser is written.'),
      handOff('call_3', 'reviewer', { reason: 'Please review the parser.' }),
      handOff('call_4', 'writer', { reason: 'Please document it.' }, 'It reads the last line now.'),
    ]);
    const reviewer = await start('langGraph.ts', 'reviewer', [
      list('call_1'),
      handOff('call_2', 'codr', { reason: 'Read the last line.' }),
      handOff('call_3', 'coder', { reason: 'Read the last line.' }, 'It drops the last line.'),
    ]);
    const writer = await start('vercelAi.ts', 'writer', [
      list('call_1'),
      handOff('call_2', 'reviewer', { why: 'It is done.' }),
      { text: 'The parser is documented.' },
    ]);
    const id = await session(null, { title: 'Write a parser' });
    await reassign(id, { agentId: 'coder', reason: 'Please write it.' });

    expect(await workedOn(id, 'The parser is documented.', [coder, reviewer, writer])).toEqual({
      holder: 'writer',
      tenures: ['coder HANDED_OFF', 'reviewer HANDED_OFF', 'coder HANDED_OFF', 'writer ACTIVE'],
      handoffs: [
        [undefined, 'coder', 'COMPLETED', 'Please write it.', undefined],
        ['coder', 'reviewer', 'COMPLETED', 'Please review the parser.', 'call_3'],
        ['reviewer', 'coder', 'COMPLETED', 'Read the last line.', 'call_3'],
        ['coder', 'writer', 'COMPLETED', 'Please document it.', 'call_4'],
      ],
      messages: [
        ...['Routed to coder', 'I look at the files first.', 'The parser is written.'],
        ...['Routed to reviewer', 'I look at the files first.', 'It drops the last line.'],
        ...['Routed to coder', 'It reads the last line now.'],
        ...['Routed to writer', 'I look at the files first.', 'The parser is documented.'],
      ],
      toolCalls: [
        'list_files',
        'transfer_to_reviewer',
        'list_files',
        'transfer_to_coder',
        'transfer_to_writer',
        'list_files',
      ],
      // The handoff's own call is a turn too.
      events: [
        ...created,
        ...worked(2),
        ...given('AGENT'),
        ...worked(3),
        ...given('AGENT'),
        ...worked(2),
        ...given('AGENT'),
        ...worked(2),
      ],
    });
    // Each model was told what was wrong, and each agent read the words of the one before.
    expect(coder.asked()).toContain('reason is required');
    expect(reviewer.asked()).toContain("did you mean 'coder'");
    expect(writer.asked()).toContain('reason is required');
    expect(reviewer.asked()).toContain('The parser is written.');
    expect(coder.asked()).toContain('It drops the last line.');
    expect(writer.asked()).toContain('It reads the last line now.');
  });

  it.skipIf(claude === null)('from the Claude Agent SDK to the OpenAI Agents SDK', async () => {
    const closer = await start('claudeAgent.mjs', 'closer', [
      { text: 'I look at the files first.', calls: [{ id: 'toolu_1', name: 'Glob', arguments: { pattern: '*.ts' } }] },
      {
        text: 'The version is set.',
        calls: [{ id: 'toolu_2', name: 'mcp__baton__transfer_to_coder', arguments: { reason: 'Please release it.' } }],
      },
    ]);
    const coder = await start('openaiAgents.ts', 'coder', [{ text: 'It is released.' }]);
    const id = await session(null, { title: 'Release the parser' });
    await reassign(id, { agentId: 'closer', reason: 'Please set the version.' });

    expect(await workedOn(id, 'It is released.', [closer, coder])).toEqual({
      holder: 'coder',
      tenures: ['closer HANDED_OFF', 'coder ACTIVE'],
      handoffs: [
        [undefined, 'closer', 'COMPLETED', 'Please set the version.', undefined],
        ['closer', 'coder', 'COMPLETED', 'Please release it.', 'toolu_2'],
      ],
      messages: [
        'Routed to closer',
        'I look at the files first.',
        'The version is set.',
        'Routed to coder',
        'It is released.',
      ],
      toolCalls: ['Glob', 'transfer_to_coder'],
      events: [...created, ...worked(2), ...given('AGENT'), ...worked(1)],
    });
    expect(coder.asked()).toContain('The version is set.');
  });
});
