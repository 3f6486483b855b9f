export interface Backoff {
  /** The most that is waited after the first failure. */
  baseMs: number;
  /** The most that is ever waited. */
  capMs: number;
}

/**
 * How long to wait after so many failures in a row: anything from nothing to a bound that doubles each time (full
 * jitter), so that a thousand clients of a server that died do not come back at once.
 */
export function delayAfter(failures: number, { baseMs, capMs }: Backoff, random: () => number = Math.random): number {
  return Math.round(random() * Math.min(capMs, baseMs * 2 ** Math.max(0, failures - 1)));
}
