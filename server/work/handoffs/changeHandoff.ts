import { statement } from '../../core/changes.ts';
import { InvalidStateError } from '../../core/errors.ts';
import type { Work } from '../../core/work.ts';
import type { HandoffStatus } from '../../generated/prisma/client.ts';
import type { VisibleCounts } from '../context/visible.ts';
import { Custody, reasonOf, type Ending } from '../custody/custody.ts';
import { demandAct, lockSession, lockSessionOf } from '../custody/demand.ts';
import { takesSessions } from '../custody/mayChangeHands.ts';
import { stageNamed } from '../custody/pipeline.ts';
import type { LastHandoff, LockOptions } from '../custody/read.ts';
import { handoffTransitions, statesBefore } from '../custody/rules.ts';
import { readVisible } from '../custody/snapshot.ts';
import { currentStay, putStageBack } from '../custody/stages.ts';
import { queueOf } from '../pipelines/chooseOrQueue.ts';
import { enqueue } from '../queue/entry.ts';
import type { HandoffAnswer } from './initiateHandoff.ts';
import { passOn } from './passOn.ts';

/** The life-cycle commands of a Handoff: each locks its Session, checks the change and makes it. */

/**
 * The target accepts (rule: accept). Its place was taken at initiation, so its status and load are not checked. Of several
 * processes that send a key each, exactly one accepts.
 */
export const acceptHandoff = (work: Work, { handoffId }: { handoffId: string }): Promise<HandoffAnswer> =>
  changeHandoff(work, handoffId, 'ACCEPTED', (custody, handoff) => {
    if (custody.openTenure !== null) custody.setTenureState(custody.openTenure, custody.stateOfTaken());
    custody.acceptHandoff(handoff);
  });

/** Completes an accepted Handoff (rule: complete). */
export const completeHandoff = (work: Work, { handoffId }: { handoffId: string }): Promise<HandoffAnswer> =>
  changeHandoff(work, handoffId, 'COMPLETED', (custody, handoff) =>
    custody.closeHandoff(handoff, { status: 'COMPLETED' }),
  );

/** The target declines (rule: return). */
export const rejectHandoff = (
  work: Work,
  { handoffId, reason }: { handoffId: string; reason: string },
): Promise<HandoffAnswer> => decline(work, handoffId, { status: 'REJECTED', rejectionReason: reason });

/** Fails an open Handoff, before or after acceptance (rule: fail). */
export const failHandoff = (
  work: Work,
  { handoffId, reason }: { handoffId: string; reason: string },
): Promise<HandoffAnswer> => decline(work, handoffId, { status: 'FAILED', failureReason: reason });

/** The source or an operator cancels it before acceptance (rule: return). */
export const cancelHandoff = (
  work: Work,
  { handoffId, reason }: { handoffId: string; reason: string | null },
): Promise<HandoffAnswer> => decline(work, handoffId, { status: 'CANCELLED', cancelReason: reason });

/** An operator times the Handoff out, whatever its age (rule: deadline). */
export const timeOutHandoff = (work: Work, { handoffId }: { handoffId: string }): Promise<HandoffAnswer> =>
  decline(work, handoffId, { status: 'TIMED_OUT' });

export interface CancelPendingHandoffsAnswer {
  sessionId: string;
  handoffIds: string[];
}

/** Cancels the Session's INITIATED Handoff, if there is one. */
export async function cancelPendingHandoffs(
  work: Work,
  { sessionId }: { sessionId: string },
): Promise<CancelPendingHandoffsAnswer> {
  await lockSession(work, sessionId);
  const custody = await Custody.of(work, sessionId);
  const pending = custody.openHandoff;
  if (pending?.status !== 'INITIATED') return { sessionId, handoffIds: [] };
  await giveBack(custody, pending, { status: 'CANCELLED', cancelReason: null });
  return { sessionId, handoffIds: [pending.id] };
}

type Decline = Exclude<Ending, { status: 'COMPLETED' | 'TIMED_OUT' }> | { status: 'TIMED_OUT' };

const decline = (work: Work, handoffId: string, ending: Decline): Promise<HandoffAnswer> =>
  changeHandoff(work, handoffId, ending.status, (custody, handoff) =>
    handoff.status === 'PROPOSED' ? takeBackProposal(custody, ending) : giveBack(custody, handoff, ending),
  );

/** Nothing moved, so nothing returns (rule: approval). */
function takeBackProposal(custody: Custody, ending: Decline): void {
  if (ending.status === 'TIMED_OUT' || ending.status === 'CANCELLED')
    custody.closeProposal({ status: ending.status, reason: reasonOf(ending) });
}

/** How to read the custody of a Session whose Handoff times out: with the agents that may get it next. */
export const forTimeOut = ({ attempt }: Work): LockOptions => ({
  everyCandidate: attempt > 1,
  forStage: { stage: null, untried: true },
});

/** Closes an open Handoff and returns the Session to its source, and to its stage (rules: fail, return). A time-out in a pipeline tries the next agent first. */
export async function giveBack(custody: Custody, handoff: LastHandoff, ending: Decline): Promise<void> {
  if (ending.status === 'TIMED_OUT' && (await passOn(custody, handoff))) return;
  const visible = await readVisible(custody.work, custody.session);
  custody.closeHandoff(handoff, ending);
  const [ended, reason] = [ending.status === 'FAILED' ? 'FAILED' : 'DECLINED', reasonOf(ending)] as const;
  if (waitAfter(custody, handoff, ended, visible, reason)) return;
  custody.returnToSource(handoff, ended, visible, { reason });
  putStageBack(custody, handoff, custody.session.agentId);
}

/** In a pipeline a Session that its source cannot take waits for an agent of its stage, other than the one that declined. */
function waitAfter(
  custody: Custody,
  handoff: LastHandoff,
  ended: 'DECLINED' | 'FAILED',
  visible: VisibleCounts,
  reason: string | null,
): boolean {
  const { work, pipeline } = custody;
  const [source, previousHolder] = [custody.agent(handoff.sourceAgentId), custody.agent(handoff.targetAgentId)];
  const stay = pipeline?.stays.find(({ id }) => id === handoff.leftEntryId) ?? currentStay(custody);
  if (pipeline === null || stay === null || previousHolder === null || (source !== null && takesSessions(source)))
    return false;
  custody.endTenure(ended);
  custody.changed({ previousAgentType: previousHolder.type, lastReassignedAt: work.now });
  const finisher = {
    agentId: previousHolder.id,
    agentType: previousHolder.type,
    tenureId: tenureOf(handoff),
  };
  enqueue(custody, queueOf(stageNamed(pipeline, stay.stage)), {
    handoff: null,
    visible,
    limit: custody.limitOf(handoff.sourceAgentId),
    finisher,
    previousHolder,
    returned: true,
    reason,
  });
  putStageBack(custody, handoff, null);
  return true;
}

function tenureOf({ id, targetAgentSessionId }: LastHandoff): string {
  if (targetAgentSessionId === null) throw new Error(`handoff ${id} was never initiated`);
  return targetAgentSessionId;
}

const readStatusStatement = statement(
  'SELECT status, source_agent_id AS "sourceAgentId", target_agent_id AS "targetAgentId" FROM handoffs WHERE id = $1',
);

/** Of a Handoff that may not be its Session's last. */
export async function readStatus(
  work: Work,
  handoffId: string,
): Promise<Pick<LastHandoff, 'status' | 'sourceAgentId' | 'targetAgentId'>> {
  const [row] = await work.query<Pick<LastHandoff, 'status' | 'sourceAgentId' | 'targetAgentId'>>(readStatusStatement, [
    handoffId,
  ]);
  if (row === undefined) throw new Error(`handoff ${handoffId} is not there under its session's lock`);
  return row;
}

const readHandoffStatement = statement(`
SELECT h.status, h.source_agent_id AS "sourceAgentId", h.target_agent_id AS "targetAgentId", EXISTS (SELECT FROM events e WHERE e.handoff_id = h.id AND e.type = $2 AND e.actor_principal = $3) AS repeats
FROM handoffs h WHERE h.id = $1`);

/** Calls `change` when the Handoff may become `to`. A repeat by the principal that made the last change writes nothing (rule: repeat). */
async function changeHandoff(
  work: Work,
  handoffId: string,
  to: Exclude<HandoffStatus, 'PROPOSED' | 'INITIATED' | 'DECLINED'>,
  change: (custody: Custody, handoff: LastHandoff) => Promise<void> | void,
): Promise<HandoffAnswer> {
  const sessionId = await lockSessionOf(work, handoffId);
  const custody = await Custody.of(work, sessionId, to === 'TIMED_OUT' ? forTimeOut(work) : {});
  const earlier = await work.earlierAnswer<HandoffAnswer>();
  if (earlier !== null) return earlier;
  const answer = { handoffId, sessionId };
  const handoff = custody.handoff;
  // Agents cancel their own Handoffs and answer the ones they receive; they cannot time one out.
  const act = to === 'CANCELLED' ? 'withdraw' : 'answer';
  // Only a Session's last Handoff can be open.
  if (handoff?.id === handoffId && handoffTransitions[handoff.status].includes(to)) {
    demandAct(custody, act, handoff);
    await change(custody, handoff);
    return answer;
  }
  const [row] = await work.query<{
    status: HandoffStatus;
    sourceAgentId: string | null;
    targetAgentId: string;
    repeats: boolean;
  }>(readHandoffStatement, [handoffId, `HANDOFF_${to}`, work.caller.principal]);
  if (row === undefined) throw new Error(`handoff ${handoffId} is not there under its session's lock`);
  // With a key, only the earlier answer is a repeat.
  if (row.repeats && !work.hasKey) return answer;
  demandAct(custody, act, row);
  const { status } = row;
  throw new InvalidStateError(
    `The handoff is ${status} and cannot become ${to}: ${whyNot(status)}`,
    status,
    statesBefore(handoffTransitions, to),
  );
}

function whyNot(status: HandoffStatus): string {
  if (status === 'PROPOSED') return 'a person has to approve it first (approveHandoff)';
  if (status === 'INITIATED') return 'accept it first (acceptHandoff)';
  return status === 'ACCEPTED'
    ? 'its target has accepted it; complete it, fail it, or reassign the session'
    : 'that is final';
}
