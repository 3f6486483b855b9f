export interface LedgerLimits {
  /** Bytes that are kept for the readers of one connection, of one key, and of all. */
  connection: number;
  key: number;
  process: number;
  /** A reader that has taken nothing for so long, in milliseconds, is cut off when another needs the room. */
  stalledMs: number;
}

/** Bytes that are kept until their reader takes them. */
export interface Held {
  /** The reader has taken some: it makes progress. */
  took(bytes: number): void;
  /** Nothing is kept any more. May be called again. */
  end(): void;
}

export type Full = 'connection' | 'key' | 'process';

/**
 * Counts what this process keeps for readers who have not taken it yet: answers, downloads, events, over every
 * transport. Where there is no room, connections that have taken nothing for a while are closed to make it.
 */
export class Ledger {
  readonly #accounts = new Set<Account>();
  readonly #keys = new Map<string, number>();
  #bytes = 0;
  #waiting: (() => void)[] = [];
  #again: NodeJS.Timeout | undefined;

  constructor(
    readonly most: LedgerLimits,
    readonly clock: () => number = () => performance.now(),
  ) {}

  get bytes(): number {
    return this.#bytes;
  }

  /** The account of a connection, until it calls `close`; `cut` closes the connection. */
  open(cut: () => void): Account {
    const account = new Account(this, cut);
    this.#accounts.add(account);
    return account;
  }

  /** Which bound these bytes would break; null when there is room, perhaps because stalled readers were cut off. */
  full(key: string, bytes: number): 'key' | 'process' | null {
    const { most } = this;
    if (this.#ofKey(key) + bytes > most.key && !this.#makeRoom((account) => account.holds(key), () => this.#ofKey(key) + bytes <= most.key)) return 'key';
    return this.#bytes + bytes > most.process && !this.#makeRoom(() => true, () => this.#bytes + bytes <= most.process) ? 'process' : null;
  }

  add(key: string, bytes: number): void {
    this.#bytes += bytes;
    const ofKey = this.#ofKey(key) + bytes;
    if (ofKey === 0) this.#keys.delete(key);
    else this.#keys.set(key, ofKey);
    if (bytes < 0) this.#wake();
  }

  forget(account: Account): void {
    this.#accounts.delete(account);
  }

  /** Resolves when some room was given back, or a reader may have stalled meanwhile. */
  changed(): Promise<void> {
    this.#again ??= setTimeout(() => this.#wake(), this.most.stalledMs);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    clearTimeout(this.#again);
    this.#again = undefined;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #ofKey(key: string): number {
    return this.#keys.get(key) ?? 0;
  }

  /** Cuts off stalled readers, the one that has taken nothing for longest first. Says whether there is room then. */
  #makeRoom(among: (account: Account) => boolean, isRoom: () => boolean): boolean {
    const before = this.clock() - this.most.stalledMs;
    const stalled = [...this.#accounts].filter((account) => account.bytes > 0 && account.progressAt <= before && among(account));
    for (const account of stalled.sort((a, b) => a.progressAt - b.progressAt)) {
      account.cutOff();
      if (isRoom()) return true;
    }
    return false;
  }
}

/** What is kept for the readers of one connection. */
export class Account {
  readonly #held = new Set<Held & { key: string }>();
  readonly #closing = new Set<() => void>();
  #closed = false;
  bytes = 0;
  /** When its reader took something last, or had nothing to take. */
  progressAt = 0;

  constructor(
    private readonly ledger: Ledger,
    private readonly cut: () => void,
  ) {}

  get closed(): boolean {
    return this.#closed;
  }

  holds(key: string): boolean {
    return [...this.#held].some((held) => held.key === key);
  }

  /** Which bound these bytes would break; null when there is room, perhaps because stalled readers were cut off. */
  full(key: string, bytes: number): Full | null {
    return this.bytes > 0 && this.bytes + bytes > this.ledger.most.connection ? 'connection' : this.ledger.full(key, bytes);
  }

  /** Counts the bytes, whether there is room or not. */
  hold(key: string, bytes: number): Held {
    if (this.#closed) return nothing;
    if (this.bytes === 0) this.progressAt = this.ledger.clock();
    let left = bytes;
    this.bytes += bytes;
    this.ledger.add(key, bytes);
    const giveBack = (given: number): void => {
      left -= given;
      this.bytes -= given;
      this.ledger.add(key, -given);
    };
    const held = {
      key,
      took: (taken: number) => {
        this.progressAt = this.ledger.clock();
        giveBack(Math.min(taken, left));
      },
      end: () => {
        if (!this.#held.delete(held)) return;
        giveBack(left);
      },
    };
    this.#held.add(held);
    return held;
  }

  /** Counts the bytes as soon as there is room for them; null when the connection was closed meanwhile. */
  async holdInTurn(key: string, bytes: number): Promise<Held | null> {
    while (!this.#closed && this.full(key, bytes) !== null) await this.ledger.changed();
    return this.#closed ? null : this.hold(key, bytes);
  }

  /** The connection is gone, and with it what was kept for it. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const held of this.#held) held.end();
    this.ledger.forget(this);
    for (const tell of this.#closing) tell();
  }

  /** Calls back when the connection is gone; answers how not to be called any more. */
  whenClosed(tell: () => void): () => void {
    this.#closing.add(tell);
    return () => void this.#closing.delete(tell);
  }

  cutOff(): void {
    this.close();
    this.cut();
  }
}

const nothing: Held = { took: () => undefined, end: () => undefined };
