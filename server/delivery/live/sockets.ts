import type { IncomingMessage } from 'node:http';
import type { Socket as NetSocket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { SocketLimits } from '../../core/limits.ts';
import type { Log } from '../../infra/log.ts';

/** An open socket, as the protocol uses it. */
export interface OpenSocket {
  readonly protocol: string;
  readonly address: string;
  /**
   * Sends a text. Returns undefined when the next one may follow at once, otherwise a promise that resolves when it may, or
   * when the socket has closed. A sender that awaits it keeps at most one text in memory.
   */
  send(text: Buffer): Promise<void> | undefined;
  /** `reason` has at most 123 bytes. The client has 1.5 s to read it before the socket is destroyed. */
  close(code: number, reason: string): void;
  onMessage(listener: (text: string) => Promise<void>): void;
  onClose(listener: (code: number, reason: string) => void): void;
}

export interface SocketServer {
  /** Accepts or rejects an upgrade request of the client with this address. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, address: string): void;
  /** Asks every client to reconnect; resolves when all sockets are closed. */
  close(): Promise<void>;
  readonly size: number;
}

export interface SocketServerOptions {
  log: Log;
  limits: SocketLimits;
  handleProtocols: (protocols: Set<string>) => string | false;
  opened(socket: OpenSocket): void;
}

const restarting = [1012, 'The server is stopping: connect again'] as const;
/** Counts from either side's close: a client that does not read would keep the socket open. */
const closesWithin = { closeTimeout: 1_500 };

export function createSocketServer({ log, limits, handleProtocols, opened }: SocketServerOptions): SocketServer {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: limits.frameBytes,
    maxFragments: limits.fragments,
    maxBufferedChunks: limits.pieces,
    perMessageDeflate: false,
    handleProtocols,
    ...closesWithin,
  });
  const sockets = new Set<Socket>();
  let allGone: (() => void) | undefined;
  let closing = false;

  // One timer for all: a timer per socket would be a large part of an idle socket's cost.
  const clock = setInterval(() => {
    for (const socket of sockets) socket.check();
  }, limits.pingMs).unref();

  const connected = (ws: WebSocket, tcp: NetSocket, address: string): void => {
    const socket = new Socket(ws, tcp, address, limits, log);
    sockets.add(socket);
    socket.onClose(() => {
      sockets.delete(socket);
      if (sockets.size === 0) allGone?.();
    });
    if (closing) socket.close(...restarting);
    else opened(socket);
  };

  return {
    get size() {
      return sockets.size;
    },
    upgrade(request, socket, head, address) {
      server.handleUpgrade(request, socket, head, (ws) => connected(ws, request.socket, address));
    },
    async close() {
      closing = true;
      clearInterval(clock);
      const gone = sockets.size === 0 ? undefined : new Promise<void>((resolve) => (allGone = resolve));
      for (const socket of sockets) socket.close(...restarting);
      await gone;
    },
  };
}

const asText = { binary: false };

/** A longer reason makes `ws` throw at 123 bytes. A character that is cut becomes U+FFFD. */
const reasonBytes = 120;

class Socket implements OpenSocket {
  #alive = true;
  #messages = 0;
  #controlFrames = 0;
  /** Senders waiting for the socket to drain. */
  #waiting: (() => void)[] = [];
  /** The bytes sent at the last check that saw progress, and its time. */
  #taken = 0;
  #takenAt = 0;

  constructor(
    private readonly ws: WebSocket,
    private readonly tcp: NetSocket,
    readonly address: string,
    private readonly limits: SocketLimits,
    private readonly log: Log,
  ) {
    // Without a listener an invalid or oversized frame would end the process; `ws` answers it with a close code.
    ws.on('error', (error) => log.debug({ err: error }, 'A socket was closed for what it sent'));
    ws.on('pong', () => {
      this.#alive = true;
      this.#controlFrame();
    });
    ws.on('ping', () => this.#controlFrame());
  }

  get protocol(): string {
    return this.ws.protocol;
  }

  send(text: Buffer): Promise<void> | undefined {
    const { ws, tcp } = this;
    if (ws.readyState !== ws.OPEN) return undefined;
    if (ws.bufferedAmount > this.limits.waitingBytes) {
      this.close(1013, 'You take too little of what is sent: connect again and go on after your cursor');
      return undefined;
    }
    ws.send(text, asText);
    return tcp.writableLength > 0 && tcp.writableNeedDrain ? this.#drained() : undefined;
  }

  #drained(): Promise<void> {
    const release = (): void => {
      this.tcp.off('drain', release).off('close', release);
      for (const resolve of this.#waiting.splice(0)) resolve();
    };
    if (this.#waiting.length === 0) this.tcp.on('drain', release).on('close', release);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  close(code: number, reason: string): void {
    const { ws } = this;
    if (ws.readyState < ws.CLOSING) ws.close(code, Buffer.from(reason).subarray(0, reasonBytes).toString());
  }

  onMessage(listener: (text: string) => Promise<void>): void {
    const { ws } = this;
    ws.on('message', (data: Buffer) => {
      // Ignores messages after our close.
      if (ws.readyState !== ws.OPEN) return;
      this.#messages += 1;
      // Messages already in `ws`'s buffer still arrive: at most 64 KB.
      if (this.#isBusy()) ws.pause();
      listener(data.toString())
        .catch((error: unknown) => {
          this.log.error({ err: error }, 'A message on a socket failed for a reason that is ours');
          this.close(4500, 'Internal error');
        })
        .finally(() => {
          this.#messages -= 1;
          if (ws.isPaused && ws.readyState === ws.OPEN && !this.#isBusy()) ws.resume();
        });
    });
  }

  #isBusy(): boolean {
    return this.#messages >= this.limits.messages + this.limits.subscriptions;
  }

  /** Bounds the memory held by fragments: with control frames between them, 64 fragments could hold 4 MB. */
  #controlFrame(): void {
    this.#controlFrames += 1;
    if (this.#controlFrames !== this.limits.controlFrames + 1) return;
    this.close(
      1008,
      `More than ${this.limits.controlFrames} pings and pongs within ${this.limits.pingMs / 1_000} s: send fewer`,
    );
    this.ws.pause();
  }

  onClose(listener: (code: number, reason: string) => void): void {
    this.ws.once('close', (code, reason) => listener(code, reason.toString()));
  }

  /** Ends a client that has not answered the last ping or reads nothing. */
  check(): void {
    const { ws } = this;
    if (ws.readyState !== ws.OPEN) return;
    this.#controlFrames = 0;
    if (this.#hasStalled()) {
      this.close(1013, 'You take nothing of what is sent: connect again and go on after your cursor');
    } else if (ws.isPaused) {
      // Reading is paused, so its pong may be unread.
      this.#alive = true;
    } else if (!this.#alive) {
      ws.terminate();
    } else {
      this.#alive = false;
      ws.ping();
    }
  }

  #hasStalled(): boolean {
    const { bytesWritten, writableLength } = this.tcp;
    const taken = bytesWritten - writableLength;
    if (writableLength === 0 || taken !== this.#taken) {
      this.#taken = taken;
      this.#takenAt = performance.now();
    }
    return performance.now() - this.#takenAt > this.limits.drainMs;
  }
}
