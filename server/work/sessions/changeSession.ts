import { statement } from '../../core/changes.ts';
import { InvalidStateError, toGoOn } from '../../core/errors.ts';
import type { Work } from '../../core/work.ts';
import type { SessionStatus } from '../../generated/prisma/client.ts';
import { Custody } from '../custody/custody.ts';
import { demandAct, demandVersion, lockSession } from '../custody/demand.ts';
import type { HeldSession, QueuedSession } from '../custody/read.ts';
import { sessionTransitions, statesBefore } from '../custody/rules.ts';
import { leaveStage } from '../custody/stages.ts';
import { demandBudget } from './budget.ts';
import type { SessionAnswer } from './createSession.ts';

/** The life-cycle commands of a Session: each locks it, checks the change and makes it. */

interface ChangeSessionInput {
  sessionId: string;
  expectedVersion: number | null;
}

/** Pauses the Session; the holder keeps it. */
export const pauseSession = (
  work: Work,
  input: ChangeSessionInput & { reason?: string | null },
): Promise<SessionAnswer> =>
  changeSession(work, input, 'PAUSED', (custody) => custody.pause(input.reason ?? null), input.reason ?? null);

/** Resumes the Session. It must have a holder (rule: one holder), and tokens left of its budget. */
export const resumeSession = (work: Work, input: ChangeSessionInput): Promise<SessionAnswer> =>
  changeSession(work, input, 'RUNNING', async (custody) => {
    if (custody.holder === null) {
      throw new InvalidStateError(
        'The session is unassigned: assign it to an agent instead (reassignSession)',
        'PAUSED',
        ['PAUSED'],
      );
    }
    await demandBudget(custody);
    // What the holder asked is withdrawn: it goes on without an answer, and is told so.
    const { questionId } = custody;
    if (questionId !== null) custody.decide('CANCELLED');
    if (custody.openTenure?.state === 'PAUSED') custody.setTenureState(custody.openTenure, 'ACTIVE');
    custody.setStatus('RUNNING');
    custody.recordCustody(
      'SESSION_STATUS_CHANGED',
      questionId === null ? {} : { reason: 'resumed without an answer', metadata: { questionId } },
    );
  });

export const completeSession = (
  work: Work,
  input: ChangeSessionInput & { result: unknown; summary: string | null },
): Promise<SessionAnswer> =>
  endSession(work, input, { status: 'COMPLETED', result: input.result ?? null, summary: input.summary });

/** Fails the Session and its accepted Handoff. */
export const failSession = (work: Work, input: ChangeSessionInput & { reason: string }): Promise<SessionAnswer> =>
  endSession(work, input, { status: 'FAILED', endReason: input.reason });

export const cancelSession = (
  work: Work,
  input: ChangeSessionInput & { reason: string | null },
): Promise<SessionAnswer> => endSession(work, input, { status: 'CANCELLED', endReason: input.reason });

export type End =
  | { status: 'COMPLETED'; result: unknown; summary: string | null }
  | { status: 'FAILED'; endReason: string }
  | { status: 'CANCELLED'; endReason: string | null };

const endSession = (work: Work, input: ChangeSessionInput, end: End): Promise<SessionAnswer> =>
  changeSession(work, input, end.status, (custody) => endWork(custody, end));

/** Closes the open Handoff and the tenure, releases the place and keeps the last holder (rule: end). */
export function endWork(custody: Custody, end: End): void {
  const failed = end.status === 'FAILED';
  const open = custody.openHandoff;
  if (open?.status === 'INITIATED') custody.closeHandoff(open, { status: 'CANCELLED', cancelReason: 'session ended' });
  else if (open !== null)
    custody.closeHandoff(open, failed ? { status: 'FAILED', failureReason: end.endReason } : { status: 'COMPLETED' });
  if (custody.proposal !== null) custody.closeProposal({ status: 'CANCELLED', reason: 'session ended' });
  custody.leaveQueue();
  custody.endTenure(custody.openTenure?.state === 'PENDING' ? 'DECLINED' : failed ? 'FAILED' : 'COMPLETED');
  leaveStage(custody, { outcome: null, sentBack: false });
  custody.changed({
    ...(end as Partial<HeldSession>),
    endedAgentType: custody.agent(custody.session.agentId)?.type ?? null,
  });
  custody.recordCustody('SESSION_STATUS_CHANGED', { reason: end.status === 'COMPLETED' ? null : end.endReason });
}

const readLastChange = statement(
  `SELECT actor_principal, session_status FROM events WHERE session_id = $1 AND type = 'SESSION_STATUS_CHANGED' ORDER BY session_sequence DESC LIMIT 1`,
);

/** Calls `change` when the Session may become `to`. A repeat of the last status change by the same principal writes nothing (rule: repeat). */
async function changeSession(
  work: Work,
  input: ChangeSessionInput,
  to: SessionStatus,
  change: (custody: Custody) => Promise<void> | void,
  pauseReason: string | null = null,
): Promise<SessionAnswer> {
  await lockSession(work, input.sessionId);
  const custody = await Custody.of(work, input.sessionId);
  const answer = { sessionId: input.sessionId };
  const { status } = custody.session;
  if (custody.queued !== null && (to === 'PAUSED' || to === 'RUNNING'))
    return suspendPlace(custody, custody.queued, input, { suspended: to === 'PAUSED', reason: pauseReason });
  if (status === to && (await isRepeat(work, input.sessionId, to))) return answer;
  demandAct(custody, 'steer');
  demandVersion(custody, input.expectedVersion);
  if (!sessionTransitions[status].includes(to)) {
    const final = sessionTransitions[status].length === 0 ? ', which is final' : '';
    throw new InvalidStateError(
      `The session is ${status}${final}: it cannot become ${to}${status === to ? ' again: nothing is left to do' : ''}`,
      status,
      statesBefore(sessionTransitions, to),
    );
  }
  // Its own question would be gone; an operator may end it.
  const { questionId } = custody;
  if (work.caller.agentId !== null && to !== 'RUNNING' && questionId !== null)
    throw new InvalidStateError(`The session is paused: ${toGoOn(questionId)}`, status, ['RUNNING']);
  await change(custody);
  return answer;
}

/** Pausing a queued Session suspends its place until it is resumed (rule: queue). */
async function suspendPlace(
  custody: Custody,
  queued: QueuedSession,
  { sessionId, expectedVersion }: ChangeSessionInput,
  { suspended, reason }: { suspended: boolean; reason: string | null },
): Promise<SessionAnswer> {
  const { work } = custody;
  if (queued.suspended === suspended && (await isRepeatInQueue(work, sessionId))) return { sessionId };
  demandAct(custody, 'steer');
  demandVersion(custody, expectedVersion);
  if (queued.suspended === suspended) {
    const message = suspended
      ? 'The session is paused: its place in the queue is suspended already'
      : 'The session waits in the queue: it runs when an agent has a free place';
    throw new InvalidStateError(message, suspended ? 'SUSPENDED' : 'QUEUED', [suspended ? 'QUEUED' : 'SUSPENDED']);
  }
  if (!suspended) await demandBudget(custody);
  work.change('queue_entries', queued, { suspended });
  custody.changed({ pauseReason: reason });
  custody.recordCustody('SESSION_STATUS_CHANGED', { reason });
  return { sessionId };
}

const readLastOfQueue = statement(
  `SELECT type, actor_principal FROM events WHERE session_id = $1 AND type IN ('SESSION_QUEUED', 'SESSION_STATUS_CHANGED') ORDER BY session_sequence DESC LIMIT 1`,
);

async function isRepeatInQueue(work: Work, sessionId: string): Promise<boolean> {
  const [last] = await work.query<{ type: string; actor_principal: string }>(readLastOfQueue, [sessionId]);
  return last?.type === 'SESSION_STATUS_CHANGED' && last.actor_principal === work.caller.principal;
}

async function isRepeat(work: Work, sessionId: string, to: SessionStatus): Promise<boolean> {
  const [last] = await work.query<{ actor_principal: string; session_status: SessionStatus }>(readLastChange, [
    sessionId,
  ]);
  return last?.session_status === to && last.actor_principal === work.caller.principal;
}
