import { createClient, type Client } from 'graphql-ws';
import { delayAfter, type Backoff } from './backoff.ts';
import { judgeClosing, type StreamError, type Closing } from './errors.ts';

/** As much of a WebSocket as is asked for here: that of browsers and of Node 22, or the one of `ws`. */
export interface Socket {
  close(code?: number, reason?: string): void;
  /** Of `ws` only: does not wait for the other side. */
  terminate?(): void;
  addEventListener(type: 'error', listener: () => void): void;
}
export type SocketClass = new (url: string, protocols?: string | string[], options?: never) => Socket;

/** How a connection, or a stream, is: `live` hears everything; `waiting` tries again at `until` (milliseconds since 1970); `behind` waits for its program to take what is there. */
export type Status =
  | { state: 'connecting' }
  | { state: 'live' }
  | { state: 'waiting'; until: number; reason: string }
  | { state: 'behind' }
  | { state: 'closed'; error: StreamError | null };

export interface ConnectionOptions {
  /** Where Baton is: `http://127.0.0.1:4000`, or its `/graphql` with any of http, https, ws and wss. */
  url: string;
  /** The key, or what gives it at each connecting; none on a server without keys. It travels inside the socket, never in the URL. */
  key?: string | (() => string | Promise<string>);
  /** Needed where there is no global `WebSocket`, as in Node 20: the one of `ws`. */
  webSocket?: SocketClass;
  /** Heard nothing of a stream for so long, the socket is given up: 2.5 times the server's heartbeat when not given. */
  silenceMs?: number;
  /** How long a socket may take until the server has acknowledged it. */
  connectMs?: number;
  backoff?: Backoff;
  /** A socket that lived so long has shown that the server is well: the waits begin from the bottom again. */
  stableMs?: number;
}

/** One socket's life: what a stream subscribes on. */
export type Attempt = Pick<Client, 'subscribe'>;

/** What a connection carries. */
export interface Carried {
  /** Subscribes on a socket that is there, or is being made. */
  attach(attempt: Attempt): void;
  /** The socket is gone; another is being made, or will be. */
  detach(status: Status): void;
  end(error: StreamError): void;
  /** When something was heard last; undefined when nothing is to be expected. */
  readonly heardAt: number | undefined;
}

interface Life {
  client: Client;
  socket: Socket | undefined;
  acknowledgedAt: number | undefined;
  clear(): void;
}

const restartMs = 1_000;

/** Keeps a socket as long as somebody needs it. All waits are here; all cursors are with the streams. */
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

  /** Subscribes it now, or as soon as there is a socket. */
  carry(one: Carried): void {
    this.#carried.add(one);
    if (this.#current !== undefined) one.attach(this.#current.client);
    else if (this.#retry !== undefined) one.detach(this.#retry.status);
    else this.#connect();
  }

  /** The last that leaves closes the socket. */
  drop(one: Carried): void {
    if (!this.#carried.delete(one) || this.#carried.size > 0) return;
    if (this.#retry !== undefined) clearTimeout(this.#retry.timer);
    this.#retry = undefined;
    this.#abandon(false);
  }

  /** Ends a wait at once: for a browser that is online again, or visible. */
  retryNow(): void {
    if (this.#retry === undefined) return;
    clearTimeout(this.#retry.timer);
    this.#retry = undefined;
    this.#connect();
  }

  #connect(): void {
    const { key, connectMs = 15_000, webSocket = globalThis.WebSocket } = this.#options;
    let socket: Socket | undefined;
    // A client resends the variables of its first subscribe, and so an old cursor: each socket has a client of its own, which never retries.
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
      if (life.acknowledgedAt !== undefined && Date.now() - heard > this.#silenceMs) lose({ code: undefined, reason: 'the server fell silent' });
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
    const wait = judged.verdict === 'restart' ? delayAfter(1, { ...this.#backoff, baseMs: Math.min(restartMs, this.#backoff.capMs) }) : delayAfter(this.#failures, this.#backoff);
    const status: Status = { state: 'waiting', until: Date.now() + wait, reason: closing.reason || `the socket was closed (${closing.code ?? 'no code'})` };
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
    // It waits for a socket that may never come.
    Promise.resolve(client.dispose()).catch(() => undefined);
    // One that does not answer would keep its closing handshake open for half a minute.
    if (broken && socket?.terminate !== undefined) socket.terminate();
    else socket?.close(1000, 'Done');
  }
}

/** Also hears the errors of sockets that nobody waits for any more: `ws` ends the process over one that is not heard. */
function observed(base: SocketClass | undefined, made: (socket: Socket) => void): SocketClass {
  if (base === undefined) throw new TypeError("There is no global WebSocket here: give the one of `ws` as `webSocket`");
  return class extends base {
    constructor(url: string, protocols?: string | string[]) {
      super(url, protocols, { perMessageDeflate: false, closeTimeout: 2_000 } as never);
      this.addEventListener('error', () => undefined);
      made(this);
    }
  };
}

function closingOf(event: unknown): Closing {
  const { code, reason, message, error } = (event ?? {}) as { code?: unknown; reason?: unknown; message?: unknown; error?: unknown };
  const said = [reason, message, (error as Error | undefined)?.message].find((text): text is string => typeof text === 'string' && text !== '');
  return { code: typeof code === 'number' ? code : undefined, reason: said ?? '' };
}

function socketUrl(given: string): string {
  const url = new URL(given, globalThis.location?.href);
  url.protocol = url.protocol.replace(/^http/, 'ws');
  if (url.pathname === '/') url.pathname = '/graphql';
  return url.href;
}
