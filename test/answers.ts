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
