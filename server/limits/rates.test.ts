import type { GraphQLError } from 'graphql';
import { describe, expect, test, vi } from 'vitest';
import { UnauthenticatedError, UnavailableError } from '../core/errors.ts';
import { batonItself, type Caller } from '../core/work.ts';
import { loopback } from '../keys/authenticate.ts';
import { limits } from './limits.ts';
import { createRates, type Kind } from './rates.ts';

const holder = (principal: string): Caller => ({ ...loopback, principal, keyId: principal });
const [ann, bob] = [holder('ann'), holder('bob')];

function limited(options = {}) {
  let now = 1_000;
  const rates = createRates({ ...options, clock: () => now });
  const refusal = (caller: Caller, kind: Kind): GraphQLError | null => {
    try {
      rates.take(caller, kind);
      return null;
    } catch (error) {
      return error as GraphQLError;
    }
  };
  const taken = (caller: Caller, kind: Kind, tries: number) => Array.from({ length: tries }, () => refusal(caller, kind)).filter((error) => error === null).length;
  return { rates, refusal, taken, pass: (ms: number) => void (now += ms) };
}

describe('A key', () => {
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
    expect(taken(ann, 'read', 1_000)).toBe(limits.rate.reads.burst);
    let further = 0;
    for (let tenth = 0; tenth < 600; tenth += 1) {
      pass(100);
      further += taken(ann, 'read', 10);
    }
    expect(further).toBe(600);
  });

  test('never gathers more than may be had at once', () => {
    const { taken, pass } = limited();
    pass(86_400_000);
    expect(taken(ann, 'write', 100)).toBe(20);
    pass(86_400_000);
    expect(taken(ann, 'write', 100)).toBe(20);
  });

  test('is told when to try again, and then may', () => {
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

  test('has its own, and reads are not writes', () => {
    const { taken } = limited();
    taken(ann, 'write', 100);
    expect([taken(ann, 'read', 1), taken(bob, 'write', 1), taken(ann, 'write', 1)]).toEqual([1, 1, 0]);
  });

  test('is not charged for what it was refused', () => {
    const { taken, pass } = limited();
    taken(ann, 'write', 1_000);
    pass(1_000);
    expect(taken(ann, 'write', 10)).toBe(1);
  });
});

test('there is no limit for callers of an open server, nor for Baton itself', () => {
  const { taken, rates } = limited();
  expect([taken(loopback, 'write', 1_000), taken(batonItself('archive'), 'read', 1_000)]).toEqual([1_000, 1_000]);
  expect([rates.allowances(loopback), rates.allowances(batonItself('sweep'))]).toEqual([null, null]);
});

test('what is left, and when all of it is back', () => {
  const { taken, rates, pass } = limited();
  taken(ann, 'write', 15);
  const before = Date.now();
  const { writes, reads } = rates.allowances(ann)!;
  expect(writes).toMatchObject({ perMinute: 60, burst: 20, remaining: 5 });
  expect(writes.resetAt.getTime() - before).toBeGreaterThanOrEqual(15_000);
  expect(writes.resetAt.getTime() - Date.now()).toBeLessThanOrEqual(15_000);
  expect(reads).toMatchObject({ perMinute: 600, remaining: limits.rate.reads.burst });
  pass(2_000);
  expect(rates.allowances(ann)!.writes.remaining).toBe(7);
});

test('a million callers take no more memory than 10,000', () => {
  const { taken, rates } = limited();
  taken(ann, 'write', 20);
  for (let n = 0; n < 10_001; n += 1) rates.take(holder(`k${n}`), 'write');
  // Forgotten, and nobody else is.
  expect(rates.allowances(ann)!.writes.remaining).toBe(20);
  expect(rates.allowances(holder('k1'))!.writes.remaining).toBe(19);
});

describe('Keys that are none', () => {
  const noKey = () => Promise.reject(new UnauthenticatedError());
  const authenticating = <T>(answer: (authorization: string | undefined) => Promise<T>) =>
    Object.assign(answer, { looksLikeKey: (authorization: string | undefined) => authorization?.startsWith('Bearer baton_') === true });
  const none = authenticating<string>(noKey);
  const right = authenticating(() => Promise.resolve('caller'));
  const away = authenticating<string>(() => Promise.reject(new UnavailableError('read')));
  const failures = { perMinute: 60, burst: 3 };
  const patiently = { interval: 1, timeout: 20_000 };
  const rateLimited = { extensions: { code: 'RATE_LIMITED' } };

  /** Is given one by one when `answer` is called. */
  function held() {
    const waiting: (() => void)[] = [];
    let [running, most, asked] = [0, 0, 0];
    const ask = authenticating(async (authorization) => {
      asked += 1;
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => waiting.push(resolve));
      running -= 1;
      if (authorization !== 'Bearer baton_good') throw new UnauthenticatedError();
      return 'caller';
    });
    return { ask, counts: () => ({ asked, most }), answer: () => waiting.splice(0).forEach((resolve) => resolve()) };
  }

  test('too many of them from an address are refused unseen, until it has waited', async () => {
    const { rates, pass } = limited({ failures });
    for (let n = 0; n < 3; n += 1) await expect(rates.authenticating('1.2.3.4', `Bearer ${n}`, none)).rejects.toBeInstanceOf(UnauthenticatedError);
    let asked = false;
    const asking = authenticating(async () => (asked = true));
    await expect(rates.authenticating('1.2.3.4', 'Bearer x', asking)).rejects.toMatchObject({ extensions: { code: 'RATE_LIMITED', retryAfterMs: 1_000 } });
    expect(asked).toBe(false);
    expect(await rates.authenticating('5.6.7.8', 'Bearer x', right)).toBe('caller');
    pass(1_000);
    expect(await rates.authenticating('1.2.3.4', 'Bearer y', right)).toBe('caller');
  });

  test('a thousand guesses at once are as many as one after the other', async () => {
    const { rates } = limited();
    const { ask, counts, answer } = held();
    const said = Array.from({ length: 1_000 }, (_, n) => rates.authenticating('a', `Bearer ${n}`, ask).catch((error: Error) => error));
    expect(counts().asked).toBe(limits.rate.failures.burst);
    answer();
    expect((await Promise.all(said)).filter((error) => error instanceof UnauthenticatedError)).toHaveLength(limits.rate.failures.burst);
  });

  test('a thousand that look like keys are asked about in turn, and only as many as may wait', async () => {
    const { atOnce, waiting } = limits.rate.lookUps;
    const { rates } = limited({ failures });
    const { ask, counts, answer } = held();
    let settled = 0;
    const said = Array.from({ length: 1_000 }, (_, n) => rates.authenticating('a', `Bearer baton_${n}`, ask).catch((error: Error) => error).finally(() => (settled += 1)));
    await vi.waitFor(() => expect(counts()).toEqual({ asked: 3 + atOnce, most: 3 + atOnce }), patiently);
    await vi.waitFor(() => {
      answer();
      expect(settled).toBe(1_000);
    }, patiently);
    expect(counts()).toEqual({ asked: 3 + atOnce + waiting, most: 3 + atOnce });
    expect((await Promise.all(said)).filter((error) => error instanceof UnauthenticatedError)).toHaveLength(3);
  });

  test('those that come while others wait their turn take none of it', async () => {
    const { atOnce } = limits.rate.lookUps;
    const { rates } = limited({ failures });
    for (let n = 0; n < 3; n += 1) await rates.authenticating('a', `Bearer ${n}`, none).catch(() => undefined);
    const { ask, counts, answer } = held();
    const said: Promise<unknown>[] = [];
    const come = (wave: number): void => {
      for (let n = 0; n <= atOnce; n += 1) said.push(rates.authenticating('a', `Bearer baton_${wave}_${n}`, ask).catch((error: Error) => error));
    };
    const waves = 5;
    for (let wave = 1; wave <= waves; wave += 1) {
      come(wave);
      await vi.waitFor(() => expect(counts().asked).toBe(wave * atOnce), patiently);
      answer();
    }
    await vi.waitFor(() => {
      answer();
      expect(counts().asked).toBe(waves * (atOnce + 1));
    }, patiently);
    answer();
    await Promise.all(said);
    expect(counts().most).toBe(atOnce);
  });

  test('they do not lock out who shares their address and has a key', async () => {
    const { rates } = limited({ failures });
    await rates.authenticating('proxy', 'Bearer good', right);
    for (let n = 0; n < 3; n += 1) await rates.authenticating('proxy', `Bearer ${n}`, none).catch(() => undefined);
    await expect(rates.authenticating('proxy', 'Bearer new', right)).rejects.toMatchObject(rateLimited);
    expect(await rates.authenticating('proxy', 'Bearer good', right)).toBe('caller');
  });

  test('nor, after a restart, a key that nobody has used since', async () => {
    const { rates } = limited({ failures });
    for (let n = 0; n < 10; n += 1) await rates.authenticating('proxy', `Bearer baton_${n}`, none).catch(() => undefined);
    const { ask, answer } = held();
    const said = [...[10, 11, 12].map((n) => `Bearer baton_${n}`), 'Bearer baton_good'].map((key) => rates.authenticating('proxy', key, ask).catch((error: GraphQLError) => error.extensions['code']));
    let all: unknown[] | undefined;
    void Promise.all(said).then((answers) => (all = answers));
    await vi.waitFor(() => {
      answer();
      expect(all).toEqual(['RATE_LIMITED', 'RATE_LIMITED', 'RATE_LIMITED', 'caller']);
    }, patiently);
  });

  test('a client that repeats one uses up nobody else’s', async () => {
    const { rates } = limited({ failures });
    const dead = () => rates.authenticating('proxy', 'Bearer dead', none).catch((error: unknown) => error);
    for (let n = 0; n < 4; n += 1) expect(await dead()).toBeInstanceOf(UnauthenticatedError);
    for (let n = 0; n < 10; n += 1) expect(await dead()).toMatchObject(rateLimited);
    expect(await rates.authenticating('proxy', 'Bearer good', right)).toBe('caller');
  });

  test('many that work are not counted among them, one after the other or at once', async () => {
    const { rates } = limited({ failures });
    for (let n = 0; n < 10; n += 1) expect(await rates.authenticating('a', `Bearer one ${n}`, right)).toBe('caller');
    const atOnce = await Promise.all(Array.from({ length: 20 }, (_, n) => rates.authenticating('a', `Bearer baton_${n}`, right)));
    expect(atOnce).toEqual(Array.from({ length: 20 }, () => 'caller'));
    for (let n = 0; n < 3; n += 1) await expect(rates.authenticating('a', `Bearer ${n}`, none)).rejects.toBeInstanceOf(UnauthenticatedError);
  });

  test('a key that ended is no longer one that works', async () => {
    const { rates } = limited({ failures: { perMinute: 60, burst: 1 } });
    await rates.authenticating('a', 'Bearer was good', right);
    await expect(rates.authenticating('a', 'Bearer was good', none)).rejects.toBeInstanceOf(UnauthenticatedError);
    await expect(rates.authenticating('a', 'Bearer other', none)).rejects.toMatchObject(rateLimited);
    await expect(rates.authenticating('a', 'Bearer was good', none)).rejects.toBeInstanceOf(UnauthenticatedError);
    await expect(rates.authenticating('a', 'Bearer was good', none)).rejects.toMatchObject(rateLimited);
  });

  test('a database that is away is nobody\'s guess, and a key that worked still has', async () => {
    const { rates } = limited({ failures: { perMinute: 60, burst: 1 } });
    await rates.authenticating('a', 'Bearer good', right);
    for (let n = 0; n < 5; n += 1) {
      for (const key of ['Bearer x', 'Bearer good']) await expect(rates.authenticating('a', key, away)).rejects.toBeInstanceOf(UnavailableError);
    }
    await expect(rates.authenticating('a', 'Bearer x', none)).rejects.toBeInstanceOf(UnauthenticatedError);
    expect(await rates.authenticating('a', 'Bearer good', right)).toBe('caller');
  });
});
