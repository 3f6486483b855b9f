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

/** When may a Session change hands? Pure: reassignSession, initiateHandoff and createSession ask it under their locks. */

export interface Target {
  id: string;
  type: string;
  administrativeStatus: AdministrativeStatus;
  archivedAt: unknown;
  currentLoad: number;
  maxCapacity: number;
}

/** A Session that is about to get another holder, or its first. */
export interface Move {
  /** Null while the Session is being created. */
  session: {
    status: SessionStatus;
    version: number;
    /** The holder, or the last one. */
    agentId: string | null;
    /** The state of the open tenure; null when there is none. */
    tenureState: AgentSessionState | null;
  } | null;
  expectedVersion: number | null;
  /** The agent that gets the Session; null when none was named and none of `agentType` is free. */
  target: Target | null;
  /** The type that the caller asked for; null for any. */
  agentType: string | null;
  /** For a Handoff in the holder's name; null when an operator moves the Session. */
  started: StartedHandoff | null;
}

/** What the guards on handoffs that agents start ask about. */
export interface StartedHandoff {
  /** The agent that the caller's key is bound to; null for an operator. */
  callerAgentId: string | null;
  handoffsEnabled: boolean;
  maxHandoffs: number;
  /** Agents to which the holder may hand off. */
  collaborators: readonly string[];
  /** The agent from which the Session came to the holder; null when the holder was the first. */
  cameFrom: string | null;
  /** The Session's Handoffs since the last act of an operator, oldest first. */
  earlier: readonly EarlierHandoff[];
  /** Null as long as the Context is not built. */
  contentHash: string | null;
}

export interface EarlierHandoff {
  sourceAgentId: string | null;
  targetAgentId: string;
  via: HandoffVia;
  contentHash: string;
  status: HandoffStatus;
  initiatedAt: Date;
  /** True once the target took it over, also when it ended differently. */
  accepted: boolean;
}

type Refusal = DomainError | ForbiddenError;

interface Rule {
  /** As in docs/rules.md. */
  name: string;
  /** Null when the rule allows the move, or has nothing to say about it. */
  refuses(this: void, move: Move): Refusal | null;
}

/** The rules in the order of refusals: the caller gets the first refusal. Each can be asked by itself. */
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

/** The first refusal, or null when the Session may change hands. With `before`, only the rules before that one are asked. */
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

/** Whether an agent can get a Session now (rule: return). */
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

/** The newest of the earlier Handoffs, oldest first. */
const chainOf = (earlier: readonly EarlierHandoff[]): HandoffStep[] =>
  earlier.slice(-longestChain).map(({ sourceAgentId, targetAgentId, initiatedAt, status }) => ({ from: sourceAgentId, to: targetAgentId, at: initiatedAt, status }));
