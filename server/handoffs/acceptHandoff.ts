import type { Work } from '../core/work.ts';
import { changeHandoff } from './changeHandoff.ts';
import type { HandoffAnswer } from './initiateHandoff.ts';

/** Rule 6: the target takes the Session over. Its place is its own already, so nothing about the agent is asked. */
export const acceptHandoff = (work: Work, input: { handoffId: string }): Promise<HandoffAnswer> =>
  changeHandoff(work, input.handoffId, 'ACCEPTED', (custody, handoff) => {
    if (custody.openTenure !== null) custody.setTenureState(custody.openTenure, custody.stateOfTaken());
    custody.acceptHandoff(handoff);
  });
