// An agent of the OpenAI Agents SDK that works on what Baton hands to it: `node openaiAgents.ts <agent>`, with BATON_URL, BATON_KEY,
// OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_DEFAULT_MODEL. Needs Node 22, `npm install @openai/agents zod`, and Baton's package.
import { readdirSync } from 'node:fs';
import { Agent, run, tool } from '@openai/agents';
import { z } from 'zod';
import {
  AppendTurnDocument,
  createApi,
  ExecuteHandoffsDocument,
  HandoffToolsDocument,
  Refused,
  takeHandoffs,
  type NewToolCallInput,
} from 'baton-handoffs/client';

const [agentId = 'openai-1'] = process.argv.slice(2);
const baton = { url: process.env['BATON_URL'] ?? 'http://127.0.0.1:4000', key: process.env['BATON_KEY'] };
const ask = createApi(baton);
const ownTools = [
  tool({
    name: 'list_files',
    description: 'Lists the files of the folder.',
    parameters: z.object({}),
    execute: () => readdirSync('.').join('\n'),
  }),
];

await takeHandoffs(
  { ...baton, agentId, onStatus: ({ state }) => console.log(agentId, state) },
  async ({ session, contextPrompt }) => {
    const { agent } = await ask(HandoffToolsDocument, { agentId, format: 'OPENAI_RESPONSES' });
    const definitions = agent?.handoffToolDefinitions as { name: string; description: string; parameters: object }[];
    // A run stops before a handoff, which Baton executes.
    const handoffTools = definitions.map(({ parameters, ...rest }) =>
      tool({ ...rest, parameters: parameters as never, strict: false, needsApproval: true, execute: () => '' }),
    );
    const worker = new Agent({
      name: agentId,
      instructions: 'Do the next step of the work. Then hand it off, or say what you did.',
      tools: [...ownTools, ...handoffTools],
    });
    let toolCalls: NewToolCallInput[] = [];
    worker.on('agent_tool_end', (_context, { name }, result, { toolCall }) => {
      if (toolCall.type === 'function_call')
        toolCalls.push({ callId: toolCall.callId, name, arguments: JSON.parse(toolCall.arguments), result });
    });

    let result = await run(worker, contextPrompt.text);
    for (let seen = 0; ; result = await run(worker, result.state)) {
      // Recorded before the handoff: the next agent reads it.
      const words = result.newItems
        .slice(seen)
        .flatMap((item) =>
          item.type === 'message_output_item' ? [{ role: 'ASSISTANT' as const, content: item.content }] : [],
        );
      if (words.length + toolCalls.length > 0)
        await ask(AppendTurnDocument, {
          input: { sessionId: session.id, agentId, messages: words, toolCalls, idempotencyKey: crypto.randomUUID() },
        });
      [seen, toolCalls] = [result.newItems.length, []];
      if (result.interruptions.length === 0) return;

      try {
        const { executeHandoffs } = await ask(ExecuteHandoffsDocument, {
          input: { sessionId: session.id, agentId, response: result.state.toJSON() },
        });
        return console.log(`${session.title}: handed off to ${executeHandoffs.handoff.targetAgent.id}`);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        // The model reads why it was refused, and goes on.
        for (const call of result.interruptions)
          result.state.reject(call, { message: error.toolResult?.content ?? error.message });
      }
    }
  },
);
