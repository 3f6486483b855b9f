import type { IncomingMessage } from 'node:http';
import type { Socket as NetSocket } from 'node:net';
import type { Duplex, Writable } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { SocketLimits } from '../limits/limits.ts';
import type { Log } from '../infra/log.ts';

/** An open socket, as the protocol above it sees it. */
export interface OpenSocket {
  readonly protocol: string;
  readonly address: string;
  /**
   * Sends a text, which may come in two pieces. Undefined when the kernel has taken it at once; otherwise resolves when it has, or nobody is there any
   * more: who waits for that keeps no more than one in memory.
   */
  send(begin: Buffer, end?: Buffer): Promise<void> | undefined;
  /** A reason of at most 123 bytes. The client has a moment to take it; then the socket is gone. */
  close(code: number, reason: string): void;
  onMessage(listener: (text: string) => Promise<void>): void;
  onClose(listener: (code: number, reason: string) => void): void;
}

export interface SocketServer {
  /** Takes over a connection that asks to be a socket, or refuses it. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Tells every client to connect again, elsewhere or in a moment; resolves when none is left. */
  close(): Promise<void>;
  readonly size: number;
}

export interface SocketServerOptions {
  log: Log;
  limits: SocketLimits;
  handleProtocols: (protocols: Set<string>) => string | false;
  opened(socket: OpenSocket): void;
}

const restarting = { code: 1012, reason: 'The server is stopping: connect again' };
const internalError = { code: 4500, reason: 'Something went wrong on our side' };
/** From either side's close on. A client that does not read, or that keeps the connection, would never be gone. */
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

  // One clock for all: a timer for each socket would be a good part of what an idle one costs.
  const clock = setInterval(() => {
    for (const socket of sockets) socket.check();
  }, limits.pingMs).unref();

  server.on('connection', (ws: WebSocket, { socket: tcp }: IncomingMessage) => {
    const socket = new Socket(ws, tcp, limits, log);
    sockets.add(socket);
    ws.once('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0) allGone?.();
    });
    if (closing) socket.close(restarting.code, restarting.reason);
    else opened(socket);
  });

  return {
    get size() {
      return sockets.size;
    },
    upgrade(request, socket, head) {
      server.handleUpgrade(request, socket, head, (ws) => server.emit('connection', ws, request));
    },
    async close() {
      closing = true;
      clearInterval(clock);
      const gone = sockets.size === 0 ? undefined : new Promise<void>((resolve) => (allGone = resolve));
      for (const socket of sockets) socket.close(restarting.code, restarting.reason);
      await gone;
    },
  };
}

/**
 * A text as a frame of a server, which has no mask: one buffer, and so one write. `ws` would write its head and its text
 * apart, which costs more than everything else that is done for a subscriber.
 */
function frameOf(begin: Buffer, end: Buffer): Buffer {
  const length = begin.length + end.length;
  const head = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = 0x81;
  if (head === 2) frame[1] = length;
  else if (head === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.set(begin, head);
  frame.set(end, head + begin.length);
  return frame;
}

const nothing = Buffer.alloc(0);

class Socket implements OpenSocket {
  readonly address: string;
  #alive = true;
  #messages = 0;
  #controlFrames = 0;
  /** How many wait until the kernel has taken what they sent, and since when it has taken nothing. */
  #waiting = 0;
  #since = 0;

  constructor(
    private readonly ws: WebSocket,
    private readonly tcp: Writable,
    private readonly limits: SocketLimits,
    private readonly log: Log,
  ) {
    this.address = (tcp as Partial<NetSocket>).remoteAddress ?? '';
    // Without a listener a frame that is too long, or broken, would end the process; `ws` answers it with its close code.
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

  send(begin: Buffer, end = nothing): Promise<void> | undefined {
    const { ws, tcp } = this;
    if (ws.readyState !== ws.OPEN) return undefined;
    if (tcp.writableLength > this.limits.waitingBytes) {
      this.close(1013, 'You take too little of what is sent: connect again and go on after your cursor');
      return undefined;
    }
    // Without a callback, which would cost a turn of the loop for each.
    tcp.write(frameOf(begin, end));
    if (tcp.writableLength === 0) return undefined;
    if (this.#waiting === 0) this.#since = performance.now();
    this.#waiting += 1;
    return new Promise((resolve) => {
      tcp.write(nothing, () => {
        this.#waiting -= 1;
        this.#since = performance.now();
        resolve();
      });
    });
  }

  close(code: number, reason: string): void {
    const { ws } = this;
    if (ws.readyState < ws.CLOSING) ws.close(code, reason);
  }

  onMessage(listener: (text: string) => Promise<void>): void {
    const { ws } = this;
    ws.on('message', (data: Buffer) => {
      // What a client still sends after we have closed, for an ended key perhaps, has no effect.
      if (ws.readyState !== ws.OPEN) return;
      this.#messages += 1;
      // What was read already still comes: at most 64 KB of messages.
      if (this.#isBusy()) ws.pause();
      listener(data.toString())
        .catch((error: unknown) => {
          this.log.error({ err: error }, 'A message on a socket failed for a reason that is ours');
          this.close(internalError.code, internalError.reason);
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

  /** Control frames between fragments are the only way to fill what a fragment holds: without this bound 64 fragments hold 4 MB. */
  #controlFrame(): void {
    this.#controlFrames += 1;
    if (this.#controlFrames !== this.limits.controlFrames + 1) return;
    this.close(1008, `More than ${this.limits.controlFrames} pings and pongs within ${this.limits.pingMs / 1_000} s: send fewer`);
    this.ws.pause();
  }

  onClose(listener: (code: number, reason: string) => void): void {
    this.ws.once('close', (code, reason) => listener(code, reason.toString()));
  }

  /** A client that has not answered the ping before is gone; one that takes nothing may as well be. */
  check(): void {
    const { ws } = this;
    if (ws.readyState !== ws.OPEN) return;
    this.#controlFrames = 0;
    if (this.#waiting > 0 && performance.now() - this.#since > this.limits.drainMs) {
      this.close(1013, 'You take nothing of what is sent: connect again and go on after your cursor');
    } else if (ws.isPaused) {
      // Its pong may be there, unread.
      this.#alive = true;
    } else if (!this.#alive) {
      ws.terminate();
    } else {
      this.#alive = false;
      ws.ping();
    }
  }
}
