import { setTimeout as delay } from 'node:timers/promises';
import { askAgainMs } from '../core/databaseErrors.ts';
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
  /**
   * Up to where everything is read from the database, although the hub may keep it: what it keeps knows who could read it
   * then, and not who can now.
   */
  anewUpTo?: number;
  /** Whether this caller is to have it, by what was asked for and by what the database said when the row was read. */
  accepts(event: EventRow): boolean;
  failed(error: unknown): void;
  closed(): void;
}

/**
 * What one subscriber reads: READY, then everything after `from`, once and in order, with heartbeats between. It holds
 * a number and no rows: who does not pull costs nothing, and reads on later. Pull one at a time.
 */
export class Stream implements AsyncIterableIterator<Item>, HubListener {
  #number: number;
  #older: Entry[] | null = null;
  #begun = false;
  #beatDue = false;
  #ended = false;
  #error: StreamEnded | null = null;
  #resume: (() => void) | null = null;
  #reading = false;
  // Fields of their own: a thousand subscribers are as many places of memory to look at for each event.
  readonly #hub: Hub;
  readonly #accepts: StreamOptions['accepts'];
  readonly #anewUpTo: number;

  constructor(private readonly options: StreamOptions) {
    this.#number = options.from;
    this.#hub = options.hub;
    this.#accepts = options.accepts;
    this.#anewUpTo = options.anewUpTo ?? 0;
    options.hub.listeners.add(this);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** What is there at this moment, without waiting. */
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
      const entry = this.#older === null ? this.#nextKept() : this.#nextOlder();
      if (entry == null) return undefined;
      this.#number = entry.number;
      if (this.#accepts(entry.item.event!)) return entry.item;
    }
  }

  #nextOlder(): Entry | null | undefined {
    const entry = this.#older?.shift();
    if (entry === undefined) this.#older = null;
    return entry ?? this.#nextKept();
  }

  #nextKept(): Entry | null | undefined {
    return this.#number < this.#anewUpTo ? null : this.#hub.after(this.#number);
  }

  /** Whether there will be nothing any more; `error` then says why, if it was before its time. */
  get ended(): boolean {
    return this.#ended;
  }

  get error(): StreamEnded | null {
    return this.#error;
  }

  /** Calls back once, when it is time to `take` again: at the end too. To be called when `take` had nothing. */
  wait(callback: () => void): void {
    this.#resume = callback;
    if (!this.#ended && !this.#reading && this.#nextKept() === null) void this.#readOlder();
  }

  async next(): Promise<IteratorResult<Item, undefined>> {
    for (;;) {
      const item = this.take();
      if (item !== undefined) return { done: false, value: item };
      const error = this.#error;
      this.#error = null;
      if (error !== null) throw error;
      if (this.#ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => this.wait(resolve));
    }
  }

  /** A database that is away ends no stream: it is asked again. One read at a time: two would both give what comes next. */
  async #readOlder(): Promise<void> {
    this.#reading = true;
    try {
      this.#older = await this.#hub.older(this.#number);
    } catch (error) {
      this.options.failed(error);
    }
    if ((this.#older === null || this.#older.length === 0) && !this.#ended) await delay(askAgainMs, undefined, { ref: false });
    this.#reading = false;
    this.wake();
  }

  wake(): void {
    if (this.#reading && !this.#ended) return;
    const resume = this.#resume;
    this.#resume = null;
    resume?.();
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
    this.#hub.listeners.delete(this);
    this.#older = null;
    this.options.closed();
    this.wake();
  }
}
