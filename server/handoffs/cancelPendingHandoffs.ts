import type { Work } from '../core/work.ts';
import { Custody } from '../custody/custody.ts';
import { lockSession } from '../custody/demand.ts';
import { giveBack } from './changeHandoff.ts';

export interface CancelPendingHandoffsAnswer {
  sessionId: string;
  handoffIds: string[];
}

/** Cancels what waits to be accepted in a Session, which is one Handoff at most; none is no error. */
export async function cancelPendingHandoffs(work: Work, input: { sessionId: string }): Promise<CancelPendingHandoffsAnswer> {
  await lockSession(work, input.sessionId);
  const custody = await Custody.of(work, input.sessionId);
  const pending = custody.openHandoff;
  if (pending?.status !== 'INITIATED') return { sessionId: input.sessionId, handoffIds: [] };
  await giveBack(custody, pending, { status: 'CANCELLED', cancelReason: null });
  return { sessionId: input.sessionId, handoffIds: [pending.id] };
}
