import { expect, it } from 'vitest';
import { rateText, wordsOfRates } from '../../graph/outcomes.ts';
import { bestAndWorst, closedOf } from './paths.ts';

const path = (completed: number, rejected: number, waiting = 0) => ({
  byStatus: [
    { status: 'COMPLETED' as const, count: completed },
    { status: 'REJECTED' as const, count: rejected },
    { status: 'INITIATED' as const, count: waiting },
  ].filter(({ count }) => count > 0),
});

it('ranks paths by what their numbers prove, without those that nobody closed and those without a fault among the worst', () => {
  const [proven, lucky, fair, bad, unlucky, fresh] = [
    path(95, 5),
    path(1, 0),
    path(6, 4),
    path(1, 30),
    path(0, 1),
    path(0, 0, 9),
  ];
  const { best, worst } = bestAndWorst([lucky, fresh, unlucky, bad, proven, fair]);
  expect(best).toEqual([proven, fair, lucky]);
  expect(worst).toEqual([bad, unlucky]);
  expect([proven, fresh].map(closedOf)).toEqual([100, 0]);
  expect(bestAndWorst([fresh])).toEqual({ best: [], worst: [] });
});

it('says success and times in words, and leaves out what is not known', () => {
  const edge = { source: { id: 'a' }, target: { id: 'b' }, count: 3, byStatus: [] };
  const known = {
    ...edge,
    successRate: 0.999,
    bouncedBack: 2,
    medianAcceptMs: 2_000,
    p90AcceptMs: 90_000,
    medianCompleteMs: 3_600_000,
  };
  expect(rateText(known)).toBe('99 % · 2 s');
  expect(wordsOfRates(known)).toBe(
    '99 % of the closed ones completed; 2 soon back at the source; accepted after 2 s (median), 9 of 10 within 2 min; completed after 1.0 h (median)',
  );
  const unknown = {
    ...edge,
    successRate: null,
    bouncedBack: 0,
    medianAcceptMs: null,
    p90AcceptMs: null,
    medianCompleteMs: null,
  };
  expect([rateText(unknown), wordsOfRates(unknown)]).toEqual(['', 'none closed']);
});
