import { expect, it } from 'vitest';
import { placeIn, spansOf, ticksOf, viewOf, wholeOf } from './times.ts';

const at = (second: number): string => new Date(second * 1_000).toISOString();
const whole = { from: 0, to: 100_000 };

it('a tenure waits until its handoff is accepted, or to its end when it never was', () => {
  const tenure = { startedAt: at(10), endedAt: at(40), state: 'HANDED_OFF' };
  expect(spansOf(tenure, 99_000)).toEqual({ held: { from: 10_000, to: 40_000 }, waited: null });
  expect(spansOf({ ...tenure, initiatedByHandoff: { acceptedAt: at(15) } }, 99_000).waited).toEqual({
    from: 10_000,
    to: 15_000,
  });
  expect(spansOf({ ...tenure, state: 'DECLINED', initiatedByHandoff: { acceptedAt: null } }, 99_000).waited).toEqual({
    from: 10_000,
    to: 40_000,
  });
  expect(spansOf({ ...tenure, endedAt: null, state: 'PENDING', initiatedByHandoff: {} }, 99_000)).toEqual({
    held: { from: 10_000, to: 99_000 },
    waited: { from: 10_000, to: 99_000 },
  });
});

it('a view zooms around its middle and moves, within the whole', () => {
  expect(viewOf(whole, whole, { zoom: 2 })).toEqual({ from: 25_000, to: 75_000 });
  expect(viewOf({ from: 25_000, to: 75_000 }, whole, { move: 0.25 })).toEqual({ from: 37_500, to: 87_500 });
  expect(viewOf({ from: 25_000, to: 75_000 }, whole, { move: 9 })).toEqual({ from: 50_000, to: 100_000 });
  expect(viewOf({ from: 25_000, to: 75_000 }, whole, { zoom: 0.1 })).toEqual(whole);
  expect(viewOf(whole, whole, { zoom: 1e9 })).toEqual({ from: 49_500, to: 50_500 });
  expect(wholeOf([{ from: 5, to: 5 }])).toEqual({ from: 5, to: 1_005 });
});

it('ticks are round and few, from seconds to years', () => {
  expect(ticksOf(whole, 0, 6).map(({ word }) => word)).toEqual(['0', '30 s', '1 min', '1 min 30 s']);
  expect(ticksOf({ from: 0, to: 8 * 3_600_000 }, 0, 6).map(({ word }) => word)).toEqual([
    '0',
    '2 h',
    '4 h',
    '6 h',
    '8 h',
  ]);
  expect(ticksOf({ from: 0, to: 3e11 }, 0, 6).length).toBeLessThanOrEqual(7);
});

it('spans outside of the view are not drawn, others are cut to it', () => {
  expect(placeIn({ from: -10, to: 50_000 }, whole)).toEqual({ left: '0.000%', width: '50.000%' });
  expect(placeIn({ from: 200_000, to: 300_000 }, whole)).toBeNull();
});
