import { InvalidStateError, toGoOn, type DomainError } from '../../core/errors.ts';
import type { AgentSessionState, SessionStatus } from '../../generated/prisma/client.ts';

/** Turns with an ASSISTANT or TOOL message or a tool call belong to an agent; others belong to none. */
export const isAgentTurn = (turn: { messages: readonly { role: string }[]; toolCalls: readonly unknown[] }): boolean =>
  turn.toolCalls.length > 0 || turn.messages.some(({ role }) => role === 'ASSISTANT' || role === 'TOOL');

export interface TurnTaker {
  sessionStatus: SessionStatus;
  holderId: string | null;
  tenureState: AgentSessionState | null;
  /** The question of the holder that waits for a person. */
  questionId?: string | null;
  /** Author as the caller states it; null when an operator means the holder. */
  agentId: string | null;
}

/** Returns the error for an agent's turn that is not allowed (rule: who may write); null when it is allowed. */
export function refusalOfAgentTurn({
  sessionStatus,
  holderId,
  tenureState,
  questionId,
  agentId,
}: TurnTaker): DomainError | null {
  if (holderId === null) {
    return new InvalidStateError(
      'The session is unassigned, so no agent can take a turn: reassign it first (reassignSession)',
      'UNASSIGNED',
      ['ACTIVE'],
    );
  }
  if (agentId !== null && agentId !== holderId) {
    return new InvalidStateError(
      `The session is held by '${holderId}', not by '${agentId}': only the holder takes turns`,
      `HELD BY ${holderId}`,
      ['ACTIVE'],
    );
  }
  if (tenureState === 'PENDING') {
    return new InvalidStateError(
      `'${holderId}' has not accepted its handoff yet: accept it first (acceptHandoff)`,
      'PENDING',
      ['ACTIVE'],
    );
  }
  if (sessionStatus !== 'RUNNING' || tenureState !== 'ACTIVE') {
    return new InvalidStateError(`The session is paused: ${toGoOn(questionId)}`, 'PAUSED', ['ACTIVE']);
  }
  return null;
}
