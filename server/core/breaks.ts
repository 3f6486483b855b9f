import { setImmediate, setTimeout } from 'node:timers/promises';

const usual = {
  /** The longest time that a piece of work blocks the event loop, unless one step takes longer. */
  pieceMs: 2,
  /** A turn of the event loop that takes no longer had no other work. */
  idleMs: 0.5,
  /** The rest after a piece while the server has other work, in lengths of the piece. */
  restTimes: 4,
  /** The longest rest: on a busy server the work goes on, slowly. */
  restMs: 50,
};

/** Divides long work into pieces with rests between them, in which other requests are answered. */
export class Breaks {
  readonly #limits;
  #since = performance.now();

  constructor(chosen: Partial<typeof usual> = {}) {
    this.#limits = { ...usual, ...chosen };
  }

  /** Whether the piece is long enough for a rest. */
  get isDue(): boolean {
    return performance.now() - this.#since >= this.#limits.pieceMs;
  }

  /**
   * Call it between two steps. When the piece is long enough, it rests until the event loop has no other work. When there
   * was some, it rests longer: the answers of PostgreSQL that other requests wait for come between two turns.
   */
  async rest(): Promise<void> {
    const { pieceMs, idleMs, restMs, restTimes } = this.#limits;
    const ended = performance.now();
    const piece = ended - this.#since;
    if (piece < pieceMs) return;
    let isBusy = false;
    for (let before = ended; ; before = this.#since) {
      await setImmediate();
      this.#since = performance.now();
      if (this.#since - before < idleMs || this.#since - ended >= restMs) break;
      isBusy = true;
    }
    const left = Math.min(restTimes * piece, restMs) - (this.#since - ended);
    if (!isBusy || left <= 0) return;
    await setTimeout(left);
    this.#since = performance.now();
  }
}

/** Does the steps of a piece of work, with rests in between. A short work does not wait. */
export async function inPieces<Result>(steps: Generator<void, Result, void>): Promise<Result> {
  const breaks = new Breaks();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (breaks.isDue) await breaks.rest();
  }
}
