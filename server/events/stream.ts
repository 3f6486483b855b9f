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

  /** What is there at this moment, without waiting. */
  take(): Item | undefined {
    const { hub, resumed, accepts } = this.options;
    if (this.#ended) return undefined;
    if (!this.#begun) {
      this.#begun = true;
      return hub.mark('READY', this.#number, resumed ? true : null);
    }
    if (this.#beatDue) {
      this.#beatDue = false;
      return this.#number === hub.head ? hub.heartbeat() : hub.mark('HEARTBEAT', this.#number);
    }
    for (;;) {
      const entry = this.#older.shift() ?? hub.after(this.#number);
      if (entry == null) return undefined;
      this.#number = entry.number;
      if (accepts(entry.item.event!)) return entry.item;
    }
  }

  /** Resolves when it is time to `take` again, to false when there will be nothing any more. */
  async more(): Promise<boolean> {
    if (this.#error !== null) {
      const error = this.#error;
      this.#error = null;
      throw error;
    }
    if (this.#ended) return false;
    if (this.options.hub.after(this.#number) === null) await this.#readOlder();
    else await this.#woken();
    return true;
  }

  async next(): Promise<IteratorResult<Item, undefined>> {
    for (;;) {
      const item = this.take();
      if (item !== undefined) return { done: false, value: item };
      if (!(await this.more())) return { done: true, value: undefined };
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
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, retryMs);
      this.#resume = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Not again when something has come since `take`: nobody would call. */
  #woken(): Promise<void> {
    const { hub } = this.options;
    if (this.#beatDue || this.#ended || this.#error !== null || hub.head > this.#number) return Promise.resolve();
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
