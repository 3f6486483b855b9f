import { Connection, type ConnectionOptions } from './connection.ts';
import { EventStream, type StreamOptions } from './stream.ts';

export type { Backoff } from './backoff.ts';
export type { ConnectionOptions, SocketClass, Status } from './connection.ts';
export { StreamError, type Refusal } from './errors.ts';
export type { EventType, Topic } from './requests.ts';
export type { Gap } from './sequences.ts';
export { EventStream, type StreamEvent, type StreamOptions, type StreamStats } from './stream.ts';

/**
 * Streams Baton's events to any program: each once and in order, across lost sockets and server restarts.
 *
 *     import { WebSocket } from 'ws'; // Node 20 only
 *     const stream = openStream({ url: 'http://127.0.0.1:4000', webSocket: WebSocket, topic: { kind: 'handoffAssigned', agentId: 'claude-1' }, after: kept });
 *     for await (const event of stream) {
 *       await deal(event);
 *       kept = event.cursor;
 *     }
 *
 * `for await` ends with `stream.stop()` or `break`, and throws a StreamError when the server rejects the stream permanently.
 */
export function openStream<Fields = object>(options: ConnectionOptions & StreamOptions): EventStream<Fields> {
  return connect(options).open<Fields>(options);
}

/** Several streams over one socket, which stays open while one of them does. */
export function connect(options: ConnectionOptions): {
  open<Fields = object>(options: StreamOptions): EventStream<Fields>;
  retryNow(): void;
} {
  const connection = new Connection(options);
  return {
    open: <Fields>(stream: StreamOptions) => new EventStream<Fields>(connection, stream),
    retryNow: () => connection.retryNow(),
  };
}
