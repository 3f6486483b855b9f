import { setTimeout } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../core/work.ts';
import { rateLimited } from './errors.ts';
import { limits } from './limits.ts';

export interface Rate {
  perMinute: number;
  /** So many at once, after a pause. */
  burst: number;
}
export interface Allowance extends Rate {
  /** So many at once now. */
  remaining: number;
  /** When `remaining` is `burst` again, if nothing is asked until then. */
  resetAt: Date;
}

export type Kind = 'read' | 'write';
type Asker = Pick<Caller, 'principal' | 'role'>;

/**
 * How much each caller may ask of this process: a bucket of `burst` that fills at an even pace. Several processes behind
 * one address each count for themselves.
 */
export interface Rates {
  /** @throws GraphQLError RATE_LIMITED with `Retry-After` */
  take(caller: Asker, kind: Kind): void;
  /** Takes as soon as the caller has one left. */
  takeInTurn(caller: Asker, kind: Kind): Promise<void>;
  /** Null for whom there is no limit: callers of an open server, and Baton itself. */
  allowances(caller: Asker): { reads: Allowance; writes: Allowance } | null;
  /**
   * Runs an authentication and limits its failures per address: over the limit they are RATE_LIMITED instead of what
   * `authenticate` rejects with, and answered a second late, so that guessing takes connections and not this process'
   * time. A credential that works is never refused or delayed, whatever failed before it.
   */
  authenticating<T>(address: string, authorization: string | undefined, authenticate: (authorization: string | undefined) => Promise<T>): Promise<T>;
}

export interface RatesOptions {
  reads?: Rate;
  writes?: Rate;
  failures?: Rate;
  /** How late failures over their limit are answered, and how many answers may wait; the others are not delayed. */
  late?: { ms: number; atOnce: number };
  /** In milliseconds; it never goes back. */
  clock?: () => number;
}

// Whoever is forgotten begins anew, with a full bucket.
const mostRemembered = 10_000;

export function createRates({ reads = limits.rate.reads, writes = limits.rate.writes, failures = limits.rate.failures, late = limits.rate.late, clock = () => performance.now() }: RatesOptions = {}): Rates {
  const buckets = { read: new Buckets(reads, clock), write: new Buckets(writes, clock) };
  const failed = new Buckets(failures, clock);
  let lateNow = 0;
  return {
    take({ principal, role }, kind) {
      if (isUnlimited(principal, role)) return;
      const wait = buckets[kind].take(principal);
      if (wait === 0) return;
      const { perMinute, burst } = kind === 'read' ? reads : writes;
      throw rateLimited(`A key may ${kind} ${perMinute} times a minute, and ${burst} times at once: try again in ${shown(wait)}`, wait);
    },
    async takeInTurn({ principal, role }, kind) {
      if (isUnlimited(principal, role)) return;
      for (let wait = buckets[kind].take(principal); wait > 0; wait = buckets[kind].take(principal)) await setTimeout(wait);
    },
    allowances({ principal, role }) {
      return isUnlimited(principal, role) ? null : { reads: buckets.read.allowance(principal), writes: buckets.write.allowance(principal) };
    },
    async authenticating(address, authorization, authenticate) {
      try {
        return await authenticate(authorization);
      } catch (error) {
        const wait = isNoKey(error) ? failed.take(address) : 0;
        if (wait === 0) throw error;
        if (lateNow < late.atOnce) {
          lateNow += 1;
          await setTimeout(late.ms);
          lateNow -= 1;
        }
        throw rateLimited(`Too many requests from ${address} came without a valid key: try again in ${shown(wait)}`, wait, { connection: 'close' });
      }
    },
  };
}

/** Not a database that is away: that is nobody's guess. */
const isNoKey = (error: unknown): boolean => error instanceof Error && Reflect.get(error, 'code') === 'UNAUTHENTICATED';

const isUnlimited = (principal: string, role: Caller['role']): boolean => role === null || principal === 'loopback';

const shown = (ms: number): string => `${Math.max(1, Math.ceil(ms / 1_000))} s`;

class Buckets {
  readonly #levels = new LRUCache<string, { tokens: number; at: number }>({ max: mostRemembered });
  readonly #perMs: number;

  constructor(
    private readonly rate: Rate,
    private readonly clock: () => number,
  ) {
    this.#perMs = rate.perMinute / 60_000;
  }

  /** Takes one and answers 0; or takes none and answers in how many milliseconds there will be one. */
  take(who: string): number {
    const wait = this.#waitOf(who);
    if (wait === 0) this.#levels.set(who, { tokens: this.#level(who) - 1, at: this.clock() });
    return wait;
  }

  #waitOf(who: string): number {
    // A bucket that was promised to have one by now has one, whatever became of the last digit.
    const missing = 1 - this.#level(who);
    return missing <= 1e-6 ? 0 : missing / this.#perMs;
  }

  allowance(who: string): Allowance {
    const level = this.#level(who);
    const fullIn = (this.rate.burst - level) / this.#perMs;
    return { ...this.rate, remaining: Math.max(0, Math.floor(level + 1e-6)), resetAt: new Date(Date.now() + fullIn) };
  }

  #level(who: string): number {
    const found = this.#levels.get(who);
    if (found === undefined) return this.rate.burst;
    return Math.min(this.rate.burst, found.tokens + (this.clock() - found.at) * this.#perMs);
  }
}
