import type { Work } from '../core/work.ts';
import { declineHandoff } from './declineHandoff.ts';
import type { HandoffAnswer } from './initiateHandoff.ts';

/** Rule 'deadline': an operator gives up on a target, whatever the Handoff's age. The Session goes back (return). */
export const timeOutHandoff = (work: Work, input: { handoffId: string }): Promise<HandoffAnswer> =>
  declineHandoff(work, input.handoffId, { status: 'TIMED_OUT' });
