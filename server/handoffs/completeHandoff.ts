import type { Work } from '../core/work.ts';
import { changeHandoff } from './changeHandoff.ts';
import type { HandoffAnswer } from './initiateHandoff.ts';

/** Rule 7: the target says that it has taken over. Its first turn says so too. */
export const completeHandoff = (work: Work, input: { handoffId: string }): Promise<HandoffAnswer> =>
  changeHandoff(work, input.handoffId, 'COMPLETED', (custody, handoff) => custody.closeHandoff(handoff, { status: 'COMPLETED' }));
