import type { AdministrativeStatus, AgentSessionState, HandoffStatus, SessionStatus } from '../generated/prisma/client.ts';
import { AgentAtCapacityError, AgentUnavailableError, type DomainError } from '../core/errors.ts';

/** The life cycles of docs/rules.md as tables: from each state, where one may go. A state without an entry is final. */
export const sessionTransitions: Record<SessionStatus, readonly SessionStatus[]> = {
  RUNNING: ['PAUSED', 'COMPLETED', 'FAILED', 'CANCELLED'],
  PAUSED: ['RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'],
  COMPLETED: [],
  FAILED: [],
  CANCELLED: [],
};

export const agentSessionTransitions: Record<AgentSessionState, readonly AgentSessionState[]> = {
  // An accepted tenure in a paused Session is PAUSED at once; a failed Handoff fails it before it began.
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

/** The states from which `to` may be reached: what an INVALID_STATE refusal names as allowed. */
export function statesBefore<State extends string>(table: Record<State, readonly State[]>, to: State): State[] {
  return (Object.keys(table) as State[]).filter((from) => table[from].includes(to));
}

export const isOpenSession = (status: SessionStatus): boolean => sessionTransitions[status].length > 0;
export const isOpenHandoff = (status: HandoffStatus): boolean => handoffTransitions[status].length > 0;
export const isOpenTenure = (state: AgentSessionState): boolean => agentSessionTransitions[state].length > 0;

export interface Takes {
  id: string;
  administrativeStatus: AdministrativeStatus;
  archivedAt: unknown;
  currentLoad: number;
  maxCapacity: number;
}

/** Why this agent cannot be given a Session now, or null when it can. */
export function refusalToTake(agent: Takes): DomainError | null {
  if (agent.archivedAt != null) return new AgentUnavailableError(agent.id, 'OFFLINE', true);
  if (agent.administrativeStatus !== 'AVAILABLE') return new AgentUnavailableError(agent.id, agent.administrativeStatus);
  if (agent.currentLoad >= agent.maxCapacity) return new AgentAtCapacityError(agent.id, agent.currentLoad, agent.maxCapacity);
  return null;
}

/** Rule 17: of those that can take a Session the one with the lowest load ratio, ties by id; null when none can. */
export function leastLoaded<Agent extends Takes>(agents: readonly Agent[]): Agent | null {
  const ratio = (agent: Agent): number => agent.currentLoad / agent.maxCapacity;
  return agents
    .filter((agent) => refusalToTake(agent) === null)
    .reduce<Agent | null>((best, agent) => {
      if (best === null) return agent;
      const difference = ratio(agent) - ratio(best);
      return difference < 0 || (difference === 0 && agent.id < best.id) ? agent : best;
    }, null);
}
