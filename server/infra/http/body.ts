import type { IncomingMessage } from 'node:http';

/** The body of a request as it arrives, to be read once. What is left unread is the HTTP server's. */
export type Body = AsyncIterable<Uint8Array>;

/** Thrown by a reader of a body whose sender disconnected. */
export class BrokenOff extends Error {}

export function bodyOf(request: IncomingMessage): Body {
  return {
    async *[Symbol.asyncIterator]() {
      try {
        // A destroyed request has lost its socket, and with it the answer.
        yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
      } catch {
        throw new BrokenOff();
      }
    },
  };
}

/** Null when the body is larger: it is read no further. @throws BrokenOff */
export async function readText(body: Body, mostBytes: number): Promise<string | null> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let read = '';
  for await (const part of body) {
    bytes += part.byteLength;
    if (bytes > mostBytes) return null;
    read += decoder.decode(part, { stream: true });
  }
  return read + decoder.decode();
}
