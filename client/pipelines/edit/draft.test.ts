import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Condition, NamedDefinition, Stage } from '../../../server/work/pipelines/rules.ts';
import {
  draftOf,
  drawnOf,
  emptyDraft,
  faultsOf,
  moveWay,
  read,
  withoutStage,
  withStage,
  withWay,
  type Draft,
} from './draft.ts';
import { faultOfJson, readJson, writeJson } from './json.ts';
import { placeOf, problemOf } from './places.ts';

const story = readFileSync(new URL('../../../server/work/pipelines/story/story.json', import.meta.url), 'utf8');
const definitionOf = (text: string): NamedDefinition => {
  const answer = readJson(text, null);
  if ('fault' in answer) throw new Error(answer.fault);
  return answer.definition;
};

const name = fc.constantFrom('a', 'b', 'c');
const maybe = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const said = fc
  .string({ minLength: 1, maxLength: 6 })
  .map((text) => text.trim())
  .filter((text) => text !== '');
const schema = maybe(
  fc.constantFrom<object>({}, { const: null }, { type: 'object', properties: { a: { type: 'string' } } }),
);
const nobody = { agentId: null, role: null, operators: false };
const stage: fc.Arbitrary<Omit<Stage, 'name'>> = fc.record({
  role: maybe(said),
  agentType: maybe(said),
  phase: maybe(said),
  instructions: maybe(fc.constantFrom(' two\nlines ', 'one')),
  payloadSchema: schema,
  acceptWithinMinutes: maybe(fc.integer({ min: 1, max: 525_600 })),
  remindAfterMinutes: maybe(fc.integer({ min: 1, max: 525_600 })),
  escalateTo: maybe(
    fc.oneof(
      said.map((role) => ({ ...nobody, role })),
      said.map((agentId) => ({ ...nobody, agentId })),
      fc.constant({ ...nobody, operators: true }),
    ),
  ),
});
const condition = fc.oneof(
  fc.record({
    variable: said,
    op: fc.constantFrom('EQ', 'NE', 'LT', 'GT', 'IN'),
    value: fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown),
  }),
  said.map((variable): Condition => ({ variable, op: 'EXISTS', value: null })),
) as fc.Arbitrary<Condition>;
const definition: fc.Arbitrary<NamedDefinition> = fc.record({
  slug: fc.constant('paper'),
  name: said,
  description: maybe(fc.constant('Two\nlines')),
  start: name,
  stages: fc
    .uniqueArray(name, { minLength: 1 })
    .chain((names) => fc.tuple(...names.map((each) => stage.map((fields): Stage => ({ name: each, ...fields }))))),
  transitions: fc.array(
    fc.record(
      {
        from: name,
        outcome: fc.constantFrom('DONE', 'REJECT'),
        to: maybe(name),
        when: maybe(condition),
        payloadSchema: schema,
        approval: fc.constant('REQUIRED' as const),
      },
      { requiredKeys: ['from', 'outcome', 'to', 'when', 'payloadSchema'] },
    ),
    { maxLength: 4 },
  ),
});

describe('the draft of a definition', () => {
  it('reads as the definition that it was made of, through JSON too', () => {
    fc.assert(
      fc.property(definition, (given) => {
        expect(read(draftOf(given))).toEqual({ definition: given, unread: [] });
        expect(readJson(writeJson(given), null)).toEqual({ definition: given });
      }),
    );
    expect(faultsOf(draftOf(definitionOf(story)))).toEqual([]);
  });

  it('keeps its references while a stage is renamed, moved and removed', () => {
    const draft = draftOf(definitionOf(story));
    const analyst = draft.stages[1]!;
    // Through a name that another stage has, as it happens while one types.
    const names = ['orchestrator', '', 'thinker'].reduce(
      (now: Draft, typed) => ({
        ...now,
        stages: now.stages.map((each) => (each.key === analyst.key ? { ...each, name: typed } : each)),
      }),
      draft,
    );
    const renamed: Draft = { ...names, stages: names.stages.toReversed() };
    const { transitions, start } = read(renamed).definition;
    expect([start, ...transitions.slice(0, 2).map(({ from, to }) => [from, to])]).toEqual([
      'orchestrator',
      ['orchestrator', 'thinker'],
      ['thinker', 'implementer'],
    ]);
    expect(faultsOf(renamed)).toEqual([]);

    const without = withoutStage(renamed, analyst.key);
    expect(faultsOf(without).map(({ path, message }) => `${path.join('.')} ${message}`)).toEqual([
      expect.stringMatching(/^transitions\.0\.to is 'thinker', which is no stage/),
    ]);
    expect(without.transitions).toHaveLength(draft.transitions.length - 1);
    expect(read(withoutStage(draft, draft.stages[0]!.key)).definition.start).toBe('orchestrator');
  });

  it('is drawn with numbers for the stages that have no name yet', () => {
    const draft = withStage({ ...emptyDraft, stages: [{ ...emptyDraft.stages[0]!, name: ' >' }] });
    const { start, stages, transitions } = drawnOf(draft);
    expect([start, stages.map((each) => each.name), transitions.map(({ from }) => from)]).toEqual([
      'Stage 1',
      ['Stage 1', 'Stage 2'],
      ['Stage 1'],
    ]);
  });

  it('adds a transition after the others of its stage, and moves it among them only', () => {
    const two = withStage({ ...emptyDraft, stages: [{ ...emptyDraft.stages[0]!, name: 'a' }] });
    const [a, b] = two.stages.map(({ key }) => key) as [number, number];
    const draft = withWay(withWay(two, b), a);
    expect(draft.transitions.map(({ from }) => from)).toEqual([a, a, b]);
    expect(new Set([...draft.stages, ...draft.transitions].map(({ key }) => key)).size).toBe(5);
    const [first, second, other] = draft.transitions.map(({ key }) => key) as [number, number, number];
    expect(moveWay(draft, second, -1).transitions.map(({ key }) => key)).toEqual([second, first, other]);
    expect(moveWay(draft, second, 1)).toBe(draft);
    expect(moveWay(draft, first, -1)).toBe(draft);
  });
});

describe('the problems of a draft', () => {
  const draft = draftOf(definitionOf(story));
  const change = (index: number, fields: Partial<Draft['stages'][number]>): Draft => ({
    ...draft,
    stages: draft.stages.map((each, at) => (at === index ? { ...each, ...fields } : each)),
  });
  const texts = (of: Draft) =>
    faultsOf(of)
      .map((fault) => problemOf(fault, of))
      .map(({ place, text, isMissing }) => [place, text, isMissing]);

  it.each<[Partial<Draft['stages'][number]>, string, RegExp, boolean]>([
    [{ name: ' ' }, 'stages.1.name', /is no name of a stage/, true],
    [{ name: 'reviewer' }, 'stages.3.name', /is the name of two stages/, false],
    [{ agentType: 'claude' }, 'stages.1.agentType', /is not an agent type/, false],
    [{ acceptWithinMinutes: 'soon' }, 'stages.1.acceptWithinMinutes', /is 'soon': give a number/, false],
    [{ remindAfterMinutes: '0' }, 'stages.1.remindAfterMinutes', /is 0: give 1 to 525600/, false],
    [{ payloadSchema: '{' }, 'stages.1.payloadSchema', /is not JSON/, false],
    [{ payloadSchema: '[]' }, 'stages.1.payloadSchema', /is not an object/, false],
    [{ escalate: 'ROLE', escalateTo: '' }, 'stages.1.escalateTo', /names no role/, true],
  ])('with %j stands at %s', (fields, place, says, isMissing) => {
    expect(texts(change(1, fields))).toEqual([[place, expect.stringMatching(says), isMissing]]);
  });

  it('of a new pipeline are its missing names, and no more', () => {
    expect(texts(emptyDraft).map(([place, , isMissing]) => [place, isMissing])).toEqual([
      ['slug', true],
      ['name', true],
      ['stages.0.name', true],
    ]);
  });

  it('of the server stand at the nearest field that there is', () => {
    const at = (...path: (string | number)[]) => placeOf(path, draft);
    expect([
      at('stages', 1, 'payloadSchema', 'properties'),
      at('stages', 1, 'escalateTo', 'agentId'),
      at('transitions', 0, 'when', 'value', 0),
      at('transitions', 0, 'when'),
      at('stages', 1),
      at('stages'),
      at('stages', 99, 'name'),
      at('idempotencyKey'),
      at(),
    ]).toEqual([
      'stages.1.payloadSchema',
      'stages.1.escalateTo',
      'transitions.0.when.value',
      'transitions.0.when',
      'stages.1',
      'stages',
      'stages',
      '',
      '',
    ]);
  });
});

describe('a definition as JSON', () => {
  it.each([
    ['text', '{', null, /^This is not JSON/],
    ['a list', '[]', null, /^The definition: /],
    [
      'a number for a name',
      '{"name": "A", "start": "a", "stages": [{"name": 1}], "transitions": []}',
      null,
      /^stages\.0\.name: /,
    ],
    ['an unknown name', '{"name": "A", "start": "a", "stages": [], "transitions": [], "more": 1}', null, /more/],
    [
      'an unknown name inside',
      '{"name": "A", "start": "a", "stages": [{"name": "a", "escalateTo": {"who": "b"}}], "transitions": []}',
      null,
      /^stages\.0\.escalateTo: .*who/,
    ],
    [
      'an unknown comparison',
      '{"name": "A", "start": "a", "stages": [], "transitions": [{"from": "a", "outcome": "DONE", "when": {"variable": "x", "op": "is"}}]}',
      null,
      /^transitions\.0\.when\.op: /,
    ],
    ['another slug', story, 'paper', /^slug: is 'story'/],
  ])('is refused with its place for %s', (_what, text, slug, says) => {
    expect(faultOfJson(text, slug)).toMatch(says);
  });

  it('may leave out the slug of a further version, and everything that may be null', () => {
    expect(
      readJson(
        '{"name": "A", "start": "a", "stages": [{"name": "a"}], "transitions": [{"from": "a", "outcome": "DONE"}]}',
        'paper',
      ),
    ).toMatchObject({
      definition: {
        slug: 'paper',
        description: null,
        stages: [{ role: null, escalateTo: null }],
        transitions: [{ to: null, when: null }],
      },
    });
  });
});
