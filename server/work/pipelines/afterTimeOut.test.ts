import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitsStage, takesSessions } from '../custody/mayChangeHands.ts';
import type { Stage } from '../custody/pipeline.ts';
import type { LockedAgent } from '../custody/read.ts';
import { afterTimeOut } from './afterTimeOut.ts';

type EscalateTo = Stage['escalateTo'];
const to = (fields: Partial<NonNullable<EscalateTo>>): EscalateTo => ({
  agentId: null,
  role: null,
  operators: false,
  ...fields,
});
const stage = (escalateTo: EscalateTo = null): Stage => ({
  name: 'review',
  role: 'review',
  agentType: null,
  phase: null,
  instructions: null,
  payloadSchema: null,
  acceptWithinMinutes: null,
  remindAfterMinutes: null,
  escalateTo,
});
const agent = (id: string, role: string, fields: Partial<LockedAgent> = {}): LockedAgent => ({
  id,
  role,
  type: 'CLAUDE',
  instructions: null,
  administrativeStatus: 'AVAILABLE',
  archivedAt: null,
  currentLoad: 0,
  maxCapacity: 1,
  totalAssigned: 0,
  inboxSequence: 0,
  ...fields,
});
const full = { currentLoad: 1 };
const away = { administrativeStatus: 'OFFLINE' as const };
const tried = ['r1', 'source'];
const inReview = { agentType: null, role: 'review' };

describe('after a time-out', () => {
  it.each<[string, LockedAgent[], EscalateTo, object | null]>([
    [
      'the least loaded agent of the stage that was not tried gets it',
      [agent('r1', 'review'), agent('r2', 'review', { ...full, maxCapacity: 2 }), agent('r3', 'review')],
      to({ operators: true }),
      { target: { id: 'r3' }, escalated: false },
    ],
    [
      'it waits for agents of the stage that are full',
      [agent('r1', 'review'), agent('r2', 'review', full)],
      to({ operators: true }),
      { target: null, wants: inReview, escalated: false, forOperators: false },
    ],
    ['it does not wait for an agent that is OFFLINE', [agent('r2', 'review', { ...full, ...away })], null, null],
    [
      'it goes back when all were tried and the stage does not escalate',
      [agent('r1', 'review'), agent('lead', 'lead')],
      null,
      null,
    ],
    [
      'it waits for an operator',
      [agent('r1', 'review')],
      to({ operators: true }),
      { target: null, wants: inReview, escalated: true, forOperators: true },
    ],
    [
      'the named agent gets it, whatever its role',
      [agent('r1', 'review'), agent('lead', 'other')],
      to({ agentId: 'lead' }),
      { target: { id: 'lead' }, escalated: true },
    ],
    ['it goes back when the named agent is full', [agent('lead', 'lead', full)], to({ agentId: 'lead' }), null],
    ['it goes back when the named agent was tried', [agent('r1', 'lead')], to({ agentId: 'r1' }), null],
    [
      'an agent of the named role gets it',
      [agent('r1', 'review'), agent('a', 'lead', full), agent('b', 'lead')],
      to({ role: 'lead' }),
      { target: { id: 'b' }, escalated: true },
    ],
    [
      'it waits for the named role when its agents are full',
      [agent('a', 'lead', full)],
      to({ role: 'lead' }),
      { target: null, wants: { agentType: null, role: 'lead' }, escalated: true, forOperators: false },
    ],
    [
      'it goes back when the named role has only agents that are OFFLINE or were tried',
      [agent('r1', 'lead'), agent('a', 'lead', away)],
      to({ role: 'lead' }),
      null,
    ],
  ])('%s', (_name, agents, escalateTo, expected) => {
    const next = afterTimeOut(agents, stage(escalateTo), tried);
    if (expected === null) expect(next).toBeNull();
    else expect(next).toMatchObject(expected);
  });

  const someAgent = fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd', 'r1', 'source'),
    role: fc.constantFrom('review', 'lead', 'other'),
    load: fc.nat({ max: 2 }),
    status: fc.constantFrom('AVAILABLE' as const, 'AVAILABLE' as const, 'DRAINING' as const, 'OFFLINE' as const),
  });
  const someEscalation = fc.constantFrom(
    null,
    to({ operators: true }),
    to({ role: 'lead' }),
    to({ role: 'review' }),
    to({ agentId: 'a' }),
    to({ agentId: 'r1' }),
  );

  it('no agent gets it twice, and the stage comes before its escalation', () => {
    fc.assert(
      fc.property(fc.uniqueArray(someAgent, { selector: ({ id }) => id }), someEscalation, (given, escalateTo) => {
        const agents = given.map(({ id, role, load, status }) =>
          agent(id, role, { currentLoad: load, maxCapacity: 2, administrativeStatus: status }),
        );
        const next = afterTimeOut(agents, stage(escalateTo), tried);
        const waitedFor = agents.filter(
          (each) => each.administrativeStatus === 'AVAILABLE' && fitsStage(each, stage()) && !tried.includes(each.id),
        );
        expect(next?.escalated === false).toBe(waitedFor.length > 0);
        if (next?.target) expect([takesSessions(next.target), tried.includes(next.target.id)]).toEqual([true, false]);
        if (next?.target === null && !next.forOperators)
          expect(
            agents.some((each) => takesSessions(each) && !tried.includes(each.id) && each.role === next.wants.role),
          ).toBe(false);
        if (escalateTo?.operators === true) expect(next).not.toBeNull();
      }),
      { numRuns: 1_000 },
    );
  });
});
