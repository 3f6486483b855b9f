import { setTimeout as delay } from 'node:timers/promises';
import { askAgainMs } from '../core/databaseErrors.ts';
import type { Entry, EventRow, Hub, HubListener, Item } from './hub.ts';

/** Thrown to the reader of a stream that the server ends: because it stops, or because the caller's key ended. */
export class StreamEnded extends Error {
  readonly code: 'UNAVAILABLE' | 'UNAUTHENTICATED';

  constructor(why: 'stopping' | 'key') {
    super(why === 'stopping' ? 'The server is stopping: connect again' : 'The key was revoked or has expired');
    this.code = why === 'stopping' ? 'UNAVAILABLE' : 'UNAUTHENTICATED';
  }
}

export interface StreamOptions {
  hub: Hub;
  /** Number of the entry to begin after. */
  from: number;
  /** Whether a caller's cursor named it. */
  resumed: boolean;
  /**
   * Everything up to here is read from the database, even if the hub keeps it: what the hub keeps knows who could read it then,
   * and not who can now.
   */
  rereadUpTo?: number;
  /** Whether this caller gets the event: by the arguments of the subscription, and by what it may read. */
  accepts(event: EventRow): boolean;
  failed(error: unknown): void;
  closed(): void;
}

/**
 * What one subscriber reads: READY, then everything after `from`, once and in order, with heartbeats between. It holds a number
 * and no rows: a subscriber that does not pull costs nothing, and reads on later. Pull one at a time.
 */
export class Stream implements AsyncIterableIterator<Item>, HubListener {
  #number: number;
  #older: Entry[] = [];
  #begun = false;
  #beatDue = false;
  #ended = false;
  #error: StreamEnded | null = null;
  #resume: (() => void) | null = null;
  #reading = false;
  // Fields of their own: through `options` each event would look at one more place of memory for each subscriber.
  readonly #hub: Hub;
  readonly #accepts: StreamOptions['accepts'];
  readonly #rereadUpTo: number;

  constructor(private readonly options: StreamOptions) {
    this.#number = options.from;
    this.#hub = options.hub;
    this.#accepts = options.accepts;
    this.#rereadUpTo = options.rereadUpTo ?? 0;
    options.hub.listeners.add(this);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Returns the next item without waiting; undefined when there is none at this moment. */
  take(): Item | undefined {
    const hub = this.#hub;
    if (this.#ended) return undefined;
    if (!this.#begun) {
      this.#begun = true;
      return hub.mark('READY', this.#number, this.options.resumed ? true : null);
    }
    if (this.#beatDue) {
      this.#beatDue = false;
      return this.#number === hub.head ? hub.heartbeat() : hub.mark('HEARTBEAT', this.#number);
    }
    for (;;) {
      const entry = this.#older.shift() ?? this.#nextKept();
      if (entry == null) return undefined;
      this.#number = entry.number;
      if (this.#accepts(entry.item.event!)) return entry.item;
    }
  }

  /** Null when it is to be read from the database. */
  #nextKept(): Entry | null | undefined {
    return this.#number < this.#rereadUpTo ? null : this.#hub.after(this.#number);
  }

  /** Whether nothing more will come. `error` then says why, unless the reader left. */
  get ended(): boolean {
    return this.#ended;
  }

  get error(): StreamEnded | null {
    return this.#error;
  }

  /** Resolves when it is time to `take` again, and at the end. To be called when `take` returned nothing. */
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

  /** A database that is away ends no stream: it is asked again. One read at a time: two would both give the next entries. */
  async #readOlder(): Promise<void> {
    this.#reading = true;
    let older: Entry[] = [];
    try {
      older = await this.#hub.older(this.#number);
    } catch (error) {
      this.options.failed(error);
    }
    if (older.length === 0 && !this.#ended) await delay(askAgainMs, undefined, { ref: false });
    this.#older = older;
    this.#reading = false;
    this.wake();
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

  /** Ends the stream: the next pull rejects, and so does one that waits. */
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
