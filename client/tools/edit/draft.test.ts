import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HandoffToolVariableType } from '../../gql/graphql.ts';
import {
  changedFields,
  draftOf,
  emptyDraft,
  emptyVariable,
  everything,
  placeOf,
  toFields,
  type Draft,
} from './draft.ts';

const texts = fc.oneof(
  fc.string(),
  fc.constantFrom('', '测试 🙂', ' low ', '"quoted"', 'two\nlines', 'a\rb', 'null', '3', 'null\u2028x', '\u00a0'),
);
const values: Record<HandoffToolVariableType, fc.Arbitrary<unknown>> = {
  STRING: texts,
  NUMBER: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  INTEGER: fc.integer(),
  BOOLEAN: fc.boolean(),
  ARRAY: fc.array(fc.oneof(texts, fc.integer())),
  OBJECT: fc.dictionary(
    fc.string({ minLength: 1 }).filter((name) => name !== '__proto__'),
    fc.oneof(texts, fc.integer(), fc.constant(null)),
  ),
};
const type = fc.constantFrom(...(Object.keys(values) as HandoffToolVariableType[]));
const variable = type.chain((of) =>
  fc.record({
    name: fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/),
    type: fc.constant(of),
    required: fc.boolean(),
    description: fc.option(fc.string({ minLength: 1 })),
    enum: fc.option(fc.array(values[of], { minLength: 1, maxLength: 4 })),
    default: fc.option(values[of]),
  }),
);
const saved = fc.record({
  name: fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/),
  description: fc.string({ minLength: 1 }).map((text) => text.trim() || 'x'),
  instructions: fc.option(fc.string().map((text) => `${text}.`)),
  targetAgent: fc.constant({ id: 'reviewer-1' }),
  agents: fc.constant([{ id: 'claude-1' }, { id: 'codex-1' }]),
  approval: fc.constantFrom('NONE', 'REQUIRED'),
  carry: fc.option(
    fc.record({
      __typename: fc.constant('Carry' as const),
      messages: fc.constantFrom('ALL', 'LAST', 'HUMAN', 'NONE'),
      lastMessages: fc.option(fc.integer({ min: 1, max: 40 })),
      toolCalls: fc.constantFrom('ALL', 'SUMMARY', 'NONE'),
      files: fc.boolean(),
      tasks: fc.boolean(),
      decisions: fc.boolean(),
      variables: fc.option(
        fc.array(
          texts.filter((text) => text.trim() !== ''),
          { maxLength: 3 },
        ),
      ),
      maxTokens: fc.option(fc.integer({ min: 200, max: 1e6 })),
    }),
  ),
  variables: fc
    .array(variable, { maxLength: 4 })
    .map((list) => list.map((each) => ({ __typename: 'HandoffToolVariable' as const, ...each }))),
});
// As JSON carries it: -0 is 0.
const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('the form of a tool', () => {
  it('gives back every saved tool as it is, whatever its values', () => {
    fc.assert(
      fc.property(saved, (tool) => {
        const { targetAgent, agents, variables, carry, ...rest } = tool;
        const wanted = variables.map(({ __typename: _name, ...each }) => each);
        expect(sent(toFields(draftOf(tool)))).toEqual(
          sent({
            ...rest,
            targetAgentId: targetAgent.id,
            agentIds: agents.map(({ id }) => id),
            variables: wanted,
            carry: carry && (({ __typename: _name, ...each }) => each)(carry),
          }),
        );
        expect(changedFields(draftOf(tool), tool)).toEqual({});
      }),
    );
  });

  it('sends only the fields that differ', () => {
    fc.assert(
      fc.property(saved, (tool) => {
        expect(changedFields({ ...draftOf(tool), name: `${tool.name}x`, instructions: '' }, tool)).toEqual({
          name: `${tool.name}x`,
          ...(tool.instructions !== null && { instructions: null }),
        });
      }),
    );
  });

  it('reads values by type, and leaves what it cannot read to the server', () => {
    const read = (of: HandoffToolVariableType, allowed: string, preset: string) => {
      const [first] = toFields({
        ...emptyDraft,
        variables: [{ ...emptyVariable(), type: of, allowed, preset }],
      }).variables;
      return [first!.enum, first!.default];
    };
    expect(read('STRING', 'low\n\n high \n"say ""', '')).toEqual([['low', 'high', '"say ""'], null]);
    expect(read('INTEGER', '1\n2', '1')).toEqual([[1, 2], 1]);
    expect(read('INTEGER', 'one', 'many')).toEqual([['one'], 'many']);
    expect(read('BOOLEAN', '', 'true')).toEqual([null, true]);
    expect(read('OBJECT', '', '{"a": 1}')).toEqual([null, { a: 1 }]);
    expect(read('STRING', '', '3')).toEqual([null, '3']);
  });

  it('finds the field of each error', () => {
    const draft: Draft = {
      ...emptyDraft,
      targetAgentId: 'reviewer-1',
      agentIds: ['claude-1'],
      variables: [emptyVariable()],
      carry: everything,
    };
    const at = (error: object) => placeOf({ __typename: 'BadUserInputError', message: '', ...error }, draft);
    expect(at({ path: ['input', 'name'] })).toBe('name');
    expect(at({ path: ['input', 'variables'] })).toBe('variables');
    expect(at({ path: ['input', 'variables', '0', 'enum', '1'] })).toBe('variables.0.enum');
    expect(at({ path: ['input', 'variables', '7', 'enum'] })).toBe('variables');
    expect(at({ path: ['input', 'idempotencyKey'] })).toBe('');
    expect(at({ path: ['input', 'carry', 'variables', '0'] })).toBe('carry.variables');
    expect(at({ path: ['input', 'carry'] })).toBe('carry');
    expect(at({ __typename: 'ConflictError' })).toBe('name');
    expect(at({ __typename: 'NotFoundError', id: 'reviewer-1' })).toBe('targetAgentId');
    expect(at({ __typename: 'NotFoundError', id: 'claude-1' })).toBe('agentIds');
    expect(at({ __typename: 'NotFoundError', id: 'tool_x' })).toBe('');
    expect(at({ __typename: 'InvalidStateError' })).toBe('');
  });
});
