import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from './database.ts';

/** One answer of the model: words, or calls of tools. */
export interface Step {
  text?: string;
  calls?: { id: string; name: string; arguments: object | string }[];
}

interface Received {
  path: string;
  body: { tools: object[]; messages?: { role: string; content: unknown }[]; input?: unknown };
}

/**
 * A model that says what a script tells it, over HTTP: OpenAI chat completions and responses, and Anthropic messages, each as
 * one JSON answer. The real SDKs run against it without a network and without a key. After the script it says "Done.".
 */
export async function scriptedModel(steps: readonly Step[]): Promise<{ url: string; received: Received[]; answers: object[] }> {
  const received: Received[] = [];
  const answers: object[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const path = request.url ?? '';
      received.push({ path, body: JSON.parse(Buffer.concat(chunks).toString()) as Received['body'] });
      const step = steps[answers.length] ?? { text: 'Done.' };
      const answer = path.endsWith('/responses') ? responseOf(step) : path.endsWith('/messages') ? messageOf(step) : completionOf(step);
      answers.push(answer);
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
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

const completionOf = ({ text = null, calls = [] }: { text?: string | null } & Omit<Step, 'text'>): object => ({
  id: 'chatcmpl-1',
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
        ...(calls.length > 0 && { tool_calls: calls.map(({ id, name, arguments: given }) => ({ id, type: 'function', function: { name, arguments: textOf(given) } })) }),
      },
    },
  ],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
});

const responseOf = ({ text, calls = [] }: Step): object => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1_767_225_600,
  model: 'scripted',
  status: 'completed',
  error: null,
  output: [
    ...(text === undefined ? [] : [{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text, annotations: [] }] }]),
    ...calls.map(({ id, name, arguments: given }) => ({ type: 'function_call', id: `fc_${id}`, call_id: id, name, arguments: textOf(given), status: 'completed' })),
  ],
  usage: { input_tokens: 10, input_tokens_details: { cached_tokens: 0 }, output_tokens: 5, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 15 },
});

const messageOf = ({ text, calls = [] }: Step): object => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'scripted',
  content: [...(text === undefined ? [] : [{ type: 'text', text }]), ...calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input }))],
  stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 5 },
});
