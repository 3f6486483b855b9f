import { statement } from '../core/changes.ts';
import { InvalidStateError } from '../core/errors.ts';
import type { Work } from '../core/work.ts';
import { Custody } from '../custody/custody.ts';
import { demandAct, demandVersion, lockSession } from '../custody/demand.ts';
import { sessionTransitions, statesBefore } from '../custody/rules.ts';
import type { SessionStatus } from '../generated/prisma/client.ts';
import type { SessionAnswer } from './createSession.ts';

export interface ChangeSessionInput {
  sessionId: string;
  expectedVersion: number | null;
}

const readLastChange = statement(
  `SELECT actor_principal, session_status FROM events WHERE session_id = $1 AND type = 'SESSION_STATUS_CHANGED' ORDER BY session_sequence DESC LIMIT 1`,
);

/**
 * What every change of a Session's status begins with: lock it, and ask whether it may become `to`. If it is so
 * already by the last change of status, and this principal made that, nothing is written (rule: repeat).
 */
export async function changeSession(
  work: Work,
  input: ChangeSessionInput,
  to: SessionStatus,
  change: (custody: Custody) => void,
): Promise<SessionAnswer> {
  await lockSession(work, input.sessionId);
  const custody = await Custody.of(work, input.sessionId);
  const answer = { sessionId: input.sessionId };
  const { status } = custody.session;
  if (status === to && (await isRepeat(work, input.sessionId, to))) return answer;
  demandAct(custody, 'steer');
  demandVersion(custody, input.expectedVersion);
  if (!sessionTransitions[status].includes(to)) {
    const final = sessionTransitions[status].length === 0 ? ', and that is final' : '';
    throw new InvalidStateError(`The session is ${status}${final}: it cannot become ${to}`, status, statesBefore(sessionTransitions, to));
  }
  change(custody);
  return answer;
}

async function isRepeat(work: Work, sessionId: string, to: SessionStatus): Promise<boolean> {
  const [last] = await work.query<{ actor_principal: string; session_status: SessionStatus }>(readLastChange, [sessionId]);
  return last?.session_status === to && last.actor_principal === work.caller.principal;
}
