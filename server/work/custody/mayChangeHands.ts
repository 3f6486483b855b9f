import {
  AgentAtCapacityError,
  AgentRoleMismatchError,
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
  toGoOn,
  TransitionNotAllowedError,
  type DomainError,
  type ForbiddenError,
  type HandoffStep,
} from '../../core/errors.ts';
import type {
  AdministrativeStatus,
  AgentSessionState,
  HandoffStatus,
  HandoffVia,
  SessionStatus,
} from '../../generated/prisma/client.ts';
import { refusalOfAct } from '../access/rules.ts';
import type { Stage, Undecided, Way } from './pipeline.ts';
import { isOpenSession } from './rules.ts';

/** Decides whether a Session may change hands. Pure: commands call it under their locks. */

export interface Target {
  id: string;
  type: string;
  role: string | null;
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
    /** The question of the holder that waits for a person. */
    questionId?: string | null;
  } | null;
  expectedVersion: number | null;
  /** The agent that gets the Session; null when none was named and no agent of `agentType` is free. */
  target: Target | null;
  /** The requested type; null for any. */
  agentType: string | null;
  /** The stage in which the target is to work, for moves that keep it; null outside of pipelines. */
  stage?: StageNeeds | null;
  /** For a Handoff that an agent starts; null when an operator moves the Session. */
  started: StartedHandoff | null;
}

/** Input for the guards on Handoffs that agents start. */
export interface StartedHandoff {
  /** The agent that the caller's key is bound to; null for an operator. */
  callerAgentId: string | null;
  /** Public id of the Handoff that waits for a person's approval, when an agent wants another; null otherwise. */
  proposalId: string | null;
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
  /** Where the Session may go in its pipeline; null outside of one. */
  path: Path | null;
}

type StageNeeds = Pick<Stage, 'name' | 'role' | 'agentType'>;

export interface Path {
  /** The stage that is left. */
  stage: string;
  /** The ways that its outcomes lead now. */
  ways: readonly Way[];
  /** The outcomes that lead nowhere, because a condition compares what cannot be compared. */
  undecided?: readonly Undecided[];
  /** The outcome that the caller gave; null when the caller named an agent. */
  outcome: string | null;
  /** Whether the way needs a payload, which only advancePipeline gives. */
  needsPayload(this: void, way: Way): boolean;
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
  /** The stay in a stage that it began again; null for all others. Handoffs after a time-out share it. */
  againIn: string | null;
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
      session &&
      started &&
      refusalOfAct({ agentId: started.callerAgentId }, 'work', {
        holderId: session.agentId,
        tenureState: session.tenureState,
        questionId: session.questionId ?? null,
      }),
  },
  {
    name: 'version',
    refuses: ({ session, expectedVersion }) => session && otherVersion(session.version, expectedVersion),
  },
  { name: 'open session', refuses: ({ session }) => session && finished(session.status) },
  {
    name: 'active only',
    refuses: ({ session, started }) => session && started && notActive(session),
  },
  { name: 'proposal', refuses: ({ started }) => started && stillProposed(started.proposalId) },
  {
    name: 'already assigned',
    refuses: ({ session, target }) =>
      session && target && isOpenSession(session.status) && session.agentId === target.id
        ? new AlreadyAssignedError(target.id)
        : null,
  },
  {
    name: 'enabled',
    refuses: ({ started }) => (started && !started.handoffsEnabled ? new HandoffsDisabledError() : null),
  },
  {
    name: 'collaborator',
    refuses: ({ session, target, started }) => {
      // In a pipeline the rule 'transition' takes its place.
      if (session?.agentId == null || target === null || started === null || started.path !== null) return null;
      const reachable = [
        ...new Set([...started.collaborators, ...(started.cameFrom === null ? [] : [started.cameFrom])]),
      ];
      return reachable.includes(target.id) ? null : new NotACollaboratorError(session.agentId, target.id, reachable);
    },
  },
  {
    name: 'transition',
    refuses: ({ target, started }) => {
      if (target === null || started?.path == null) return null;
      const way = wayTo(started.path, target);
      return way instanceof TransitionNotAllowedError ? way : null;
    },
  },
  {
    name: 'limit',
    refuses: ({ target, started }) => {
      if (started === null) return null;
      if (started.path !== null) {
        const way = wayTo(started.path, target);
        // Going forward counts nothing.
        if (way instanceof TransitionNotAllowedError || !way.again) return null;
        const again = new Set(started.earlier.flatMap(({ againIn }) => againIn ?? [])).size;
        return again >= started.maxHandoffs
          ? new MaxHandoffsReachedError(again, started.maxHandoffs, chainOf(started.earlier), true)
          : null;
      }
      const count = started.earlier.filter(({ via }) => via === 'API' || via === 'TOOL').length;
      return count >= started.maxHandoffs
        ? new MaxHandoffsReachedError(count, started.maxHandoffs, chainOf(started.earlier))
        : null;
    },
  },
  {
    name: 'loop',
    refuses: ({ session, target, started }) => {
      if (session?.agentId == null || target === null || started === null) return null;
      const { agentId } = session;
      const repeats = started.earlier.some(
        (handoff) =>
          handoff.accepted &&
          handoff.sourceAgentId === agentId &&
          handoff.targetAgentId === target.id &&
          handoff.contentHash === started.contentHash,
      );
      return repeats ? new HandoffLoopError(agentId, target.id, chainOf(started.earlier)) : null;
    },
  },
  {
    name: 'type',
    refuses: ({ target, agentType, stage }) => {
      const other = target && [agentType, stage?.agentType].find((type) => type != null && type !== target.type);
      return target === null || other == null ? null : new AgentTypeMismatchError(target.id, other, target.type);
    },
  },
  {
    name: 'role',
    refuses: ({ target, stage }) =>
      target !== null && stage?.role != null && stage.role !== target.role
        ? new AgentRoleMismatchError(target.id, stage.name, stage.role, target.role)
        : null,
  },
  {
    name: 'free choice',
    refuses: ({ target, agentType, stage = null }) =>
      target === null && (agentType !== null || stage !== null)
        ? new NoAgentAvailableError(agentType ?? stage?.agentType ?? null, stage?.role ?? null)
        : null,
  },
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
  return new ConflictError(
    `The session is at version ${version}, not ${expected}: read it again before you retry`,
    expected,
    version,
  );
}

export function finished(status: SessionStatus): InvalidStateError | null {
  if (isOpenSession(status)) return null;
  return new InvalidStateError(`The session is ${status}: it can no longer be changed`, status, ['RUNNING', 'PAUSED']);
}

function notActive({ agentId, tenureState, questionId }: NonNullable<Move['session']>): InvalidStateError | null {
  if (tenureState === 'ACTIVE') return null;
  if (agentId === null || tenureState === null) {
    return new InvalidStateError(
      'The session is unassigned, so no agent can hand it off: an operator has to reassign it',
      'UNASSIGNED',
      ['ACTIVE'],
    );
  }
  const then = tenureState === 'PENDING' ? 'accept its own handoff first (acceptHandoff)' : toGoOn(questionId);
  return new InvalidStateError(`Agent '${agentId}' is ${tenureState} in this session: ${then}`, tenureState, [
    'ACTIVE',
  ]);
}

function stillProposed(proposalId: string | null): InvalidStateError | null {
  if (proposalId === null) return null;
  return new InvalidStateError(
    `Handoff ${proposalId} of this session waits for a person's approval: wait for the decision, or take it back (cancelHandoff)`,
    'PROPOSED',
    [],
  );
}

function notAvailable({ id, archivedAt, administrativeStatus }: Target): AgentUnavailableError | null {
  if (archivedAt != null) return new AgentUnavailableError(id, 'OFFLINE', true);
  return administrativeStatus === 'AVAILABLE' ? null : new AgentUnavailableError(id, administrativeStatus);
}

const noFreePlace = ({ id, currentLoad, maxCapacity }: Target): AgentAtCapacityError | null =>
  currentLoad >= maxCapacity ? new AgentAtCapacityError(id, currentLoad, maxCapacity) : null;

/** Whether an agent can receive a Session now (rule: return). */
export const takesSessions = (agent: Target): boolean => notAvailable(agent) === null && noFreePlace(agent) === null;

/** Whether an agent can work in a stage: it has the role and the type, as far as the stage names them. */
export const fitsStage = ({ role, type }: Pick<Target, 'role' | 'type'>, stage: StageNeeds): boolean =>
  (stage.role === null || stage.role === role) && (stage.agentType === null || stage.agentType === type);

export const undecidedText = ({ outcome, reason }: Undecided): string =>
  `Outcome ${outcome} cannot be decided: ${reason}. Give a value of the same kind (payload or contextVariables)`;

/** The way that a Handoff to this agent takes: the caller's outcome, else the only one whose stage the agent fits. */
export function wayTo(
  { stage, ways, undecided = [], outcome, needsPayload }: Path,
  target: Target | null,
): Way | TransitionNotAllowedError {
  const allowed = ways.map((way) => way.outcome);
  const fitting = ways.filter((way) =>
    outcome === null ? target !== null && way.to !== null && fitsStage(target, way.to) : way.outcome === outcome,
  );
  const [way, ...more] = fitting;
  const refuse = (message: string): TransitionNotAllowedError =>
    new TransitionNotAllowedError(message, stage, outcome, allowed);
  const cannot = undecided.filter((each) => outcome === null || each.outcome === outcome).map(undecidedText);
  if (way === undefined && outcome !== null && cannot.length > 0) return refuse(cannot.join(' '));
  if (way === undefined)
    return refuse(
      `Agent '${target?.id}' fits no stage that may follow '${stage}': hand off to an agent that does, or give an outcome (advancePipeline)${cannot.map((each) => `. ${each}`).join('')}`,
    );
  if (more.length > 0)
    return refuse(
      `Agent '${target?.id}' fits the stages of ${fitting.map((each) => each.outcome).join(' and ')}: give the outcome (advancePipeline)`,
    );
  if (outcome === null && needsPayload(way))
    return refuse(`Outcome ${way.outcome} of stage '${stage}' needs a payload: give both (advancePipeline)`);
  return way;
}

/** The agent of this type with the lowest load ratio that can get a Session, ties by id (rule: free choice); null when none can. */
export const leastLoaded = <Agent extends Target>(
  agents: readonly Agent[],
  type: string | null,
  without: readonly (string | null)[] = [],
  stage: StageNeeds | null = null,
): Agent | null =>
  type === null
    ? null
    : leastLoadedOf(
        agents.filter(
          (agent) => agent.type === type && (stage === null || fitsStage(agent, stage)) && !without.includes(agent.id),
        ),
      );

/** The agent with the lowest load ratio that can get a Session, ties by id; null when none can. */
export function leastLoadedOf<Agent extends Target>(agents: readonly Agent[]): Agent | null {
  const ratio = (agent: Agent): number => agent.currentLoad / agent.maxCapacity;
  const [best] = agents.filter(takesSessions).sort((a, b) => ratio(a) - ratio(b) || (a.id < b.id ? -1 : 1));
  return best ?? null;
}

const longestChain = 100;

const chainOf = (earlier: readonly EarlierHandoff[]): HandoffStep[] =>
  earlier.slice(-longestChain).map(({ sourceAgentId, targetAgentId, initiatedAt, status }) => ({
    from: sourceAgentId,
    to: targetAgentId,
    at: initiatedAt,
    status,
  }));
