import { createHash } from 'node:crypto';
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
   * Runs an authentication. An address has so many credentials that turn out to be none, and as many again for those that
   * were none before, so that a client with a dead key uses up nobody else's. What has worked is never refused here. Over
   * the limit, what looks like a key and was not seen yet is still asked about, but a few at a time: others behind the
   * same proxy may delay it, and keep it out only with a crowd. Anything else is refused unseen: it could be a guess.
   */
  authenticating<T>(address: string, authorization: string | undefined, authenticate: Authenticating<T>): Promise<T>;
}

export interface Authenticating<T> {
  (authorization: string | undefined): Promise<T>;
  /** Whether it has the form of a key: of those nobody finds one by guessing. */
  looksLikeKey(authorization: string | undefined): boolean;
}

export interface RatesOptions {
  reads?: Rate;
  writes?: Rate;
  failures?: Rate;
  /** In milliseconds; it never goes back. */
  clock?: () => number;
}

// Whoever is forgotten begins anew, with a full bucket.
const mostRemembered = 10_000;

export function createRates({ reads = limits.rate.reads, writes = limits.rate.writes, failures = limits.rate.failures, clock = () => performance.now() }: RatesOptions = {}): Rates {
  const buckets = { read: new Buckets(reads, clock), write: new Buckets(writes, clock) };
  const failed = new Buckets(failures, clock);
  const seen = new LRUCache<string, 'worked' | 'failed'>({ max: mostRemembered });
  const lookUps = new InTurn(limits.rate.lookUps);
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
      for (let wait = buckets[kind].take(principal); wait > 0; wait = buckets[kind].take(principal)) await new Promise((resolve) => setTimeout(resolve, wait));
    },
    allowances({ principal, role }) {
      return isUnlimited(principal, role) ? null : { reads: buckets.read.allowance(principal), writes: buckets.write.allowance(principal) };
    },
    async authenticating(address, authorization, authenticate) {
      const credential = createHash('sha256').update(authorization ?? '').digest('base64');
      const before = seen.get(credential);
      const bucket = before === 'failed' ? `${address} again` : address;
      const tooMany = (wait: number) => rateLimited(`Too many requests from ${address} came without a key that works: try again in ${shown(wait)}`, wait);
      // Taken first: of many at once none has failed yet.
      const wait = before === 'worked' ? 0 : failed.take(bucket);
      const overLimit = wait > 0;
      if (overLimit && (before === 'failed' || !authenticate.looksLikeKey(authorization))) throw tooMany(wait);
      const asked = overLimit ? lookUps.run(address, () => authenticate(authorization)) : authenticate(authorization);
      if (asked === null) throw tooMany(wait);
      try {
        const caller = await asked;
        seen.set(credential, 'worked');
        if (before !== 'worked' && !overLimit) failed.giveBack(bucket);
        return caller;
      } catch (error) {
        const isNone = isNoKey(error);
        if (isNone) seen.set(credential, 'failed');
        if (isNone && before === 'worked') failed.take(bucket);
        if (!isNone && before !== 'worked' && !overLimit) failed.giveBack(bucket);
        throw isNone && overLimit ? tooMany(wait) : error;
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

  giveBack(who: string): void {
    this.#levels.set(who, { tokens: this.#level(who) + 1, at: this.clock() });
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

/** A few at once of each address; others wait, and beyond `waiting` are not taken. */
class InTurn {
  readonly #lanes = new Map<string, { running: number; waiting: (() => void)[] }>();

  constructor(private readonly most: { atOnce: number; waiting: number }) {}

  /** Null when too many wait already. */
  run<T>(who: string, work: () => Promise<T>): Promise<T> | null {
    const lane = this.#lanes.get(who) ?? { running: 0, waiting: [] };
    if (lane.waiting.length >= this.most.waiting) return null;
    this.#lanes.set(who, lane);
    const turn = lane.running < this.most.atOnce ? Promise.resolve(void (lane.running += 1)) : new Promise<void>((resolve) => lane.waiting.push(resolve));
    return turn.then(work).finally(() => {
      const next = lane.waiting.shift();
      if (next !== undefined) return next();
      lane.running -= 1;
      if (lane.running === 0) this.#lanes.delete(who);
    });
  }
}
