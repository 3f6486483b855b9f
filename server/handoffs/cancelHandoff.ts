import type { Work } from '../core/work.ts';
import { declineHandoff } from './declineHandoff.ts';
import type { HandoffAnswer } from './initiateHandoff.ts';

/** The source or an operator takes it back before it is accepted. The Session goes back (return). */
export const cancelHandoff = (work: Work, input: { handoffId: string; reason: string | null }): Promise<HandoffAnswer> =>
  declineHandoff(work, input.handoffId, { status: 'CANCELLED', cancelReason: input.reason });
