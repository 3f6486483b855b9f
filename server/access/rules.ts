import { ForbiddenError, InvalidStateError } from '../core/errors.ts';
import type { Caller } from '../core/work.ts';
import type { AgentSessionState } from '../generated/prisma/client.ts';

/** What may be done to a record that the caller reads; the mutations are those of the table "Who may do what". */
export type Act =
  /** recordDecision, setTasks, captureSnapshot, initiateHandoff: the holder's, while it is ACTIVE. */
  | 'work'
  /** appendTurn, importTranscript: the same, but who does not hold the Session is told who does (rule: who may write). */
  | 'speak'
  /** pauseSession, resumeSession, completeSession, failSession, updateSession: the holder's, once it has accepted. */
  | 'steer'
  /** acceptHandoff, rejectHandoff, completeHandoff, failHandoff: the target's. */
  | 'answer'
  /** cancelHandoff: the source's. */
  | 'withdraw';

export interface Facts {
  /** Who holds the Session, or held it last. */
  holderId: string | null;
  /** The state of the open tenure; null when there is none. */
  tenureState: AgentSessionState | null;
  sourceAgentId?: string | null;
  targetAgentId?: string | null;
  /** The agent in whose name the caller acts, when it names one. */
  actsFor?: string | null;
}

type Asking = Pick<Caller, 'agentId'>;

/** Whether a caller may read the instructions that a Handoff carries: they are for its target and for people, not for another agent. */
export const readsInstructions = ({ agentId }: Asking, targetAgentId: string): boolean => agentId === null || agentId === targetAgentId;

/**
 * Why a caller may not do this to this record, or null when it may. Only agents are bound; a role that may not act at
 * all was refused before. Whether the state allows it is asked afterwards, but for what is the agent's own to change.
 */
export function refusalOfAct({ agentId }: Asking, act: Act, facts: Facts): ForbiddenError | InvalidStateError | null {
  if (agentId === null) return null;
  if (act === 'answer') return facts.targetAgentId === agentId ? null : onlyFor('the target agent of the handoff', facts.targetAgentId);
  if (act === 'withdraw') return facts.sourceAgentId === agentId ? null : onlyFor('the source agent of the handoff', facts.sourceAgentId);
  if (facts.actsFor != null && facts.actsFor !== agentId) {
    return new ForbiddenError(`Your key is bound to agent '${agentId}' and cannot act for '${facts.actsFor}': leave agentId out, or ask an operator`);
  }
  if (act === 'speak') return null;
  if (facts.holderId !== agentId) return onlyFor('the agent that holds the session', facts.holderId);
  if (facts.tenureState === 'PENDING') return notYet('PENDING', act, 'accept its handoff first (acceptHandoff)');
  if (facts.tenureState === 'PAUSED' && act === 'work') return notYet('PAUSED', act, 'resume the session first (resumeSession)');
  return null;
}

const onlyFor = (who: string, agentId: string | null | undefined): ForbiddenError =>
  new ForbiddenError(`Only ${who}${agentId == null ? '' : ` ('${agentId}')`} or an operator may do this`);

const notYet = (state: string, act: Act, then: string): InvalidStateError =>
  new InvalidStateError(`You are ${state} in this session: ${then}`, state, act === 'work' ? ['ACTIVE'] : ['ACTIVE', 'PAUSED']);
