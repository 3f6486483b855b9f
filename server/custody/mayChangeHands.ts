import { refusalOfAct } from '../access/rules.ts';
import {
  AgentAtCapacityError,
  AgentTypeMismatchError,
  AgentUnavailableError,
  AlreadyAssignedError,
  ConflictError,
  HandoffLoopError,
  HandoffsDisabledError,
  InvalidStateError,
  MaxHandoffsReachedError,
  NoAgentAvailableError,
  NotACollaboratorError,
  type DomainError,
  type ForbiddenError,
  type HandoffStep,
} from '../core/errors.ts';
import type { AdministrativeStatus, AgentSessionState, HandoffStatus, HandoffVia, SessionStatus } from '../generated/prisma/client.ts';
import { isOpenSession } from './rules.ts';

/** Decides whether a Session may change hands. Pure: commands call it under their locks. */

export interface Target {
  id: string;
  type: string;
  administrativeStatus: AdministrativeStatus;
  archivedAt: unknown;
  currentLoad: number;
  maxCapacity: number;
}

/** A Session about to get a new holder, or its first. */
export interface Move {
  /** Null while the Session is being created. */
  session: {
    status: SessionStatus;
    version: number;
    /** The holder, or the last one. */
    agentId: string | null;
    tenureState: AgentSessionState | null;
  } | null;
  expectedVersion: number | null;
  /** The agent that gets the Session; null when none was named and no agent of `agentType` is free. */
  target: Target | null;
  /** The requested type; null for any. */
  agentType: string | null;
  /** For a Handoff that an agent starts; null when an operator moves the Session. */
  started: StartedHandoff | null;
}

/** Input for the guards on Handoffs that agents start. */
export interface StartedHandoff {
  /** The agent that the caller's key is bound to; null for an operator. */
  callerAgentId: string | null;
  handoffsEnabled: boolean;
  maxHandoffs: number;
  /** The agents that the holder may hand off to. */
  collaborators: readonly string[];
  /** The agent that the holder got the Session from; null for the first holder. */
  cameFrom: string | null;
  /** The Session's Handoffs since an operator's last action, oldest first. */
  earlier: readonly EarlierHandoff[];
  /** Null until the Context is built. */
  contentHash: string | null;
}

export interface EarlierHandoff {
  sourceAgentId: string | null;
  targetAgentId: string;
  via: HandoffVia;
  contentHash: string;
  status: HandoffStatus;
  initiatedAt: Date;
  /** True once the target accepted it, whatever its later status. */
  accepted: boolean;
}

type Refusal = DomainError | ForbiddenError;

interface Rule {
  /** As in docs/rules.md. */
  name: string;
  /** Null when the rule allows the move or does not apply. */
  refuses(this: void, move: Move): Refusal | null;
}

/** The rules in the order of refusals: the first refusal is returned. */
export const rules = [
  {
    name: 'who may hand off',
    refuses: ({ session, started }) =>
      session && started && refusalOfAct({ agentId: started.callerAgentId }, 'work', { holderId: session.agentId, tenureState: session.tenureState }),
  },
  { name: 'version', refuses: ({ session, expectedVersion }) => session && otherVersion(session.version, expectedVersion) },
  { name: 'open session', refuses: ({ session }) => session && finished(session.status) },
  { name: 'active only', refuses: ({ session, started }) => session && started && notActive(session.agentId, session.tenureState) },
  {
    name: 'already assigned',
    refuses: ({ session, target }) =>
      session && target && isOpenSession(session.status) && session.agentId === target.id ? new AlreadyAssignedError(target.id) : null,
  },
  { name: 'enabled', refuses: ({ started }) => (started && !started.handoffsEnabled ? new HandoffsDisabledError() : null) },
  {
    name: 'collaborator',
    refuses: ({ session, target, started }) => {
      if (session?.agentId == null || target === null || started === null) return null;
      const reachable = [...new Set([...started.collaborators, ...(started.cameFrom === null ? [] : [started.cameFrom])])];
      return reachable.includes(target.id) ? null : new NotACollaboratorError(session.agentId, target.id, reachable);
    },
  },
  {
    name: 'limit',
    refuses: ({ started }) => {
      if (started === null) return null;
      const count = started.earlier.filter(({ via }) => via === 'API' || via === 'TOOL').length;
      return count >= started.maxHandoffs ? new MaxHandoffsReachedError(count, started.maxHandoffs, chainOf(started.earlier)) : null;
    },
  },
  {
    name: 'loop',
    refuses: ({ session, target, started }) => {
      if (session?.agentId == null || target === null || started === null) return null;
      const { agentId } = session;
      const repeats = started.earlier.some(
        (handoff) => handoff.accepted && handoff.sourceAgentId === agentId && handoff.targetAgentId === target.id && handoff.contentHash === started.contentHash,
      );
      return repeats ? new HandoffLoopError(agentId, target.id, chainOf(started.earlier)) : null;
    },
  },
  {
    name: 'type',
    refuses: ({ target, agentType }) =>
      target !== null && agentType !== null && target.type !== agentType ? new AgentTypeMismatchError(target.id, agentType, target.type) : null,
  },
  { name: 'free choice', refuses: ({ target, agentType }) => (target === null && agentType !== null ? new NoAgentAvailableError(agentType) : null) },
  { name: 'availability', refuses: ({ target }) => target && notAvailable(target) },
  { name: 'capacity', refuses: ({ target }) => target && noFreePlace(target) },
] as const satisfies readonly Rule[];

export type RuleName = (typeof rules)[number]['name'];

/** The first refusal, or null when the Session may change hands. `before` limits the check to the rules before that one. */
export function refusalToMove(move: Move, before?: RuleName): Refusal | null {
  for (const { name, refuses } of rules) {
    if (name === before) return null;
    const refusal = refuses(move);
    if (refusal !== null) return refusal;
  }
  return null;
}

export function otherVersion(version: number, expected: number | null): ConflictError | null {
  if (expected === null || expected === version) return null;
  return new ConflictError(`The session is at version ${version}, not ${expected}: read it again before you retry`, expected, version);
}

export function finished(status: SessionStatus): InvalidStateError | null {
  if (isOpenSession(status)) return null;
  return new InvalidStateError(`The session is ${status}: it can no longer be changed`, status, ['RUNNING', 'PAUSED']);
}

function notActive(agentId: string | null, tenureState: AgentSessionState | null): InvalidStateError | null {
  if (tenureState === 'ACTIVE') return null;
  if (agentId === null || tenureState === null) {
    return new InvalidStateError('The session is unassigned, so no agent can hand it off: an operator has to reassign it', 'UNASSIGNED', ['ACTIVE']);
  }
  const then = tenureState === 'PENDING' ? 'accept its own handoff first (acceptHandoff)' : 'resume the session first (resumeSession)';
  return new InvalidStateError(`Agent '${agentId}' is ${tenureState} in this session: ${then}`, tenureState, ['ACTIVE']);
}

function notAvailable({ id, archivedAt, administrativeStatus }: Target): AgentUnavailableError | null {
  if (archivedAt != null) return new AgentUnavailableError(id, 'OFFLINE', true);
  return administrativeStatus === 'AVAILABLE' ? null : new AgentUnavailableError(id, administrativeStatus);
}

const noFreePlace = ({ id, currentLoad, maxCapacity }: Target): AgentAtCapacityError | null =>
  currentLoad >= maxCapacity ? new AgentAtCapacityError(id, currentLoad, maxCapacity) : null;

/** Whether an agent can receive a Session now (rule: return). */
export const takesSessions = (agent: Target): boolean => notAvailable(agent) === null && noFreePlace(agent) === null;

/** The agent of this type with the lowest load ratio that can get a Session, ties by id (rule: free choice); null when none can. */
export function leastLoaded<Agent extends Target>(agents: readonly Agent[], type: string | null, without: readonly (string | null)[] = []): Agent | null {
  const ratio = (agent: Agent): number => agent.currentLoad / agent.maxCapacity;
  const [best] = agents
    .filter((agent) => agent.type === type && !without.includes(agent.id) && takesSessions(agent))
    .sort((a, b) => ratio(a) - ratio(b) || (a.id < b.id ? -1 : 1));
  return best ?? null;
}

const longestChain = 100;

const chainOf = (earlier: readonly EarlierHandoff[]): HandoffStep[] =>
  earlier.slice(-longestChain).map(({ sourceAgentId, targetAgentId, initiatedAt, status }) => ({ from: sourceAgentId, to: targetAgentId, at: initiatedAt, status }));
