import type { Hint } from '../core/work.ts';

export interface DoorbellListener {
  /** A hint may be lost, repeated, late or forged: it says where to look, and nothing about what is there. */
  heard(hint: Hint): void;
  /** Hints may have been missed until now: look everywhere. */
  missed(): void;
}

/** Tells server processes that there is something new in the database. Only the database says what it is. */
export interface Doorbell {
  /** To be called after the commit. Returns at once and never throws: a hint that does not arrive costs time, and nothing else. */
  ring(hints: readonly Hint[]): void;
  /** Returns how to stop. */
  listen(listener: DoorbellListener): () => void;
  /** Whether there may be listeners in other processes. */
  readonly shared: boolean;
  /** Whether hints of all other processes arrive at present. If not, look in the database. */
  readonly hears: boolean;
  close(): Promise<void>;
}

/** Rings in this process alone. */
export class LocalDoorbell implements Doorbell {
  readonly #listeners = new Set<DoorbellListener>();

  get shared(): boolean {
    return false;
  }

  get hears(): boolean {
    return false;
  }

  ring(hints: readonly Hint[]): void {
    for (const listener of this.#listeners) for (const hint of hints) listener.heard(hint);
  }

  listen(listener: DoorbellListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  protected missed(): void {
    for (const listener of this.#listeners) listener.missed();
  }

  async close(): Promise<void> {
    this.#listeners.clear();
  }
}
