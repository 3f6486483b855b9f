import { delayAfter } from './backoff.ts';
import type { Attempt, Carried, Connection, Status } from './connection.ts';
import { judge, StreamError, type Refusal } from './errors.ts';
import { requestOf, type EventType, type Topic } from './requests.ts';
import { Sequences, type Gap, type Numbered } from './sequences.ts';

/** One Event with the fields that the program selected. */
export type StreamEvent<Fields = object> = {
  /** Store it after processing the Event and pass it as `after`: no event is missed or repeated. */
  cursor: string;
  type: EventType;
  at: string;
  sessionSequence: number | null;
  inboxSequence: number | null;
  session: { id: string } | null;
} & Fields;

export interface StreamOptions {
  topic: Topic;
  /** The cursor to resume after; default: now. */
  after?: string;
  /** Further fields of each Event to select: `handoff { id status }`. */
  fields?: string;
  /** A whole operation instead; it takes the topic's variables and `$after`, and selects everything in `StreamEvent` and `recovered`. */
  document?: string;
  /** Sent with the operation, for instance the hash of a persisted document. */
  extensions?: Record<string, unknown>;
  /** The limit of events waiting for the program (default 1,000). Beyond it the helper unsubscribes until the program has caught up. */
  bufferSize?: number;
  onStatus?: (status: Status) => void;
  /**
   * The cursor has expired: the stream continues from now, and the program must read its records again. Without this handler
   * the stream ends with the error.
   */
  onExpired?: () => void;
  /** Numbers are missing, also after a second request. The event after the gap follows. */
  onGap?: (gap: Gap) => void;
  /** Fields of an event could not be read and are null. */
  onFieldErrors?: (errors: readonly Refusal[]) => void;
}

/** Counts since the stream was created. */
export interface StreamStats {
  /** Events delivered or queued. */
  events: number;
  /** Repeated events, which were dropped. */
  repeats: number;
  /** Gaps that were requested again. */
  healed: number;
  /** Gaps that remained. */
  gaps: number;
  /** Subscriptions. */
  opened: number;
}

interface Result {
  data?: Record<string, (Numbered & { type: string }) | null | undefined> | null;
  errors?: readonly Refusal[];
}

interface Readied {
  resolve(): void;
  reject(error: StreamError): void;
}

/** The events of one topic, in order and once each, across reconnects. For one reader. */
export class EventStream<Fields = object> implements AsyncIterableIterator<StreamEvent<Fields>>, Carried {
  readonly stats: StreamStats = { events: 0, repeats: 0, healed: 0, gaps: 0, opened: 0 };
  /** Resolves when the stream is first live: query earlier state now, later events follow. */
  readonly ready: Promise<void>;
  readonly #connection: Connection;
  readonly #options: StreamOptions;
  readonly #request: ReturnType<typeof requestOf>;
  readonly #sequences: Sequences;
  readonly #queue: StreamEvent<Fields>[] = [];
  readonly #waiting: {
    resolve(result: IteratorResult<StreamEvent<Fields>, undefined>): void;
    reject(error: StreamError): void;
  }[] = [];
  /** The newest known cursor, heartbeats included; everything up to it was delivered or is queued. */
  #received: string | undefined;
  #taken: string | undefined;
  #heardAt: number | undefined;
  #unsubscribe: (() => void) | undefined;
  #expired = false;
  /** The last gap that was requested again. */
  #requestedGap = '';
  #failures = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #status: Status = { state: 'connecting' };
  #readied: Readied = { resolve: () => undefined, reject: () => undefined };
  #parked = false;

  constructor(connection: Connection, options: StreamOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#request = requestOf(options.topic, options.fields ?? '');
    this.#sequences = new Sequences(this.#request.promised);
    this.#received = this.#taken = options.after;
    this.ready = new Promise((resolve, reject) => (this.#readied = { resolve, reject }));
    // Avoids an unhandled rejection: readers get the error from next().
    this.ready.catch(() => undefined);
    connection.carry(this);
  }

  get status(): Status {
    return this.#status;
  }

  /** Everything up to this cursor was delivered: store it for `after` once the last event is processed. Undefined until known. */
  get cursor(): string | undefined {
    return this.#taken;
  }

  get heardAt(): number | undefined {
    return this.#heardAt;
  }

  async next(): Promise<IteratorResult<StreamEvent<Fields>, undefined>> {
    const event = this.#queue.shift();
    if (event !== undefined) {
      this.#taken = event.cursor;
      if (this.#queue.length === 0 && this.#parked) {
        this.#parked = false;
        this.#connection.carry(this);
      }
      return { done: false, value: event };
    }
    if (this.#status.state === 'closed') {
      const { error } = this.#status;
      // Throws once; later calls return done.
      this.#status = { state: 'closed', error: null };
      if (error !== null) throw error;
      return { done: true, value: undefined };
    }
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  async return(): Promise<IteratorResult<StreamEvent<Fields>, undefined>> {
    this.stop();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Ends the stream and drops its queue, timers and socket. */
  stop(): void {
    this.#queue.length = 0;
    this.#close(null);
  }

  attach(attempt: Attempt): void {
    this.#release();
    const { field, query, variables } = this.#request;
    let over = false;
    // Results of a cancelled subscription may still arrive.
    const unlessOver = (act: () => void): void => {
      if (!over) act();
    };
    this.stats.opened += 1;
    this.#setStatus({ state: 'connecting' });
    this.#heardAt = Date.now();
    const unsubscribe = attempt.subscribe<Result['data']>(
      {
        query: this.#options.document ?? query,
        variables: { ...variables, ...(this.#received === undefined ? {} : { after: this.#received }) },
        ...(this.#options.extensions && { extensions: this.#options.extensions }),
      },
      {
        next: (result) => unlessOver(() => this.#hear(result, field)),
        // Also called when the socket closes, which the connection handles.
        error: (error) => unlessOver(() => Array.isArray(error) && this.#refused(error as Refusal[])),
        complete: () =>
          unlessOver(() =>
            this.#refused([{ message: 'the server ended the stream', extensions: { code: 'UNAVAILABLE' } }]),
          ),
      },
    );
    this.#unsubscribe = () => {
      over = true;
      // Not within a result: a completion in the same packet would count as a second subscription's, and graphql-ws would
      // close the socket as unused.
      queueMicrotask(unsubscribe);
    };
  }

  detach(status: Status): void {
    this.#release();
    this.#setStatus(status);
  }

  end(error: StreamError): void {
    this.#close(error);
  }

  #hear({ data, errors }: Result, field: string): void {
    this.#heardAt = Date.now();
    const event = data?.[field];
    // With part of the server down, a null field is meaningless: the event is requested again.
    if (event == null || errors?.some(({ extensions }) => extensions?.code === 'UNAVAILABLE'))
      return this.#refused(errors ?? []);
    if (event.type === 'READY' || event.type === 'HEARTBEAT') {
      this.#received = event.cursor;
      if (this.#queue.length === 0) this.#taken = event.cursor;
      if (event.type === 'READY') this.#live();
      else this.#failures = 0;
      return;
    }
    const judged = this.#sequences.judge(event);
    if (judged.is === 'repeat') return void (this.stats.repeats += 1);
    if (judged.is === 'gap') {
      const { is: _, ...gap } = judged;
      const question = JSON.stringify(gap);
      if (this.#requestedGap !== question) {
        this.#requestedGap = question;
        this.stats.healed += 1;
        this.#release();
        this.#connection.carry(this);
        return;
      }
      this.stats.gaps += 1;
      this.#options.onGap?.(gap);
    }
    // Not at READY: the events after it may fail repeatedly.
    this.#failures = 0;
    if (errors !== undefined) this.#options.onFieldErrors?.(errors);
    this.#sequences.take(event);
    this.#received = event.cursor;
    this.#give(event as unknown as StreamEvent<Fields>);
  }

  #live(): void {
    this.#setStatus({ state: 'live' });
    if (this.#expired) {
      this.#expired = false;
      this.#options.onExpired?.();
    }
    this.#readied.resolve();
  }

  #give(event: StreamEvent<Fields>): void {
    this.stats.events += 1;
    const reader = this.#waiting.shift();
    if (reader !== undefined) {
      this.#taken = event.cursor;
      reader.resolve({ done: false, value: event });
      return;
    }
    this.#queue.push(event);
    if (this.#queue.length < (this.#options.bufferSize ?? 1_000)) return;
    this.#parked = true;
    this.#release();
    this.#connection.drop(this);
    this.#setStatus({ state: 'behind' });
  }

  #refused(refusals: readonly Refusal[]): void {
    this.#release();
    const { verdict, error } = judge(refusals);
    if (verdict === 'end' || (verdict === 'expired' && this.#options.onExpired === undefined))
      return this.#close(error);
    if (verdict === 'expired') {
      this.#expired = true;
      this.#received = undefined;
      this.#sequences.forget();
      this.#connection.carry(this);
      return;
    }
    this.#failures += 1;
    const wait = delayAfter(this.#failures, this.#connection.backoff);
    this.#retry = setTimeout(() => this.#connection.carry(this), wait);
    this.#setStatus({ state: 'waiting', until: Date.now() + wait, reason: error.message });
  }

  #close(error: StreamError | null): void {
    if (this.#status.state === 'closed') return;
    this.#release();
    this.#connection.drop(this);
    this.#setStatus({ state: 'closed', error });
    this.#readied.reject(error ?? new StreamError('STOPPED', 'The stream was stopped'));
    // The first reader gets the error, the others get done.
    for (const [n, reader] of this.#waiting.splice(0).entries()) {
      if (n === 0 && error !== null) reader.reject(error);
      else reader.resolve({ done: true, value: undefined });
    }
  }

  #release(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#heardAt = undefined;
    const unsubscribe = this.#unsubscribe;
    this.#unsubscribe = undefined;
    unsubscribe?.();
  }

  #setStatus(status: Status): void {
    this.#status = status;
    this.#options.onStatus?.(status);
  }
}
