export interface TurnLimits {
  /** How many have a turn at once. */
  atOnce: number;
  /** How many of them may be of one key; all, unless given. */
  ofKey?: number;
  /** How many wait for one, in all. */
  waiting: number;
  /** How long one waits, in milliseconds. */
  waitMs: number;
}

interface Waiter {
  key: string;
  begin(): void;
  refuse(): void;
}

/**
 * A few at a time. The next turn goes to the key that has fewest, among those to the key whose last turn is longest ago,
 * and of that key to the oldest request: a key with a long queue delays its own work.
 */
export class Turns {
  readonly #running = new Map<string, number>();
  /** The number of the last turn of each key that has one or waits for one. */
  readonly #lastTurns = new Map<string, number>();
  readonly #ofKey: number;
  #waiting: Waiter[] = [];
  #count = 0;
  #begun = 0;

  constructor(private readonly most: TurnLimits) {
    this.#ofKey = most.ofKey ?? most.atOnce;
  }

  /** Returns how to give the turn back, which may be done more than once; null when too many wait, or when it did not come in time. */
  async take(key: string): Promise<(() => void) | null> {
    if (this.#count < this.most.atOnce && this.#of(key) < this.#ofKey) return this.#begin(key);
    if (this.#waiting.length >= this.most.waiting && !this.#makeRoom(key)) return null;
    return new Promise((resolve) => {
      const refuse = (): void => {
        clearTimeout(late);
        this.#waiting = this.#waiting.filter((each) => each !== waiter);
        this.#forget(key);
        resolve(null);
      };
      const late = setTimeout(refuse, this.most.waitMs);
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
      .sort((a, b) => this.#of(a.key) - this.#of(b.key) || (this.#lastTurns.get(a.key) ?? 0) - (this.#lastTurns.get(b.key) ?? 0));
    if (next === undefined) return;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    next.begin();
  }

  /** Refuses the newest request of the key with the longest queue, if that is longer than this key's would be. */
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
