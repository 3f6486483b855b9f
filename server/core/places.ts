import type { Caller } from './work.ts';

/** So many at once for each caller. Callers without a key are on this machine, and have as many as they like. */
export class Places {
  readonly #taken = new Map<string, number>();

  constructor(readonly most: number) {}

  /** How to give it back, which may be done more than once; null when all are taken. */
  take({ principal }: Caller): (() => void) | null {
    if (principal === 'loopback') return () => undefined;
    const taken = this.#taken.get(principal) ?? 0;
    if (taken >= this.most) return null;
    this.#taken.set(principal, taken + 1);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const left = this.#taken.get(principal)! - 1;
      if (left === 0) this.#taken.delete(principal);
      else this.#taken.set(principal, left);
    };
  }
}
