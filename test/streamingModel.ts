import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from './hooks.ts';

export interface Said {
  text?: string;
  tool?: string;
  args?: object;
}

/**
 * A model that says what a script tells it, as server-sent events: the Messages API of Anthropic and the Responses API of OpenAI.
 * The real command line tools run against it without a network and without a key. `requests` are the bodies that it received.
 */
export async function streamingModel(script: readonly Said[]): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  let answered = 0;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      requests.push(body);
      const isForAgent = /"tools":\[\{/.test(body);
      if (request.method !== 'POST' || request.url!.includes('count_tokens'))
        return response.setHeader('content-type', 'application/json').end('{"input_tokens":10,"data":[],"models":[]}');
      const said = isForAgent ? (script[answered++] ?? { text: 'Done.' }) : { text: 'Title' };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (request.url!.includes('responses')) respond(response, said, answered);
      else message(response, said, answered);
      return response.end();
    });
  });
  return { url: await listen(server), requests };
}

const emit = (response: ServerResponse, type: string, fields: object): void =>
  void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);

function respond(response: ServerResponse, { text: words, tool, args = {} }: Said, n: number): void {
  const item =
    tool === undefined
      ? {
          type: 'message',
          id: `msg_${n}`,
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: words, annotations: [] }],
        }
      : {
          type: 'function_call',
          id: `fc_${n}`,
          call_id: `call_${n}`,
          name: tool,
          arguments: JSON.stringify(args),
          status: 'completed',
        };
  const answer = { id: `resp_${n}`, object: 'response' };
  const usage = {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 15,
  };
  emit(response, 'response.created', { response: { ...answer, status: 'in_progress', output: [] } });
  emit(response, 'response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress' } });
  emit(response, 'response.output_item.done', { output_index: 0, item });
  emit(response, 'response.completed', { response: { ...answer, status: 'completed', output: [item], usage } });
}

function message(response: ServerResponse, { text: words, tool, args = {} }: Said, n: number): void {
  const usage = { input_tokens: 10, output_tokens: 5 };
  emit(response, 'message_start', {
    message: {
      id: `msg_${n}`,
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  });
  const block =
    tool === undefined ? { type: 'text', text: '' } : { type: 'tool_use', id: `toolu_${n}`, name: tool, input: {} };
  emit(response, 'content_block_start', { index: 0, content_block: block });
  emit(response, 'content_block_delta', {
    index: 0,
    delta:
      tool === undefined
        ? { type: 'text_delta', text: words }
        : { type: 'input_json_delta', partial_json: JSON.stringify(args) },
  });
  emit(response, 'content_block_stop', { index: 0 });
  emit(response, 'message_delta', {
    delta: { stop_reason: tool === undefined ? 'end_turn' : 'tool_use', stop_sequence: null },
    usage,
  });
  emit(response, 'message_stop', {});
}
