import { delayAfter } from './backoff.ts';
import type { Attempt, Carried, Connection, Status } from './connection.ts';
import { judge, StreamError, type Refusal } from './errors.ts';
import { requestOf, type EventType, type Topic } from './requests.ts';
import { Sequences, type Gap, type Numbered } from './sequences.ts';

/** One Event, with what the program asked for of it besides. */
export type StreamEvent<Fields = object> = {
  /** Its place: kept once the Event is dealt with, and given back as `after`, nothing is missed and nothing comes twice. */
  cursor: string;
  type: EventType;
  at: string;
  sessionSequence: number | null;
  inboxSequence: number | null;
  session: { id: string } | null;
} & Fields;

export interface StreamOptions {
  topic: Topic;
  /** Where to go on; without it, from now on. */
  after?: string;
  /** What to ask of each Event besides what the helper needs itself: `handoff { id status }`. */
  fields?: string;
  /** The text of a whole operation instead; it takes the topic's variables and `$after`, and selects everything in `StreamEvent` and `recovered`. */
  document?: string;
  /** Sent with the operation: what names a document that the server knows, for instance. */
  extensions?: Record<string, unknown>;
  /** So many events wait for the program at most; then the server keeps them until it has caught up. */
  bufferSize?: number;
  onStatus?: (status: Status) => void;
  /** The cursor was no longer good: the stream goes on from now, and the program has to read again what it knows. Without it, the stream ends with the error. */
  onExpired?: () => void;
  /** Numbers are missing, and asking again did not bring them. The event after the gap follows. */
  onGap?: (gap: Gap) => void;
  /** Fields of an event could not be read: they are null in it. */
  onFieldErrors?: (errors: readonly Refusal[]) => void;
}

/** What happened so far. */
export interface StreamStats {
  /** Events that were handed to the program, or wait for it. */
  events: number;
  /** Events that came a second time, and were dropped. */
  repeats: number;
  /** How often something was missing and was asked for again. */
  healed: number;
  /** How often it stayed away. */
  gaps: number;
  /** How often the stream was opened. */
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

/** The events of one topic, in order, each once, whatever happens to the socket. For one reader. */
export class EventStream<Fields = object> implements AsyncIterableIterator<StreamEvent<Fields>>, Carried {
  readonly stats: StreamStats = { events: 0, repeats: 0, healed: 0, gaps: 0, opened: 0 };
  /** Resolves when the stream is live for the first time: what happened before can be read now, what happens from here on follows. */
  readonly ready: Promise<void>;
  readonly #connection: Connection;
  readonly #options: StreamOptions;
  readonly #request: ReturnType<typeof requestOf>;
  readonly #sequences: Sequences;
  readonly #queue: StreamEvent<Fields>[] = [];
  readonly #waiting: { resolve(result: IteratorResult<StreamEvent<Fields>, undefined>): void; reject(error: StreamError): void }[] = [];
  /** The newest place that is known, heartbeats included; everything up to it was handed out or is in the queue. */
  #received: string | undefined;
  #taken: string | undefined;
  #heardAt: number | undefined;
  #unsubscribe: (() => void) | undefined;
  #expired = false;
  /** The gap that was asked about already. */
  #asked = '';
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
    // Who does not wait for it hears of the end elsewhere.
    this.ready.catch(() => undefined);
    connection.carry(this);
  }

  get status(): Status {
    return this.#status;
  }

  /** Everything up to here was handed out: what to keep for `after` once the last event is dealt with. Undefined until it is known. */
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
      // Told once; whoever asks again just finds the end.
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

  /** Ends the stream; what was not taken is dropped. No timer and no socket of it is left. */
  stop(): void {
    this.#queue.length = 0;
    this.#close(null);
  }

  attach(attempt: Attempt): void {
    this.#release();
    const { field, query, variables } = this.#request;
    let over = false;
    // Answers of a subscription that was given up may still arrive.
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
        // The end of a socket comes here too, and is the connection's affair.
        error: (error) => unlessOver(() => Array.isArray(error) && this.#refused(error as Refusal[])),
        complete: () => unlessOver(() => this.#refused([{ message: 'the server ended the stream', extensions: { code: 'UNAVAILABLE' } }])),
      },
    );
    this.#unsubscribe = () => {
      over = true;
      // Not within a result: the end that may follow it in the same packet would be counted as a second subscription's, and
      // the socket be closed as nobody's.
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
    // With a part of the server away, a field that is null says nothing: the event comes again, whole.
    if (event == null || errors?.some(({ extensions }) => extensions?.code === 'UNAVAILABLE')) return this.#refused(errors ?? []);
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
      if (this.#asked !== question) {
        this.#asked = question;
        this.stats.healed += 1;
        this.#release();
        this.#connection.carry(this);
        return;
      }
      this.stats.gaps += 1;
      this.#options.onGap?.(gap);
    }
    // Not at READY: what follows it may fail again and again.
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
    if (verdict === 'end' || (verdict === 'expired' && this.#options.onExpired === undefined)) return this.#close(error);
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
    // The first reader is told why, the others that it is over.
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
