import type { Doorbell, DoorbellListener, Hint } from './doorbell.ts';

/** Heard in this process alone. Others on the same database look there by themselves. */
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
