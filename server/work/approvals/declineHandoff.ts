import type { Work } from '../../core/work.ts';
import { Custody } from '../custody/custody.ts';
import { lockSessionOf } from '../custody/demand.ts';
import type { HandoffAnswer } from '../handoffs/initiateHandoff.ts';
import { demandProposal } from './demandProposal.ts';

/** An operator declines a proposed Handoff: its agent goes on, and is told why (rule: approval). */
export async function declineHandoff(
  work: Work,
  { handoffId, reason }: { handoffId: string; reason: string },
): Promise<HandoffAnswer> {
  const sessionId = await lockSessionOf(work, handoffId);
  const custody = await Custody.of(work, sessionId);
  const earlier = await work.earlierAnswer<HandoffAnswer>();
  if (earlier !== null) return earlier;
  const proposal = await demandProposal(custody, handoffId, 'DECLINED');
  if (proposal !== null) custody.closeProposal({ status: 'DECLINED', reason });
  return { handoffId, sessionId };
}
