import type { Caller } from './work.ts';

/** Limits concurrent uses per caller. Callers without a key are local and have no limit. */
export class Places {
  readonly #taken = new Map<string, number>();

  constructor(readonly limit: number) {}

  /** Returns a release function that may be called more than once; null at the limit. */
  take({ principal }: Caller): (() => void) | null {
    if (principal === 'loopback') return () => undefined;
    const taken = this.#taken.get(principal) ?? 0;
    if (taken >= this.limit) return null;
    this.#taken.set(principal, taken + 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const left = this.#taken.get(principal)! - 1;
      if (left === 0) this.#taken.delete(principal);
      else this.#taken.set(principal, left);
    };
  }
}
