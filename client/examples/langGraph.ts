// An agent of LangGraph that works on what Baton hands to it: `node langGraph.ts <agent>`, with BATON_URL, BATON_KEY, OPENAI_API_KEY,
// OPENAI_BASE_URL and OPENAI_MODEL. Needs Node 22, `npm install @langchain/core @langchain/langgraph @langchain/openai`, and Baton's package.
import { readdirSync } from 'node:fs';
import { type AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { Command, END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
import {
  AppendTurnDocument,
  createApi,
  ExecuteHandoffToolDocument,
  HandoffToolsDocument,
  Refused,
  takeHandoffs,
  type NewToolCallInput,
} from 'baton-handoffs/client';

const [agentId = 'langgraph-1'] = process.argv.slice(2);
const {
  BATON_URL: url = 'http://127.0.0.1:4000',
  BATON_KEY: key,
  OPENAI_BASE_URL: baseURL,
  OPENAI_MODEL: modelName = 'gpt-5',
} = process.env;
const ask = createApi({ url, key });
const ownTools = [
  tool(() => readdirSync('.').join('\n'), {
    name: 'list_files',
    description: 'Lists the files of the folder.',
    schema: { type: 'object', properties: {} },
  }),
];

await takeHandoffs(
  { url, key, agentId, onStatus: ({ state }) => console.log(agentId, state) },
  async ({ session, contextPrompt }) => {
    const { agent } = await ask(HandoffToolsDocument, { agentId, format: 'OPENAI_CHAT' });
    const model = new ChatOpenAI({ model: modelName, configuration: { baseURL } }).bindTools([
      ...ownTools,
      ...(agent?.handoffToolDefinitions as object[]),
    ]);

    const graph = new StateGraph(MessagesAnnotation)
      .addNode('model', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addNode(
        'tools',
        async ({ messages }: typeof MessagesAnnotation.State) => {
          const answer = messages.at(-1) as AIMessage;
          const results: ToolMessage[] = [];
          const toolCalls: NewToolCallInput[] = [];
          for (const call of answer.tool_calls ?? []) {
            const own = ownTools.find(({ name }) => name === call.name);
            if (own === undefined) continue;
            const result = await own.invoke(call.args);
            results.push(new ToolMessage({ tool_call_id: call.id ?? '', content: result }));
            toolCalls.push({ callId: call.id ?? '', name: call.name, arguments: call.args, result });
          }
          // Recorded before the handoff: the next agent reads it.
          const words = answer.text === '' ? [] : [{ role: 'ASSISTANT' as const, content: answer.text }];
          if (words.length + toolCalls.length > 0)
            await ask(AppendTurnDocument, {
              input: {
                sessionId: session.id,
                agentId,
                messages: words,
                toolCalls,
                idempotencyKey: crypto.randomUUID(),
              },
            });

          let isOver = (answer.tool_calls ?? []).length === 0;
          for (const { id = '', name, args } of answer.tool_calls ?? []) {
            if (ownTools.some((own) => own.name === name)) continue;
            const input = { sessionId: session.id, agentId, toolName: name, arguments: args, callId: id };
            const { handoff, toolResult } = await ask(ExecuteHandoffToolDocument, { input }).then(
              ({ executeHandoffTool }) => executeHandoffTool,
              (error: unknown) => {
                if (!(error instanceof Refused)) throw error;
                // The model reads why it was refused, and goes on.
                return { handoff: null, toolResult: error.toolResult ?? { content: error.message } };
              },
            );
            results.push(new ToolMessage({ tool_call_id: id, content: toolResult?.content ?? '' }));
            isOver ||= handoff !== null;
          }
          return new Command({ goto: isOver ? END : 'model', update: { messages: results } });
        },
        { ends: ['model', END] },
      )
      .addEdge(START, 'model')
      .addEdge('model', 'tools')
      .compile();
    const instructions = new SystemMessage('Do the next step of the work. Then hand it off, or say what you did.');
    await graph.invoke({ messages: [instructions, new HumanMessage(contextPrompt.text)] });
  },
);
