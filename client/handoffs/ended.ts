import type { ApprovalDecision, HandoffStatus } from '../gql/graphql.ts';
import { formatExact } from '../ui/time.ts';

/** What a list or page asks for to say why a handoff ended. */
export interface Ended {
  status: HandoffStatus;
  rejectionReason?: string | null | undefined;
  failureReason?: string | null | undefined;
  cancelReason?: string | null | undefined;
  deadlineAt: string;
  closedAt?: string | null | undefined;
  approval?: { decision?: ApprovalDecision | null | undefined } | null | undefined;
}

/** Why the handoff was declined or ended otherwise; null while it is open, when it was taken over, and when nobody said why. */
export function endedBecause({
  status,
  rejectionReason,
  failureReason,
  cancelReason,
  deadlineAt,
  closedAt,
  approval,
}: Ended): string | null {
  if (status === 'TIMED_OUT' && approval?.decision === 'TIMED_OUT')
    return `Approved by nobody by ${formatExact(deadlineAt)}.`;
  if (status === 'TIMED_OUT')
    return closedAt != null && closedAt < deadlineAt
      ? 'Timed out by an operator before the deadline.'
      : `Not accepted by ${formatExact(deadlineAt)}.`;
  return rejectionReason ?? failureReason ?? cancelReason ?? null;
}
