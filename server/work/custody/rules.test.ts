import { describe, expect, it } from 'vitest';
import {
  agentSessionTransitions,
  agentTransitions,
  handoffTransitions,
  isOpenHandoff,
  isOpenSession,
  isOpenTenure,
  sessionTransitions,
  statesBefore,
} from './rules.ts';

/** Each life cycle as docs/rules.md draws it, one arrow a word: every pair that is not here is forbidden. */
const drawn: [string, Record<string, readonly string[]>, string][] = [
  [
    'agent',
    agentTransitions,
    'AVAILABLE>DRAINING AVAILABLE>OFFLINE DRAINING>AVAILABLE DRAINING>OFFLINE OFFLINE>AVAILABLE OFFLINE>DRAINING',
  ],
  [
    'session',
    sessionTransitions,
    'RUNNING>PAUSED PAUSED>RUNNING RUNNING>COMPLETED RUNNING>FAILED RUNNING>CANCELLED PAUSED>COMPLETED PAUSED>FAILED PAUSED>CANCELLED',
  ],
  [
    'agent session',
    agentSessionTransitions,
    'PENDING>ACTIVE PENDING>PAUSED PENDING>DECLINED PENDING>FAILED ACTIVE>PAUSED PAUSED>ACTIVE ACTIVE>HANDED_OFF ACTIVE>COMPLETED ACTIVE>FAILED PAUSED>HANDED_OFF PAUSED>COMPLETED PAUSED>FAILED',
  ],
  [
    'handoff',
    handoffTransitions,
    'PROPOSED>INITIATED PROPOSED>DECLINED PROPOSED>CANCELLED PROPOSED>TIMED_OUT INITIATED>ACCEPTED INITIATED>REJECTED INITIATED>CANCELLED INITIATED>TIMED_OUT INITIATED>FAILED ACCEPTED>COMPLETED ACCEPTED>FAILED',
  ],
];

describe.each(drawn)('the life cycle of %s', (_name, table, arrows) => {
  const allowed = new Set(arrows.split(' '));
  const states = Object.keys(table);
  const pairs = states.flatMap((from) => states.map((to) => [from, to] as const));

  it.each(pairs)('allows %s to %s only if it is drawn', (from, to) => {
    expect(table[from]!.includes(to)).toBe(allowed.has(`${from}>${to}`));
  });

  it('lists the states from which each state may be reached', () => {
    for (const to of states) {
      expect(statesBefore(table, to)).toEqual(states.filter((from) => allowed.has(`${from}>${to}`)));
    }
  });
});

describe('an open record', () => {
  it('is in a state that may still change', () => {
    expect((Object.keys(sessionTransitions) as (keyof typeof sessionTransitions)[]).filter(isOpenSession)).toEqual([
      'RUNNING',
      'PAUSED',
    ]);
    expect((Object.keys(handoffTransitions) as (keyof typeof handoffTransitions)[]).filter(isOpenHandoff)).toEqual([
      'INITIATED',
      'ACCEPTED',
    ]);
    expect(
      (Object.keys(agentSessionTransitions) as (keyof typeof agentSessionTransitions)[]).filter(isOpenTenure),
    ).toEqual(['PENDING', 'ACTIVE', 'PAUSED']);
  });
});
