import type { Work } from '../core/work.ts';
import { declineHandoff } from './declineHandoff.ts';
import type { HandoffAnswer } from './initiateHandoff.ts';

/** The target declines. The Session goes back (return). */
export const rejectHandoff = (work: Work, input: { handoffId: string; reason: string }): Promise<HandoffAnswer> =>
  declineHandoff(work, input.handoffId, { status: 'REJECTED', rejectionReason: input.reason });
