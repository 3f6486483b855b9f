import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from './database.ts';

/** One answer of the model: words, or calls of tools. */
export interface Step {
  text?: string;
  /** `namespace`: of the MCP server, for Codex. */
  calls?: { id: string; name: string; arguments: object | string; namespace?: string }[];
  /** Answers when this is resolved. */
  gate?: Promise<unknown>;
}

interface Received {
  path: string;
  /** Only programs send requests without tools. */
  body: { tools: object[]; messages?: { role: string; content: unknown }[]; input?: unknown; stream?: boolean };
}

/**
 * A model that says what a script tells it, over HTTP: OpenAI chat completions and responses, and Anthropic messages, each as
 * one JSON answer; the last two also as a stream, as the command lines of Codex and Claude Code ask for it. The real SDKs and
 * programs run against it without a network and without a key. Each answer has an id of its own. After the script it says "Done.", and so to streaming requests without tools.
 */
export async function scriptedModel(
  steps: readonly Step[],
): Promise<{ url: string; received: Received[]; answers: object[] }> {
  const received: Received[] = [];
  const answers: object[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const path = (request.url ?? '').split('?')[0]!;
      response.setHeader('content-type', 'application/json');
      // Programs also ask which models there are, and count tokens.
      if (request.method !== 'POST' || path.endsWith('/count_tokens'))
        return void response.end('{"data":[],"models":[],"input_tokens":10}');
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Received['body'];
      received.push({ path, body });
      const isAside = body.stream === true && ((body.tools as object[] | undefined) ?? []).length === 0;
      const step = (isAside ? undefined : steps[answers.length]) ?? { text: 'Done.' };
      const n = received.length;
      const answer = path.endsWith('/responses')
        ? responseOf(step, n)
        : path.endsWith('/messages')
          ? messageOf(step, n)
          : completionOf(step, n);
      if (!isAside) answers.push(answer);
      await step.gate;
      if (body.stream !== true) return void response.end(JSON.stringify(answer));
      const events = path.endsWith('/responses')
        ? responseEvents(answer as ReturnType<typeof responseOf>)
        : messageEvents(answer as ReturnType<typeof messageOf>);
      response
        .setHeader('content-type', 'text/event-stream')
        .end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, answers };
}

const textOf = (given: object | string): string => (typeof given === 'string' ? given : JSON.stringify(given));

const completionOf = (
  { text = null, calls = [] }: { text?: string | null } & Omit<Step, 'text' | 'gate'>,
  n: number,
): object => ({
  id: `chatcmpl-${n}`,
  object: 'chat.completion',
  created: 1_767_225_600,
  model: 'scripted',
  choices: [
    {
      index: 0,
      finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
      message: {
        role: 'assistant',
        content: text,
        ...(calls.length > 0 && {
          tool_calls: calls.map(({ id, name, arguments: given }) => ({
            id,
            type: 'function',
            function: { name, arguments: textOf(given) },
          })),
        }),
      },
    },
  ],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
});

const responseOf = ({ text, calls = [] }: Step, n: number) => ({
  id: `resp_${n}`,
  object: 'response',
  created_at: 1_767_225_600,
  model: 'scripted',
  status: 'completed',
  error: null,
  output: [
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
    ...calls.map(({ id, name, arguments: given, namespace }) => ({
      type: 'function_call',
      id: `fc_${id}`,
      call_id: id,
      name,
      ...(namespace !== undefined && { namespace }),
      arguments: textOf(given),
      status: 'completed',
    })),
  ],
  usage: {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 15,
  },
});

const messageOf = ({ text, calls = [] }: Step, n: number) => ({
  id: `msg_${n}`,
  type: 'message',
  role: 'assistant',
  model: 'scripted',
  content: [
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input })),
  ],
  stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 5 },
});

type Event = { type: string } & Record<string, unknown>;

const responseEvents = (response: ReturnType<typeof responseOf>): Event[] => [
  { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
  ...response.output.flatMap((item, index): Event[] => [
    { type: 'response.output_item.added', output_index: index, item: { ...item, status: 'in_progress' } },
    { type: 'response.output_item.done', output_index: index, item },
  ]),
  { type: 'response.completed', response },
];

const messageEvents = ({ content, stop_reason, stop_sequence, ...message }: ReturnType<typeof messageOf>): Event[] => [
  { type: 'message_start', message: { ...message, content: [], stop_reason: null, stop_sequence: null } },
  ...content.flatMap((block, index): Event[] => [
    {
      type: 'content_block_start',
      index,
      content_block: 'text' in block ? { ...block, text: '' } : { ...block, input: {} },
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
  { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage: { output_tokens: 5 } },
  { type: 'message_stop' },
];
