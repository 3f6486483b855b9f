import { buildSchema } from 'graphql';
import { expect, it, test } from 'vitest';
import { refusalOfAct, type Act, type Facts } from '../../work/access/rules.ts';
import { guard } from './guard.ts';

it('refuses to build a schema with a field that declares no access', () => {
  expect(() => guard(buildSchema('type Query { passwords: Int }'))).toThrow('Query.passwords has no access: declare');
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
])('answers an agent that asks to %s, where %j, with %s', (act, facts, code) => {
  expect(refusalOfAct(ada, act, facts)?.code ?? null).toBe(code);
  // Others are bound by their role alone.
  expect(refusalOfAct({ agentId: null }, act, facts)).toBeNull();
});
