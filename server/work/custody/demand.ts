import { NoAgentAvailableError, NotFoundError } from '../../core/errors.ts';
import { encodeId } from '../../core/ids.ts';
import { Overtaken, type Work } from '../../core/work.ts';
import { refusalOfAct, type Act, type Facts } from '../access/rules.ts';
import type { Custody } from './custody.ts';
import { finished, otherVersion, refusalToMove, type Move, type RuleName } from './mayChangeHands.ts';
import type { LockedAgent } from './read.ts';

/** Checks before a command changes anything; each throws the refusal. */

export async function lockSession(work: Work, sessionId: string): Promise<void> {
  if (!(await work.lockSession(sessionId))) throw new NotFoundError('session', encodeId('session', sessionId));
}

/** Locks the Session of a Handoff, and returns its id. */
export async function lockSessionOf(work: Work, handoffId: string): Promise<string> {
  const sessionId = await work.lockSessionOf(handoffId);
  if (sessionId === null) throw new NotFoundError('handoff', encodeId('handoff', handoffId));
  return sessionId;
}

export function demandLocked(agents: readonly LockedAgent[], agentId: string): LockedAgent {
  const agent = agents.find(({ id }) => id === agentId);
  if (agent === undefined) throw new NotFoundError('agent', agentId);
  return agent;
}

/** Call it after `earlierAnswer`: the first request may have ended the caller's permission for its own repeat. */
export function demandAct(
  { work, session, openTenure, questionId }: Custody,
  act: Act,
  facts: Partial<Facts> = {},
): void {
  demandNone(
    refusalOfAct(work.caller, act, {
      holderId: session.agentId,
      tenureState: openTenure?.state ?? null,
      questionId,
      ...facts,
    }),
  );
}

export const demandVersion = ({ session }: Custody, expectedVersion: number | null): void =>
  demandNone(otherVersion(session.version, expectedVersion));

export const demandOpen = ({ session }: Custody): void => demandNone(finished(session.status));

/** A locked Session as input for the move rules. */
export const movedSession = ({
  session: { status, version, agentId },
  openTenure,
  questionId,
}: Custody): Move['session'] => ({
  status,
  version,
  agentId,
  tenureState: openTenure?.state ?? null,
  questionId,
});

/** What `demandMove` asks of the rules. */
export interface Question {
  move: Move;
  before: RuleName | undefined;
}

export function demandMove(work: Work, move: Move, before?: RuleName): void {
  const refusal = refusalToMove(move, before);
  // Candidates are chosen before they are locked and may fill up meanwhile; the second attempt locks all of them.
  if (refusal instanceof NoAgentAvailableError && work.attempt === 1) throw new Overtaken();
  if (work.dryRun === null) demandNone(refusal);
  else work.dryRun.demand({ move, before } satisfies Question);
}

function demandNone(refusal: Error | null): void {
  if (refusal !== null) throw refusal;
}
