import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import story from '../../server/work/pipelines/story/story.json' with { type: 'json' };
import { drawPipeline, wordsOf, type DrawnDefinition } from './layout.ts';

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'unknown');
const definitions: fc.Arbitrary<DrawnDefinition> = fc.record({
  stages: fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g') }), { maxLength: 9 }),
  transitions: fc.array(
    fc.record({
      from: name,
      outcome: fc.constantFrom('DONE', 'REJECT', 'ESCALATE_TO_A_PERSON_WITH_A_LONG_NAME'),
      to: fc.option(name),
    }),
    { maxLength: 14 },
  ),
  start: name,
});

describe('the layout of a pipeline', () => {
  it('places every stage inside of the drawing, apart from the others, in the order of the definition', () => {
    fc.assert(
      fc.property(definitions, fc.integer({ min: 0, max: 1_600 }), (definition, available) => {
        const { stages, stageSize, size } = drawPipeline(definition, available, 48);
        expect([...stages.keys()]).toEqual([...new Set(definition.stages.map((stage) => stage.name))]);
        const all = [...stages.values()];
        for (const [index, { x, y }] of all.entries()) {
          expect(x >= 0 && y >= 0 && x + stageSize.width <= size.width && y + stageSize.height <= size.height).toBe(
            true,
          );
          for (const other of all.slice(index + 1))
            expect(Math.abs(other.x - x) >= stageSize.width || Math.abs(other.y - y) >= stageSize.height).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('draws each transition between known stages once, and no other', () => {
    fc.assert(
      fc.property(definitions, (definition) => {
        const { ways } = drawPipeline(definition, 1_200, 48);
        const known = (stage: string | null): boolean =>
          stage === null || definition.stages.some((each) => each.name === stage);
        const drawn = ways.flatMap(({ transitions }) => transitions);
        expect(drawn).toHaveLength(
          definition.transitions.filter(({ from, to }) => known(from) && known(to ?? null)).length,
        );
        expect(new Set(ways.map(({ from, to }) => `${from} ${to}`)).size).toBe(ways.length);
        for (const way of ways) {
          for (const { from, to } of way.transitions) expect([from, to ?? null]).toEqual([way.from, way.to]);
          expect(way.points.length).toBeGreaterThan(1);
        }
      }),
    );
  });

  it('lays the story across a wide page, and down a phone without overflow', () => {
    const wide = drawPipeline(story, 1_232, 58);
    expect([wide.direction, wide.size.width <= 1_232]).toEqual(['across', true]);
    const narrow = drawPipeline(story, 310, 58);
    expect([narrow.direction, narrow.size.width <= 310]).toEqual(['down', true]);
    for (const { ways } of [wide, narrow]) {
      expect(ways.filter(({ isBack }) => isBack).map(({ from, to }) => [from, to])).toEqual([
        ['reviewer', 'implementer'],
      ]);
      // Only where there is a choice.
      expect(ways.map(({ label }) => label?.text).filter((text) => text !== undefined)).toEqual(['APPROVE', 'REJECT']);
    }
  });

  it('says a condition in words', () => {
    expect(wordsOf({ outcome: 'DONE', when: { variable: 'priority', op: 'GT', value: 3 } })).toBe(
      'DONE if priority > 3',
    );
    expect(wordsOf({ outcome: 'DONE', when: { variable: 'kind', op: 'IN', value: ['a', 'b'] } })).toBe(
      'DONE if kind in ["a","b"]',
    );
    expect(wordsOf({ outcome: 'DONE', when: { variable: 'approved', op: 'EXISTS', value: null } })).toBe(
      'DONE if approved is set',
    );
    expect(wordsOf({ outcome: 'REJECT' })).toBe('REJECT');
  });
});
