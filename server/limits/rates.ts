import { setTimeout } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../core/work.ts';
import { rateLimited } from './errors.ts';
import { limits } from './limits.ts';

export interface Rate {
  perMinute: number;
  /** Size of the bucket: requests at once after a pause. */
  burst: number;
}
export interface Allowance extends Rate {
  /** Requests left at once. */
  remaining: number;
  /** When `remaining` is `burst` again without further requests. */
  resetAt: Date;
}

export type Kind = 'read' | 'write';
type RatedCaller = Pick<Caller, 'principal' | 'role'>;

/**
 * Rate limits per caller: token buckets of `burst` that refill at an even pace. Each process counts for itself.
 */
export interface Rates {
  /** @throws GraphQLError RATE_LIMITED with `Retry-After` */
  take(caller: RatedCaller, kind: Kind): void;
  /** Takes tokens that the caller need not have: its next request waits longer. */
  takeMore(caller: RatedCaller, kind: Kind, tokens: number): void;
  /** Waits until the caller has a token left, then takes it. */
  takeInTurn(caller: RatedCaller, kind: Kind): Promise<void>;
  /** Null for callers without limits: those of an open server, and Baton itself. */
  allowances(caller: RatedCaller): { reads: Allowance; writes: Allowance } | null;
  /**
   * Authenticates, and limits failed logins per address. Over the limit they reject with RATE_LIMITED after a delay, so that
   * guessing costs the client connections instead of this process time. Valid credentials are never refused or delayed.
   */
  authenticating<T>(address: string, authorization: string | undefined, authenticate: (authorization: string | undefined) => Promise<T>): Promise<T>;
}

export interface RatesOptions {
  reads?: Rate;
  writes?: Rate;
  failures?: Rate;
  /** Least delay of failed logins over the limit; the greatest is twice as long. And how many may be delayed at a time; others are answered at once. */
  late?: { ms: number; atOnce: number };
  /** Monotonic, in milliseconds. */
  clock?: () => number;
}

// A caller whose bucket was evicted starts with a full one.
const maxBuckets = 10_000;

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
    takeMore({ principal, role }, kind, tokens) {
      if (!isUnlimited(principal, role)) buckets[kind].takeMore(principal, tokens);
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
          // Spread: 300 connections that came together came again together, each second, and blocked for 300 ms.
          await setTimeout(late.ms * (1 + Math.random()));
          lateNow -= 1;
        }
        throw rateLimited(`Too many requests from ${address} came without a valid key: try again in ${shown(wait)}`, wait, { connection: 'close' });
      }
    },
  };
}

/** Whether a login failed. An unavailable database is no failed login. */
const isNoKey = (error: unknown): boolean => error instanceof Error && Reflect.get(error, 'code') === 'UNAUTHENTICATED';

const isUnlimited = (principal: string, role: Caller['role']): boolean => role === null || principal === 'loopback';

const shown = (ms: number): string => `${Math.max(1, Math.ceil(ms / 1_000))} s`;

class Buckets {
  readonly #levels = new LRUCache<string, { tokens: number; at: number }>({ max: maxBuckets });
  readonly #perMs: number;

  constructor(
    private readonly rate: Rate,
    private readonly clock: () => number,
  ) {
    this.#perMs = rate.perMinute / 60_000;
  }

  /** Takes a token and returns 0, or returns the milliseconds until there is one. */
  take(name: string): number {
    const wait = this.#waitOf(name);
    if (wait === 0) this.takeMore(name, 1);
    return wait;
  }

  takeMore(name: string, tokens: number): void {
    this.#levels.set(name, { tokens: this.#level(name) - tokens, at: this.clock() });
  }

  #waitOf(name: string): number {
    // Tolerates rounding: after the returned wait there must be a token.
    const missing = 1 - this.#level(name);
    return missing <= 1e-6 ? 0 : missing / this.#perMs;
  }

  allowance(name: string): Allowance {
    const level = this.#level(name);
    const fullIn = (this.rate.burst - level) / this.#perMs;
    return { ...this.rate, remaining: Math.max(0, Math.floor(level + 1e-6)), resetAt: new Date(Date.now() + fullIn) };
  }

  #level(name: string): number {
    const found = this.#levels.get(name);
    if (found === undefined) return this.rate.burst;
    return Math.min(this.rate.burst, found.tokens + (this.clock() - found.at) * this.#perMs);
  }
}
