import type { EventRow } from './rows.ts';
import type { Entry, Hub, HubListener, Item } from './hub.ts';

/** Thrown to who reads a stream that the server ends before its time: because it stops, or the caller's key does. */
export class StreamEnded extends Error {
  constructor(readonly why: 'stopping' | 'key') {
    super(why === 'stopping' ? 'The server is stopping: connect again' : 'The key was revoked or has expired');
  }
}

export interface StreamOptions {
  hub: Hub;
  /** Where to begin, and whether a caller's cursor said so. */
  from: number;
  resumed: boolean;
  /** Whether this caller is to have it, by what was asked for and by what the database said when the row was read. */
  accepts(event: EventRow): boolean;
  failed(error: unknown): void;
  closed(): void;
}

const retryMs = 500;

/**
 * What one subscriber reads: READY, then everything after `from`, once and in order, with heartbeats between. It holds
 * a number and no rows: who does not pull costs nothing, and reads on later. Pull one at a time.
 */
export class Stream implements AsyncIterableIterator<Item>, HubListener {
  #number: number;
  #older: Entry[] = [];
  #begun = false;
  #beatDue = false;
  #ended = false;
  #error: StreamEnded | null = null;
  #resume: (() => void) | null = null;

  constructor(private readonly options: StreamOptions) {
    this.#number = options.from;
    options.hub.listeners.add(this);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Item, undefined>> {
    const { hub } = this.options;
    if (!this.#begun && !this.#ended) {
      this.#begun = true;
      return { done: false, value: hub.mark('READY', this.#number, this.options.resumed ? true : null) };
    }
    for (;;) {
      if (this.#error !== null) {
        const error = this.#error;
        this.#error = null;
        throw error;
      }
      if (this.#ended) return { done: true, value: undefined };
      if (this.#beatDue) {
        this.#beatDue = false;
        return { done: false, value: this.#number === hub.head ? hub.heartbeat() : hub.mark('HEARTBEAT', this.#number) };
      }
      const entry = this.#older.shift() ?? hub.after(this.#number);
      if (entry === null) {
        await this.#readOlder();
      } else if (entry === undefined) {
        await this.#woken();
      } else {
        this.#number = entry.number;
        if (this.options.accepts(entry.item.event!)) return { done: false, value: entry.item };
      }
    }
  }

  /** A database that is away ends no stream: it is asked again. */
  async #readOlder(): Promise<void> {
    const { hub, failed } = this.options;
    try {
      this.#older = await hub.older(this.#number);
    } catch (error) {
      failed(error);
    }
    if (this.#older.length > 0 || this.#ended) return;
    const timer = setTimeout(() => this.wake(), retryMs);
    await this.#woken();
    clearTimeout(timer);
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => (this.#resume = resolve));
  }

  wake(): void {
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

  /** The next pull rejects, also one that waits. */
  fail(error: StreamEnded): void {
    if (this.#ended) return;
    this.#error = error;
    this.#end();
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.options.hub.listeners.delete(this);
    this.#older = [];
    this.options.closed();
    this.wake();
  }
}
