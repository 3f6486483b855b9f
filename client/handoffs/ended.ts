import { graphql } from '../gql/gql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import { formatExact } from '../ui/time.ts';

export const EndedDocument = graphql(`
  fragment Ended on Handoff {
    status
    rejectionReason
    failureReason
    cancelReason
    deadlineAt
    closedAt
    approval {
      id
      decision
    }
  }
`);

export type Ended = FragmentType<typeof EndedDocument>;

/** Why the handoff was declined or ended otherwise; null while it is open, when it was taken over, and when nobody said why. */
export function endedBecause(handoff: Ended): string | null {
  const { status, rejectionReason, failureReason, cancelReason, deadlineAt, closedAt, approval } = readFragment(
    EndedDocument,
    handoff,
  );
  if (status === 'TIMED_OUT' && approval?.decision === 'TIMED_OUT')
    return `Approved by nobody by ${formatExact(deadlineAt)}.`;
  if (status === 'TIMED_OUT')
    return closedAt != null && closedAt < deadlineAt
      ? 'Timed out by an operator before the deadline.'
      : `Not accepted by ${formatExact(deadlineAt)}.`;
  return rejectionReason ?? failureReason ?? cancelReason ?? null;
}
