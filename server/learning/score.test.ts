import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ranked, wordsOf, type Candidate, type Occasion } from './score.ts';
import { wilson } from './wilson.ts';

const word = fc.constantFrom('login', 'tests', 'test', 'the', 'a', 'billing', '支払', 'Rust', 'reviews');
const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '));
const candidate = fc
  .record({
    maxCapacity: fc.integer({ min: 1, max: 9 }),
    load: fc.double({ min: 0, max: 1, noNaN: true }),
    texts: fc.array(fc.option(text), { maxLength: 3 }),
    closed: fc.nat({ max: 500 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    costTier: fc.oneof(
      fc.constantFrom('low', 'HIGH', 'medium', 1, 2, 3, null, 'free', '__proto__', {}),
      fc.constant(undefined),
    ),
  })
  .map(({ load, share, ...fields }): Omit<Candidate, 'id'> => ({
    ...fields,
    currentLoad: Math.floor(load * fields.maxCapacity),
    completed: Math.floor(share * fields.closed),
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
          ({ closed, completed }) => ({ completed: Math.min(closed, completed + 1) }),
          ({ closed, completed }) => ({ closed: closed + 1, completed: completed + 1 }),
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

  it('takes the lower bound of the success: two of two are less than 95 of 100', () => {
    expect(wilson(0, 0)).toBe(0);
    expect(wilson(0, 10)).toBe(0);
    expect(wilson(2, 2)).toBeCloseTo(0.342, 3);
    expect(wilson(95, 100)).toBeCloseTo(0.888, 3);
    fc.assert(
      fc.property(
        fc.nat({ max: 1_000 }),
        fc.nat({ max: 1_000 }),
        (a, b) =>
          wilson(Math.min(a, b), Math.max(a, b)) <= (Math.max(a, b) === 0 ? 0 : Math.min(a, b) / Math.max(a, b)) + 1e-9,
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
          closed: 4,
          completed: 3,
          costTier: 'Low',
        },
      ],
      { sourceAgentId: 'y', words: { from: 'the pending tasks', in: wordsOf(['Test the login']) } },
    );
    expect(found!.factors.map(({ name, value, explanation }) => [name, value, explanation])).toEqual([
      ['PATH_SUCCESS', 0.3006, '3 of 4 closed handoffs from y to x completed'],
      ['SHARED_WORDS', 0.5, 'Its description shares with the pending tasks: login, test'],
      ['LOAD', 0.75, '1 of 4 places taken'],
      ['COST_TIER', 1, 'Its cost tier is low'],
    ]);
  });
});
