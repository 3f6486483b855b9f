import { InvalidStateError } from '../../core/errors.ts';
import type { Work } from '../../core/work.ts';
import type { HandoffStatus } from '../../generated/prisma/client.ts';
import { Custody } from '../custody/custody.ts';
import { demandAct, lockSessionOf } from '../custody/demand.ts';
import { readStatus } from './changeHandoff.ts';
import type { HandoffAnswer } from './initiateHandoff.ts';

const declined: HandoffStatus[] = ['REJECTED', 'FAILED', 'TIMED_OUT', 'CANCELLED', 'DECLINED'];

/** The source or an operator records that the source was told why its Handoff came back (rule: return). Keeps the first time. */
export async function confirmReturn(work: Work, { handoffId }: { handoffId: string }): Promise<HandoffAnswer> {
  const sessionId = await lockSessionOf(work, handoffId);
  const custody = await Custody.of(work, sessionId);
  const handoff = custody.handoff?.id === handoffId ? custody.handoff : null;
  const { status, ...agents } = handoff ?? (await readStatus(work, handoffId));
  demandAct(custody, 'withdraw', agents);
  if (!declined.includes(status))
    throw new InvalidStateError(`The handoff is ${status}: it did not come back`, status, declined);
  // Of an earlier Handoff nothing is left to tell.
  if (handoff?.returnToldAt === null) work.change('handoffs', handoff, { returnToldAt: work.now });
  return { handoffId, sessionId };
}
