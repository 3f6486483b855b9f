import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { limits } from '../../limits/limits.ts';
import { StartError } from '../startError.ts';

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
  const running = new Map<ServerResponse, Socket>();
  /** `closeAllConnections` does not close these, but `close` waits for them. */
  const upgraded = new Set<Duplex>();
  let draining = false;
  let waiting: (() => void)[] = [];

  const timeouts = {
    requestTimeout: http.requestWithin,
    headersTimeout: http.headersWithin,
    keepAliveTimeout: http.idleWithin,
    connectionsCheckingInterval: http.checkedEvery,
  };
  const server = createServer({ ...timeouts, maxHeaderSize: http.headerBytes }, (request, response) => {
    // `request.socket` is gone once the body was destroyed.
    const { socket } = request;
    running.set(response, socket);
    response.once('finish', () => dropRest(request, socket, http.restWithin));
    if (draining) response.setHeader('connection', 'close');
    const refused = hasTooManyHeaders(request);
    response.once('close', () => {
      running.delete(response);
      if (running.size > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    });
    if (refused)
      response
        .writeHead(431, { connection: 'close', 'content-type': 'text/plain; charset=utf-8' })
        .end(`More than ${http.headers} headers: send fewer.\n`);
    else void handle(request, response);
  });
  const stalled = new WeakMap<Socket, { taken: number; since: number }>();
  const clock = setInterval(() => {
    for (const socket of running.values()) if (hasStalled(stalled, socket, http.drainWithin)) socket.destroy();
  }, http.checkedEvery).unref();
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Without a listener, a client that disconnects before the answer would end the process.
    socket.on('error', () => socket.destroy());
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    if (hasTooManyHeaders(request)) return refuseUpgrade(socket, 431);
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
      for (const response of running.keys()) if (!response.headersSent) response.setHeader('connection', 'close');
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

/** Answers an upgrade request with a status and closes the connection. */
export function refuseUpgrade(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () =>
    socket.destroy(),
  );
}

/** Discards the rest of a body after the answer. Closes the connection when the body does not end in time. */
function dropRest(request: IncomingMessage, socket: Socket, within: number): void {
  if (request.complete || socket.destroyed) return;
  const late = setTimeout(() => socket.destroy(), within);
  const over = (): void => {
    clearTimeout(late);
    socket.off('close', over);
  };
  request.once('end', over);
  socket.once('close', over);
  request.resume();
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
