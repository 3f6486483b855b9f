// An agent of the Vercel AI SDK that works on what Baton hands to it: `node vercelAi.ts <agent>`, with BATON_URL, BATON_KEY, OPENAI_API_KEY,
// OPENAI_BASE_URL and OPENAI_MODEL. Needs Node 22, `npm install ai @ai-sdk/openai-compatible`, and Baton's package.
import { readdirSync } from 'node:fs';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { dynamicTool, generateText, jsonSchema, stepCountIs, type ModelMessage, type ToolSet } from 'ai';
import {
  AppendTurnDocument,
  createApi,
  ExecuteHandoffsDocument,
  HandoffToolsDocument,
  Refused,
  takeHandoffs,
} from 'baton-handoffs/client';

const [agentId = 'vercel-1'] = process.argv.slice(2);
const {
  BATON_URL: url = 'http://127.0.0.1:4000',
  BATON_KEY: key,
  OPENAI_BASE_URL: baseURL = 'https://api.openai.com/v1',
  OPENAI_API_KEY: apiKey,
  OPENAI_MODEL: modelName = 'gpt-5',
} = process.env;
const ask = createApi({ url, key });
const model = createOpenAICompatible({ name: 'openai', baseURL, apiKey })(modelName);
const ownTools: ToolSet = {
  list_files: dynamicTool({
    description: 'Lists the files of the folder.',
    inputSchema: jsonSchema({ type: 'object', properties: {} }),
    execute: async () => readdirSync('.').join('\n'),
  }),
};

await takeHandoffs(
  { url, key, agentId, onStatus: ({ state }) => console.log(agentId, state) },
  async ({ session, contextPrompt }) => {
    const { agent } = await ask(HandoffToolsDocument, { agentId, format: 'MCP' });
    const definitions = agent?.handoffToolDefinitions as { name: string; description: string; inputSchema: object }[];
    // Without `execute`: the SDK stops at a handoff, which Baton executes.
    const handoffTools: ToolSet = Object.fromEntries(
      definitions.map(({ name, description, inputSchema }) => [
        name,
        { description, inputSchema: jsonSchema(inputSchema) },
      ]),
    );
    const messages: ModelMessage[] = [{ role: 'user', content: contextPrompt.text }];

    for (;;) {
      const { text, toolCalls, response, steps } = await generateText({
        model,
        system: 'Do the next step of the work. Then hand it off, or say what you did.',
        messages,
        tools: { ...ownTools, ...handoffTools },
        stopWhen: stepCountIs(20),
      });
      // Recorded before the handoff: the next agent reads it.
      const words = steps
        .filter((step) => step.text !== '')
        .map((step) => ({ role: 'ASSISTANT' as const, content: step.text }));
      const done = steps.flatMap(({ toolResults }) =>
        toolResults.map(({ toolCallId, toolName, input, output }) => ({
          callId: toolCallId,
          name: toolName,
          arguments: input as unknown,
          result: String(output),
        })),
      );
      if (words.length + done.length > 0)
        await ask(AppendTurnDocument, {
          input: {
            sessionId: session.id,
            agentId,
            messages: words,
            toolCalls: done,
            idempotencyKey: crypto.randomUUID(),
          },
        });

      const handoffs = toolCalls.filter(({ toolName }) => toolName in handoffTools);
      if (handoffs.length === 0) return;
      const calls = handoffs.map(({ toolCallId, toolName, input }) => ({
        id: toolCallId,
        type: 'function',
        function: { name: toolName, arguments: JSON.stringify(input) },
      }));
      let value: string;
      try {
        const { executeHandoffs } = await ask(ExecuteHandoffsDocument, {
          input: { sessionId: session.id, agentId, response: { role: 'assistant', content: text, tool_calls: calls } },
        });
        return console.log(`${session.title}: handed off to ${executeHandoffs.handoff.targetAgent.id}`);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        // The model reads why it was refused, and goes on.
        value = error.toolResult?.content ?? error.message;
      }
      messages.push(...response.messages, {
        role: 'tool',
        content: handoffs.map(({ toolCallId, toolName }) => ({
          type: 'tool-result',
          toolCallId,
          toolName,
          output: { type: 'error-text', value },
        })),
      });
    }
  },
);
