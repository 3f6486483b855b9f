import type { EventRow, NumberedRow } from './rows.ts';

/** One thing to deliver, the same object for all who get it. */
export interface Item {
  type: EventRow['type'] | 'READY' | 'HEARTBEAT';
  cursor: string;
  at: Date;
  /** Null for READY and HEARTBEAT. */
  event: EventRow | null;
  inboxSequence: number | null;
  recovered: boolean | null;
}

export interface Entry {
  number: number;
  item: Item;
}

export interface HubOptions {
  /** The rows after a number, oldest first, at most `limit`. */
  read(after: number, limit: number): Promise<NumberedRow[]>;
  cursor(number: number): string;
  inbox: boolean;
  failed(error: unknown): void;
}

export interface HubListener {
  wake(): void;
}

const batch = 200;
/**
 * How many of the last entries are kept for those who are a little behind; who is further behind reads the database. Of
 * an inbox, of which there may be thousands, with one listener each, none that is older than the tick before the last.
 */
const kept = 512;

/**
 * One stream in this process: reads each row once, however many listen, and keeps the newest. It reads from where it
 * stands, so it misses nothing, whatever was hinted.
 */
export class Hub {
  readonly listeners = new Set<HubListener>();
  /** Everything up to here was read. */
  head: number;
  /** Nothing up to here is kept. */
  #floor: number;
  /** The head at the last tick. */
  #ticked = 0;
  readonly #entries: Entry[] = [];
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #wanted = 0;
  #beat: Item | null = null;

  constructor(
    private readonly options: HubOptions,
    head: number,
  ) {
    this.head = head;
    this.#floor = head;
  }

  /** A hint that the stream has moved to a number; one that is not beyond what was read costs nothing, a false one a read. */
  hint(number: number): void {
    if (number <= this.head) return;
    // What is being read just now may include it.
    if (this.#running === null) this.read().catch(this.options.failed);
    else this.#wanted = Math.max(this.#wanted, number);
  }

  /** Resolves when everything has been read that was there when it was called. Many calls share one statement. */
  read(): Promise<void> {
    if (this.#next !== null) return this.#next;
    if (this.#running === null) return this.#begin();
    this.#next = this.#running.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#next;
  }

  /** How many are kept. */
  get size(): number {
    return this.#entries.length;
  }

  /** What follows a number, as far as it is kept; null when it is not, and is to be read from the database. */
  after(number: number): Entry | null | undefined {
    if (number < this.#floor) return null;
    return this.#entries[number - this.#floor];
  }

  /** Older entries for one listener alone. */
  async older(number: number): Promise<Entry[]> {
    const rows = await this.options.read(number, batch);
    return rows.map((row) => this.#entryOf(row));
  }

  /** One for all who stand at the head, until it moves or the clock ticks. */
  heartbeat(): Item {
    return (this.#beat ??= this.mark('HEARTBEAT', this.head));
  }

  tick(): void {
    this.#beat = null;
    if (this.options.inbox) this.#dropUpTo(this.#ticked);
    this.#ticked = this.head;
    for (const listener of this.listeners) listener.wake();
  }

  mark(type: 'READY' | 'HEARTBEAT', number: number, recovered: boolean | null = null): Item {
    return { type, cursor: this.options.cursor(number), at: new Date(), event: null, inboxSequence: null, recovered };
  }

  #begin(): Promise<void> {
    this.#next = null;
    this.#running = this.#readOn().finally(() => {
      this.#running = null;
      const wanted = this.#wanted;
      this.#wanted = 0;
      if (this.#next === null) this.hint(wanted);
    });
    return this.#running;
  }

  async #readOn(): Promise<void> {
    for (;;) {
      const rows = await this.options.read(this.head, batch);
      if (rows.length > 0) this.#take(rows);
      if (rows.length < batch) return;
    }
  }

  #take(rows: NumberedRow[]): void {
    // The rows from where it began to here may not be kept any more.
    if (this.#entries.length === 0) this.#floor = rows[0]!.number - 1;
    for (const row of rows) this.#entries.push(this.#entryOf(row));
    this.head = rows.at(-1)!.number;
    this.#dropUpTo(this.head - kept);
    this.#beat = null;
    for (const listener of this.listeners) listener.wake();
  }

  #dropUpTo(number: number): void {
    if (number <= this.#floor) return;
    this.#entries.splice(0, number - this.#floor);
    this.#floor = number;
  }

  #entryOf({ number, ...event }: NumberedRow): Entry {
    const { type, at } = event;
    const inboxSequence = this.options.inbox ? number : null;
    return { number, item: { type, cursor: this.options.cursor(number), at, event, inboxSequence, recovered: null } };
  }
}
