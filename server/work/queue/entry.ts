import type { Work } from '../../core/work.ts';
import type { HandoffVia, QueueEntry, SessionPriority } from '../../generated/prisma/client.ts';
import type { VisibleCounts } from '../context/visible.ts';
import type { Custody, MoveNotes } from '../custody/custody.ts';
import type { LockedAgent, QueuedSession, ReadLimit } from '../custody/read.ts';
import type { Carried, Finisher, Prepared } from '../handoffs/handOver.ts';
import { effectiveAt, wanted } from './rules.ts';

/** The Agent that a Session waits for: any, when both are null. */
export interface Wanted {
  agentType: string | null;
  role: string | null;
}

/** How the Session moves at its turn. */
export interface Turn extends MoveNotes {
  /** The Handoff that is made then; null: the Session moves without one. */
  handoff: {
    via: HandoffVia;
    prepared: Prepared;
    acceptWithinMinutes: number;
    triggeringToolCallIds?: readonly string[] | null;
  } | null;
  /** What the log shows now. */
  visible: VisibleCounts;
  /** What the next agent reads when it gets the Session without a Handoff; null for everything. */
  limit?: ReadLimit | null;
  /** Source of the Handoff; null for a Session without a holder. */
  finisher: Finisher | null;
  previousHolder: LockedAgent | null;
  /** Agents that do not get it, besides the finisher and the previous holder. */
  tried?: readonly string[];
  /** True when its source cannot take the Session back. */
  returned?: boolean;
  /** True when an operator has to choose the agent. */
  escalated?: boolean;
}

/** The column `carried`. */
export interface CarriedEntry {
  visible: VisibleCounts;
  limit?: ReadLimit | null;
  /** The log when `visible` was counted. */
  log: { messageCount: number; toolCallCount: number; visibleFrom: number; visibleCallsFrom: number };
  handoff:
    | (Pick<Carried, 'context' | 'contentHash' | 'carry' | 'limit'> & {
        lastTurnId: string | null;
        lastTurnCallIds: readonly string[];
      })
    | null;
}

/**
 * Puts a Session without a holder into the queue. The caller has closed its Handoff and ended its tenure. A Session that
 * waits for the same Agent already keeps its time.
 */
export function enqueue(custody: Custody, { agentType, role }: Wanted, turn: Turn): void {
  const { work, session, queued: before } = custody;
  const wants = wanted(agentType, role);
  const { queuedAt, returned } =
    before?.wanted === wants ? before : { queuedAt: work.now, returned: turn.returned ?? false };
  // A paused Session waits as it would be held: it gets no Agent before it is resumed.
  const suspended = before === null ? session.status === 'PAUSED' && turn.previousHolder !== null : before.suspended;
  custody.leaveQueue();
  custody.setStatus('PAUSED', { agentId: null });
  const { finisher } = turn;
  custody.queued = work.insert('queue_entries', {
    id: work.newId(),
    sessionId: session.id,
    agentType,
    role,
    wanted: wants,
    queuedAt,
    effectiveAt: effectiveAt({ priority: session.priority, queuedAt, returned }),
    returned,
    suspended,
    escalated: turn.escalated ?? false,
    sourceAgentId: finisher?.agentId ?? null,
    sourceAgentType: finisher?.agentType ?? null,
    sourceAgentSessionId: finisher?.tenureId ?? null,
    excludedAgentIds: excluded(turn, before),
    reason: turn.reason ?? null,
    summary: turn.summary ?? null,
    metadata: turn.metadata ?? null,
    via: turn.handoff?.via ?? null,
    carried: carriedOf(custody, turn) as unknown as QueueEntry['carried'],
    acceptWithinMinutes: turn.handoff?.acceptWithinMinutes ?? null,
  });
  const { reason, summary, metadata, previousHolder } = turn;
  const source = finisher === null ? null : custody.agent(finisher.agentId);
  custody.recordCustody('SESSION_QUEUED', {
    previousHolder,
    source,
    reason,
    summary: turn.handoff === null ? summary : null,
    metadata: turn.handoff === null ? metadata : null,
  });
}

function excluded({ finisher, previousHolder, tried = [] }: Turn, before: QueuedSession | null): string[] {
  const left = previousHolder === null ? (before?.excludedAgentIds ?? []) : [previousHolder.id];
  return [...new Set([...(finisher === null ? [] : [finisher.agentId]), ...left, ...tried])];
}

function carriedOf({ session }: Custody, { visible, limit = null, handoff }: Turn): CarriedEntry {
  const { messageCount, toolCallCount, visibleFrom, visibleCallsFrom } = session;
  return {
    visible,
    limit,
    log: { messageCount, toolCallCount, visibleFrom, visibleCallsFrom },
    handoff: handoff && stored(handoff),
  };
}

function stored({
  prepared: { context, contentHash, carry, limit, sources },
  triggeringToolCallIds,
}: NonNullable<Turn['handoff']>): NonNullable<CarriedEntry['handoff']> {
  return {
    context,
    contentHash,
    carry,
    limit,
    lastTurnId: sources.lastTurnId,
    lastTurnCallIds: triggeringToolCallIds ?? sources.lastTurnCallIds,
  };
}

/** The finisher that an entry keeps. */
export function finisherAmong(queued: QueuedSession | null): Finisher | null {
  const {
    sourceAgentId: agentId = null,
    sourceAgentType: agentType = null,
    sourceAgentSessionId: tenureId = null,
  } = queued ?? {};
  return agentId === null || agentType === null || tenureId === null ? null : { agentId, agentType, tenureId };
}

/** A changed priority changes the place. */
export function changePriority(work: Work, queued: QueuedSession, priority: SessionPriority): void {
  work.change('queue_entries', queued, { effectiveAt: effectiveAt({ ...queued, priority }) });
}
