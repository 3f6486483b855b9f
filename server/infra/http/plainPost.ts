import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

/** Whether a Content-Type says JSON, whatever its parameters. */
export const isJson = (type: string | null | undefined): boolean => /^application\/json\s*(;|$)/i.test(type ?? '');

/** Whether this is JSON of a length that is known and allowed, from somebody who waits for one answer. */
export function isPlainPost({ method, headers }: IncomingMessage, mostBytes: number): boolean {
  const { 'content-length': length = '', 'content-type': type = '', 'transfer-encoding': chunked, accept = '' } = headers;
  return (
    method === 'POST' &&
    chunked === undefined &&
    /^\d{1,15}$/.test(length) &&
    Number(length) <= mostBytes &&
    isJson(type) &&
    !accept.includes('text/event-stream')
  );
}

interface FetchAPI {
  Request: typeof Request;
}

/**
 * The request with its body read. Whoever is given a stream limits it, pipes it and watches it for its end, which takes a
 * tenth of what a list costs; Node's parser holds a body to its length without any of that. Null when it broke off.
 */
export async function readPlainPost(request: IncomingMessage, base: string, { Request }: FetchAPI): Promise<Request | null> {
  const body = await text(request).catch(() => null);
  if (body === null) return null;
  const read = new Request(`${base}${request.url}`, { method: 'POST', headers: request.headers as Record<string, string>, body });
  // There is nothing left to stream, for those who ask.
  return Object.defineProperty(read, 'body', { value: null });
}
