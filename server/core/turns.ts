export interface TurnLimits {
  /** How many have a turn at once. */
  atOnce: number;
  /** How many wait for one, in all. */
  waiting: number;
  /** How long one waits, in milliseconds. */
  waitMs: number;
}

interface Waiter {
  key: string;
  begin(): void;
}

/**
 * A few at a time. The next turn goes to the key that has fewest, and among those to who has waited longest: a key with
 * a long queue delays its own work.
 */
export class Turns {
  readonly #running = new Map<string, number>();
  #waiting: Waiter[] = [];
  #count = 0;

  constructor(private readonly most: TurnLimits) {}

  /** How to give the turn back, which may be done more than once; null when too many wait, or when it did not come in time. */
  async take(key: string): Promise<(() => void) | null> {
    if (this.#count < this.most.atOnce) return this.#begin(key);
    if (this.#waiting.length >= this.most.waiting) return null;
    return new Promise((resolve) => {
      const late = setTimeout(() => {
        this.#waiting = this.#waiting.filter((each) => each !== waiter);
        resolve(null);
      }, this.most.waitMs);
      const waiter = {
        key,
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
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.#count -= 1;
      if (this.#of(key) === 1) this.#running.delete(key);
      else this.#running.set(key, this.#of(key) - 1);
      this.#next();
    };
  }

  #next(): void {
    const fewest = Math.min(...this.#waiting.map(({ key }) => this.#of(key)));
    const next = this.#waiting.find(({ key }) => this.#of(key) === fewest);
    if (next === undefined) return;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    next.begin();
  }

  #of(key: string): number {
    return this.#running.get(key) ?? 0;
  }
}
