import { setImmediate } from 'node:timers/promises';

/** The longest time that a piece of work blocks the event loop, unless a step of it takes longer. */
const pieceMs = 5;
/** A turn of the event loop that takes no longer had no other work. */
const idleMs = 0.5;
/** The longest rest: on a busy server the work goes on, slowly. */
const restMs = 25;

/** Divides long work into pieces with rests between them, in which other requests are answered. */
export class Breaks {
  #since = performance.now();

  /** Call it between two steps. Rests when the piece is long enough, until the others have no more work. */
  async rest(): Promise<void> {
    const ended = performance.now();
    if (ended - this.#since < pieceMs) return;
    for (let before = ended; ; before = this.#since) {
      await setImmediate();
      this.#since = performance.now();
      if (this.#since - before < idleMs || this.#since - ended >= restMs) return;
    }
  }
}
