/** Answers of models as their providers give them, for tests. */

export interface Called {
  name: string;
  /** JSON text. Anthropic gives the value itself. */
  json: string;
}

const callId = (at: number): string => `call_${at}`;
const text = 'I hand this over now.';

export const anthropicMessage = (calls: readonly Called[], stopReason = 'tool_use') => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-6',
  content: [
    { type: 'text', text },
    ...calls.map(({ name, json }, at) => ({
      type: 'tool_use',
      id: callId(at),
      name,
      input: json === '' ? {} : (JSON.parse(json) as unknown),
    })),
  ],
  stop_reason: stopReason,
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 5 },
});

export const chatCompletion = (calls: readonly Called[], finishReason = 'tool_calls') => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_743_736_711,
  model: 'gpt-4o',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: text,
        tool_calls: calls.map(({ name, json }, at) => ({
          id: callId(at),
          type: 'function',
          function: { name, arguments: json },
        })),
        refusal: null,
      },
      finish_reason: finishReason,
    },
  ],
});

const messageItem = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
};
const callItem = ({ name, json }: Called, at: number) => ({
  type: 'function_call',
  id: `fc_${at}`,
  call_id: callId(at),
  name,
  arguments: json,
  status: 'completed',
});

export const openaiResponse = (calls: readonly Called[]) => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  output: [messageItem, ...calls.map(callItem)],
  tools: [{ type: 'function', name: 'transfer_to_offered_only', parameters: {} }],
});

/** Items of a run of the Agents SDK for JavaScript: calls whose names begin with `transfer_to_` are its handoffs. */
export const runItems = (calls: readonly Called[], targetOf: (name: string) => string | null = () => null) => {
  const agent = { name: 'Triage' };
  return calls.flatMap(({ name, json }, at) => {
    const rawItem = {
      type: 'function_call',
      id: `fc_${at}`,
      callId: callId(at),
      name,
      arguments: json,
      status: 'completed',
    };
    if (!name.startsWith('transfer_to_') && targetOf(name) === null)
      return [{ type: 'tool_call_item', rawItem, agent }];
    const call = { type: 'handoff_call_item', rawItem, agent };
    const target = targetOf(name);
    const output = {
      type: 'function_call_result',
      callId: callId(at),
      name,
      status: 'completed',
      output: { type: 'text', text: '{}' },
    };
    return target === null
      ? [call]
      : [call, { type: 'handoff_output_item', rawItem: output, sourceAgent: agent, targetAgent: { name: target } }];
  });
};

export type Cut = (text: string) => readonly string[];

/** The events of a stream whose arguments come in the given pieces. */
export const anthropicEvents = (calls: readonly Called[], pieces: Cut, stopReason = 'tool_use'): object[] => [
  {
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [],
      stop_reason: null,
      usage: { input_tokens: 10 },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'ping' },
  ...pieces(text).map((part) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: part } })),
  { type: 'content_block_stop', index: 0 },
  ...calls.flatMap(({ name, json }, at) => [
    {
      type: 'content_block_start',
      index: at + 1,
      content_block: { type: 'tool_use', id: callId(at), name, input: {} },
    },
    ...pieces(json).map((part) => ({
      type: 'content_block_delta',
      index: at + 1,
      delta: { type: 'input_json_delta', partial_json: part },
    })),
    { type: 'content_block_stop', index: at + 1 },
  ]),
  { type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: 5 } },
  { type: 'message_stop' },
];

export const chatEvents = (calls: readonly Called[], pieces: Cut, finishReason = 'tool_calls'): object[] => {
  const chunk = (delta: object, finish: string | null = null) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'gpt-4o',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  return [
    chunk({ role: 'assistant', content: '' }),
    ...pieces(text).map((content) => chunk({ content })),
    ...calls.flatMap(({ name, json }, index) => [
      chunk({ tool_calls: [{ index, id: callId(index), type: 'function', function: { name, arguments: '' } }] }),
      ...pieces(json).map((part) => chunk({ tool_calls: [{ index, function: { arguments: part } }] })),
    ]),
    chunk({}, finishReason),
    { id: 'chatcmpl-1', object: 'chat.completion.chunk', choices: [], usage: { total_tokens: 15 } },
  ];
};

export const responseEvents = (calls: readonly Called[], pieces: Cut): object[] => [
  { type: 'response.created', response: { id: 'resp_1', object: 'response', status: 'in_progress', output: [] } },
  { type: 'response.output_item.added', output_index: 0, item: { ...messageItem, status: 'in_progress', content: [] } },
  ...pieces(text).map((delta) => ({ type: 'response.output_text.delta', output_index: 0, delta })),
  { type: 'response.output_item.done', output_index: 0, item: messageItem },
  ...calls.flatMap((call, at) => {
    const [item, index] = [callItem(call, at), { output_index: at + 1, item_id: `fc_${at}` }];
    return [
      { type: 'response.output_item.added', ...index, item: { ...item, arguments: '', status: 'in_progress' } },
      ...pieces(call.json).map((delta) => ({ type: 'response.function_call_arguments.delta', ...index, delta })),
      { type: 'response.function_call_arguments.done', ...index, arguments: call.json },
      { type: 'response.output_item.done', ...index, item },
    ];
  }),
  { type: 'response.completed', response: openaiResponse(calls) },
];

/** The text of the stream as it comes over HTTP. */
export const sse = (events: readonly object[], { named = true, newline = '\n' } = {}): string =>
  events
    .map(
      (event) =>
        `${named && 'type' in event ? `event: ${String(event.type)}${newline}` : ''}data: ${JSON.stringify(event)}${newline}${newline}`,
    )
    .join('');

const given = (json: string): unknown => (json === '' ? {} : JSON.parse(json));

export const geminiResponse = (calls: readonly Called[], finishReason = 'STOP') => ({
  candidates: [
    {
      content: {
        role: 'model',
        parts: [
          { text },
          ...calls.map(({ name, json }, at) => ({ functionCall: { id: callId(at), name, args: given(json) } })),
        ],
      },
      finishReason,
      index: 0,
    },
  ],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  modelVersion: 'gemini-3-pro',
});

export const converseAnswer = (calls: readonly Called[], stopReason = 'tool_use') => ({
  output: {
    message: {
      role: 'assistant',
      content: [
        { text },
        ...calls.map(({ name, json }, at) => ({ toolUse: { toolUseId: callId(at), name, input: given(json) } })),
      ],
    },
  },
  stopReason,
  usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
  metrics: { latencyMs: 5 },
});

export const ollamaAnswer = (calls: readonly Called[], doneReason = 'stop') => ({
  model: 'qwen3',
  created_at: '2026-03-02T09:00:00Z',
  message: {
    role: 'assistant',
    content: text,
    tool_calls: calls.map(({ name, json }, at) => ({ id: callId(at), function: { name, arguments: given(json) } })),
  },
  done: true,
  done_reason: doneReason,
});

const toolCallParts = (calls: readonly Called[]) =>
  calls.map(({ name, json }, at) => ({
    type: 'tool-call',
    toolCallId: callId(at),
    toolName: name,
    input: given(json),
  }));
export const aiSdkMessage = (calls: readonly Called[]) => ({
  role: 'assistant',
  content: [{ type: 'text', text }, ...toolCallParts(calls)],
});
export const aiSdkResult = (calls: readonly Called[]) => {
  const step = { text, toolCalls: toolCallParts(calls), toolResults: [], finishReason: 'tool-calls' };
  return { ...step, steps: [{ ...step, toolCalls: toolCallParts([{ name: 'earlier', json: '' }]) }, step] };
};
export const uiMessage = (calls: readonly Called[]) => ({
  id: 'm',
  role: 'assistant',
  parts: [
    { type: 'text', text },
    ...toolCallParts(calls).map(({ toolCallId, toolName, input }) => ({
      type: `tool-${toolName}`,
      toolCallId,
      state: 'input-available',
      input,
    })),
  ],
});
export const uiMessageEvents = (calls: readonly Called[]): object[] => [
  { type: 'start' },
  { type: 'start-step' },
  ...toolCallParts(calls).flatMap(({ toolCallId, toolName, input }) => [
    { type: 'tool-input-start', toolCallId, toolName },
    { type: 'tool-input-delta', toolCallId, inputTextDelta: '{' },
    { type: 'tool-input-available', toolCallId, toolName, input },
  ]),
];

export const aiMessage = (calls: readonly Called[]) => ({
  type: 'ai',
  content: text,
  additional_kwargs: {},
  response_metadata: {},
  tool_calls: calls.map(({ name, json }, at) => ({ name, args: given(json), id: callId(at), type: 'tool_call' })),
  invalid_tool_calls: [],
});
export const serialisedAiMessage = (calls: readonly Called[]) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'messages', 'AIMessage'],
  kwargs: aiMessage(calls),
});

export const geminiEvents = (calls: readonly Called[]): object[] =>
  calls.map((call, at) => {
    const [candidate] = geminiResponse([call]).candidates;
    const [part] = candidate!.content.parts.slice(1) as { functionCall: object }[];
    return {
      candidates: [
        { content: { role: 'model', parts: [{ functionCall: { ...part!.functionCall, id: callId(at) } }] } },
      ],
    };
  });
export const converseEvents = (calls: readonly Called[], pieces: Cut): object[] => [
  { messageStart: { role: 'assistant' } },
  ...calls.flatMap(({ name, json }, at) => [
    { contentBlockStart: { start: { toolUse: { toolUseId: callId(at), name } }, contentBlockIndex: at } },
    ...pieces(json).map((input) => ({ contentBlockDelta: { delta: { toolUse: { input } }, contentBlockIndex: at } })),
    { contentBlockStop: { contentBlockIndex: at } },
  ]),
  { messageStop: { stopReason: 'tool_use' } },
];
export const ollamaEvents = (calls: readonly Called[]): object[] => [
  ...calls.map((call, at) => {
    const { message, ...answer } = ollamaAnswer([call]);
    const [made] = message.tool_calls;
    return { ...answer, message: { ...message, tool_calls: [{ ...made, id: callId(at) }] }, done: false };
  }),
  { ...ollamaAnswer([]), done: true },
];
export const aiMessageChunks = (calls: readonly Called[], pieces: Cut): object[] =>
  calls.flatMap(({ name, json }, at) =>
    ['', ...pieces(json)].map((args, part) => ({
      type: 'AIMessageChunk',
      content: '',
      tool_call_chunks: [
        {
          index: at,
          args,
          id: part === 0 ? callId(at) : null,
          name: part === 0 ? name : null,
          type: 'tool_call_chunk',
        },
      ],
    })),
  );
