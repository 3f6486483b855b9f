/** A smaller difference may be network delay. */
const minStep = 5_000;

/**
 * Detects steps of the database's clock with this process's monotonic clock, so that the sweep counts real waiting time.
 * Errs on the late side: a step ahead counts for every Handoff that may have begun before it; a step back is subtracted only
 * as far as it is certain.
 */
export class ClockSteps {
  readonly #ahead: { at: number; by: number }[] = [];
  #offset: { min: number; max: number } | null = null;
  /** The highest time that the database's clock can have reached. */
  #highest = -Infinity;

  /** Takes a reading of the database's clock made between two monotonic times. Returns the step since the last reading in milliseconds, mostly 0. */
  read(now: Date, sentAt: number, receivedAt: number): number {
    const offset = { min: now.getTime() - receivedAt, max: now.getTime() - sentAt };
    const before = this.#offset ?? offset;
    this.#offset = offset;
    // The highest time reached before a possible step.
    const reached = Math.max(this.#highest, receivedAt + before.max);
    this.#highest = Math.max(reached, now.getTime());
    if (offset.min - before.max >= minStep) {
      const by = offset.max - before.min;
      this.#ahead.push({ at: reached, by });
      return by;
    }
    const back = before.min - offset.max;
    if (back < minStep) return 0;
    this.#takeBack(back);
    return -back;
  }

  /** The steps ahead: a Handoff initiated at or before `at` waits `by` milliseconds longer than its deadline, for each of them. */
  get ahead(): { at: Date; by: number }[] {
    return this.#ahead.map(({ at, by }) => ({ at: new Date(at), by }));
  }

  #takeBack(by: number): void {
    let left = by;
    for (let last = this.#ahead.at(-1); last !== undefined && left > 0; last = this.#ahead.at(-1)) {
      const taken = Math.min(left, last.by);
      left -= taken;
      last.by -= taken;
      if (last.by === 0) this.#ahead.pop();
    }
  }
}
