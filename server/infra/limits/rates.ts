import { setTimeout } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { limits } from '../../core/limits.ts';
import type { Caller, Role, UsedTokens } from '../../core/work.ts';
import { rateLimited } from './errors.ts';

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

export type Kind = UsedTokens['kind'];
export type RatePerMinute = Readonly<Record<Role, Readonly<Record<Kind, number>>>>;
type RatedCaller = Pick<Caller, 'principal' | 'role'>;

/**
 * Rate limits per caller: token buckets of `burst` that refill at an even pace. Processes that tell each other what they counted
 * (`sharedRates.ts`) share the limits: each may allow a burst before it hears of the others, and the excess is waited for later.
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
  /** Calls back for all tokens that are taken here. */
  onTaken(listener: (used: UsedTokens) => void): void;
  /** Takes tokens that were used in another process: at most a burst, so that no message blocks a key for longer. */
  takenElsewhere(used: UsedTokens): void;
  /**
   * Authenticates, and limits failed logins per address. Over the limit they reject with RATE_LIMITED after a delay, so that
   * guessing costs the client connections instead of this process time. Valid credentials are never refused or delayed.
   */
  authenticating<T>(
    address: string,
    authorization: string | undefined,
    authenticate: (authorization: string | undefined) => Promise<T>,
  ): Promise<T>;
}

export interface RatesOptions {
  rateOf?: (role: Role, kind: Kind) => Rate;
  failures?: Rate;
  /** Least delay of failed logins over the limit; the greatest is twice as long. And how many may be delayed at a time; others are answered at once. */
  late?: { ms: number; atOnce: number };
  /** Monotonic, in milliseconds. */
  clock?: () => number;
}

// A caller whose bucket was evicted starts with a full one.
const maxBuckets = 10_000;

/** The limits of a role: what it may send in a minute, and at once. */
export function ratesPerMinute(perMinute: RatePerMinute): (role: Role, kind: Kind) => Rate {
  return (role, kind) => {
    const allowed = perMinute[role][kind];
    return { perMinute: allowed, burst: Math.max(1, Math.round((allowed * limits.rate.burstSeconds) / 60)) };
  };
}

export function createRates({
  rateOf = ratesPerMinute(limits.rate.perMinute),
  failures = limits.rate.failures,
  late = limits.rate.late,
  clock = () => performance.now(),
}: RatesOptions = {}): Rates {
  const buckets = { read: new Buckets(clock), write: new Buckets(clock) };
  const failed = new Buckets(clock);
  const listeners: ((used: UsedTokens) => void)[] = [];
  let lateNow = 0;

  /** Takes a token and returns 0, or returns the milliseconds until there is one. */
  function tryTake({ principal, role }: RatedCaller, kind: Kind): number {
    if (role === null || isUnlimited(principal)) return 0;
    const wait = buckets[kind].take(principal, rateOf(role, kind));
    if (wait === 0) for (const listener of listeners) listener({ principal, role, kind, tokens: 1 });
    return wait;
  }

  return {
    take(caller, kind) {
      const wait = tryTake(caller, kind);
      if (wait === 0) return;
      const { perMinute, burst } = rateOf(caller.role!, kind);
      throw rateLimited(
        `A key may ${kind} ${perMinute} times a minute, and ${burst} times at once: try again in ${shown(wait)}`,
        wait,
      );
    },
    takeMore({ principal, role }, kind, tokens) {
      if (role === null || isUnlimited(principal)) return;
      buckets[kind].takeMore(principal, rateOf(role, kind), tokens);
      for (const listener of listeners) listener({ principal, role, kind, tokens });
    },
    async takeInTurn(caller, kind) {
      for (let wait = tryTake(caller, kind); wait > 0; wait = tryTake(caller, kind)) await setTimeout(wait);
    },
    allowances({ principal, role }) {
      if (role === null || isUnlimited(principal)) return null;
      const allowance = (kind: Kind): Allowance => buckets[kind].allowance(principal, rateOf(role, kind));
      return { reads: allowance('read'), writes: allowance('write') };
    },
    onTaken: (listener) => void listeners.push(listener),
    takenElsewhere({ principal, role, kind, tokens }) {
      const rate = rateOf(role, kind);
      buckets[kind].takeMore(principal, rate, Math.min(tokens, rate.burst));
    },
    async authenticating(address, authorization, authenticate) {
      try {
        return await authenticate(authorization);
      } catch (error) {
        const wait = isNoKey(error) ? failed.take(address, failures) : 0;
        if (wait === 0) throw error;
        if (lateNow < late.atOnce) {
          lateNow += 1;
          // Spread: 300 connections that came together came again together, each second, and blocked for 300 ms.
          await setTimeout(late.ms * (1 + Math.random()));
          lateNow -= 1;
        }
        throw rateLimited(
          `Too many requests from ${address} came without a valid key: try again in ${shown(wait)}`,
          wait,
          { connection: 'close' },
        );
      }
    },
  };
}

/** Whether a login failed. An unavailable database is no failed login. */
const isNoKey = (error: unknown): boolean => error instanceof Error && Reflect.get(error, 'code') === 'UNAUTHENTICATED';

const isUnlimited = (principal: string): boolean => principal === 'loopback';

const shown = (ms: number): string => `${Math.max(1, Math.ceil(ms / 1_000))} s`;

class Buckets {
  readonly #levels = new LRUCache<string, { tokens: number; at: number }>({ max: maxBuckets });

  constructor(private readonly clock: () => number) {}

  /** Takes a token and returns 0, or returns the milliseconds until there is one. */
  take(name: string, rate: Rate): number {
    // Tolerates rounding: after the returned wait there must be a token.
    const missing = 1 - this.#level(name, rate);
    if (missing > 1e-6) return missing / perMs(rate);
    this.takeMore(name, rate, 1);
    return 0;
  }

  takeMore(name: string, rate: Rate, tokens: number): void {
    this.#levels.set(name, { tokens: this.#level(name, rate) - tokens, at: this.clock() });
  }

  allowance(name: string, rate: Rate): Allowance {
    const level = this.#level(name, rate);
    const fullIn = (rate.burst - level) / perMs(rate);
    return { ...rate, remaining: Math.max(0, Math.floor(level + 1e-6)), resetAt: new Date(Date.now() + fullIn) };
  }

  #level(name: string, rate: Rate): number {
    const found = this.#levels.get(name);
    if (found === undefined) return rate.burst;
    return Math.min(rate.burst, found.tokens + (this.clock() - found.at) * perMs(rate));
  }
}

const perMs = ({ perMinute }: Rate): number => perMinute / 60_000;
