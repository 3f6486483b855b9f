import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClockSteps } from './clockSteps.ts';

const hour = 3_600_000;
const at = (time: number): Date => new Date(time);

describe('steps of the clock', () => {
  it('are not detected while both clocks run on, however slow the answers', () => {
    const clock = new ClockSteps();
    expect(clock.read(at(10_000), 0, 0)).toBe(0);
    expect(clock.read(at(25_000), 15_000, 15_010)).toBe(0);
    expect(clock.read(at(34_000), 20_000, 30_000)).toBe(0);
    expect(clock.ahead).toEqual([]);
  });

  it('count for handoffs initiated before the step', () => {
    const clock = new ClockSteps();
    clock.read(at(0), 0, 0);
    expect(clock.read(at(2 * hour + 5_000), 5_000, 5_000)).toBe(2 * hour);
    expect(clock.ahead).toEqual([{ at: at(5_000), by: 2 * hour }]);
  });

  it('are subtracted when the clock is set back', () => {
    const clock = new ClockSteps();
    clock.read(at(0), 0, 0);
    clock.read(at(2 * hour + 5_000), 5_000, 5_000);
    expect(clock.read(at(hour + 10_000), 10_000, 10_000)).toBe(-hour);
    expect(clock.ahead).toEqual([{ at: at(5_000), by: hour }]);
    expect(clock.read(at(15_000), 15_000, 15_000)).toBe(-hour);
    expect(clock.ahead).toEqual([]);
  });
});

it('no handoff times out before it waited for its whole time, however the clock steps', () => {
  const given = hour / 2;
  const act = fc.record({
    elapsed: fc.integer({ min: 0, max: hour / 4 }),
    step: fc.oneof(
      { weight: 3, arbitrary: fc.constant(0) },
      fc.integer({ min: 20_000, max: 5 * hour }),
      fc.integer({ min: -5 * hour, max: -1 }),
    ),
    answersIn: fc.integer({ min: 0, max: 4_000 }),
    begins: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
      const clock = new ClockSteps();
      let [steady, ahead] = [0, 1_000 * hour];
      const waiting: { since: number; initiatedAt: number }[] = [];
      clock.read(at(steady + ahead), steady, steady);
      for (const { elapsed, step, answersIn, begins } of acts) {
        if (begins) waiting.push({ since: steady, initiatedAt: steady + ahead });
        steady += elapsed;
        ahead += step;
        const now = steady + ahead;
        clock.read(at(now), steady, steady + answersIn);
        for (const { since, initiatedAt } of waiting) {
          const longer = clock.ahead.reduce((sum, { at, by }) => (at.getTime() >= initiatedAt ? sum + by : sum), 0);
          if (initiatedAt + given + longer <= now) expect(steady - since).toBeGreaterThanOrEqual(given);
        }
        steady += answersIn;
      }
    }),
    { numRuns: 3_000 },
  );
});
