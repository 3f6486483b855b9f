import { expect, test } from 'vitest';
import { changeOf } from './eventWords.ts';

const handoff = (status: 'REJECTED' | 'TIMED_OUT' | 'INITIATED') => ({ status, targetAgent: { id: 'codex-1' } });

test.each([
  [
    'a pause',
    { type: 'SESSION_STATUS_CHANGED', sessionStatus: 'PAUSED', actor: { role: 'OPERATOR' } },
    'Paused by an operator',
  ],
  [
    'a pause by a named person',
    { type: 'SESSION_STATUS_CHANGED', sessionStatus: 'PAUSED', actor: { role: 'OPERATOR', name: 'Alice' } },
    'Paused by Alice',
  ],
  [
    'a resume',
    { type: 'SESSION_STATUS_CHANGED', sessionStatus: 'RUNNING', actor: { role: 'AGENT' } },
    'Resumed by the agent',
  ],
  [
    'an end by Baton',
    { type: 'SESSION_STATUS_CHANGED', sessionStatus: 'FAILED', actor: { role: null } },
    'Failed by Baton',
  ],
  [
    'a return after a rejection',
    { type: 'SESSION_RETURNED', handoff: handoff('REJECTED') },
    'Returned to [agent] codex-1 rejected it',
  ],
  [
    'a return without a known outcome',
    { type: 'SESSION_RETURNED', handoff: handoff('INITIATED') },
    'Returned to [agent]',
  ],
  [
    'a time-out',
    { type: 'HANDOFF_TIMED_OUT', handoff: handoff('TIMED_OUT') },
    'Timed out the handoff to codex-1 was not accepted in time',
  ],
  ['the loss of its holder', { type: 'SESSION_UNASSIGNED', handoff: null }, 'Unassigned'],
  ['the queue', { type: 'SESSION_QUEUED' }, 'Waits in the queue'],
] as const)('the log says of %s', (_what, event, text) => {
  const { word, by, names } = changeOf(event);
  expect([word, ...(names ? ['[agent]'] : []), ...(by === null ? [] : [by])].join(' ')).toBe(text);
});
