import type {
  AdministrativeStatus,
  AgentSessionState,
  HandoffStatus,
  SessionStatus,
} from '../generated/prisma/client.ts';

/** The life cycles of docs/rules.md: the states reachable from each state. A state without successors is final. */
export const sessionTransitions: Record<SessionStatus, readonly SessionStatus[]> = {
  RUNNING: ['PAUSED', 'COMPLETED', 'FAILED', 'CANCELLED'],
  PAUSED: ['RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'],
  COMPLETED: [],
  FAILED: [],
  CANCELLED: [],
};

export const agentSessionTransitions: Record<AgentSessionState, readonly AgentSessionState[]> = {
  // Accepting in a paused Session gives PAUSED at once; a failed Handoff fails a PENDING tenure.
  PENDING: ['ACTIVE', 'PAUSED', 'DECLINED', 'FAILED'],
  ACTIVE: ['PAUSED', 'HANDED_OFF', 'COMPLETED', 'FAILED'],
  PAUSED: ['ACTIVE', 'HANDED_OFF', 'COMPLETED', 'FAILED'],
  HANDED_OFF: [],
  COMPLETED: [],
  FAILED: [],
  DECLINED: [],
};

export const handoffTransitions: Record<HandoffStatus, readonly HandoffStatus[]> = {
  INITIATED: ['ACCEPTED', 'REJECTED', 'CANCELLED', 'TIMED_OUT', 'FAILED'],
  ACCEPTED: ['COMPLETED', 'FAILED'],
  COMPLETED: [],
  FAILED: [],
  REJECTED: [],
  CANCELLED: [],
  TIMED_OUT: [],
};

export const agentTransitions: Record<AdministrativeStatus, readonly AdministrativeStatus[]> = {
  AVAILABLE: ['DRAINING', 'OFFLINE'],
  DRAINING: ['AVAILABLE', 'OFFLINE'],
  OFFLINE: ['AVAILABLE', 'DRAINING'],
};

/** The states that lead to `to`, as an INVALID_STATE error lists them. */
export function statesBefore<State extends string>(table: Record<State, readonly State[]>, to: State): State[] {
  return (Object.keys(table) as State[]).filter((from) => table[from].includes(to));
}

export const isOpenSession = (status: SessionStatus): boolean => sessionTransitions[status].length > 0;
export const isOpenHandoff = (status: HandoffStatus): boolean => handoffTransitions[status].length > 0;
export const isOpenTenure = (state: AgentSessionState): boolean => agentSessionTransitions[state].length > 0;
