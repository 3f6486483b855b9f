import type { Custody } from '../custody/custody.ts';
import type { HeldSession } from '../custody/read.ts';

export type End =
  | { status: 'COMPLETED'; result: unknown; summary: string | null }
  | { status: 'FAILED'; endReason: string }
  | { status: 'CANCELLED'; endReason: string | null };

/**
 * Rule 10: closes the open Handoff and the tenure, frees the place, and keeps who held it last. Nothing returns.
 */
export function endSession(custody: Custody, end: End): void {
  const open = custody.openHandoff;
  if (open?.status === 'INITIATED') custody.closeHandoff(open, { status: 'CANCELLED', cancelReason: 'session ended' });
  else if (open !== null) {
    custody.closeHandoff(open, end.status === 'FAILED' ? { status: 'FAILED', failureReason: end.endReason } : { status: 'COMPLETED' });
  }
  const ended = end.status === 'FAILED' ? 'FAILED' : 'COMPLETED';
  custody.endTenure(custody.openTenure?.state === 'PENDING' ? 'DECLINED' : ended);
  const { status, ...fields } = end;
  custody.setStatus(status, { ...(fields as Partial<HeldSession>), endedAgentType: custody.agent(custody.session.agentId)?.type ?? null });
  custody.recordCustody('SESSION_STATUS_CHANGED', { reason: end.status === 'COMPLETED' ? null : end.endReason });
}
