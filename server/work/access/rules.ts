import { ForbiddenError, InvalidStateError, toGoOn } from '../../core/errors.ts';
import type { Caller } from '../../core/work.ts';
import type { AgentSessionState } from '../../generated/prisma/client.ts';

/** Acts on a record that the caller may read. `api/access/matrix.test.ts` tries every mutation. */
export type Act =
  /** recordDecision, setTasks, captureSnapshot, initiateHandoff: by the holder while it is ACTIVE. */
  | 'work'
  /** appendTurn, importTranscript: the same, but checked later, so that the refusal names the holder (rule: who may write). */
  | 'speak'
  /** pauseSession, resumeSession, completeSession, failSession, updateSession, recordToolResults: by the holder once it has accepted. */
  | 'steer'
  /** acceptHandoff, rejectHandoff, completeHandoff, failHandoff, touchHandoff: by the target. */
  | 'answer'
  /** cancelHandoff: by the source. */
  | 'withdraw'
  /** confirmNotice: by the agent that has to hear it. */
  | 'hear'
  /** claimTenure: by the agent of the tenure, in any state. */
  | 'claim';

export interface Facts {
  /** The agent that holds the Session or held it last. */
  holderId: string | null;
  /** State of the open tenure; null without an open tenure. */
  tenureState: AgentSessionState | null;
  sourceAgentId?: string | null;
  targetAgentId?: string | null;
  /** The question of the holder that waits for a person, which paused the tenure. */
  questionId?: string | null;
  /** The agent that the caller acts for, when given. */
  actsFor?: string | null;
}

type BoundCaller = Pick<Caller, 'agentId'>;

/**
 * The error when a caller may not act on a record, or null. Limits only agents; roles were checked before. The state of the
 * record is checked later, except the holder's own tenure state.
 */
export function refusalOfAct(
  { agentId }: BoundCaller,
  act: Act,
  facts: Facts,
): ForbiddenError | InvalidStateError | null {
  if (agentId === null) return null;
  if (act === 'answer')
    return facts.targetAgentId === agentId ? null : onlyFor('the target agent of the handoff', facts.targetAgentId);
  if (act === 'withdraw')
    return facts.sourceAgentId === agentId ? null : onlyFor('the source agent of the handoff', facts.sourceAgentId);
  if (act === 'hear')
    return facts.sourceAgentId === agentId ? null : onlyFor('the agent that has to hear it', facts.sourceAgentId);
  if (act === 'claim') return facts.holderId === agentId ? null : onlyFor('the agent of the tenure', facts.holderId);
  if (facts.actsFor != null && facts.actsFor !== agentId) {
    return new ForbiddenError(
      `Your key is bound to agent '${agentId}' and cannot act for '${facts.actsFor}': leave agentId out, or ask an operator`,
    );
  }
  if (act === 'speak') return null;
  if (facts.holderId !== agentId) return onlyFor('the agent that holds the session', facts.holderId);
  if (facts.tenureState === 'PENDING') return notYet('PENDING', act, 'accept its handoff first (acceptHandoff)');
  if (facts.tenureState === 'PAUSED' && act === 'work') return notYet('PAUSED', act, toGoOn(facts.questionId));
  return null;
}

const onlyFor = (who: string, agentId: string | null | undefined): ForbiddenError =>
  new ForbiddenError(`Only ${who}${agentId == null ? '' : ` ('${agentId}')`} or an operator may do this`);

const notYet = (state: string, act: Act, then: string): InvalidStateError =>
  new InvalidStateError(
    `You are ${state} in this session: ${then}`,
    state,
    act === 'work' ? ['ACTIVE'] : ['ACTIVE', 'PAUSED'],
  );
