// An agent of the Claude Agent SDK that works on what Baton hands to it: `node claudeAgent.mjs <agent>`, with BATON_URL, BATON_KEY,
// ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, and CLAUDE_PROGRAM for a Claude Code that is installed. Needs Node 22,
// `npm install @anthropic-ai/claude-agent-sdk`, and Baton's package.
import { query } from '@anthropic-ai/claude-agent-sdk';
import { AppendTurnDocument, createApi, takeHandoffs } from 'baton-handoffs/client';

const [agentId = 'claude-1'] = process.argv.slice(2);
const {
  BATON_URL: url = 'http://127.0.0.1:4000',
  BATON_KEY: key,
  CLAUDE_PROGRAM: pathToClaudeCodeExecutable,
} = process.env;
const ask = createApi({ url, key });
const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
const handsOff = /^mcp__baton__(transfer_to_|baton_handoff)/;

await takeHandoffs(
  { url, key, agentId, onStatus: ({ state }) => console.log(agentId, state) },
  async ({ session, contextPrompt }) => {
    let messages = [];
    let toolCalls = [];
    const calls = new Map();
    const seen = new Map();
    const callSeen = (callId) => seen.get(callId) ?? seen.set(callId, Promise.withResolvers()).get(callId);
    const record = async () => {
      const input = { sessionId: session.id, agentId, messages, toolCalls, idempotencyKey: crypto.randomUUID() };
      [messages, toolCalls] = [[], []];
      if (input.messages.length + input.toolCalls.length > 0) await ask(AppendTurnDocument, { input });
    };
    // Baton executes the handoff as an MCP tool. What was done is recorded first: the next agent reads it.
    const recordFirst = async (_input, callId) => {
      // The hook may run before the loop below gets the message with the call.
      await callSeen(callId).promise;
      await record();
      return {};
    };

    const options = {
      pathToClaudeCodeExecutable,
      mcpServers: { baton: { type: 'http', url: `${url}/mcp/${agentId}`, headers, alwaysLoad: true } },
      allowedTools: ['mcp__baton__*', 'Read', 'Glob', 'Grep'],
      hooks: { PreToolUse: [{ matcher: handsOff.source, hooks: [recordFirst] }] },
    };
    for await (const { type, message } of query({ prompt: contextPrompt.text, options })) {
      if (type !== 'assistant' && type !== 'user') continue;
      for (const block of Array.isArray(message.content) ? message.content : []) {
        if (block.type === 'text' && type === 'assistant') messages.push({ role: 'ASSISTANT', content: block.text });
        if (block.type === 'tool_use') calls.set(block.id, block);
        if (block.type === 'tool_use') callSeen(block.id).resolve();
        if (block.type !== 'tool_result') continue;
        const { name, input } = calls.get(block.tool_use_id);
        if (handsOff.test(name) && block.is_error !== true) return console.log(`${session.title}: handed off`);
        toolCalls.push({
          callId: block.tool_use_id,
          name,
          arguments: input,
          [block.is_error ? 'error' : 'result']: JSON.stringify(block.content),
        });
      }
    }
    await record();
  },
);
