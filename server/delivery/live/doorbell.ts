import type { Hint } from '../../core/work.ts';

export interface DoorbellListener {
  /** A hint may be lost, repeated, late or forged: it says where to look and carries no content. */
  heard(hint: Hint): void;
  /** Hints may have been missed: check every stream. */
  missed(): void;
}

/** Notifies server processes of new rows. Only the database has their content. */
export interface Doorbell {
  /** Call it after the commit. Returns at once and never throws; a lost hint only delays delivery. */
  ring(hints: readonly Hint[]): void;
  /** Returns a function that stops listening. */
  listen(listener: DoorbellListener): () => void;
  /** Whether other processes may be listening. */
  readonly shared: boolean;
  /** Whether hints from all other processes currently arrive. If false, poll the database. */
  readonly hears: boolean;
  close(): Promise<void>;
}

/** A doorbell within this process only. */
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
