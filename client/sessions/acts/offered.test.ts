import { describe, expect, it } from 'vitest';
import { offeredHandoffActs } from '../../handoffs/decide/decide.ts';
import { takenBack } from '../../handoffs/reassign/Moved.tsx';
import { runEach } from '../../acts/outcome.ts';
import { actLooks } from './acts.ts';
import { offeredActs, sessionActs } from './offered.ts';

const operator = { role: 'OPERATOR', agentId: null, keyName: null } as const;
const analyst = { ...operator, role: 'ANALYST' } as const;
const claude = { role: 'AGENT', agentId: 'claude-1', keyName: null } as const;
const running = {
  status: 'RUNNING',
  agent: { id: 'claude-1' },
  agentSession: { state: 'ACTIVE' },
  queueEntry: null,
} as const;
const unassigned = { status: 'PAUSED', agent: null, agentSession: null, queueEntry: null } as const;

describe('the acts on a session', () => {
  it.each([
    ['an operator all of a running session', operator, running, ['pause', 'complete', 'fail', 'cancel']],
    [
      'an operator all of a paused session',
      operator,
      { ...running, status: 'PAUSED' },
      ['resume', 'complete', 'fail', 'cancel'],
    ],
    ['no resuming of an unassigned session', operator, unassigned, ['complete', 'fail', 'cancel']],
    [
      'the pausing of a place in the queue',
      operator,
      { ...unassigned, queueEntry: { suspended: false } },
      ['pause', 'complete', 'fail', 'cancel'],
    ],
    [
      'the resuming of a suspended place',
      operator,
      { ...unassigned, queueEntry: { suspended: true } },
      ['resume', 'complete', 'fail', 'cancel'],
    ],
    ['nothing of a finished session', operator, { ...running, status: 'FAILED' }, []],
    ['an agent all but cancelling what it holds', claude, running, ['pause', 'complete', 'fail']],
    ['an agent nothing that it has not accepted', claude, { ...running, agentSession: { state: 'PENDING' } }, []],
    ["an agent nothing of another's", claude, { ...running, agent: { id: 'codex-1' } }, []],
    ['an analyst nothing', analyst, running, []],
  ] as const)('offer %s', (_what, viewer, session, acts) => {
    expect(offeredActs(viewer, session)).toEqual(acts);
  });
});

it('every act that cannot be taken back asks first', () => {
  expect(sessionActs.filter((act) => actLooks[act].back === undefined)).toEqual(['complete', 'fail', 'cancel']);
  expect(sessionActs.filter((act) => actLooks[act].text !== undefined)).toEqual(['complete', 'fail', 'cancel']);
});

describe('the acts on a handoff', () => {
  const waiting = { status: 'INITIATED', sourceAgent: { id: 'claude-1' }, targetAgent: { id: 'codex-1' } } as const;
  it.each([
    ['an operator both sides', operator, waiting, ['accept', 'reject', 'cancel']],
    ['its target accepting and rejecting', { ...claude, agentId: 'codex-1' }, waiting, ['accept', 'reject']],
    ['its source cancelling', claude, waiting, ['cancel']],
    [
      'its target completing once accepted',
      { ...claude, agentId: 'codex-1' },
      { ...waiting, status: 'ACCEPTED' },
      ['complete'],
    ],
    ['its source nothing once accepted', claude, { ...waiting, status: 'ACCEPTED' }, []],
    ['nothing of a closed one', operator, { ...waiting, status: 'REJECTED' }, []],
    ['an analyst nothing', analyst, waiting, []],
  ] as const)('offer %s', (_what, viewer, handoff, acts) => {
    expect(offeredHandoffActs(viewer, handoff)).toEqual(acts);
  });
});

describe('a reassign that is taken back', () => {
  const handoff = { sourceAgent: { id: 'claude-1' }, targetAgent: { id: 'codex-1' } };
  const cancelled = (
    holder: string | null,
    given = handoff as { sourceAgent: { id: string } | null; targetAgent: { id: string } },
  ) =>
    takenBack(given, {
      done: true,
      payload: {
        __typename: 'CancelHandoffPayload',
        session: { id: 's', agent: holder === null ? null : { id: holder } },
      } as never,
    });

  it('says who holds the session', () => {
    expect(cancelled('claude-1')).toEqual({
      text: "Taken back: 'claude-1' holds the session again; the handoff to 'codex-1' was cancelled.",
      tone: 'good',
    });
    expect(cancelled(null, { ...handoff, sourceAgent: null }).text).toMatch(/unassigned again/);
  });
  it('says when the source has no free place any more, or the server refuses', () => {
    expect(cancelled(null)).toEqual({
      text: "The handoff to 'codex-1' was cancelled, but 'claude-1' has no free place: the session is unassigned.",
      tone: 'bad',
    });
    expect(takenBack(handoff, { done: false, message: 'The handoff is ACCEPTED' })).toEqual({
      text: 'Not taken back: The handoff is ACCEPTED',
      tone: 'bad',
    });
  });
});

describe('acting on many', () => {
  it('begins in order, four at a time, and no others once stopped', async () => {
    const begun: number[] = [];
    let running = 0;
    let most = 0;
    await runEach(
      Array.from({ length: 20 }, (_, index) => index),
      async (item) => {
        begun.push(item);
        most = Math.max(most, (running += 1));
        await Promise.resolve();
        running -= 1;
      },
      () => begun.length >= 10,
    );
    expect(most).toBe(4);
    expect(begun).toEqual(Array.from({ length: begun.length }, (_, index) => index));
    expect(begun.length).toBeLessThan(14);
  });
});
