import { describe, expect, it } from 'vitest';
import {
  aiMessage,
  aiMessageChunks,
  aiSdkMessage,
  aiSdkResult,
  anthropicMessage,
  type Called,
  chatCompletion,
  converseAnswer,
  converseEvents,
  geminiEvents,
  geminiResponse,
  ollamaAnswer,
  ollamaEvents,
  openaiResponse,
  runItems,
  serialisedAiMessage,
  uiMessage,
  uiMessageEvents,
} from '../../../../test/answers.ts';
import { detectHandoffs } from './detectHandoffs.ts';
import type { Known } from './known.ts';

const known: Known = {
  agentId: 'triage',
  tools: [{ id: null, name: 'transfer_to_reviewer-1', targetAgentId: 'reviewer-1', generated: true }],
  agents: ['triage', 'reviewer-1', 'writer'].map((id) => ({ id, archived: false })),
};
const detect = (response: unknown) => detectHandoffs(response, known);

const calls: Called[] = [
  { name: 'search', json: '{"query":"x"}' },
  { name: 'transfer_to_reviewer-1', json: '{"reason":"done"}' },
  { name: 'transfer_to_writer', json: '' },
];
const asExpected = [
  {
    index: 0,
    callId: 'call_0',
    toolName: 'search',
    arguments: { query: 'x' },
    kind: 'OTHER',
    targetAgentId: null,
    tool: null,
    problem: null,
  },
  {
    index: 1,
    callId: 'call_1',
    toolName: 'transfer_to_reviewer-1',
    arguments: { reason: 'done' },
    kind: 'HANDOFF',
    targetAgentId: 'reviewer-1',
    tool: known.tools[0],
    problem: null,
  },
  {
    index: 2,
    callId: 'call_2',
    toolName: 'transfer_to_writer',
    arguments: {},
    kind: 'HANDOFF',
    targetAgentId: 'writer',
    tool: null,
    problem: null,
  },
];

const python = (items: unknown): unknown =>
  JSON.parse(
    JSON.stringify(items)
      .replaceAll('rawItem', 'raw_item')
      .replaceAll('callId', 'call_id')
      .replaceAll('targetAgent', 'target_agent'),
  );
const state = (lastItems: unknown) => ({
  $schemaVersion: '1.4',
  currentTurn: 2,
  currentAgent: { name: 'Triage' },
  generatedItems: [],
  modelResponses: [],
  lastProcessedResponse: { newItems: lastItems },
});
const modelItems = runItems(calls).map(({ rawItem }) => rawItem);

const inPieces = (text: string): string[] => text.match(/[^]{1,4}/g) ?? [];

describe('the same calls in each format', () => {
  it.each([
    ['an Anthropic message', 'ANTHROPIC_MESSAGE', anthropicMessage(calls)],
    ['its content blocks', 'ANTHROPIC_MESSAGE', anthropicMessage(calls).content],
    ['a chat completion', 'OPENAI_CHAT_COMPLETION', chatCompletion(calls)],
    ['its message', 'OPENAI_CHAT_COMPLETION', chatCompletion(calls).choices[0]!.message],
    ['a response', 'OPENAI_RESPONSE', openaiResponse(calls)],
    ['its output items', 'OPENAI_RESPONSE', openaiResponse(calls).output],
    ['a response of Gemini', 'GEMINI_RESPONSE', geminiResponse(calls)],
    ['its content', 'GEMINI_RESPONSE', geminiResponse(calls).candidates[0]!.content],
    [
      'a response of Gemini in Python',
      'GEMINI_RESPONSE',
      JSON.parse(JSON.stringify(geminiResponse(calls)).replaceAll('functionCall', 'function_call')),
    ],
    ['the responses of its stream', 'GEMINI_RESPONSE', geminiEvents(calls)],
    ['an answer of Converse', 'BEDROCK_CONVERSE', converseAnswer(calls)],
    ['its message', 'BEDROCK_CONVERSE', converseAnswer(calls).output.message],
    ['the events of ConverseStream', 'BEDROCK_CONVERSE', converseEvents(calls, inPieces)],
    ['an answer of Ollama', 'OLLAMA_CHAT', ollamaAnswer(calls)],
    ['the answers of its stream', 'OLLAMA_CHAT', ollamaEvents(calls)],
    ['the last step of a result of the AI SDK', 'AI_SDK', aiSdkResult(calls)],
    ['its message', 'AI_SDK', aiSdkMessage(calls)],
    ['the last of its messages', 'AI_SDK', [aiSdkMessage([]), { role: 'tool', content: [] }, aiSdkMessage(calls)]],
    [
      'parts of the AI SDK 4',
      'AI_SDK',
      JSON.parse(JSON.stringify(aiSdkMessage(calls).content).replaceAll('"input"', '"args"')),
    ],
    ['a message of a UI', 'AI_SDK', uiMessage(calls)],
    ['the events of its stream', 'AI_SDK', uiMessageEvents(calls)],
    ['an AIMessage', 'LANGCHAIN_MESSAGE', aiMessage(calls)],
    ['a serialised AIMessage', 'LANGCHAIN_MESSAGE', serialisedAiMessage(calls)],
    ['an AIMessage with its type apart', 'LANGCHAIN_MESSAGE', { type: 'ai', data: aiMessage(calls) }],
    [
      'the last AIMessage of a state',
      'LANGCHAIN_MESSAGE',
      { messages: [{ type: 'human', content: 'x' }, aiMessage([]), { type: 'tool', content: '' }, aiMessage(calls)] },
    ],
    ['chunks of an AIMessage', 'LANGCHAIN_MESSAGE', aiMessageChunks(calls, inPieces)],
    ['items of a run', 'AGENTS_SDK', runItems(calls)],
    ['items of a run in Python', 'AGENTS_SDK', python(runItems(calls))],
    ['a model response of the Agents SDK', 'AGENTS_SDK', { usage: {}, output: modelItems, responseId: 'resp_1' }],
    ['its output items', 'AGENTS_SDK', modelItems],
    ['a RunState', 'AGENTS_SDK', state(runItems(calls))],
    [
      'a RunState without processed items',
      'AGENTS_SDK',
      { $schemaVersion: '1.0', lastModelResponse: { output: modelItems } },
    ],
    [
      'a RunState of Python',
      'AGENTS_SDK',
      { $schemaVersion: '1.0', model_responses: [{ output: [] }, { output: python(modelItems) }] },
    ],
  ])('reads %s', (_name, format, answer) => {
    const found = detect(answer);
    expect(found.format).toBe(format);
    expect(found.calls).toEqual(asExpected);
    expect(found.chosen).toBe(found.calls[1]);
    expect(detect(JSON.stringify(answer))).toEqual(found);
    if (Array.isArray(answer)) expect(detect(answer.map((part) => JSON.stringify(part)).join('\n'))).toEqual(found);
  });
});

describe('what is peculiar to a format', () => {
  it('reads the older function_call of a chat completion, which has no id', () => {
    const answer = {
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: null, function_call: { name: 'transfer_to_writer', arguments: '{}' } },
        },
      ],
    };
    expect(detect(answer).calls).toMatchObject([{ callId: null, kind: 'HANDOFF', targetAgentId: 'writer' }]);
  });

  it('reads JSON from the text of a custom tool', () => {
    const item = { type: 'custom_tool_call', call_id: 'c', name: 'transfer_to_writer', input: '{"reason":"x"}' };
    expect(detect([item]).calls).toMatchObject([{ kind: 'HANDOFF', arguments: { reason: 'x' } }]);
    expect(detect([{ ...item, input: 'please' }]).calls).toMatchObject([
      { kind: 'HANDOFF', arguments: null, problem: { code: 'INVALID_ARGUMENTS' } },
    ]);
  });

  it('reads a call in a namespace, as Codex makes it', () => {
    const item = {
      type: 'function_call',
      call_id: 'c',
      namespace: 'mcp__baton',
      name: 'transfer_to_reviewer-1',
      arguments: '{}',
    };
    expect(detect([item]).calls).toMatchObject([{ kind: 'HANDOFF', tool: known.tools[0] }]);
  });

  it('leaves out a call that the provider of the AI SDK executes', () => {
    const [call] = aiSdkMessage(calls).content.slice(1);
    expect(detect([{ ...call, providerExecuted: true }])).toMatchObject({ format: 'AI_SDK', calls: [] });
  });

  it('lists a call whose arguments LangChain could not read', () => {
    const message = { ...aiMessage([]), invalid_tool_calls: [{ name: 'transfer_to_writer', args: '{', id: 'c' }] };
    expect(detect(message).calls).toMatchObject([
      { kind: 'HANDOFF', arguments: null, problem: { code: 'INVALID_ARGUMENTS' } },
    ]);
  });

  it('takes the target that the Agents SDK names for a tool with another name', () => {
    const items = runItems([{ name: 'escalate', json: '{}' }], () => 'Reviewer_1');
    expect(detect(items).calls).toMatchObject([{ toolName: 'escalate', kind: 'HANDOFF', targetAgentId: 'reviewer-1' }]);
    expect(detect(python(items)).calls).toMatchObject([{ kind: 'HANDOFF', targetAgentId: 'reviewer-1' }]);
  });

  it('leaves a handoff of the Agents SDK unresolved when no agent has the name of its target', () => {
    const [call, output] = runItems([{ name: 'escalate', json: '{}' }], () => 'Reviewers');
    expect(detect([call, output]).calls).toMatchObject([
      { kind: 'UNRESOLVED', problem: { code: 'UNKNOWN_TARGET', suggestions: ['reviewer-1'] } },
    ]);
    expect(detect([call]).calls).toMatchObject([{ kind: 'UNRESOLVED', problem: { code: 'MISSING_TARGET' } }]);
  });

  it('takes the target of a handoff that a RunState has still to make', () => {
    const [item] = runItems([{ name: 'escalate', json: '{}' }], () => 'Reviewer_1');
    const answer = {
      $schemaVersion: '1.4',
      lastProcessedResponse: {
        newItems: [item],
        handoffs: [{ toolCall: item!.rawItem, handoff: {}, targetAgent: { name: 'Reviewer 1' } }],
      },
    };
    expect(detect(answer).chosen).toMatchObject({ toolName: 'escalate', kind: 'HANDOFF', targetAgentId: 'reviewer-1' });
  });

  it('reads only the last model response of a RunState', () => {
    const [first] = runItems([{ name: 'transfer_to_writer', json: '{}' }]);
    const [last] = runItems([{ name: 'search', json: '{}' }]);
    const answer = {
      $schemaVersion: '1.4',
      generatedItems: [first],
      modelResponses: [{ output: [first!.rawItem] }, { output: [last!.rawItem] }],
    };
    expect(detect(answer).calls).toMatchObject([{ toolName: 'search' }]);
  });

  it('lists a call that waits for approval once', () => {
    const [item] = runItems([{ name: 'search', json: '{}' }]);
    expect(detect([item, { ...item, type: 'tool_approval_item' }]).calls).toHaveLength(1);
  });

  it('reports a call in which an answer was cut off', () => {
    const cut = {
      calls: [
        {
          arguments: null,
          problem: { code: 'INVALID_ARGUMENTS', message: 'The answer ends within the arguments: ask the model again' },
        },
      ],
    };
    const whole = [{ name: 'transfer_to_writer', json: '{}' }];
    expect(detect(geminiResponse(whole, 'MAX_TOKENS'))).toMatchObject(cut);
    expect(detect(converseAnswer(whole, 'max_tokens'))).toMatchObject(cut);
    expect(detect(ollamaAnswer(whole, 'length'))).toMatchObject(cut);
    expect(detect(converseEvents(whole, inPieces).slice(0, 2))).toMatchObject(cut);
    expect(detect(uiMessageEvents(whole).slice(0, -1))).toMatchObject(cut);
    const half = [{ name: 'transfer_to_writer', json: '{"rea' }];
    expect(detect(anthropicMessage([{ name: 'transfer_to_writer', json: '{}' }], 'max_tokens'))).toMatchObject(cut);
    expect(detect(chatCompletion(half, 'length'))).toMatchObject(cut);
    expect(
      detect({
        output: [
          { type: 'function_call', call_id: 'c', name: 'transfer_to_writer', arguments: '', status: 'incomplete' },
        ],
      }),
    ).toMatchObject(cut);
  });
});
