export interface LedgerLimits {
  /** Limits of unread bytes per connection, per key, and in all. */
  connection: number;
  key: number;
  process: number;
  /** A client that has read nothing for this long, in milliseconds, is disconnected when the space is needed. */
  stalledMs: number;
}

/** Unread bytes of one answer or message. */
export interface Held {
  /** Records that the client read these bytes. */
  took(bytes: number): void;
  /** Releases the remaining bytes. Repeatable. */
  end(): void;
}

export type Full = 'connection' | 'key' | 'process';

/**
 * Counts the unread bytes that this process keeps for clients: answers, downloads and events of every transport. Above a limit
 * it closes stalled connections to free space.
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

  /** Opens the account of a connection. `cut` must close the connection. */
  open(cut: () => void): Account {
    const account = new Account(this, cut);
    this.#accounts.add(account);
    return account;
  }

  /** The limit that these bytes would exceed; null when there is space. May close stalled connections. */
  full(key: string, bytes: number): 'key' | 'process' | null {
    const { most } = this;
    if (
      this.#ofKey(key) + bytes > most.key &&
      !this.#makeRoom(
        (account) => account.holds(key),
        () => this.#ofKey(key) + bytes <= most.key,
      )
    )
      return 'key';
    return this.#bytes + bytes > most.process &&
      !this.#makeRoom(
        () => true,
        () => this.#bytes + bytes <= most.process,
      )
      ? 'process'
      : null;
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

  /** Resolves when bytes were released, or after `stalledMs`, when clients may have stalled. */
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

  /** Closes stalled connections, the longest stalled first, until there is space. Returns whether there is. */
  #makeRoom(among: (account: Account) => boolean, isRoom: () => boolean): boolean {
    const before = this.clock() - this.most.stalledMs;
    const stalled = [...this.#accounts].filter(
      (account) => account.bytes > 0 && account.progressAt <= before && among(account),
    );
    for (const account of stalled.sort((a, b) => a.progressAt - b.progressAt)) {
      account.cutOff();
      if (isRoom()) return true;
    }
    return false;
  }
}

/** Unread bytes of one connection. */
export class Account {
  readonly #held = new Set<Held & { key: string }>();
  readonly #closing = new Set<() => void>();
  #closed = false;
  bytes = 0;
  /** When the client last read something or had nothing to read. */
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

  /** The limit that these bytes would exceed; null when there is space. May close stalled connections. */
  full(key: string, bytes: number): Full | null {
    return this.bytes > 0 && this.bytes + bytes > this.ledger.most.connection
      ? 'connection'
      : this.ledger.full(key, bytes);
  }

  /** Counts the bytes without checking the limits. */
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

  /** Waits for space, then counts the bytes. Null when the connection was closed meanwhile. */
  async holdInTurn(key: string, bytes: number): Promise<Held | null> {
    while (!this.#closed && this.full(key, bytes) !== null) await this.ledger.changed();
    return this.#closed ? null : this.hold(key, bytes);
  }

  /** Releases all bytes of a closed connection. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const held of this.#held) held.end();
    this.ledger.forget(this);
    for (const callback of this.#closing) callback();
  }

  /** Calls back when the connection is closed. Returns a function that removes the callback. */
  whenClosed(callback: () => void): () => void {
    this.#closing.add(callback);
    return () => void this.#closing.delete(callback);
  }

  cutOff(): void {
    this.close();
    this.cut();
  }
}

const nothing: Held = { took: () => undefined, end: () => undefined };
