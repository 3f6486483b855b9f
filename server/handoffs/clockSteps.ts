/** A smaller difference may be a slow answer. */
const leastStep = 5_000;

/**
 * The steps that this process has seen the database's clock make, against a clock of its own that never steps. With them
 * the sweep counts how long a Handoff has really waited. It errs on the late side: a step ahead counts for everything that
 * may have begun before it, and a step back is taken off again as far as it is certain.
 */
export class ClockSteps {
  readonly #ahead: { at: number; by: number }[] = [];
  #offset: { least: number; most: number } | null = null;
  /** The latest time that the clock can have shown. */
  #highest = -Infinity;

  /** Takes a reading of the database's clock, made between two moments of the steady one. Returns by how many milliseconds it stepped since the last reading, mostly 0. */
  read(now: Date, sentAt: number, receivedAt: number): number {
    const offset = { least: now.getTime() - receivedAt, most: now.getTime() - sentAt };
    const before = this.#offset ?? offset;
    this.#offset = offset;
    // Before it stepped, if it did.
    const reached = Math.max(this.#highest, receivedAt + before.most);
    this.#highest = Math.max(reached, now.getTime());
    if (offset.least - before.most >= leastStep) {
      const by = offset.most - before.least;
      this.#ahead.push({ at: reached, by });
      return by;
    }
    const back = before.least - offset.most;
    if (back < leastStep) return 0;
    this.#takeBack(back);
    return -back;
  }

  /** A Handoff initiated at or before `at` waits `by` milliseconds longer than its deadline says, for each of these. */
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
