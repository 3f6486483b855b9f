import {
  HandoffLoopError,
  HandoffsDisabledError,
  MaxHandoffsReachedError,
  NotACollaboratorError,
  type DomainError,
  type HandoffStep,
} from '../core/errors.ts';
import type { HandoffStatus, HandoffVia } from '../generated/prisma/client.ts';

/** A Handoff of the Session since the last act of an operator. */
export interface EarlierHandoff {
  sourceAgentId: string | null;
  targetAgentId: string;
  via: HandoffVia;
  contentHash: string;
  status: HandoffStatus;
  initiatedAt: Date;
  /** Whether the target took it over, whatever became of it then. */
  accepted: boolean;
}

export interface GuardedMove {
  sourceAgentId: string;
  targetAgentId: string;
  handoffsEnabled: boolean;
  maxHandoffs: number;
  /** Whom the source may hand off to. */
  collaborators: readonly string[];
  /** The agent from which the Session came to the source; null when it was the first. */
  cameFrom: string | null;
  earlier: readonly EarlierHandoff[];
}

/** The guards on Handoffs that agents start, in the order of refusals, the loop aside; null when they let it pass. */
export function guardHandoff(move: GuardedMove): DomainError | null {
  if (!move.handoffsEnabled) return new HandoffsDisabledError();
  const reachable = [...new Set([...move.collaborators, ...(move.cameFrom === null ? [] : [move.cameFrom])])];
  if (!reachable.includes(move.targetAgentId)) return new NotACollaboratorError(move.sourceAgentId, move.targetAgentId, reachable);
  const started = move.earlier.filter(({ via }) => via === 'API' || via === 'TOOL').length;
  if (started >= move.maxHandoffs) return new MaxHandoffsReachedError(started, move.maxHandoffs, chainOf(move));
  return null;
}

const longestChain = 100;

/** The Handoffs since the last act of an operator, oldest first; the newest of them when there are many. */
const chainOf = ({ earlier }: GuardedMove): HandoffStep[] =>
  earlier.slice(-longestChain).map(({ sourceAgentId, targetAgentId, initiatedAt, status }) => ({ from: sourceAgentId, to: targetAgentId, at: initiatedAt, status }));

/** HANDOFF_LOOP: the same two agents as one that was accepted, and the Context has nothing new; null when it is not a loop. */
export function guardLoop(move: GuardedMove, contentHash: string): DomainError | null {
  const repeats = move.earlier.some(
    (earlier) =>
      earlier.accepted &&
      earlier.sourceAgentId === move.sourceAgentId &&
      earlier.targetAgentId === move.targetAgentId &&
      earlier.contentHash === contentHash,
  );
  return repeats ? new HandoffLoopError(move.sourceAgentId, move.targetAgentId, chainOf(move)) : null;
}
