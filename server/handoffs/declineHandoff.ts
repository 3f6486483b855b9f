import type { Work } from '../core/work.ts';
import type { Custody, Ending } from '../custody/custody.ts';
import type { LastHandoff } from '../custody/read.ts';
import { readVisible } from '../custody/snapshot.ts';
import { changeHandoff } from './changeHandoff.ts';
import type { HandoffAnswer } from './initiateHandoff.ts';

export type Decline = Exclude<Ending, { status: 'COMPLETED' | 'TIMED_OUT' }> | { status: 'TIMED_OUT' };

/** Closes an open Handoff and gives the Session back to where it came from (rules: fail, return). */
export async function giveBack(custody: Custody, handoff: LastHandoff, decline: Decline): Promise<void> {
  const visible = await readVisible(custody.work, custody.session);
  custody.closeHandoff(handoff, decline);
  custody.returnToSource(handoff, decline.status === 'FAILED' ? 'FAILED' : 'DECLINED', visible);
}

export const declineHandoff = (work: Work, handoffId: string, decline: Decline): Promise<HandoffAnswer> =>
  changeHandoff(work, handoffId, decline.status, (custody, handoff) => giveBack(custody, handoff, decline));
