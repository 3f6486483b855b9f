import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

interface Post {
  key: string;
  path?: string;
  headers?: Record<string, string>;
  body: string;
}

const failure = (error: unknown): string => (error as { code?: string }).code ?? (error as Error).name;

/** Sends a request on its own connection; rejects when it breaks or `signal` aborts. */
export async function open(
  url: string,
  { key, path = '/graphql', headers = {}, body }: Post,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const outgoing = request(`${url}${path}`, {
    agent: false,
    method: 'POST',
    signal,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
  });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  outgoing.on('error', () => undefined);
  response.on('error', () => undefined);
  return response;
}

/** The answer's status and its first error code. */
export async function ask(url: string, key: string, query: string, signal: AbortSignal): Promise<string> {
  try {
    const response = await open(url, { key, body: JSON.stringify({ query }) }, signal);
    const body = await text(response);
    const code =
      body.length > 100_000
        ? undefined
        : (JSON.parse(body) as { errors?: { extensions?: { code?: string } }[] }).errors?.[0]?.extensions?.code;
    return [response.statusCode, code].filter(Boolean).join(' ');
  } catch (error) {
    return failure(error);
  }
}

/** Writes and never reads; resolves when the server closes the connection or the signal aborts. */
export async function unread(
  url: string,
  head: string,
  signal: AbortSignal,
): Promise<'closed by the server' | 'held to the end'> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), signal });
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(head);
  // A paused socket does not report its end, so the kernel's state is checked.
  const closed = once(socket, 'close').then(() => undefined);
  const probe = setInterval(() => socket.write(''), 1_000);
  await closed;
  clearInterval(probe);
  return signal.aborted ? 'held to the end' : 'closed by the server';
}

export function postHead(path: string, key: string, body: string, headers: Record<string, string> = {}): string {
  const all = {
    host: '127.0.0.1',
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  };
  return `POST ${path} HTTP/1.1\r\n${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${body}`;
}

/** A hand-made WebSocket, for frames that libraries do not send. */
export async function handSocket(url: string, key: string, signal: AbortSignal): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), signal });
  // Each race between `drain` and `close` leaves a listener.
  socket.setMaxListeners(0);
  socket.on('error', () => undefined);
  socket.write(
    'GET /graphql HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-protocol: graphql-transport-ws\r\n\r\n',
  );
  await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  socket.write(
    frame(0x81, Buffer.from(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${key}` } }))),
  );
  socket.resume();
  return socket;
}

/** A client's frame with a zero mask. */
export function frame(head: number, payload: Buffer): Buffer {
  const length =
    payload.length < 126
      ? Buffer.from([0x80 | payload.length])
      : Buffer.from([0x80 | 126, payload.length >> 8, payload.length & 0xff]);
  return Buffer.concat([Buffer.from([head]), length, Buffer.alloc(4), payload]);
}

export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });
