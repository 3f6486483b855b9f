import type { ExecutionResult } from 'graphql';
import { isAsyncIterable, type Plugin, processRegularResult } from 'graphql-yoga';
import { EventStream, eventsOf } from './eventStream.ts';
import { regularAnswer } from './plainPost.ts';

type Results = AsyncIterable<ExecutionResult>;

/**
 * Answers Server-Sent Events and `multipart/mixed` in the place of Yoga's own processors (graphql-yoga 5.24). Theirs are
 * streams whose `pull`, `cancel` and ping throw when the client left before the first read or during a pull. They run in
 * callbacks of streams and timers, where nothing catches that: one client that left early ended the process.
 */
export const streamedResults: Plugin = {
  onResultProcess({ request, result, resultProcessor, setResultProcessor }) {
    if (resultProcessor === undefined) {
      // Yoga answers 406 and leaves the subscription open.
      if (isAsyncIterable(result)) void result[Symbol.asyncIterator]().return?.();
      return;
    }
    if (resultProcessor === processRegularResult && !isAsyncIterable(result)) return;
    const isEvents = isAsyncIterable(result) || /\btext\/(event-stream|\*)/i.test(request.headers.get('accept') ?? '');
    const [process, type] = isEvents
      ? [(answer: ExecutionResult | Results) => toEvents(answer), 'text/event-stream']
      : [(answer: ExecutionResult) => toMultipart(answer), 'multipart/mixed'];
    setResultProcessor(process as never, type);
  },
};

function toEvents(answer: ExecutionResult | Results): EventStream {
  const isStream = isAsyncIterable(answer);
  const results = isStream ? answer[Symbol.asyncIterator]() : null;
  const { status, headers } = regularAnswer(isStream ? {} : answer, 'application/json');
  const texts = textsOf(isStream ? answer : [answer]);
  return new EventStream(
    eventsOf(
      async () => (await texts.next()).value ?? null,
      async () => results?.return?.(),
    ),
    { status, headers },
  );
}

async function* textsOf(
  results: AsyncIterable<ExecutionResult> | Iterable<ExecutionResult>,
): AsyncGenerator<string, undefined> {
  // Some browsers do not begin an answer before its first byte.
  yield ':\n\n';
  for await (const result of results) yield `event: next\ndata: ${regularAnswer(result, 'application/json').body}\n\n`;
  yield 'event: complete\ndata:\n\n';
}

function toMultipart(answer: ExecutionResult): Response {
  const { status, headers, body } = regularAnswer(answer, 'application/json');
  const part = `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}`;
  return new Response(`\r\n---\r\n${part}\r\n\r\n${body}\r\n-----\r\n`, {
    status,
    headers: { ...headers, 'content-type': 'multipart/mixed; boundary="-"' },
  });
}
