import { createClient, type Client } from 'graphql-ws';
import { delayAfter, type Backoff } from './backoff.ts';
import { judgeClosing, type Closing, type Refusal, type StreamError } from './errors.ts';

/** The part of WebSocket used here, as in browsers, Node 22 and `ws`. */
export interface Socket {
  close(code?: number, reason?: string): void;
  /** Only in `ws`: closes without waiting for the other side. */
  terminate?(): void;
  addEventListener(type: 'error', listener: () => void): void;
}
export type SocketClass = new (url: string, protocols?: string | string[], options?: never) => Socket;

/**
 * The state of a connection or stream: `live` receives everything; `waiting` retries at `until` (milliseconds since 1970);
 * `behind` waits for the program to read its queue.
 */
export type Status =
  | { state: 'connecting' }
  | { state: 'live' }
  | { state: 'waiting'; until: number; reason: string }
  | { state: 'behind' }
  | { state: 'closed'; error: StreamError | null };

export interface ConnectionOptions {
  /** Baton's URL, with its base path if it has one: `http://127.0.0.1:4000`; or its `/graphql`, with http, https, ws or wss. */
  url: string;
  /** The key, or a function called at each connect; none on a server without keys. It is sent inside the socket, never in the URL. */
  key?: string | (() => string | Promise<string>);
  /** The class of `ws`; required where there is no global `WebSocket`, as in Node 20. */
  webSocket?: SocketClass;
  /** Reconnects after this time without a message on a stream. Default: 37.5 s; heartbeats come every 10 s by default. */
  silenceMs?: number;
  /** The longest wait for the server to acknowledge a socket. */
  connectMs?: number;
  backoff?: Backoff;
  /** A socket open for this long resets the backoff. */
  stableMs?: number;
}

/** The part of graphql-ws' client that streams use: one socket, on which they subscribe. */
export interface Attempt {
  subscribe<Data>(
    request: { query: string; variables?: Record<string, unknown>; extensions?: Record<string, unknown> },
    sink: {
      next(result: { data?: Data | null; errors?: readonly Refusal[] }): void;
      error(error: unknown): void;
      complete(): void;
    },
  ): () => void;
}

/** A stream on a connection. */
export interface Carried {
  /** Subscribes on the current socket, which may still be connecting. */
  attach(attempt: Attempt): void;
  /** The socket is gone; the connection makes another one. */
  detach(status: Status): void;
  end(error: StreamError): void;
  /** The time of the last message; undefined when none is expected. */
  readonly heardAt: number | undefined;
}

interface Life {
  client: Client;
  socket: Socket | undefined;
  acknowledgedAt: number | undefined;
  clear(): void;
}

const restartMs = 1_000;

/** Keeps a socket open while a stream needs it. The connection owns the waits, the streams own the cursors. */
export class Connection {
  readonly #url: string;
  readonly #options: ConnectionOptions;
  readonly #carried = new Set<Carried>();
  readonly #backoff: Backoff;
  readonly #silenceMs: number;
  #current: Life | undefined;
  #failures = 0;
  #retry: { timer: ReturnType<typeof setTimeout>; status: Status } | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#url = socketUrl(options.url);
    this.#backoff = options.backoff ?? { baseMs: 500, capMs: 30_000 };
    this.#silenceMs = options.silenceMs ?? 37_500;
  }

  get backoff(): Backoff {
    return this.#backoff;
  }

  /** Subscribes a stream now, or as soon as there is a socket. */
  carry(one: Carried): void {
    this.#carried.add(one);
    if (this.#current !== undefined) one.attach(this.#current.client);
    else if (this.#retry !== undefined) one.detach(this.#retry.status);
    else this.#connect();
  }

  /** The last stream to leave closes the socket. */
  drop(one: Carried): void {
    if (!this.#carried.delete(one) || this.#carried.size > 0) return;
    if (this.#retry !== undefined) clearTimeout(this.#retry.timer);
    this.#retry = undefined;
    this.#abandon(false);
  }

  /** Ends a wait at once, for instance when the browser is online or visible again. */
  retryNow(): void {
    if (this.#retry === undefined) return;
    clearTimeout(this.#retry.timer);
    this.#retry = undefined;
    this.#connect();
  }

  #connect(): void {
    const { key, connectMs = 15_000, webSocket = globalThis.WebSocket } = this.#options;
    let socket: Socket | undefined;
    // graphql-ws resends a subscription's first variables, and so an old cursor: each socket has its own client, which never
    // retries.
    const client = createClient({
      url: this.#url,
      webSocketImpl: observed(webSocket, (made) => (socket = made)),
      connectionParams: async () => {
        const secret = typeof key === 'function' ? await key() : key;
        return secret === undefined ? {} : { authorization: `Bearer ${secret}` };
      },
      lazy: false,
      retryAttempts: 0,
      onNonLazyError: () => undefined,
      on: {
        connected: () => {
          life.acknowledgedAt = Date.now();
          clearTimeout(late);
        },
        closed: (event) => lose(closingOf(event)),
        error: (error) => lose(closingOf(error)),
      },
    });
    const lose = (closing: Closing): void => {
      if (this.#current === life) this.#lose(closing);
    };
    const late = setTimeout(() => lose({ code: undefined, reason: 'the server did not answer' }), connectMs);
    const watch = setInterval(() => {
      const heard = Math.min(...[...this.#carried].map(({ heardAt }) => heardAt ?? Infinity));
      if (life.acknowledgedAt !== undefined && Date.now() - heard > this.#silenceMs)
        lose({ code: undefined, reason: 'the server fell silent' });
    }, this.#silenceMs / 5);
    const clear = (): void => {
      clearTimeout(late);
      clearInterval(watch);
    };
    const life: Life = { client, socket, acknowledgedAt: undefined, clear };
    this.#current = life;
    for (const one of this.#carried) one.attach(client);
  }

  #lose(closing: Closing): void {
    const lived = Date.now() - (this.#current?.acknowledgedAt ?? Infinity);
    const judged = judgeClosing(closing);
    if (judged.verdict === 'end') {
      const ending = [...this.#carried];
      this.#carried.clear();
      for (const one of ending) one.end(judged.error);
      this.#abandon(true);
      return;
    }
    this.#failures = lived > (this.#options.stableMs ?? 10_000) ? 1 : this.#failures + 1;
    if (judged.verdict === 'later') this.#failures = Math.max(this.#failures, 4);
    const wait =
      judged.verdict === 'restart'
        ? delayAfter(1, { ...this.#backoff, baseMs: Math.min(restartMs, this.#backoff.capMs) })
        : delayAfter(this.#failures, this.#backoff);
    const status: Status = {
      state: 'waiting',
      until: Date.now() + wait,
      reason: closing.reason || `the socket was closed (${closing.code ?? 'no code'})`,
    };
    const timer = setTimeout(() => {
      this.#retry = undefined;
      this.#connect();
    }, wait);
    this.#retry = { timer, status };
    for (const one of this.#carried) one.detach(status);
    this.#abandon(true);
  }

  #abandon(broken: boolean): void {
    if (this.#current === undefined) return;
    const { client, socket, clear } = this.#current;
    this.#current = undefined;
    clear();
    // dispose() waits for a socket that may never open.
    Promise.resolve(client.dispose()).catch(() => undefined);
    // An unresponsive socket would keep its closing handshake open for 30 s.
    if (broken && socket?.terminate !== undefined) socket.terminate();
    else socket?.close(1000, 'Done');
  }
}

/** Handles the errors of abandoned sockets too: an unhandled one from `ws` ends the process. */
function observed(base: SocketClass | undefined, made: (socket: Socket) => void): SocketClass {
  if (base === undefined) throw new TypeError('There is no global WebSocket here: give the one of `ws` as `webSocket`');
  return class extends base {
    constructor(url: string, protocols?: string | string[]) {
      super(url, protocols, { perMessageDeflate: false, closeTimeout: 2_000 } as never);
      this.addEventListener('error', () => undefined);
      made(this);
    }
  };
}

function closingOf(event: unknown): Closing {
  const { code, reason, message, error } = (event ?? {}) as {
    code?: unknown;
    reason?: unknown;
    message?: unknown;
    error?: unknown;
  };
  const found = [reason, message, (error as Error | undefined)?.message].find(
    (text): text is string => typeof text === 'string' && text !== '',
  );
  return { code: typeof code === 'number' ? code : undefined, reason: found ?? '' };
}

function socketUrl(given: string): string {
  const url = new URL(given, globalThis.location?.href);
  url.protocol = url.protocol.replace(/^http/, 'ws');
  if (!url.pathname.endsWith('/graphql')) url.pathname = `${url.pathname.replace(/\/$/, '')}/graphql`;
  return url.href;
}
