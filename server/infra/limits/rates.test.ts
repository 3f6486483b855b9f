import type { GraphQLError } from 'graphql';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { UnauthenticatedError, UnavailableError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { batonItself, type Caller, type UsedTokens } from '../../core/work.ts';
import { loopback } from '../../work/keys/authenticate.ts';
import { createRates, type Kind, type Rates } from './rates.ts';

const holder = (principal: string): Caller => ({ ...loopback, principal, keyId: principal });
const reads = { perMinute: 600, burst: 200 };
const [ann, bob] = [holder('ann'), holder('bob')];

function limited(options = {}) {
  let now = 1_000;
  const rates = createRates({
    rateOf: (_role, kind) => (kind === 'write' ? { perMinute: 60, burst: 20 } : reads),
    late: { ms: 1, atOnce: 1_000 },
    ...options,
    clock: () => now,
  });
  const refusal = (caller: Caller, kind: Kind): GraphQLError | null => {
    try {
      rates.take(caller, kind);
      return null;
    } catch (error) {
      return error as GraphQLError;
    }
  };
  const taken = (caller: Caller, kind: Kind, tries: number) =>
    Array.from({ length: tries }, () => refusal(caller, kind)).filter((error) => error === null).length;
  return { rates, refusal, taken, pass: (ms: number) => void (now += ms) };
}

describe('a key', () => {
  test('may write 20 times at once, and then 60 times a minute', () => {
    const { taken, pass } = limited();
    expect(taken(ann, 'write', 100)).toBe(20);
    let further = 0;
    for (let second = 0; second < 60; second += 1) {
      pass(1_000);
      further += taken(ann, 'write', 100);
    }
    expect(further).toBe(60);
  });

  test('may read 600 times a minute', () => {
    const { taken, pass } = limited();
    expect(taken(ann, 'read', 1_000)).toBe(reads.burst);
    let further = 0;
    for (let tenth = 0; tenth < 600; tenth += 1) {
      pass(100);
      further += taken(ann, 'read', 10);
    }
    expect(further).toBe(600);
  });

  test('waits longer after more tokens were taken than it had', () => {
    const { rates, taken, pass } = limited();
    taken(ann, 'read', reads.burst);
    rates.takeMore(ann, 'read', 9);
    pass(900);
    expect(taken(ann, 'read', 1)).toBe(0);
    pass(100);
    expect(taken(ann, 'read', 5)).toBe(1);
    expect(taken(bob, 'read', 1)).toBe(1);
  });

  test('never has more than its burst', () => {
    const { taken, pass } = limited();
    pass(86_400_000);
    expect(taken(ann, 'write', 100)).toBe(20);
    pass(86_400_000);
    expect(taken(ann, 'write', 100)).toBe(20);
  });

  test('gets the time of the next attempt, which then succeeds', () => {
    const { refusal, taken, pass } = limited();
    taken(ann, 'write', 20);
    pass(250);
    const error = refusal(ann, 'write');
    expect(error).toMatchObject({
      message: 'A key may write 60 times a minute, and 20 times at once: try again in 1 s',
      extensions: { code: 'RATE_LIMITED', retryAfterMs: 750, http: { status: 429, headers: { 'retry-after': '1' } } },
    });
    pass(750);
    expect([refusal(ann, 'write'), refusal(ann, 'write')?.extensions['code']]).toEqual([null, 'RATE_LIMITED']);
  });

  test('has separate limits for reads and writes', () => {
    const { taken } = limited();
    taken(ann, 'write', 100);
    expect([taken(ann, 'read', 1), taken(bob, 'write', 1), taken(ann, 'write', 1)]).toEqual([1, 1, 0]);
  });

  test('is not charged for refused requests', () => {
    const { taken, pass } = limited();
    taken(ann, 'write', 1_000);
    pass(1_000);
    expect(taken(ann, 'write', 10)).toBe(1);
  });
});

describe('by default', () => {
  const withDefaults = () => limited({ rateOf: undefined });

  test('an operator may append 50 turns a second for a minute', () => {
    const { refusal, pass } = withDefaults();
    const operator = { ...ann, role: 'OPERATOR' as const };
    for (let nth = 0; nth < 3_000; nth += 1) {
      expect(refusal(operator, 'write')).toBeNull();
      pass(20);
    }
  });

  test.each([
    ['ADMIN', 6_000, 6_000],
    ['OPERATOR', 6_000, 6_000],
    ['AGENT', 600, 600],
    ['ANALYST', 600, 60],
  ] as const)('%s: %i reads and %i writes a minute, at once those of ten seconds', (role, read, write) => {
    const { taken, pass } = withDefaults();
    const caller = { ...ann, role };
    for (const [kind, perMinute] of [
      ['read', read],
      ['write', write],
    ] as const) {
      expect(taken(caller, kind, 10_000)).toBe(perMinute / 6);
      pass(1_000);
      expect(taken(caller, kind, 10_000)).toBe(perMinute / 60);
    }
  });
});

describe('two processes', () => {
  const pair = () => [limited(), limited()] as const;

  test('count together what they tell each other, also more than a key may', () => {
    const [one, two] = pair();
    one.rates.onTaken((used) => two.rates.takenElsewhere(used));
    expect([one.taken(ann, 'write', 15), two.taken(ann, 'write', 100)]).toEqual([15, 5]);
    expect(one.taken(ann, 'write', 100)).toBe(5);
    // Ten more than the burst were allowed in all: two waits for five of them.
    two.pass(5_000);
    expect(two.taken(ann, 'write', 100)).toBe(0);
    two.pass(1_000);
    expect([two.taken(ann, 'write', 100), two.taken(bob, 'write', 100)]).toEqual([1, 20]);
  });

  test('take at most a burst for one message', () => {
    const { rates, taken, pass } = limited();
    rates.takenElsewhere({ principal: 'ann', role: 'ADMIN', kind: 'write', tokens: 999_999_999 });
    expect(taken(ann, 'write', 1)).toBe(0);
    pass(1_000);
    expect(taken(ann, 'write', 100)).toBe(1);
  });

  test('do not tell of what they were told, nor of refused requests', () => {
    const { rates, taken } = limited();
    const told: UsedTokens[] = [];
    rates.onTaken((used) => told.push(used));
    rates.takenElsewhere({ principal: 'ann', role: 'ADMIN', kind: 'write', tokens: 18 });
    taken(ann, 'write', 10);
    rates.takeMore(ann, 'read', 7);
    expect(told).toEqual([
      { principal: 'ann', role: 'ADMIN', kind: 'write', tokens: 1 },
      { principal: 'ann', role: 'ADMIN', kind: 'write', tokens: 1 },
      { principal: 'ann', role: 'ADMIN', kind: 'read', tokens: 7 },
    ]);
  });
});

test('callers of an open server and Baton itself have no limit', () => {
  const { taken, rates } = limited();
  expect([taken(loopback, 'write', 1_000), taken(batonItself('archive'), 'read', 1_000)]).toEqual([1_000, 1_000]);
  expect([rates.allowances(loopback), rates.allowances(batonItself('sweep'))]).toEqual([null, null]);
});

test('allowances returns the remaining requests and the time of the full limit', () => {
  const { taken, rates, pass } = limited();
  taken(ann, 'write', 15);
  const before = Date.now();
  const { writes, reads } = rates.allowances(ann)!;
  expect(writes).toMatchObject({ perMinute: 60, burst: 20, remaining: 5 });
  expect(writes.resetAt.getTime() - before).toBeGreaterThanOrEqual(15_000);
  expect(writes.resetAt.getTime() - Date.now()).toBeLessThanOrEqual(15_000);
  expect(reads).toMatchObject({ perMinute: 600, remaining: reads.burst });
  pass(2_000);
  expect(rates.allowances(ann)!.writes.remaining).toBe(7);
});

test('remembers at most 10,000 callers', () => {
  const { taken, rates } = limited();
  taken(ann, 'write', 20);
  for (let n = 0; n < 10_001; n += 1) rates.take(holder(`k${n}`), 'write');
  // Forgotten, and nobody else is.
  expect(rates.allowances(ann)!.writes.remaining).toBe(20);
  expect(rates.allowances(holder('k1'))!.writes.remaining).toBe(19);
});

describe('failed logins', () => {
  const none = () => Promise.reject<string>(new UnauthenticatedError());
  const right = () => Promise.resolve('caller');
  const away = () => Promise.reject<string>(new UnavailableError('read'));
  const failures = { perMinute: 60, burst: 3 };
  const rateLimited = { extensions: { code: 'RATE_LIMITED' } };
  const fail = async (rates: Rates, address: string, times: number) => {
    for (let n = 0; n < times; n += 1) await rates.authenticating(address, `Bearer ${n}`, none).catch(() => undefined);
  };

  test('are RATE_LIMITED per address until it has waited', async () => {
    const { rates, pass } = limited({ failures });
    for (let n = 0; n < 3; n += 1)
      await expect(rates.authenticating('1.2.3.4', `Bearer ${n}`, none)).rejects.toBeInstanceOf(UnauthenticatedError);
    await expect(rates.authenticating('1.2.3.4', 'Bearer x', none)).rejects.toMatchObject({
      extensions: { code: 'RATE_LIMITED', retryAfterMs: 1_000 },
    });
    await expect(rates.authenticating('5.6.7.8', 'Bearer x', none)).rejects.toBeInstanceOf(UnauthenticatedError);
    pass(1_000);
    await expect(rates.authenticating('1.2.3.4', 'Bearer y', none)).rejects.toBeInstanceOf(UnauthenticatedError);
  });

  test('are limited alike when they come at once', async () => {
    const { rates } = limited();
    const said = await Promise.all(
      Array.from({ length: 1_000 }, (_, n) =>
        rates.authenticating('a', `Bearer ${n}`, none).catch((error: Error) => error),
      ),
    );
    expect(said.filter((error) => error instanceof UnauthenticatedError)).toHaveLength(limits.rate.failures.burst);
  });

  test('do not reject valid keys from the same address', async () => {
    const { rates } = limited({ failures });
    await rates.authenticating('proxy', 'Bearer good', right);
    await fail(rates, 'proxy', 10);
    for (const key of ['good', 'new', 'baton_new'])
      expect(await rates.authenticating('proxy', `Bearer ${key}`, right)).toBe('caller');
    await expect(rates.authenticating('proxy', 'Bearer none', none)).rejects.toMatchObject(rateLimited);
  });

  test('are delayed by different times, so that their connections do not come back together', async () => {
    const chance = vi.spyOn(Math, 'random');
    onTestFinished(() => chance.mockRestore());
    const { rates } = limited({ failures, late: { ms: 20, atOnce: 5 } });
    await fail(rates, 'a', 3);
    for (const [part, least] of [
      [0, 19],
      [0.9, 37],
    ] as const) {
      chance.mockReturnValue(part);
      const began = performance.now();
      await expect(rates.authenticating('a', 'Bearer x', none)).rejects.toMatchObject(rateLimited);
      expect(performance.now() - began).toBeGreaterThanOrEqual(least);
    }
  });

  test('are delayed over the limit, up to a number, while valid keys are answered at once', async () => {
    const { rates } = limited({ failures, late: { ms: 200, atOnce: 5 } });
    await fail(rates, 'a', 3);
    const answered: string[] = [];
    const began = performance.now();
    const guesses = Array.from({ length: 7 }, (_, n) =>
      rates
        .authenticating('a', `Bearer ${n}`, none)
        .catch(() => answered.push(performance.now() - began < 199 ? 'at once' : 'late')),
    );
    answered.push(await rates.authenticating('a', 'Bearer good', right));
    await Promise.all(guesses);
    expect(answered).toEqual(['at once', 'at once', 'caller', ...Array.from({ length: 5 }, () => 'late')]);
    // Their places are free again.
    await expect(rates.authenticating('a', 'Bearer x', none)).rejects.toMatchObject({
      extensions: { http: { headers: { connection: 'close' } } },
    });
    expect(performance.now() - began).toBeGreaterThan(398);
  });

  test('do not include valid keys, one after the other or at once', async () => {
    const { rates } = limited({ failures });
    for (let n = 0; n < 10; n += 1) expect(await rates.authenticating('a', `Bearer one ${n}`, right)).toBe('caller');
    const atOnce = await Promise.all(
      Array.from({ length: 20 }, (_, n) => rates.authenticating('a', `Bearer baton_${n}`, right)),
    );
    expect(atOnce).toEqual(Array.from({ length: 20 }, () => 'caller'));
    for (let n = 0; n < 3; n += 1)
      await expect(rates.authenticating('a', `Bearer ${n}`, none)).rejects.toBeInstanceOf(UnauthenticatedError);
  });

  test('include a key that has ended', async () => {
    const { rates } = limited({ failures: { perMinute: 60, burst: 1 } });
    await rates.authenticating('a', 'Bearer was good', right);
    await expect(rates.authenticating('a', 'Bearer was good', none)).rejects.toBeInstanceOf(UnauthenticatedError);
    await expect(rates.authenticating('a', 'Bearer was good', none)).rejects.toMatchObject(rateLimited);
  });

  test('do not include requests during an outage of the database', async () => {
    const { rates } = limited({ failures: { perMinute: 60, burst: 1 } });
    for (let n = 0; n < 5; n += 1)
      await expect(rates.authenticating('a', 'Bearer x', away)).rejects.toBeInstanceOf(UnavailableError);
    await expect(rates.authenticating('a', 'Bearer x', none)).rejects.toBeInstanceOf(UnauthenticatedError);
    await expect(rates.authenticating('a', 'Bearer x', away)).rejects.toBeInstanceOf(UnavailableError);
  });

  test('are remembered for at most 10,000 addresses', async () => {
    const { rates } = limited({ failures: { perMinute: 1, burst: 1 } });
    for (let n = 0; n < 10_002; n += 1) await fail(rates, `10.0.${n >> 8}.${n & 255}`, 1);
    // Forgotten, and the latest are not.
    await expect(rates.authenticating('10.0.0.0', 'Bearer x', none)).rejects.toBeInstanceOf(UnauthenticatedError);
    await expect(rates.authenticating('10.0.39.17', 'Bearer x', none)).rejects.toMatchObject(rateLimited);
  });
});
