import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  faultOfHolding,
  holds,
  type Condition,
  type Definition,
  type Stage,
  type Transition,
} from '../custody/pipeline.ts';
import { faultsOfFields } from './fields.ts';
import { faultOfSchema, faultOfShape } from './payloads.ts';
import { progressOf, waysTaken, type RecordedStay } from './progress.ts';
import { faultsOfDefinition, type NamedDefinition } from './rules.ts';

const stage = (name: string): Stage => ({
  name,
  role: null,
  agentType: null,
  phase: null,
  instructions: null,
  payloadSchema: null,
  acceptWithinMinutes: null,
  remindAfterMinutes: null,
  escalateTo: null,
});
const way = (line: string, when: Condition | null = null): Transition => {
  const [from, outcome, to] = line.split(' ') as [string, string, string];
  return { from, outcome, to: to === 'end' ? null : to, when, payloadSchema: null };
};
const always: Condition = { variable: 'x', op: 'EXISTS', value: null };
const definition = (stages: string[], transitions: Transition[], start = stages[0]!): Definition => ({
  start,
  stages: stages.map(stage),
  transitions,
});

describe('a definition', () => {
  it.each<[string, Definition, (string | number)[], RegExp]>([
    [
      'two stages of one name',
      definition(['a', 'a'], [way('a DONE end')]),
      ['stages', 1, 'name'],
      /name of two stages/,
    ],
    ['an unknown start', definition(['a'], [way('a DONE end')], 'b'), ['start'], /no stage: name one of a/],
    [
      'a transition from an unknown stage',
      definition(['a'], [way('b DONE end')]),
      ['transitions', 0, 'from'],
      /no stage/,
    ],
    [
      'a transition to an unknown stage',
      definition(['a'], [way('a DONE b')]),
      ['transitions', 0, 'to'],
      /or null for the end/,
    ],
    [
      'an outcome twice without a condition',
      definition(['a'], [way('a DONE end'), way('a DONE end')]),
      ['transitions', 0, 'when'],
      /give a condition/,
    ],
    [
      'a condition on the last transition of an outcome',
      definition(['a'], [way('a DONE end', always)]),
      ['transitions', 0, 'when'],
      /leave it out/,
    ],
    [
      'a stage that cannot be reached',
      definition(['a', 'b'], [way('a DONE end'), way('b DONE end')]),
      ['stages', 1],
      /cannot be reached/,
    ],
    [
      'a stage that cannot reach an end',
      definition(['a', 'b'], [way('a DONE end'), way('a ASK b'), way('b DONE b')]),
      ['stages', 1],
      /cannot reach an end/,
    ],
  ])('with %s is refused with its path', (_what, wrong, path, says) => {
    const [fault] = faultsOfDefinition(wrong);
    expect(fault?.path).toEqual(path);
    expect(fault?.message).toMatch(says);
  });

  it('with loops, conditions and several ends is accepted, and so is the one that ships', async () => {
    expect(
      faultsOfDefinition(
        definition(
          ['a', 'b'],
          [way('a DONE b', always), way('a DONE end'), way('b BACK a'), way('b AGAIN b'), way('b DONE end')],
        ),
      ),
    ).toEqual([]);
    const story = JSON.parse(readFileSync(new URL('story/story.json', import.meta.url), 'utf8')) as Definition;
    expect(
      faultsOfDefinition({ ...story, transitions: story.transitions.map((each) => ({ ...each, when: null })) }),
    ).toEqual([]);
    for (const { payloadSchema } of story.stages)
      expect([faultOfShape(payloadSchema!), await faultOfSchema('ops', payloadSchema!)]).toEqual([null, null]);
  });

  it('is accepted exactly when each stage can be reached and can reach an end, and no outcome is twice in a stage', () => {
    const names = ['a', 'b', 'c'];
    const transition = fc.record({
      from: fc.constantFrom(...names),
      outcome: fc.constantFrom('DONE', 'REJECT', 'ASK'),
      to: fc.constantFrom(...names, 'end'),
    });
    fc.assert(
      fc.property(fc.array(transition, { maxLength: 8 }), (given) => {
        const reaches = (from: string): Set<string> => {
          const seen = new Set([from]);
          for (const at of seen) for (const each of given) if (each.from === at) seen.add(each.to);
          return seen;
        };
        const isSound = names.every((name) => reaches('a').has(name) && reaches(name).has('end'));
        const isDoubled = new Set(given.map(({ from, outcome }) => `${from} ${outcome}`)).size < given.length;
        const transitions = given.map(({ from, outcome, to }) => way(`${from} ${outcome} ${to}`));
        expect(faultsOfDefinition(definition(names, transitions)).length === 0).toBe(isSound && !isDoubled);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('all faults of a definition', () => {
  const paths = (faults: { path: (string | number)[] }[]): string[] => faults.map(({ path }) => path.join('.'));

  it('are found in one pass; ways are followed once all names are right', () => {
    expect(
      paths(faultsOfDefinition(definition(['a', 'a', 'b'], [way('c DONE d'), way('a DONE end', always)], 'x'))),
    ).toEqual(['stages.1.name', 'start', 'transitions.0.from', 'transitions.0.to', 'transitions.1.when']);
    expect(paths(faultsOfDefinition(definition(['a', 'b', 'c'], [way('a DONE a'), way('b DONE end')])))).toEqual([
      'stages.1',
      'stages.2',
      'stages.0',
      'stages.2',
    ]);
  });

  it('include those of each field, with its path', () => {
    const nobody = { agentId: null, role: null, operators: false };
    const wrong: NamedDefinition = {
      slug: 'A b',
      name: ' ',
      description: null,
      start: 'a',
      stages: [
        {
          ...stage('a b'),
          role: 'r'.repeat(201),
          agentType: 'claude',
          phase: '',
          acceptWithinMinutes: 0,
          remindAfterMinutes: 1.5,
          escalateTo: nobody,
        },
        {
          ...stage('b'),
          role: 'r',
          agentType: 'CLAUDE',
          phase: 'p',
          acceptWithinMinutes: 1,
          remindAfterMinutes: 525_600,
          escalateTo: { ...nobody, role: ' ' },
        },
      ],
      transitions: [
        way('a done end', { variable: '', op: 'IN', value: 1 }),
        way('a DONE end', { variable: 'x', op: 'LT', value: [] }),
        way('a DONE end', { variable: 'x', op: 'EXISTS', value: 1 }),
        way('a DONE end', { variable: 'x', op: 'EQ', value: null }),
      ],
    };
    expect(paths(faultsOfFields(wrong))).toEqual([
      'slug',
      'name',
      'stages.0.name',
      'stages.0.role',
      'stages.0.agentType',
      'stages.0.phase',
      'stages.0.acceptWithinMinutes',
      'stages.0.remindAfterMinutes',
      'stages.0.escalateTo',
      'stages.1.escalateTo.role',
      'transitions.0.outcome',
      'transitions.0.when.variable',
      'transitions.0.when.value',
      'transitions.1.when.value',
      'transitions.2.when.value',
    ]);
    expect(
      faultsOfFields({ ...wrong, slug: 'a-b', name: 'A', stages: [stage('a')], transitions: [way('a DONE end')] }),
    ).toEqual([]);
  });
});

describe('a condition', () => {
  const when = (op: Condition['op'], value: unknown = null): Condition => ({ variable: 'x', op, value });
  it.each<[Condition['op'], unknown, unknown, boolean]>([
    ['EQ', 1, 1, true],
    ['EQ', { a: [1] }, { a: [1] }, true],
    ['EQ', '1', 1, false],
    ['NE', 1, 2, true],
    ['NE', 1, 1, false],
    ['LT', 1, 2, true],
    ['LT', 2, 2, false],
    ['LT', 'a', 'b', true],
    ['LT', 'a', 2, false],
    ['GT', 3, 2, true],
    ['GT', null, 2, false],
    ['IN', 2, [1, 2], true],
    ['IN', 3, [1, 2], false],
    ['IN', 3, 3, false],
    ['EXISTS', null, null, true],
  ])('%s of %j and %j is %s', (op, value, wanted, expected) => {
    expect(holds(when(op, wanted), { variables: { x: { value } } })).toBe(expected);
  });

  it('fails when the variable is not set, whatever it compares', () => {
    for (const op of ['EQ', 'NE', 'LT', 'GT', 'IN', 'EXISTS'] as const) {
      expect(holds(when(op, [1]), { variables: {} })).toBe(false);
      expect(holds({ variable: 'constructor', op, value: 1 }, { variables: {} })).toBe(false);
    }
  });
});

describe('a comparison that cannot be made', () => {
  const some = fc.jsonValue({ maxDepth: 1 }).filter((value) => value !== null);
  const kindOf = (value: unknown): string => (Array.isArray(value) ? 'list' : typeof value);
  it('never holds, and says which kinds it compared, whatever two kinds they are', () => {
    fc.assert(
      fc.property(fc.constantFrom('EQ', 'NE', 'LT', 'GT', 'IN'), some, some, (op, value, wanted) => {
        const condition = { variable: 'x', op, value: op === 'IN' ? [wanted] : wanted } as Condition;
        const facts = { variables: { x: { value } } };
        const reason = faultOfHolding(condition, facts);
        const isOrdered = ['string', 'number'].includes(kindOf(value));
        if (kindOf(value) === kindOf(wanted) && (isOrdered || (op !== 'LT' && op !== 'GT'))) expect(reason).toBeNull();
        else {
          expect(holds(condition, facts)).toBe(false);
          expect(reason).toMatch(/^'x' is (a text|a number|true or false|a list|an object) and is compared with/);
        }
      }),
    );
  });

  it('reads the payload, the payloads of stages and variables by their names', () => {
    const facts = {
      variables: { score: { value: 1 }, a: { value: { c: [7] } }, 'a.b': { value: 2 }, payload: { value: 3 } },
      payload: { score: 4, findings: [{ line: 5 }] },
      payloads: { review: { score: 6 } },
    };
    const is = (variable: string, value: unknown) => holds({ variable, op: 'EQ', value }, facts);
    expect(is('score', 1)).toBe(true);
    expect(is('a.b', 2)).toBe(true);
    expect(is('a.c.0', 7)).toBe(true);
    expect(is('variables.a.c.0', 7)).toBe(true);
    expect(is('variables.payload', 3)).toBe(true);
    expect(is('payload.score', 4)).toBe(true);
    expect(is('payload.findings.0.line', 5)).toBe(true);
    expect(is('payload.findings.length', 1)).toBe(true);
    expect(is('stages.review.score', 6)).toBe(true);
    for (const missing of [
      'a.none',
      'a.b.c',
      'toString.length',
      'payload.none',
      'payload.toString',
      'stages.none.score',
      'stages.toString',
      'payload.score.x',
    ])
      expect(holds({ variable: missing, op: 'EXISTS', value: null }, facts)).toBe(false);
  });

  const named = (score: object) => ({ type: 'object', properties: { score } });
  const typed = (type: unknown) => named({ type });
  const reviewed = (when: Condition, payloadSchema: object | null = null): Definition => ({
    ...definition(
      ['write', 'review'],
      [way('write DONE review'), way('review DONE write', when), way('review DONE end')],
    ),
    stages: [stage('write'), { ...stage('review'), payloadSchema }],
  });
  it.each<[string, Condition, object | null, string | null]>([
    ['a text with a number', { variable: 'payload.score', op: 'LT', value: 5 }, typed('string'), 'value'],
    ['a number with a text', { variable: 'payload.score', op: 'EQ', value: '5' }, typed(['integer', 'null']), 'value'],
    ['a number with a number', { variable: 'payload.score', op: 'LT', value: 5 }, typed('number'), null],
    ['a list with a number', { variable: 'payload.score', op: 'NE', value: 5 }, typed('array'), 'value'],
    ['words with a number', { variable: 'payload.score', op: 'LT', value: 5 }, named({ enum: ['low'] }), 'value'],
    [
      'words or null with a number',
      { variable: 'payload.score', op: 'LT', value: 5 },
      named({ enum: ['a', null] }),
      'value',
    ],
    ['one value with a text', { variable: 'payload.score', op: 'EQ', value: 'x' }, named({ const: 3 }), 'value'],
    ['words with one of them', { variable: 'payload.score', op: 'EQ', value: 'low' }, named({ enum: ['low'] }), null],
    ['what may be a number', { variable: 'payload.score', op: 'LT', value: 5 }, typed(['number', 'string']), null],
    ['what no schema says', { variable: 'payload.other', op: 'LT', value: 5 }, typed('string'), null],
    ['what any payload has', { variable: 'payload.score', op: 'LT', value: 5 }, null, null],
    [
      'a name that the schema does not allow',
      { variable: 'payload.scroe', op: 'LT', value: 5 },
      { ...typed('number'), additionalProperties: false },
      'variable',
    ],
    [
      'a name that a pattern may allow',
      { variable: 'payload.scroe', op: 'LT', value: 5 },
      { ...typed('number'), additionalProperties: false, patternProperties: { '^s': {} } },
      null,
    ],
    ['only null', { variable: 'payload.score', op: 'EQ', value: 5 }, named({ enum: [null] }), null],
    ['a stage that does not exist', { variable: 'stages.none.x', op: 'EQ', value: 1 }, null, 'variable'],
    ['a stage before', { variable: 'stages.write.x', op: 'EQ', value: 1 }, null, null],
  ])('is refused when the pipeline is defined: %s', (_name, when, schema, field) => {
    expect(faultsOfDefinition(reviewed(when, schema)).map(({ path }) => path.join('.'))).toEqual(
      field === null ? [] : [`transitions.1.when.${field}`],
    );
  });
});

describe('the progress of a session', () => {
  const at = new Date(0);
  const stay = (number: number, name: string, fields: Partial<RecordedStay> = {}): RecordedStay => ({
    number,
    stage: name,
    attempt: 1,
    agentId: 'ada',
    enteredAt: at,
    leftAt: at,
    outcome: 'DONE',
    sentBack: false,
    ...fields,
  });
  const states = (stays: RecordedStay[], holder: string | null) =>
    progressOf(['a', 'b', 'c'].map(stage), stays.toReversed(), holder).map(
      ({ state, attempts }) => `${state} ${attempts}`,
    );

  it('tells each way that was taken, and how often, whatever the way', () => {
    const step = fc.record({
      stage: fc.constantFrom('a', 'b', 'c'),
      outcome: fc.constantFrom('DONE', 'REJECT', null),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.boolean(), (steps, isOpen) => {
        const stays = steps.map(({ stage: name, outcome }, index) => {
          const isHere = isOpen && index === steps.length - 1;
          return stay(index + 1, name, { outcome: isHere ? null : outcome, leftAt: isHere ? null : at });
        });
        const walked = stays
          .map(({ stage: from, outcome }, index) => ({ from, outcome, to: stays[index + 1]?.stage ?? null }))
          .filter(({ outcome }) => outcome !== null)
          .map((way) => JSON.stringify(way));
        const ways = waysTaken(stays.toReversed());
        expect(ways.map(({ from, outcome, to }) => JSON.stringify({ from, outcome, to }))).toEqual([
          ...new Set(walked),
        ]);
        for (const { times, ...way } of ways)
          expect(times).toBe(walked.filter((each) => each === JSON.stringify(way)).length);
      }),
    );
  });

  it('tells for each stage how its last stay stands', () => {
    expect(states([stay(1, 'a', { leftAt: null, outcome: null })], 'ada')).toEqual([
      'ACTIVE 1',
      'WAITING 0',
      'WAITING 0',
    ]);
    expect(states([stay(1, 'a'), stay(2, 'b', { leftAt: null, outcome: null })], null)).toEqual([
      'DONE 1',
      'QUEUED 1',
      'WAITING 0',
    ]);
    expect(
      states(
        [
          stay(1, 'a'),
          stay(2, 'b', { outcome: 'REJECT', sentBack: true }),
          stay(3, 'a', { attempt: 2, leftAt: null, outcome: null }),
        ],
        'ada',
      ),
    ).toEqual(['ACTIVE 2', 'SENT_BACK 1', 'WAITING 0']);
  });
});
