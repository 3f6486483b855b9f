import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { WebSocket, type ClientOptions } from 'ws';
import { unnamed } from './unnamed.ts';

/** A message of the protocol `graphql-transport-ws`. */
export interface Message {
  id?: string;
  type: string;
  payload?: unknown;
}

/** The payload of a subscription's result. */
export interface Result<Data = Record<string, unknown>> {
  data?: Data | null;
  errors?: { message: string; path?: unknown[]; extensions: { code: string } }[];
}

// Allows for a slow machine.
const patience = 60_000;

/** Messages in order of arrival; each is taken once by a matching request. */
class Inbox<T> {
  readonly #messages: T[] = [];
  readonly #waiting: { wants: (message: T) => boolean; take(message: T): void; fail(error: Error): void }[] = [];
  #ended: string | undefined;

  /** The messages not taken. */
  get left(): readonly T[] {
    return this.#messages;
  }

  put(message: T): void {
    const at = this.#waiting.findIndex(({ wants }) => wants(message));
    if (at === -1) this.#messages.push(message);
    else this.#waiting.splice(at, 1)[0]!.take(message);
  }

  end(why: string): void {
    this.#ended = why;
    for (const { fail } of this.#waiting.splice(0)) fail(new Error(why));
  }

  /** Takes the first match among present and later messages; on a time-out fails with the messages received. */
  take(name: string, wants: (message: T) => boolean = () => true): Promise<T> {
    const at = this.#messages.findIndex(wants);
    if (at !== -1) return Promise.resolve(this.#messages.splice(at, 1)[0]!);
    const instead = (): string =>
      `Waited in vain for ${name}; there is: ${JSON.stringify(this.#messages).slice(0, 2_000)}`;
    if (this.#ended !== undefined) return Promise.reject(new Error(`${instead()}, and ${this.#ended}`));
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => waiter.fail(new Error(instead())), patience);
      const waiter = {
        wants,
        take: (message: T) => {
          clearTimeout(late);
          resolve(message);
        },
        fail: (error: Error) => {
          clearTimeout(late);
          const place = this.#waiting.indexOf(waiter);
          if (place !== -1) this.#waiting.splice(place, 1);
          reject(error);
        },
      };
      this.#waiting.push(waiter);
    });
  }
}

export interface Closed {
  code: number;
  reason: string;
}

/** A client that sends any text, well-formed or not. */
export interface RawSocket {
  readonly ws: WebSocket;
  send(message: Message): void;
  /** Sends one text frame. */
  sendText(text: string): void;
  /** The next message of a type, and of an operation if `id` is given. */
  message(type: string, id?: string): Promise<Message>;
  /** The next result of an operation. */
  result<Data = Record<string, unknown>>(id: string): Promise<Result<Data>>;
  /** Sends `connection_init` and waits for the acknowledgement. */
  init(payload?: object): Promise<unknown>;
  subscribe(id: string, query: string, variables?: object): void;
  /** The messages not taken. */
  readonly left: readonly Message[];
  /** Resolves when the socket closes. */
  closed: Promise<Closed>;
  /** Stops reading from TCP, so that the server's writes pile up. */
  pause(): void;
  resume(): void;
  close(code?: number): void;
  terminate(): void;
}

export interface SocketOptions extends ClientOptions {
  protocol?: string;
  /** True: errors keep the id of their request. */
  named?: boolean;
}

/** Connects to a server's `/graphql`; rejects when the upgrade is rejected. */
export async function rawSocket(
  url: string,
  { protocol = 'graphql-transport-ws', named = false, ...options }: SocketOptions = {},
): Promise<RawSocket> {
  const ws = new WebSocket(`${url.replace(/^http/, 'ws')}/graphql`, protocol, { perMessageDeflate: false, ...options });
  const inbox = new Inbox<Message>();
  const closed = new Promise<Closed>((resolve) => {
    ws.once('close', (code, reason) => {
      inbox.end(`the socket was closed: ${code} ${reason.toString()}`);
      resolve({ code, reason: reason.toString() });
    });
  });
  ws.on('message', (data) =>
    inbox.put(JSON.parse(named ? (data as Buffer).toString() : unnamed((data as Buffer).toString())) as Message),
  );
  await once(ws, 'open');
  // From here only the close matters.
  ws.on('error', () => undefined);

  const socket: RawSocket = {
    ws,
    send: (message) => ws.send(JSON.stringify(message)),
    sendText: (text) => ws.send(text),
    message: (type, id) =>
      inbox.take(`${type} ${id ?? ''}`, (message) => message.type === type && (id === undefined || message.id === id)),
    async result<Data>(id: string) {
      const { payload } = await inbox.take(
        `a result of ${id}`,
        (message) => message.type === 'next' && message.id === id,
      );
      return payload as Result<Data>;
    },
    async init(payload) {
      socket.send({ type: 'connection_init', ...(payload === undefined ? {} : { payload }) });
      return (await socket.message('connection_ack')).payload;
    },
    subscribe: (id, query, variables = {}) => socket.send({ id, type: 'subscribe', payload: { query, variables } }),
    get left() {
      return inbox.left;
    },
    closed,
    pause: () => ws.pause(),
    resume: () => ws.resume(),
    close: (code = 1000) => ws.close(code),
    terminate: () => ws.terminate(),
  };
  return socket;
}

/** A subscription over SSE, "distinct connections": `event: next` with a result, then `event: complete`. */
export interface SseStream {
  status: number;
  headers: IncomingMessage['headers'];
  result<Data = Record<string, unknown>>(): Promise<Result<Data>>;
  /** Resolves with `complete` when the server completes, or `cut` when the connection ends without that. */
  ended: Promise<'complete' | 'cut'>;
  pause(): void;
  resume(): void;
  close(): void;
}

export async function sseStream(
  url: string,
  query: string,
  variables: object = {},
  headers: Record<string, string> = {},
  { named = false } = {},
): Promise<SseStream> {
  const outgoing: ClientRequest = request(`${url}/graphql`, {
    agent: false,
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
  });
  outgoing.end(JSON.stringify({ query, variables }));
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const inbox = new Inbox<Result>();
  let complete = false;
  let text = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    const blocks = (text + chunk).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const lines = block.split('\n');
      const event = lines
        .find((line) => line.startsWith('event:'))
        ?.slice(6)
        .trim();
      const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5));
      if (event === 'next') inbox.put(JSON.parse(named ? data.join('\n') : unnamed(data.join('\n'))) as Result);
      if (event === 'complete') complete = true;
    }
  });
  outgoing.on('error', () => undefined);
  response.on('error', () => undefined);
  const ended = new Promise<'complete' | 'cut'>((resolve) => {
    response.once('close', () => {
      inbox.end('the connection ended');
      resolve(complete ? 'complete' : 'cut');
    });
  });
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    result: <Data>() => inbox.take('a result') as Promise<Result<Data>>,
    ended,
    pause: () => response.pause(),
    resume: () => response.resume(),
    close: () => outgoing.destroy(),
  };
}
