import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { limits } from '../../core/limits.ts';
import { StartError } from '../../core/startError.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Handles an upgrade request. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface HttpServer {
  listen(host: string, port: number): Promise<string>;
  /** Makes every further answer close its connection. */
  drain(): void;
  readonly draining: boolean;
  /** Resolves when no request runs any more. */
  idle(): Promise<void>;
  /** Closes the port and all connections. */
  close(): Promise<void>;
}

export type HttpLimits = { [Name in keyof typeof limits.http]: number };

export function createHttpServer(
  handle: Handler,
  upgrade: UpgradeHandler,
  chosen: Partial<HttpLimits> = {},
): HttpServer {
  const http: HttpLimits = { ...limits.http, ...chosen };
  const running = new Map<Socket, Set<ServerResponse>>();
  /** Connections whose last answer has begun. */
  const closing = new WeakSet<Duplex>();
  /** `closeAllConnections` does not close these, but `close` waits for them. */
  const upgraded = new Set<Duplex>();
  let draining = false;
  let waiting: (() => void)[] = [];

  const timeouts = {
    // Node.js would also count the time in which the server reads slowly: see `isSlow`.
    requestTimeout: 0,
    headersTimeout: http.headersWithin,
    keepAliveTimeout: http.idleWithin,
    connectionsCheckingInterval: http.checkedEvery,
  };
  const server = createServer({ ...timeouts, maxHeaderSize: http.headerBytes }, (request, response) => {
    const { socket } = request;
    // The client was told that no further request is answered.
    if (closing.has(socket)) return;
    const ofSocket = running.get(socket) ?? new Set();
    running.set(socket, ofSocket.add(response));
    if (draining) response.setHeader('connection', 'close');
    announceUnread(request, response, () => closing.add(socket));
    response.once('finish', () => dropRest(request, socket, http));
    response.once('close', () => {
      ofSocket.delete(response);
      if (ofSocket.size === 0) over(socket);
    });
    const refused = hasTooManyHeaders(request);
    // Later than the parser: a body that came with its head is complete then.
    queueMicrotask(() => {
      if (refused)
        response
          .writeHead(431, { connection: 'close', 'content-type': 'text/plain; charset=utf-8' })
          .end(`More than ${http.headers} headers: send fewer.\n`);
      else void handle(request, response);
    });
  });
  // A response that waits behind another one has no 'close' of its own.
  server.on('connection', (socket: Socket) => socket.once('close', () => over(socket)));
  const over = (socket: Socket): void => {
    running.delete(socket);
    if (running.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  const stalled = new WeakMap<Socket, { taken: number; since: number }>();
  const slow = new WeakMap<IncomingMessage, Arriving>();
  const clock = setInterval(() => {
    for (const [socket, responses] of running) {
      if (hasStalled(stalled, socket, http.drainWithin)) socket.destroy();
      for (const { req, headersSent } of responses) {
        if (!isSlow(slow, req, http)) continue;
        if (headersSent) socket.destroy();
        else refuseSocket(socket, 408);
      }
    }
  }, http.checkedEvery).unref();
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Without a listener, a client that disconnects before the answer would end the process.
    socket.on('error', () => socket.destroy());
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    if (closing.has(socket)) return void socket.destroy();
    if (hasTooManyHeaders(request)) return refuseSocket(socket, 431);
    upgrade(request, socket, head);
  });

  // No limit in Node, which would drop further headers silently.
  server.maxHeadersCount = 0;
  const hasTooManyHeaders = ({ rawHeaders }: IncomingMessage): boolean => rawHeaders.length > 2 * http.headers;

  return {
    listen: (host, port) => listen(server, host, port),
    get draining() {
      return draining;
    },
    drain() {
      draining = true;
      for (const response of [...running.values()].flatMap((responses) => [...responses]))
        if (!response.headersSent) response.setHeader('connection', 'close');
    },
    async idle() {
      if (running.size > 0) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    async close() {
      clearInterval(clock);
      if (!server.listening) return;
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      for (const socket of upgraded) socket.destroy();
      await closed;
    },
  };
}

/** Whether the client has read nothing for `ms` milliseconds although data waits. */
function hasStalled(known: WeakMap<Socket, { taken: number; since: number }>, socket: Socket, ms: number): boolean {
  const now = performance.now();
  const taken = socket.bytesWritten - socket.writableLength;
  const before = known.get(socket);
  if (before === undefined || before.taken !== taken || socket.writableLength === 0)
    known.set(socket, { taken, since: now });
  else return now - before.since >= ms;
  return false;
}

interface Arriving {
  read: number;
  isEmpty: boolean;
  waitedMs: number;
}

/**
 * Whether the server has waited for the body longer than it may, in all. It waited since the last check when then and now all that came
 * was read, and less came between than a sender has to bring: what a busy server leaves unread is not held against the sender.
 */
function isSlow(
  known: WeakMap<IncomingMessage, Arriving>,
  request: IncomingMessage,
  { checkedEvery, requestWithin, requestBytes }: HttpLimits,
): boolean {
  if (request.complete) return false;
  const read = request.socket.bytesRead;
  const isEmpty = request.readableLength === 0;
  const before = known.get(request) ?? { read, isEmpty, waitedMs: 0 };
  const waited = isEmpty && before.isEmpty && read - before.read < (requestBytes * checkedEvery) / 1_000;
  const waitedMs = before.waitedMs + (waited ? checkedEvery : 0);
  known.set(request, { read, isEmpty, waitedMs });
  return waitedMs >= requestWithin;
}

/** Answers a request with a status and closes its connection. */
export function refuseSocket(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () =>
    socket.destroy(),
  );
}

/**
 * An answer that begins before its request was received says `Connection: close`: whether the rest comes in time, so that the
 * connection could be used again, is not known yet. Further requests on it are not handled.
 */
function announceUnread(request: IncomingMessage, response: ServerResponse, announced: () => void): void {
  const writeHead = response.writeHead.bind(response) as (...given: unknown[]) => ServerResponse;
  response.writeHead = (...given: unknown[]) => {
    if (!request.complete && !response.headersSent) {
      announced();
      response.setHeader('connection', 'close');
      // Node would close with bytes unread, at which TCP resets the connection and the client loses the answer.
      request.socket.destroySoon = () => void request.socket.end();
    }
    return writeHead(...given);
  };
}

/**
 * Discards the rest of a body after the answer, since many clients read the answer only after sending all. Closes the
 * connection when the rest is too long or does not come.
 */
function dropRest(request: IncomingMessage, socket: Socket, { restWithin, restBytes }: HttpLimits): void {
  if (socket.destroyed) return;
  // Of a reader that gave up.
  request.removeAllListeners('readable');
  request.resume();
  if (request.complete) return;
  const most = socket.bytesRead + restBytes;
  let before = socket.bytesRead;
  const clock = setInterval(() => {
    if (socket.bytesRead === before || socket.bytesRead > most) socket.destroy();
    before = socket.bytesRead;
  }, restWithin);
  socket.once('close', () => clearInterval(clock));
  request.once('end', () => Socket.prototype.destroySoon.call(socket));
}

async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(refusal(error, host, port)));
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}

function refusal(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return new StartError(`Port ${port} is taken: stop what uses it, or set PORT to another`);
  if (error.code === 'EACCES')
    return new StartError(`Port ${port} is not allowed for this user: set PORT to one above 1023`);
  return new StartError(`Cannot listen on ${host}:${port} (${error.code}): check HOST and PORT`);
}
