import type { Work } from '../core/work.ts';
import { declineHandoff } from './declineHandoff.ts';
import type { HandoffAnswer } from './initiateHandoff.ts';

/** Rule 'fail': taking over went wrong, before or after it was accepted. The Session goes back (return). */
export const failHandoff = (work: Work, input: { handoffId: string; reason: string }): Promise<HandoffAnswer> =>
  declineHandoff(work, input.handoffId, { status: 'FAILED', failureReason: input.reason });
