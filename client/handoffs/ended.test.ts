import { expect, test } from 'vitest';
import type { EndedFragment } from '../gql/graphql.ts';
import { makeFragmentData } from '../gql/index.ts';
import { formatExact } from '../ui/time.ts';
import { EndedDocument, endedBecause } from './ended.ts';

const deadlineAt = '2026-11-29T12:00:00.000Z';
const approval = { __typename: 'Approval', id: 'a' } as const;

test.each<[string, Partial<EndedFragment>, string | null]>([
  ['is open', { status: 'INITIATED' }, null],
  ['waits for a person', { status: 'PROPOSED', approval: { ...approval, decision: null } }, null],
  ['was taken over', { status: 'COMPLETED' }, null],
  ['was declined by its target', { status: 'REJECTED', rejectionReason: 'No tests' }, 'No tests'],
  ['was declined by a person without a word', { status: 'REJECTED' }, null],
  ['failed', { status: 'FAILED', failureReason: 'The agent was removed' }, 'The agent was removed'],
  ['was cancelled', { status: 'CANCELLED', cancelReason: 'Done by hand' }, 'Done by hand'],
  ['was not accepted in time', { status: 'TIMED_OUT' }, `Not accepted by ${formatExact(deadlineAt)}.`],
  [
    'was approved, and not accepted in time',
    { status: 'TIMED_OUT', approval: { ...approval, decision: 'APPROVED' } },
    `Not accepted by ${formatExact(deadlineAt)}.`,
  ],
  [
    'was a proposal that nobody decided',
    { status: 'TIMED_OUT', approval: { ...approval, decision: 'TIMED_OUT' } },
    `Approved by nobody by ${formatExact(deadlineAt)}.`,
  ],
  [
    'was timed out by hand',
    { status: 'TIMED_OUT', closedAt: '2026-11-29T11:00:00.000Z' },
    'Timed out by an operator before the deadline.',
  ],
])('why a handoff ended that %s', (_what, part, why) => {
  const handoff: EndedFragment = {
    __typename: 'Handoff',
    status: 'INITIATED',
    rejectionReason: null,
    failureReason: null,
    cancelReason: null,
    deadlineAt,
    closedAt: null,
    approval: null,
    ...part,
  };
  expect(endedBecause(makeFragmentData(handoff, EndedDocument))).toBe(why);
});
