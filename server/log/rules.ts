import { InvalidStateError, type DomainError } from '../core/errors.ts';
import type { AgentSessionState, SessionStatus } from '../generated/prisma/client.ts';

/** A turn with an assistant message or a tool call (or the answer to one) is an agent's; the others belong to no agent. */
export const isAgentTurn = (turn: { messages: readonly { role: string }[]; toolCalls: readonly unknown[] }): boolean =>
  turn.toolCalls.length > 0 || turn.messages.some(({ role }) => role === 'ASSISTANT' || role === 'TOOL');

export interface TurnTaker {
  sessionStatus: SessionStatus;
  holderId: string | null;
  tenureState: AgentSessionState | null;
  /** Whose turn the caller says it is; null when an operator means the holder. */
  agentId: string | null;
}

/** Why an agent's turn is not taken (rule: who may write); null when it is. */
export function refusalOfAgentTurn({ sessionStatus, holderId, tenureState, agentId }: TurnTaker): DomainError | null {
  if (holderId === null) {
    return new InvalidStateError('The session is unassigned, so no agent can take a turn: reassign it first (reassignSession)', 'UNASSIGNED', ['ACTIVE']);
  }
  if (agentId !== null && agentId !== holderId) {
    return new InvalidStateError(`The session is held by '${holderId}', not by '${agentId}': only the holder takes turns`, `HELD BY ${holderId}`, ['ACTIVE']);
  }
  if (tenureState === 'PENDING') {
    return new InvalidStateError(`'${holderId}' has not accepted its handoff yet: accept it first (acceptHandoff)`, 'PENDING', ['ACTIVE']);
  }
  if (sessionStatus !== 'RUNNING' || tenureState !== 'ACTIVE') {
    return new InvalidStateError('The session is paused: resume it first (resumeSession)', 'PAUSED', ['ACTIVE']);
  }
  return null;
}
