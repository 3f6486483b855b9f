import { buildSchema, isObjectType } from 'graphql';
import { describe, expect, it, test } from 'vitest';
import { schema } from '../graphql/schema.ts';
import { guard } from './guard.ts';
import { policy } from './policy.ts';
import { refusalOfAct, type Act, type Facts } from './rules.ts';

describe('the policy', () => {
  it('keeps a schema with a field that it does not know from being built', () => {
    expect(() => guard(buildSchema('type Query { viewer: Int passwords: Int }'))).toThrow('Query.passwords has no entry in server/access/policy.ts');
    expect(() => guard(buildSchema('type Query { viewer: Thing } type Thing { id: ID }'))).toThrow('Thing.id has no entry');
    expect(() => guard(buildSchema('type Query { viewer: Int } type Mutation { dropEverything: Int }'))).toThrow('Mutation.dropEverything has no entry');
  });

  it('has no entry for what there is not', () => {
    for (const [name, fields] of Object.entries(policy)) {
      const type = schema.getType(name);
      if (name === 'Subscription' && type === undefined) continue;
      expect([name, isObjectType(type) ? Object.keys(type.getFields()).sort() : []]).toEqual([name, Object.keys(fields).sort()]);
    }
  });
});

const ada = { agentId: 'ada' };
const holds = (tenureState: Facts['tenureState']): Facts => ({ holderId: 'ada', tenureState });
const bobHolds: Facts = { holderId: 'bob', tenureState: 'ACTIVE' };
const nobody: Facts = { holderId: null, tenureState: null };

test.each<[Act, Facts, string | null]>([
  ['work', holds('ACTIVE'), null],
  ['work', holds('PENDING'), 'INVALID_STATE'],
  ['work', holds('PAUSED'), 'INVALID_STATE'],
  // A finished Session: its state says why not.
  ['work', holds(null), null],
  ['work', bobHolds, 'FORBIDDEN'],
  ['work', nobody, 'FORBIDDEN'],
  ['speak', holds('ACTIVE'), null],
  ['speak', { ...holds('ACTIVE'), actsFor: 'ada' }, null],
  ['speak', { ...holds('ACTIVE'), actsFor: 'bob' }, 'FORBIDDEN'],
  ['speak', bobHolds, null],
  ['steer', holds('ACTIVE'), null],
  ['steer', holds('PAUSED'), null],
  ['steer', holds('PENDING'), 'INVALID_STATE'],
  ['steer', holds(null), null],
  ['steer', bobHolds, 'FORBIDDEN'],
  ['steer', nobody, 'FORBIDDEN'],
  ['answer', { ...bobHolds, sourceAgentId: 'bob', targetAgentId: 'ada' }, null],
  ['answer', { ...holds('ACTIVE'), sourceAgentId: 'ada', targetAgentId: 'bob' }, 'FORBIDDEN'],
  ['withdraw', { ...bobHolds, sourceAgentId: 'ada', targetAgentId: 'bob' }, null],
  ['withdraw', { ...holds('PENDING'), sourceAgentId: 'bob', targetAgentId: 'ada' }, 'FORBIDDEN'],
  ['withdraw', { ...holds('PENDING'), sourceAgentId: null, targetAgentId: 'ada' }, 'FORBIDDEN'],
])('an agent that wants to %s, where %j: %s', (act, facts, code) => {
  expect(refusalOfAct(ada, act, facts)?.code ?? null).toBe(code);
  // Others are bound by their role alone.
  expect(refusalOfAct({ agentId: null }, act, facts)).toBeNull();
});
