import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Condition, NamedDefinition, Stage, Transition } from '../../../server/work/pipelines/rules.ts';
import { areEqual, differenceOf, linesOf, type Line } from './difference.ts';
import { conditionText, deadlinesText, sentencesOf } from './words.ts';

const stage = (name: string, fields: Partial<Stage> = {}): Stage => ({
  name,
  role: null,
  agentType: null,
  phase: null,
  instructions: null,
  payloadSchema: null,
  acceptWithinMinutes: null,
  remindAfterMinutes: null,
  escalateTo: null,
  ...fields,
});
const way = (line: string, when: Condition | null = null): Transition => {
  const [from, outcome, to] = line.split(' ') as [string, string, string];
  return { from, outcome, to: to === 'end' ? null : to, when, payloadSchema: null };
};
const paper: NamedDefinition = {
  slug: 'paper',
  name: 'Paper',
  description: null,
  start: 'write',
  stages: [
    stage('write', { role: 'writer', instructions: 'Write.\nCite.' }),
    stage('review', { role: 'reviewer', acceptWithinMinutes: 30 }),
  ],
  transitions: [way('write DONE review'), way('review REJECT write'), way('review APPROVE end')],
};

describe('the difference of two definitions', () => {
  it('shows the changed lines with three around them', () => {
    const after = {
      ...paper,
      stages: [
        paper.stages[0]!,
        stage('review', { role: 'reviewer', acceptWithinMinutes: 60, payloadSchema: { type: 'object' } }),
      ],
    };
    expect(
      differenceOf(paper, after).map((line) =>
        line.kind === 'gap' ? `(${line.lines})` : `${{ same: ' ', added: '+', removed: '-' }[line.kind]}${line.text}`,
      ),
    ).toEqual([
      '(6)',
      '     Cite.',
      ' stage review',
      '   role: reviewer',
      '-  accept within minutes: 30',
      '+  accept within minutes: 60',
      '+  payload schema:',
      '+    {',
      '+      "type": "object"',
      '+    }',
      ' transition write DONE to review',
      ' transition review REJECT to write',
      ' transition review APPROVE to the end',
    ]);
    expect(differenceOf(paper, structuredClone(paper))).toEqual([]);
  });

  it('is empty when only the order of names in a schema differs', () => {
    const with_ = (payloadSchema: object) => ({
      ...paper,
      stages: [stage('write', { payloadSchema }), paper.stages[1]!],
    });
    const [one, other] = [with_({ type: 'object', required: ['a'] }), with_({ required: ['a'], type: 'object' })];
    expect([differenceOf(one, other), areEqual(one, other)]).toEqual([[], true]);
  });

  const text = fc.string({ minLength: 1, maxLength: 8 });
  const name = fc.constantFrom('a', 'b', 'c');
  const maybe = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
  const condition = fc.constantFrom<Condition>(
    { variable: 'x', op: 'EQ', value: 1 },
    { variable: 'x', op: 'EQ', value: '1' },
    { variable: 'x', op: 'IN', value: [1] },
    { variable: 'x', op: 'EXISTS', value: null },
    { variable: 'x is set', op: 'EXISTS', value: null },
  );
  const definition: fc.Arbitrary<NamedDefinition> = fc.record({
    slug: fc.constant('paper'),
    name: text,
    description: maybe(text),
    start: name,
    stages: fc.array(
      fc.record({
        name,
        role: maybe(text),
        agentType: fc.constant(null),
        phase: maybe(text),
        instructions: maybe(fc.constantFrom('x', 'x\ny', 'x\n  y')),
        payloadSchema: maybe(fc.constantFrom({}, { type: 'object' })),
        acceptWithinMinutes: maybe(fc.integer({ min: 1, max: 3 })),
        remindAfterMinutes: fc.constant(null),
        escalateTo: maybe(
          fc.constantFrom(
            { agentId: null, role: 'a', operators: false },
            { agentId: 'a', role: null, operators: false },
            { agentId: null, role: null, operators: true },
          ),
        ),
      }),
      { maxLength: 3 },
    ),
    transitions: fc.array(
      fc.record({
        from: name,
        outcome: fc.constantFrom('DONE', 'REJECT'),
        to: maybe(name),
        when: maybe(condition),
        payloadSchema: fc.constant(null),
      }),
      { maxLength: 3 },
    ),
  });

  it('leads from any definition to any other', () => {
    fc.assert(
      fc.property(definition, definition, (before, after) => {
        const lines = differenceOf(before, after);
        const side = (left: Line['kind']) =>
          lines.flatMap((line) =>
            line.kind === 'gap'
              ? Array.from({ length: line.lines }, () => '...')
              : line.kind === left
                ? []
                : [line.text],
          );
        const hidden = (all: string[], shown: string[]) =>
          all.length === shown.length && all.every((line, index) => shown[index] === '...' || shown[index] === line);
        if (lines.length > 0)
          expect([hidden(linesOf(before), side('added')), hidden(linesOf(after), side('removed'))]).toEqual([
            true,
            true,
          ]);
        expect(lines.length === 0).toBe(areEqual(before, after));
      }),
    );
  });
});

describe('a definition in words', () => {
  it.each<[Condition['op'], unknown, string]>([
    ['EQ', 'high', 'risk is "high"'],
    ['NE', 3, 'risk is set and is not 3'],
    ['LT', 3, 'risk is less than 3'],
    ['GT', 'a', 'risk is greater than "a"'],
    ['IN', ['a', 2], 'risk is one of "a", 2'],
    ['EXISTS', null, 'risk is set'],
  ])('says a condition with %s of %j', (op, value, says) => {
    expect(conditionText({ variable: 'risk', op, value })).toBe(says);
  });

  it('says in which order the transitions of an outcome are tried', () => {
    const risk = (op: Condition['op'], value: unknown): Condition => ({ variable: 'risk', op, value });
    const ways = [
      way('a DONE b', risk('GT', 2)),
      way('b DONE end'),
      way('a REJECT a'),
      way('a DONE c', risk('EXISTS', null)),
      way('a DONE end'),
    ];
    expect(sentencesOf('a', ways).map(({ outcome, when, to }) => [outcome, when, to])).toEqual([
      ['DONE', 'if risk is greater than 2', 'b'],
      ['REJECT', '', 'a'],
      ['DONE', 'else if risk is set', 'c'],
      ['DONE', 'otherwise', null],
    ]);
  });

  it('says the deadlines of a stage', () => {
    expect(deadlinesText(stage('a'))).toBe(
      "Accept within the server's default. When no agent accepts: back to the stage before.",
    );
    const all = { acceptWithinMinutes: 1_440, remindAfterMinutes: 1 };
    expect(deadlinesText({ ...all, escalateTo: { agentId: null, role: 'lead', operators: false } })).toBe(
      'Accept within 1,440 minutes; a reminder after 1 minute. When no agent accepts: to an agent with the role lead.',
    );
    expect(deadlinesText({ ...all, escalateTo: { agentId: null, role: null, operators: true } })).toMatch(
      /an operator chooses the agent\.$/,
    );
    expect(deadlinesText({ ...all, escalateTo: { agentId: 'ada', role: null, operators: false } })).toMatch(
      /to the agent ada\.$/,
    );
  });
});
