import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { choicesOf, chosenOf, pairsToRead } from './choices.ts';
import { agentAt, lineAt, placeInCircle } from './circle.ts';

const graphs = fc.integer({ min: 2, max: 40 }).chain((count) => {
  const ids = Array.from({ length: count }, (_, number) => `agent-${number}`);
  const agent = fc.constantFrom(...ids);
  return fc.record({
    ids: fc.constant(ids),
    pairs: fc.uniqueArray(
      fc.record({ source: agent, target: agent }).filter(({ source, target }) => source !== target),
      { minLength: 1, maxLength: 60, selector: ({ source, target }) => `${source} ${target}` },
    ),
  });
});

describe('the circle', () => {
  it('finds each agent at its place, and each line, or one that crosses it there, at its middle', () => {
    fc.assert(
      fc.property(graphs, ({ ids, pairs }) => {
        const circle = placeInCircle(ids, pairs);
        for (const [index, agent] of circle.agents.entries()) {
          expect(agentAt(circle, agent, 10)).toBe(index);
          expect([agent.x, agent.y].every((at) => at > 0 && at < circle.size.width)).toBe(true);
        }
        for (const index of pairs.keys()) {
          const [ax, ay, bx, by, cx, cy] = circle.lines.slice(index * 6, index * 6 + 6) as unknown as number[];
          const middle = { x: (ax! + 2 * bx! + cx!) / 4, y: (ay! + 2 * by! + cy!) / 4 };
          const found = lineAt(circle, middle, 1);
          expect(found).not.toBeNull();
          if (pairs.length === 1) expect(found).toBe(index);
        }
      }),
    );
  });

  it('keeps opposite lines apart, and finds none far from all', () => {
    const circle = placeInCircle(
      ['a', 'b', 'c'],
      [
        { source: 'a', target: 'b' },
        { source: 'b', target: 'a' },
      ],
    );
    const middle = (line: number) => {
      const [ax, ay, bx, by, cx, cy] = circle.lines.slice(line * 6, line * 6 + 6) as unknown as number[];
      return { x: (ax! + 2 * bx! + cx!) / 4, y: (ay! + 2 * by! + cy!) / 4 };
    };
    expect([lineAt(circle, middle(0), 8), lineAt(circle, middle(1), 8)]).toEqual([0, 1]);
    expect(lineAt(circle, { x: 0, y: 0 }, 8)).toBeNull();
    expect(agentAt(circle, { x: circle.centre, y: circle.centre }, 50)).toBeNull();
  });
});

describe('the choices of how many pairs are drawn', () => {
  it('end with the whole graph, up to the most that one request returns', () => {
    expect(
      choicesOf({ pairCount: 12, agentCount: 9 }, false).map(({ value, agents }) => [value, agents !== undefined]),
    ).toEqual([['', true]]);
    expect(choicesOf({ pairCount: 5_000, agentCount: 200 }, false).map(({ value, pairs }) => [value, pairs])).toEqual([
      ['', 30],
      ['60', 60],
      ['120', 120],
      ['250', 250],
      ['1000', 1_000],
      ['all', 5_000],
    ]);
    expect(choicesOf({ pairCount: 20_000, agentCount: 300 }, true).at(-1)).toMatchObject({
      value: 'all',
      word: '10,000 busiest pairs',
      pairs: 10_000,
    });
    expect(choicesOf({ pairCount: 200, agentCount: 60 }, false).at(-1)).toMatchObject({ value: 'all', pairs: 200 });
  });

  it('are read from the address, also those of another width', () => {
    const choices = choicesOf({ pairCount: 5_000, agentCount: 200 }, false);
    expect(['', '12', '60', '99', '1000', '5000', 'all'].map((value) => chosenOf(choices, value).pairs)).toEqual([
      30, 30, 60, 60, 1_000, 5_000, 5_000,
    ]);
    expect([
      pairsToRead('', 250),
      pairsToRead('1000', 250),
      pairsToRead('30', 500),
      pairsToRead('99999', 250),
      pairsToRead('all', 250),
    ]).toEqual([250, 1_000, 500, 10_000, 10_000]);
  });
});
