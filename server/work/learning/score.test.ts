import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcomes } from './rules.ts';
import { ranked, wordsOf, type Candidate, type Occasion } from './score.ts';

const word = fc.constantFrom('login', 'tests', 'test', 'the', 'a', 'billing', '支払', 'Rust', 'reviews');
const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '));
const outcomes: fc.Arbitrary<Outcomes> = fc.record(
  {
    COMPLETED: fc.nat({ max: 9 }),
    REJECTED: fc.nat({ max: 9 }),
    TIMED_OUT: fc.nat({ max: 9 }),
    FAILED: fc.nat({ max: 9 }),
    CANCELLED: fc.nat({ max: 9 }),
    INITIATED: fc.nat({ max: 1 }),
    BOUNCED_BACK: fc.nat({ max: 9 }),
  },
  { requiredKeys: [] },
);
const failed = ['REJECTED', 'TIMED_OUT', 'FAILED'] as const;
const candidate = fc
  .record({
    maxCapacity: fc.integer({ min: 1, max: 9 }),
    load: fc.double({ min: 0, max: 1, noNaN: true }),
    texts: fc.array(fc.option(text), { maxLength: 3 }),
    outcomes,
    costTier: fc.oneof(
      fc.constantFrom('low', 'HIGH', 'medium', 1, 2, 3, null, 'free', '__proto__', {}),
      fc.constant(undefined),
    ),
  })
  .map(({ load, ...fields }): Omit<Candidate, 'id'> => ({
    ...fields,
    // A candidate has a free place.
    currentLoad: Math.min(fields.maxCapacity - 1, Math.floor(load * fields.maxCapacity)),
  }));
const candidates = fc
  .array(candidate, { minLength: 1, maxLength: 8 })
  .map((all) => all.map((each, index): Candidate => ({ ...each, id: `agent-${index}` })));
const occasion: fc.Arbitrary<Occasion> = fc.record({
  sourceAgentId: fc.option(fc.constant('source')),
  words: fc.option(text.map((given) => ({ from: 'the text', in: wordsOf([given]) }))),
});

describe('the ranking of targets', () => {
  it('adds up: the score is what the factors say, from 0 to 1, with weights of 1 together', () => {
    fc.assert(
      fc.property(candidates, occasion, (all, about) => {
        const found = ranked(all, about);
        expect(found.map(({ agentId }) => agentId).sort()).toEqual(all.map(({ id }) => id).sort());
        for (const { score, factors } of found) {
          expect(factors.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 3);
          expect(factors.reduce((sum, { value, weight }) => sum + value * weight, 0)).toBeCloseTo(score, 3);
          for (const { value } of factors) expect(value >= 0 && value <= 1).toBe(true);
          expect(score >= 0 && score <= 1).toBe(true);
        }
      }),
    );
  });

  it('depends on no other candidate and not on their order', () => {
    fc.assert(
      fc.property(candidates, occasion, (all, about) => {
        const together = ranked(all, about);
        expect(ranked(all.toReversed(), about)).toEqual(together);
        for (const each of all) expect(together).toContainEqual(ranked([each], about)[0]);
        expect(together).toEqual(together.toSorted((a, b) => b.score - a.score || (a.agentId < b.agentId ? -1 : 1)));
      }),
    );
  });

  it('never ranks a candidate lower that does better in one factor', () => {
    fc.assert(
      fc.property(
        candidate,
        occasion,
        fc.constantFrom<(better: Candidate) => Partial<Candidate>>(
          ({ currentLoad }) => ({ currentLoad: Math.max(0, currentLoad - 1) }),
          ({ outcomes: all }) => {
            const instead = failed.find((status) => (all[status] ?? 0) > 0);
            return instead === undefined
              ? {}
              : { outcomes: { ...all, [instead]: all[instead]! - 1, COMPLETED: (all.COMPLETED ?? 0) + 1 } };
          },
          ({ outcomes: all }) => ({ outcomes: { ...all, COMPLETED: (all.COMPLETED ?? 0) + 1 } }),
          ({ texts }) => ({ texts: [...texts, 'login billing'] }),
          ({ costTier }) => (costTier === undefined ? {} : { costTier: 'low' }),
        ),
        (each, about, improve) => {
          const worse = { ...each, id: 'b' };
          const [best] = ranked([worse, { ...worse, ...improve(worse), id: 'c' }], about);
          const scores = new Map(
            ranked([worse, { ...worse, ...improve(worse), id: 'c' }], about).map(({ agentId, score }) => [
              agentId,
              score,
            ]),
          );
          expect(scores.get('c')).toBeGreaterThanOrEqual(scores.get('b')!);
          expect(best!.score).toBe(scores.get('c'));
        },
      ),
    );
  });

  it('ranks a candidate that completed none of three or more behind every candidate that was not tried', () => {
    fc.assert(
      fc.property(
        candidate,
        candidate,
        occasion,
        fc.record({ status: fc.constantFrom(...failed), count: fc.integer({ min: 3, max: 20 }) }),
        (one, other, about, { status, count }) => {
          const failing = { ...one, id: 'a', outcomes: { ...one.outcomes, COMPLETED: 0, [status]: count } };
          const fresh = { ...other, id: 'b', outcomes: { CANCELLED: other.outcomes.CANCELLED ?? 0, INITIATED: 1 } };
          const [first, second] = ranked([failing, fresh], about);
          expect([first!.agentId, second!.agentId]).toEqual(['b', 'a']);
          expect(second!.factors[0]!.explanation).toMatch(/^0 of \d+ handoffs .*: it ranks behind agents not tried$/);
        },
      ),
    );
  });

  it('compares words without case, plural and what every text has, and says which it found', () => {
    expect(wordsOf(['The login-Tests of 支払', null])).toEqual(new Set(['login', 'test', '支', '払']));
    const [found] = ranked(
      [
        {
          id: 'x',
          currentLoad: 1,
          maxCapacity: 4,
          texts: ['Writes the login tests'],
          outcomes: { COMPLETED: 3, REJECTED: 1, CANCELLED: 5 },
          costTier: 'Low',
        },
      ],
      { sourceAgentId: 'y', words: { from: 'the pending tasks', in: wordsOf(['Test the login']) } },
    );
    expect(found!.factors.map(({ name, value, explanation }) => [name, value, explanation])).toEqual([
      ['PATH_SUCCESS', 0.6667, '3 of 4 handoffs from y to x completed, 1 rejected'],
      ['SHARED_WORDS', 0.5, 'Its description shares with the pending tasks: login, test'],
      ['LOAD', 0.75, '1 of 4 places taken'],
      ['COST_TIER', 1, 'Its cost tier is low'],
    ]);
  });
});
