import { refusalOfAct, type Act, type Facts } from '../access/rules.ts';
import { ConflictError, InvalidStateError, NotFoundError } from '../core/errors.ts';
import { encodeId } from '../core/ids.ts';
import type { Work } from '../core/work.ts';
import type { Custody } from './custody.ts';
import type { LockedAgent } from './read.ts';

/** What commands demand before they change anything; each throws the refusal that api.md names. */

export async function lockSession(work: Work, sessionId: string): Promise<void> {
  if (!(await work.lockSession(sessionId))) throw new NotFoundError('session', encodeId('session', sessionId));
}

export function demandLockedAgent(custody: Custody, agentId: string): LockedAgent {
  const agent = custody.agent(agentId);
  if (agent === null) throw new NotFoundError('agent', agentId);
  return agent;
}

/** After the answer of an earlier request: who repeats what it did may have lost the right to it by that. */
export function demandAct({ work, session, openTenure }: Custody, act: Act, facts: Partial<Facts> = {}): void {
  const refusal = refusalOfAct(work.caller, act, { holderId: session.agentId, tenureState: openTenure?.state ?? null, ...facts });
  if (refusal !== null) throw refusal;
}

export function demandVersion(custody: Custody, expectedVersion: number | null | undefined): void {
  const { version } = custody.session;
  if (expectedVersion == null || expectedVersion === version) return;
  throw new ConflictError(
    `The session is at version ${version}, not ${expectedVersion}: read it again and decide anew`,
    expectedVersion,
    version,
  );
}

export function demandOpen(custody: Custody): void {
  const { status } = custody.session;
  if (!custody.isOpen) {
    throw new InvalidStateError(`The session is ${status}: nothing can be changed in it any more`, status, ['RUNNING', 'PAUSED']);
  }
}
