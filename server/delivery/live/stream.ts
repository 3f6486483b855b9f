import { setTimeout as delay } from 'node:timers/promises';
import { retryDelayMs } from '../../core/databaseErrors.ts';
import type { Point } from '../../core/history.ts';
import type { Entry, EventRow, Hub, HubListener, Item } from './hub.ts';

/** In the extensions of a CURSOR_EXPIRED. */
export const historyWentBack = { reason: 'HISTORY_WENT_BACK' };

const endings = {
  stopping: ['UNAVAILABLE', 'The server is stopping: connect again'],
  key: ['UNAUTHENTICATED', 'The key was revoked or has expired'],
  pruned: [
    'CURSOR_EXPIRED',
    'Events that this stream had not delivered were pruned: read the current state, then subscribe without after',
  ],
  history: [
    'CURSOR_EXPIRED',
    'The database went back to an earlier moment, and events that this stream delivered may be gone: read the current state, then subscribe without after',
  ],
} as const;

/**
 * Thrown to the reader when the server ends a stream: it is stopping, the caller's key ended, what it should deliver was pruned, or the
 * database went back.
 */
export class StreamEnded extends Error {
  readonly code: (typeof endings)[keyof typeof endings][0];
  readonly extensions: object;

  constructor(why: keyof typeof endings) {
    super(endings[why][1]);
    [this.code] = endings[why];
    this.extensions = { code: this.code, ...(why === 'history' && historyWentBack) };
  }
}

export interface StreamOptions {
  hub: Hub;
  /** The stream begins after this point. */
  from: Point;
  /** Whether the number comes from a caller's cursor. */
  resumed: boolean;
  /** Whether events may be pruned that this stream would have delivered. False: it is one of Sessions that exist. */
  prunable?: boolean;
  /** Entries up to here are read from the database, because the hub's copies have the readers of an earlier time. */
  rereadUpTo?: number;
  /** Whether this caller gets the event, by the subscription's arguments and its read access. */
  accepts(event: EventRow): boolean;
  failed(error: unknown): void;
  closed(): void;
}

/**
 * One subscriber's items: READY, then everything after `from`, once and in order, with heartbeats between. It stores a
 * number and no rows, so an idle subscriber uses no memory for events. Pull one item at a time.
 */
export class Stream implements AsyncIterableIterator<Item>, HubListener {
  #number: number;
  #eventId: Point['eventId'];
  #older: Entry[] = [];
  #begun = false;
  #beatDue = false;
  #ended = false;
  #error: StreamEnded | null = null;
  #resume: (() => void) | null = null;
  #reading = false;
  // Own fields: reading them through `options` costs one more memory access per event and subscriber.
  readonly #hub: Hub;
  readonly #accepts: StreamOptions['accepts'];
  readonly #rereadUpTo: number;

  constructor(private readonly options: StreamOptions) {
    this.#number = options.from.number;
    this.#eventId = options.from.eventId;
    this.#hub = options.hub;
    this.#accepts = options.accepts;
    this.#rereadUpTo = options.rereadUpTo ?? 0;
    options.hub.listeners.add(this);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Returns the next item without waiting; undefined before the next item has arrived. */
  take(): Item | undefined {
    const hub = this.#hub;
    if (this.#ended) return undefined;
    if (!this.#begun) {
      this.#begun = true;
      return hub.mark('READY', this.#point, this.options.resumed ? true : null);
    }
    if (this.#beatDue) {
      this.#beatDue = false;
      return this.#number === hub.head ? hub.heartbeat() : hub.mark('HEARTBEAT', this.#point);
    }
    for (;;) {
      const entry = this.#older.shift() ?? this.#nextKept();
      if (entry == null) return undefined;
      this.#number = entry.number;
      this.#eventId = entry.item.event!.id;
      if (this.#accepts(entry.item.event!)) return entry.item;
    }
  }

  get #point(): Point {
    return { number: this.#number, eventId: this.#eventId };
  }

  /** Null when it must be read from the database. */
  #nextKept(): Entry | null | undefined {
    return this.#number < this.#rereadUpTo ? null : this.#hub.after(this.#number);
  }

  /** The number of entries after the last one that was taken. */
  get behind(): number {
    return Math.max(0, this.#hub.head - this.#number);
  }

  /** Whether the stream is over. `error` has the reason, unless the reader left. */
  get ended(): boolean {
    return this.#ended;
  }

  get error(): StreamEnded | null {
    return this.#error;
  }

  /** Resolves at the next chance to `take`, and at the end. Call it after `take` returned undefined. */
  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = resolve;
      if (this.#ended) this.wake();
      else if (!this.#reading && this.#nextKept() === null) void this.#readOlder();
    });
  }

  async next(): Promise<IteratorResult<Item, undefined>> {
    for (;;) {
      const item = this.take();
      if (item !== undefined) return { done: false, value: item };
      if (this.#error !== null) throw this.#error;
      if (this.#ended) return { done: true, value: undefined };
      await this.wait();
    }
  }

  /** Retries while the database is down. Only one read runs at a time: two would deliver entries twice. */
  async #readOlder(): Promise<void> {
    this.#reading = true;
    try {
      const { entries, pruned, reached } = await this.#hub.older(this.#number);
      if (this.options.prunable === true && pruned > this.#number) this.fail(new StreamEnded('pruned'));
      else if (entries.length === 0) this.#passOver(Math.max(this.#number, this.#rereadUpTo, reached));
      this.#older = entries;
    } catch (error) {
      this.options.failed(error);
      if (!this.#ended) await delay(retryDelayMs, undefined, { ref: false });
    }
    this.#reading = false;
    this.wake();
  }

  /** Nothing is there up to this number. */
  #passOver(number: number): void {
    if (number === this.#number) return;
    this.#number = number;
    this.#eventId = null;
  }

  wake(): void {
    if (this.#reading && !this.#ended) return;
    this.#resume?.();
    this.#resume = null;
  }

  beat(): void {
    this.#beatDue = true;
  }

  async return(): Promise<IteratorResult<Item, undefined>> {
    this.#end();
    return { done: true, value: undefined };
  }

  /** Ends the stream: pending and later pulls reject. */
  fail(error: StreamEnded): void {
    if (this.#ended) return;
    this.#error = error;
    this.#end();
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#hub.listeners.delete(this);
    this.options.closed();
    this.wake();
  }
}
