import { createHash } from 'node:crypto';
import { canonicalJson } from '../../core/canonicalJson.ts';
import type { Carry } from '../context/carry.ts';
import type { Custody } from '../custody/custody.ts';
import { captureSnapshot } from '../custody/snapshot.ts';
import { finisherOf, minutesAfter, type HandOver, type Prepared, rowOf } from './handOver.ts';
import type { Demand } from './demanded.ts';

/** What the agent gave with the Handoff that it proposed, from which the Context is built again at the approval. The rest is in the Handoff. */
export interface ProposalRequest {
  /** Null: composed from the log. */
  summary: string | null;
  contextVariables: Record<string, unknown> | null;
  tool: { name: string | null; instructions: string | null } | null;
  /** Null: everything. */
  carry: Carry | null;
  /** The outcome that the agent gave in a pipeline; null when it named an agent. */
  outcome: string | null;
  payload: unknown;
  acceptWithinMinutes: number;
}

interface Proposed {
  demand: Demand;
  request: ProposalRequest;
  approveWithinMinutes: number | undefined;
}

export const defaultApproveWithinMinutes = 24 * 60;

/** A person is reminded once, when half of the time is over. */
const remindAfter = 0.5;

/**
 * Hash of what the target would read: another one when anything of it is new, also the title of the Session or the instructions of the
 * target. The hash of an approved Handoff, for the loop rule, is another.
 */
export const shownHash = ({ context, sources }: Pick<Prepared, 'context' | 'sources'>): string =>
  createHash('sha256')
    .update(canonicalJson([sources.title, context]))
    .digest('hex');

/**
 * Stages the Handoff that an agent wants as PROPOSED, with its Context and events, and returns its id (rule: approval). Custody, load
 * and the source's tenure stay as they are.
 */
export function propose(
  custody: Custody,
  prepared: Prepared,
  move: HandOver,
  { demand, request, approveWithinMinutes = defaultApproveWithinMinutes }: Proposed,
): string {
  const { work, session, openTenure, holder } = custody;
  if (holder === null || openTenure === null) throw new Error(`session ${session.id} has no agent that could propose`);
  // The agent has taken the Session over, since it passes it on.
  if (custody.openHandoff !== null) custody.closeHandoff(custody.openHandoff, { status: 'COMPLETED' });
  const source = finisherOf({ agent: holder, tenureId: openTenure.id });
  const snapshotId = captureSnapshot(work, session, 'CHECKPOINT', openTenure.id, prepared.sources.visible);
  const id = work.newId();
  const deadlineAt = minutesAfter(work.now, approveWithinMinutes);
  custody.changed({ handoffCount: session.handoffCount + 1 });
  const handoff = work.insert('handoffs', {
    id,
    sessionId: session.id,
    ...rowOf(custody, { ...prepared, contentHash: shownHash(prepared) }, move, source),
    status: 'PROPOSED',
    metadata: move.metadata ?? null,
    depth: session.handoffCount,
    targetAgentSessionId: null,
    priorTurnId: move.priorTurnId ?? prepared.sources.lastTurnId,
    snapshotId,
    previousHandoffId: session.lastHandoffId,
    sentBack: move.enters?.way.back ?? false,
    actorPrincipal: work.caller.principal,
    actorRole: work.caller.role,
    initiatedAt: work.now,
    deadlineAt,
    acceptWithinMinutes: move.staleAfterMinutes,
    extensions: 0,
  });
  for (const [position, toolCallId] of (move.triggeringToolCallIds ?? prepared.sources.lastTurnCallIds).entries())
    work.insert('handoff_tool_calls', { handoffId: id, toolCallId, position });
  custody.changed({ lastHandoffId: id });
  work.insert('approvals', {
    id,
    kind: 'HANDOFF',
    sessionId: session.id,
    agentId: holder.id,
    agentSessionId: openTenure.id,
    handoffId: id,
    demandedBy: demand,
    request: request as never,
    requestedAt: work.now,
    deadlineAt,
    remindAt: minutesAfter(work.now, approveWithinMinutes * remindAfter),
  });
  custody.reportHandoff(handoff);
  custody.recordHandoff(
    'HANDOFF_PROPOSED_FOR_APPROVAL',
    { id, sourceAgentId: holder.id, targetAgentId: move.target.id, targetAgentSessionId: null },
    { reason: move.reason, metadata: { demandedBy: demand } },
  );
  return id;
}
