export interface TurnLimits {
  /** The number of concurrent turns. */
  atOnce: number;
  /** The number of concurrent turns per key; default `atOnce`. */
  ofKey?: number;
  /** The number of waiting requests over all keys. */
  waiting: number;
  /** The longest wait, in milliseconds. */
  waitMs: number;
}

interface Waiter {
  key: string;
  begin(): void;
  refuse(): void;
}

/**
 * A fair limit on concurrency. The next turn goes to the key with the fewest turns, then to the key with the oldest last
 * turn, then to its oldest request: a long queue delays only its own key.
 */
export class Turns {
  readonly #running = new Map<string, number>();
  /** The number of the last turn of each key with running or waiting requests. */
  readonly #lastTurns = new Map<string, number>();
  readonly #ofKey: number;
  #waiting: Waiter[] = [];
  #count = 0;
  #begun = 0;

  constructor(private readonly limits: TurnLimits) {
    this.#ofKey = limits.ofKey ?? limits.atOnce;
  }

  /** Returns a release function that may be called more than once; null when the queue is full or the wait is too long. */
  async take(key: string): Promise<(() => void) | null> {
    if (this.#count < this.limits.atOnce && this.#of(key) < this.#ofKey) return this.#begin(key);
    if (this.#waiting.length >= this.limits.waiting && !this.#makeRoom(key)) return null;
    return new Promise((resolve) => {
      const refuse = (): void => {
        clearTimeout(late);
        this.#waiting = this.#waiting.filter((each) => each !== waiter);
        this.#forget(key);
        resolve(null);
      };
      const late = setTimeout(refuse, this.limits.waitMs);
      const waiter = {
        key,
        refuse,
        begin: () => {
          clearTimeout(late);
          resolve(this.#begin(key));
        },
      };
      this.#waiting.push(waiter);
    });
  }

  #begin(key: string): () => void {
    this.#count += 1;
    this.#running.set(key, this.#of(key) + 1);
    this.#lastTurns.set(key, (this.#begun += 1));
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.#count -= 1;
      if (this.#of(key) === 1) this.#running.delete(key);
      else this.#running.set(key, this.#of(key) - 1);
      this.#next();
      this.#forget(key);
    };
  }

  #next(): void {
    const [next] = this.#waiting
      .filter(({ key }) => this.#of(key) < this.#ofKey)
      .sort(
        (a, b) =>
          this.#of(a.key) - this.#of(b.key) || (this.#lastTurns.get(a.key) ?? 0) - (this.#lastTurns.get(b.key) ?? 0),
      );
    if (next === undefined) return;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    next.begin();
  }

  /** Rejects the newest request of the longest queue, if that queue is longer than this key's would be. */
  #makeRoom(key: string): boolean {
    const queues = new Map<string, Waiter[]>();
    for (const waiter of this.#waiting) queues.set(waiter.key, [...(queues.get(waiter.key) ?? []), waiter]);
    const longest = [...queues.values()].reduce((a, b) => (b.length > a.length ? b : a), []);
    if (longest.length <= (queues.get(key)?.length ?? 0) + 1) return false;
    longest.at(-1)!.refuse();
    return true;
  }

  #forget(key: string): void {
    if (this.#of(key) === 0 && !this.#waiting.some((waiter) => waiter.key === key)) this.#lastTurns.delete(key);
  }

  #of(key: string): number {
    return this.#running.get(key) ?? 0;
  }
}
