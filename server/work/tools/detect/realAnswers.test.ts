import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { realDataFolder, realPath } from '../../../../test/realData.ts';
import { detectHandoffs } from './detectHandoffs.ts';
import type { DetectedFormat } from './detection.ts';
import type { Known } from './known.ts';

/** Recorded answers of real models, with the calls and handoffs that people found in them. */

interface ExpectedCall {
  api: 'anthropic' | 'chat' | 'responses';
  name: string;
  call_id: string;
  arguments: unknown;
  handoff: boolean;
}
interface Expected {
  calls: ExpectedCall[];
  offered_tools: string[];
}

const formats: Record<ExpectedCall['api'], DetectedFormat> = {
  anthropic: 'ANTHROPIC_MESSAGE',
  chat: 'OPENAI_CHAT_COMPLETION',
  responses: 'OPENAI_RESPONSE',
};
const read = (name: string): unknown => JSON.parse(readFileSync(realPath(name), 'utf8'));
const slugOf = (tool: string): string => tool.replace('transfer_to_', '');

/** Knows an agent for each of these handoff tools, by its slug with `-`, and no tool: only the style of the name counts. */
const knowing = (handoffs: readonly string[]): Known => ({
  agentId: 'caller',
  tools: [],
  agents: ['caller', ...handoffs.map((name) => slugOf(name).replaceAll('_', '-'))].map((id) => ({
    id,
    archived: false,
  })),
});

const responses =
  realDataFolder !== undefined && existsSync(realPath('responses/expected.json'))
    ? Object.entries(read('responses/expected.json') as Record<string, Expected>)
    : [];

describe.skipIf(responses.length === 0)('recorded answers', () => {
  it.each(responses)('finds the calls and handoffs of %s', (file, { calls, offered_tools: offered }) => {
    const handoffs = offered.filter((name) => name.startsWith('transfer_to_'));
    const found = detectHandoffs(read(`responses/${file}`), knowing(handoffs));
    expect(
      found.calls.map(({ toolName, callId, arguments: given, kind }) => ({
        name: toolName,
        call_id: callId,
        arguments: given,
        handoff: kind === 'HANDOFF',
      })),
    ).toEqual(
      calls.map(({ name, call_id, arguments: given, handoff }) => ({
        name,
        call_id,
        arguments: typeof given === 'string' ? (JSON.parse(given) as unknown) : given,
        handoff,
      })),
    );
    expect(found.format).toBe(calls[0] === undefined ? null : formats[calls[0].api]);
    expect(found.chosen?.toolName).toBe(calls.find(({ handoff }) => handoff)?.name);
  });

  it.each(responses)('finds no handoff in %s when no agent has such a name', (file, { calls }) => {
    const found = detectHandoffs(read(`responses/${file}`), knowing([]));
    expect(found.calls.map(({ kind }) => kind)).toEqual(calls.map(({ handoff }) => (handoff ? 'UNRESOLVED' : 'OTHER')));
  });

  it('finds the calls and handoffs of printed content blocks', () => {
    const printed = read('responses/anthropic-content-blocks.json') as {
      content: unknown;
      tool_uses: string[];
      handoffs: string[];
    }[];
    for (const { content, tool_uses, handoffs } of printed) {
      const { format, calls } = detectHandoffs(content, knowing(handoffs));
      expect(format).toBe('ANTHROPIC_MESSAGE');
      expect(calls.map(({ toolName }) => toolName)).toEqual(tool_uses);
      expect(calls.filter(({ kind }) => kind === 'HANDOFF').map(({ toolName }) => toolName)).toEqual(handoffs);
    }
  });

  it('knows the handoff calls of recorded AutoGen and ADK sessions as answers of their models', () => {
    const autogen = read('dumps/autogen-chat-history-wile-e-coyote.json') as {
      messages: { type: string; content: unknown }[];
    };
    const calls = autogen.messages.flatMap(({ type, content }) =>
      type === 'AssistantMessage' && Array.isArray(content)
        ? (content as { id: string; name: string; arguments: string }[])
        : [],
    );
    const completion = {
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            tool_calls: calls.map(({ id, ...called }) => ({ id, type: 'function', function: called })),
          },
        },
      ],
    };
    expect(detectHandoffs(completion, knowing(['transfer_to_issues_and_repairs'])).calls).toMatchObject([
      { kind: 'HANDOFF', targetAgentId: 'issues-and-repairs' },
    ]);

    const adk = read('dumps/adk-flow-complex-spark.session.json') as {
      events: { content?: { parts?: { function_call?: { name: string; args: object } }[] } }[];
    };
    const blocks = adk.events
      .flatMap(({ content }) => content?.parts ?? [])
      .flatMap(({ function_call: call }) =>
        call ? [{ type: 'tool_use', id: null, name: call.name, input: call.args }] : [],
      );
    const found = detectHandoffs(blocks, knowing(['research_assistant', 'spark_assistant']));
    expect(found.calls.map(({ kind, targetAgentId }) => [kind, targetAgentId])).toEqual([
      ['HANDOFF', 'research-assistant'],
      ['HANDOFF', 'spark-assistant'],
    ]);
  });

  it('finds nothing in records that are no answer', () => {
    for (const file of [
      'dumps/autogen-chat-history-wile-e-coyote.json',
      'dumps/adk-flow-complex-spark.session.json',
      'responses/expected.json',
    ]) {
      expect(detectHandoffs(read(file), knowing([]))).toEqual({ format: null, calls: [], chosen: null });
    }
  });
});
