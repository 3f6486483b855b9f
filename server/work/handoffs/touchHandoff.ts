import { InvalidStateError } from '../../core/errors.ts';
import type { Work } from '../../core/work.ts';
import { Custody } from '../custody/custody.ts';
import { demandAct, lockSessionOf } from '../custody/demand.ts';
import { readStatus } from './changeHandoff.ts';
import { minutesAfter } from './handOver.ts';
import type { HandoffAnswer } from './initiateHandoff.ts';

const most = 3;

/** The target or an operator asks for more time: the deadline begins anew, and a reminder that is not written moves with it (rule: deadline). */
export async function touchHandoff(
  work: Work,
  { handoffId, note }: { handoffId: string; note: string | null },
  { staleAfterMinutes }: { staleAfterMinutes: number },
): Promise<HandoffAnswer> {
  const sessionId = await lockSessionOf(work, handoffId);
  const custody = await Custody.of(work, sessionId);
  const handoff = custody.handoff?.id === handoffId ? custody.handoff : null;
  const { status, ...agents } = handoff ?? (await readStatus(work, handoffId));
  demandAct(custody, 'answer', agents);
  if (handoff === null || status !== 'INITIATED') {
    throw new InvalidStateError(
      `The handoff is ${status}: only one that waits to be accepted can be extended`,
      status,
      ['INITIATED'],
    );
  }
  if (handoff.extensions >= most) {
    throw new InvalidStateError(
      `The handoff was extended ${most} times, which is the limit: accept it, or reject it`,
      `EXTENDED ${most}`,
      [`EXTENDED ${most - 1} or less`],
    );
  }
  const deadlineAt = minutesAfter(work.now, handoff.acceptWithinMinutes ?? staleAfterMinutes);
  const { remindAt, remindedAt } = handoff;
  const moved =
    remindAt !== null && remindedAt === null
      ? new Date(remindAt.getTime() + deadlineAt.getTime() - handoff.deadlineAt.getTime())
      : remindAt;
  work.change('handoffs', handoff, { deadlineAt, remindAt: moved, extensions: handoff.extensions + 1 });
  custody.recordHandoff('HANDOFF_EXTENDED', handoff, { reason: note });
  return { handoffId, sessionId };
}
