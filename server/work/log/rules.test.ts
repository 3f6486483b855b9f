import { describe, expect, it } from 'vitest';
import { isAgentTurn, refusalOfAgentTurn, type TurnTaker } from './rules.ts';

describe('a turn', () => {
  it.each([
    [['USER'], 0, false],
    [['USER', 'SYSTEM'], 0, false],
    [['ASSISTANT'], 0, true],
    [['USER', 'ASSISTANT'], 0, true],
    [['TOOL'], 0, true],
    [['USER'], 1, true],
    [[], 1, true],
  ])('with messages of %j and %i tool calls is a turn of an agent: %s', (roles, calls, expected) => {
    expect(isAgentTurn({ messages: roles.map((role) => ({ role })), toolCalls: Array(calls).fill({}) })).toBe(expected);
  });

  const holder: TurnTaker = { sessionStatus: 'RUNNING', holderId: 'a', tenureState: 'ACTIVE', agentId: 'a' };

  it.each([
    ['the active holder', {}, null],
    ['no named agent', { agentId: null }, null],
    ['another agent', { agentId: 'b' }, /held by 'a'/],
    ['a holder that has not accepted', { tenureState: 'PENDING' }, /acceptHandoff/],
    ['another agent, while the holder has not accepted', { agentId: 'b', tenureState: 'PENDING' }, /held by 'a'/],
    ['the holder of a paused session', { sessionStatus: 'PAUSED', tenureState: 'PAUSED' }, /resumeSession/],
    [
      'an agent in an unassigned session',
      { sessionStatus: 'PAUSED', holderId: null, tenureState: null },
      /reassignSession/,
    ],
  ] as const)('by %s is accepted or refused as listed', (_case, fields, message) => {
    const refusal = refusalOfAgentTurn({ ...holder, ...fields });
    if (message === null) expect(refusal).toBeNull();
    else {
      expect(refusal?.code).toBe('INVALID_STATE');
      expect(refusal?.message).toMatch(message);
    }
  });
});
