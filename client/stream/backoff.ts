export interface Backoff {
  /** The longest wait after the first failure. */
  baseMs: number;
  /** The longest wait. */
  capMs: number;
}

/**
 * The wait after this many failures in a row: random between 0 and a bound that doubles each time (full jitter), so that the
 * clients of a crashed server do not all reconnect at once.
 */
export function delayAfter(failures: number, { baseMs, capMs }: Backoff, random: () => number = Math.random): number {
  return Math.round(random() * Math.min(capMs, baseMs * 2 ** Math.max(0, failures - 1)));
}
