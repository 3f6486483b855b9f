import type { Pool } from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { sawGoBack, wentBack } from './history.ts';

afterEach(() => void vi.useRealTimers());

test('that the database went back is shown for an hour after it was seen last', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const [pool, other] = [{} as Pool, {} as Pool];
  const said: string[] = [];
  const log = { error: (_: object, message: string) => void said.push(message) } as unknown as Parameters<
    typeof sawGoBack
  >[1];
  expect(wentBack(pool)).toBe(false);
  sawGoBack(pool, log, 'cursor');
  vi.advanceTimersByTime(3_000_000);
  sawGoBack(pool, log, 'cursor');
  vi.advanceTimersByTime(3_599_000);
  expect([wentBack(pool), wentBack(other)]).toEqual([true, false]);
  vi.advanceTimersByTime(2_000);
  expect(wentBack(pool)).toBe(false);
  expect(said).toHaveLength(1);
});
