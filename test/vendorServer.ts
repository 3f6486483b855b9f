import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from './hooks.ts';

/** One answer of a model, or what comes instead. */
export interface VendorAnswer {
  text?: string;
  calls?: { name: string; args: object | string }[];
  /** It ends at the greatest length. */
  isCut?: boolean;
  /** An error of HTTP. */
  status?: number;
  retryAfter?: string;
  /** The connection ends in the middle of the answer, or nothing ever comes. */
  fault?: 'broken' | 'silent';
}

/**
 * A server that answers as Anthropic, OpenAI, Google and a server with OpenAI's chat completions do, whole or as a stream, whatever is asked
 * for. The first folder of the address says whose script it goes on with. `received` has the bodies by that name.
 */
export async function vendorServer(
  scripts: Record<string, readonly VendorAnswer[]>,
): Promise<{ url: string; received: Record<string, unknown[]>; keys: Set<string> }> {
  const received: Record<string, unknown[]> = {};
  const keys = new Set<string>();
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const path = request.url ?? '';
      const name = path.split('/')[1] ?? '';
      const bodies = (received[name] ??= []);
      const answer = scripts[name]?.[bodies.length] ?? { text: 'Done.' };
      bodies.push(body);
      const { authorization, 'x-api-key': anthropic, 'x-goog-api-key': google } = request.headers;
      for (const key of [authorization, anthropic, google]) if (typeof key === 'string') keys.add(key);
      const isStream = path.includes(':streamGenerateContent') || (body as { stream?: boolean }).stream === true;
      const format = path.includes('/responses')
        ? openai
        : path.includes('/messages')
          ? anthropicOf
          : path.includes('enerateContent')
            ? googleOf
            : completion;
      reply(response, answer, format(answer, bodies.length), isStream);
    });
  });
  return { url: await listen(server), received, keys };
}

interface Formatted {
  whole: object;
  events: object[];
  /** Chat completions end with a word of their own. */
  last?: string;
}

function reply(
  response: ServerResponse,
  answer: VendorAnswer,
  { whole, events, last }: Formatted,
  isStream: boolean,
): void {
  const { status, retryAfter, fault } = answer;
  if (fault === 'silent') return;
  if (status !== undefined) {
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
    });
    return void response.end(
      JSON.stringify({ error: { message: 'Not now', type: 'error', code: status, status: 'NO' } }),
    );
  }
  const body = isStream
    ? `${events.map((event) => `${'type' in event ? `event: ${String(event.type)}\n` : ''}data: ${JSON.stringify(event)}\n\n`).join('')}${last ?? ''}`
    : JSON.stringify(whole);
  response.writeHead(200, {
    'content-type': isStream ? 'text/event-stream' : 'application/json',
    ...(!isStream && { 'content-length': Buffer.byteLength(body) }),
  });
  if (fault === undefined) return void response.end(body);
  response.write(body.slice(0, body.length / 2), () => response.destroy());
}

const textOf = (args: object | string): string => (typeof args === 'string' ? args : JSON.stringify(args));

function anthropicOf({ text, calls = [], isCut }: VendorAnswer, n: number): Formatted {
  const content = [
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.map(({ name, args }, index) => ({ type: 'tool_use', id: `toolu_${n}_${index}`, name, input: args })),
  ];
  const stop_reason = isCut === true ? 'max_tokens' : calls.length > 0 ? 'tool_use' : 'end_turn';
  const message = { id: `msg_${n}`, type: 'message', role: 'assistant', model: 'claude-test', stop_sequence: null };
  const usage = { input_tokens: 10, output_tokens: 5 };
  return {
    whole: { ...message, content, stop_reason, usage },
    events: [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage } },
      ...content.flatMap((block, index) => [
        {
          type: 'content_block_start',
          index,
          content_block: 'text' in block ? { type: 'text', text: '' } : { ...block, input: {} },
        },
        {
          type: 'content_block_delta',
          index,
          delta:
            'text' in block
              ? { type: 'text_delta', text: block.text }
              : { type: 'input_json_delta', partial_json: textOf(block.input) },
        },
        { type: 'content_block_stop', index },
      ]),
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ],
  };
}

function openai({ text, calls = [], isCut }: VendorAnswer, n: number): Formatted {
  const output = [
    ...(text === undefined
      ? []
      : [
          {
            type: 'message',
            id: `msg_${n}`,
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text, annotations: [] }],
          },
        ]),
    ...calls.map(({ name, args }, index) => ({
      type: 'function_call',
      id: `fc_${n}_${index}`,
      call_id: `call_${n}_${index}`,
      name,
      arguments: textOf(args),
      status: 'completed',
    })),
  ];
  const response = {
    id: `resp_${n}`,
    object: 'response',
    created_at: 1_767_225_600,
    model: 'gpt-test',
    status: isCut === true ? 'incomplete' : 'completed',
    incomplete_details: isCut === true ? { reason: 'max_output_tokens' } : null,
    error: null,
    output,
    usage: {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 0 },
    },
  };
  return {
    whole: response,
    events: [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      ...output.flatMap((item, output_index): object[] => [
        { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress' } },
        ...('content' in item
          ? [
              {
                type: 'response.output_text.delta',
                item_id: item.id,
                output_index,
                content_index: 0,
                delta: text ?? '',
              },
            ]
          : [
              {
                type: 'response.function_call_arguments.delta',
                item_id: item.id,
                output_index,
                delta: item.arguments,
              },
            ]),
        { type: 'response.output_item.done', output_index, item },
      ]),
      { type: isCut === true ? 'response.incomplete' : 'response.completed', response },
    ],
  };
}

function googleOf({ text, calls = [], isCut }: VendorAnswer): Formatted {
  const parts = [
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map(({ name, args }) => ({ functionCall: { name, args }, thoughtSignature: `signature of ${name}` })),
  ];
  const finishReason = isCut === true ? 'MAX_TOKENS' : 'STOP';
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
  const of = (given: object[], more: object): object => ({
    candidates: [{ index: 0, content: { role: 'model', parts: given }, ...more }],
    usageMetadata,
    modelVersion: 'gemini-test',
  });
  return {
    whole: of(parts, { finishReason }),
    events: [...parts.map((part) => of([part], {})), of([{ text: '' }], { finishReason })],
  };
}

function completion({ text, calls = [], isCut }: VendorAnswer, n: number): Formatted {
  const tool_calls = calls.map(({ name, args }, index) => ({
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: textOf(args) },
  }));
  const finish_reason = isCut === true ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop';
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const about = { id: `chatcmpl-${n}`, created: 1_767_225_600, model: 'local-test' };
  const chunk = (delta: object, finish: string | null = null): object => ({
    ...about,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  return {
    whole: {
      ...about,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          finish_reason,
          message: { role: 'assistant', content: text ?? null, ...(calls.length > 0 && { tool_calls }) },
        },
      ],
      usage,
    },
    events: [
      ...(text === undefined ? [] : [chunk({ role: 'assistant', content: text })]),
      ...tool_calls.map((call, index) => chunk({ role: 'assistant', tool_calls: [{ index, ...call }] })),
      chunk({}, finish_reason),
      { ...about, object: 'chat.completion.chunk', choices: [], usage },
    ],
    last: 'data: [DONE]\n\n',
  };
}
