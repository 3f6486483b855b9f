import { statement } from '../core/changes.ts';
import { InvalidStateError, NotFoundError } from '../core/errors.ts';
import { encodeId } from '../core/ids.ts';
import type { Work } from '../core/work.ts';
import { Custody } from '../custody/custody.ts';
import { demandAct } from '../custody/demand.ts';
import type { LastHandoff } from '../custody/read.ts';
import { handoffTransitions, statesBefore } from '../custody/rules.ts';
import type { EventType, HandoffStatus } from '../generated/prisma/client.ts';
import type { HandoffAnswer } from './initiateHandoff.ts';

const eventOf: Record<Exclude<HandoffStatus, 'INITIATED'>, EventType> = {
  ACCEPTED: 'HANDOFF_ACCEPTED',
  COMPLETED: 'HANDOFF_COMPLETED',
  FAILED: 'HANDOFF_FAILED',
  REJECTED: 'HANDOFF_REJECTED',
  CANCELLED: 'HANDOFF_CANCELLED',
  TIMED_OUT: 'HANDOFF_TIMED_OUT',
};

const readHandoffStatement = statement(`
SELECT h.status, h.source_agent_id AS "sourceAgentId", h.target_agent_id AS "targetAgentId", EXISTS (SELECT FROM events e WHERE e.handoff_id = h.id AND e.type = $2::event_type AND e.actor_principal = $3) AS repeats
FROM handoffs h WHERE h.id = $1`);

/**
 * What every life-cycle change of a Handoff begins with: lock its Session, read, and ask whether it may become
 * `to`. A change that this principal made before is a repeat (rule: repeat): `change` is not called, nothing is written.
 */
export async function changeHandoff(
  work: Work,
  handoffId: string,
  to: Exclude<HandoffStatus, 'INITIATED'>,
  change: (custody: Custody, handoff: LastHandoff) => Promise<void> | void,
): Promise<HandoffAnswer> {
  const sessionId = await work.lockSessionOf(handoffId);
  if (sessionId === null) throw new NotFoundError('handoff', encodeId('handoff', handoffId));
  const custody = await Custody.of(work, sessionId);
  const answer = { handoffId, sessionId };
  const handoff = custody.handoff;
  // Only the last Handoff of a Session can be open.
  if (handoff?.id === handoffId && handoffTransitions[handoff.status].includes(to)) {
    demandAct(custody, actOf(to), handoff);
    await change(custody, handoff);
    return answer;
  }
  const [row] = await work.query<{ status: HandoffStatus; sourceAgentId: string | null; targetAgentId: string; repeats: boolean }>(readHandoffStatement, [
    handoffId,
    eventOf[to],
    work.caller.principal,
  ]);
  if (row === undefined) throw new Error(`handoff ${handoffId} is not there under its session's lock`);
  if (row.repeats) return answer;
  demandAct(custody, actOf(to), row);
  const { status } = row;
  throw new InvalidStateError(`The handoff is ${status} and cannot become ${to}: ${whyNot(status)}`, status, statesBefore(handoffTransitions, to));
}

/** An agent takes back what it gave, and answers what it was given; it times nothing out. */
const actOf = (to: HandoffStatus) => (to === 'CANCELLED' ? 'withdraw' : 'answer');

function whyNot(status: HandoffStatus): string {
  if (status === 'INITIATED') return 'accept it first (acceptHandoff)';
  return status === 'ACCEPTED' ? 'its target has accepted it; complete it, fail it, or reassign the session' : 'that is final';
}
