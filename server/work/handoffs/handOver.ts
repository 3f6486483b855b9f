import { canonicalJson } from '../../core/canonicalJson.ts';
import { encodeId } from '../../core/ids.ts';
import { estimateTokensOf } from '../../core/tokens.ts';
import type { HandoffVia } from '../../generated/prisma/client.ts';
import { buildContext, contentHash, redactionsIn } from '../context/build.ts';
import { type Carry, carriedContext } from '../context/carry.ts';
import type { Edited, Context, Passage, StoredVariables } from '../context/context.ts';
import { readVisibleSources } from '../context/received.ts';
import type { Sources } from '../context/sources.ts';
import { storedContext } from '../context/storage.ts';
import { type PendingCall, withCall } from '../context/withCall.ts';
import type { Custody } from '../custody/custody.ts';
import { stageNamed, type Stage, type Stay, type Way } from '../custody/pipeline.ts';
import type { LastHandoff, LockedAgent, ReadLimit } from '../custody/read.ts';
import { captureSnapshot } from '../custody/snapshot.ts';
import { currentStay, enterStage, giveStage, presentStage, recordStage } from '../custody/stages.ts';

export interface HandOver {
  target: LockedAgent;
  via: HandoffVia;
  reason: string | null;
  summary: string | null;
  metadata: unknown;
  staleAfterMinutes: number;
  priorTurnId?: string | null;
  triggeringToolCallIds?: readonly string[] | null;
  /** The way through the pipeline; null when the Session stays in its stage, if it is in one. */
  enters?: Advance | null;
  /** The Handoff that timed out before: the new one has the same source, and leaves the same stage. */
  replaces?: LastHandoff | null;
  /** The agent that a queued Session was last held by, and its tenure: the source of the Handoff. */
  finisher?: Finisher | null;
  /** The stay that a Handoff out of the pipeline leaves. */
  leftEntryId?: string | null;
  /** The Handoff that a person approved, which moves the Session now; null for a new one. */
  proposal?: LastHandoff | null;
}

export interface Advance {
  way: Way;
  payload: unknown;
}

/** What the target reads of the step that brought it the Session. */
export interface Told {
  /** Null when the Session has left its pipeline. */
  stage: Stage | null;
  outcome: string;
  payload: unknown;
}

export const toldOf = ({ way, payload }: Advance): Told => ({ stage: way.to!, outcome: way.outcome, payload });

export interface Finisher {
  agentId: string;
  agentType: string;
  tenureId: string;
}

/** What a Handoff stores. */
export interface Carried {
  context: Context;
  sources: Pick<Sources, 'visible' | 'lastTurnId' | 'lastTurnCallIds'>;
  contentHash: string;
  variables: StoredVariables;
  /** Null: everything. */
  carry: Carry | null;
  /** What the source reads; null for everything. */
  limit: ReadLimit | null;
}

export interface Prepared extends Carried {
  /** The Context before the Carry, for the loop rule. */
  whole: Context;
  sources: Sources;
}

/** With what a stay in a stage began: a hash of the payload of the stay before, and the reason of its first Handoff. */
export interface Came {
  payload: string | null;
  reason: string | null;
}

/** SQL of `Came` for the stay `e` that a condition names; null without one. */
export const cameSql = (condition: string): string => `(
  SELECT json_build_object('payload', md5(b.payload::text), 'reason',
    (SELECT f.reason FROM handoffs f WHERE f.session_id = e.session_id AND f.stage_entry_id = e.id ORDER BY f.depth LIMIT 1))
  FROM stage_entries e LEFT JOIN stage_entries b ON b.session_id = e.session_id AND b.number = e.number - 1 WHERE ${condition})`;

interface Given {
  summary: string | null;
  reason: string | null;
  contextVariables: Record<string, unknown> | null;
  /** By whom those variables are set; the caller, when omitted. */
  variablesBy?: string;
  tool?: { name: string | null; instructions: string | null };
  /** Of a proposed Handoff; the next in the chain, when omitted. */
  depth?: number;
  /** What a person changed before approving. */
  edited?: Edited | null;
  /** Null: everything that the source may see. An operator's own move carries all (`byOperator`). */
  carry: Carry | null;
  byOperator: boolean;
  /** The agent that hands off, if it is not the holder. */
  sourceAgentId?: string | null;
  /** With what the stage that is left began; null when not known. */
  came?: Came | null;
  call?: PendingCall | null;
}

/** Builds the Handoff's Context (rules: carry, whole or nothing). The target is null while the Session waits for one. */
export async function prepareContext(
  custody: Custody,
  given: Given,
  target: LockedAgent | null,
  told: Told | null = null,
): Promise<Prepared> {
  const { work, session } = custody;
  const { summary, carry } = given;
  const { sourceAgentId = session.agentId } = given;
  const limit = given.byOperator ? null : custody.limitOf(sourceAgentId);
  const read = await readVisibleSources(work, session.id, limit && { agentId: sourceAgentId!, from: limit.from });
  if (read === null) throw new Error(`session ${session.id} vanished under its lock`);
  const sources = given.call == null ? read.sources : withCall(read.sources, given.call);
  const variables = custody.variablesWith(given.contextVariables, given.variablesBy);
  const passage = {
    ...(target && { to: target.id }),
    depth: given.depth ?? session.handoffCount + 1,
    reason: given.reason,
    ...(given.edited != null && { edited: given.edited }),
    ...(given.tool && { tool: given.tool }),
    ...stagePassage(custody, told, given.tool),
  };
  const input = {
    summary,
    variables: read.variablesOf(variables),
    instructions: target?.instructions ?? null,
    passage,
    filesWithheld: limit !== null,
  };
  const whole = buildContext(sources, input);
  const context = carry === null ? whole : carriedContext(sources, input, carry);
  return {
    context,
    whole,
    sources,
    variables,
    carry,
    limit,
    contentHash: contentHash(
      whole,
      summary,
      sources.lastAgentTurnHash,
      told && {
        payload: told.payload,
        reason: given.reason,
        words: sources.lastAssistant?.sequence ?? null,
        came: given.came ?? { payload: null, reason: null },
      },
    ),
  };
}

/** The stage of the target and its instructions; of the present stage when the move keeps it. */
function stagePassage(
  { pipeline, session }: Custody,
  told: Told | null,
  tool: { name: string | null; instructions: string | null } | undefined,
): Pick<Passage, 'stage' | 'tool'> {
  if (pipeline === null) return {};
  if (session.stage === null) return told === null ? {} : { stage: { outcome: told.outcome, payload: told.payload } };
  const { outcome, payload } = told ?? {};
  const stage = told?.stage ?? stageNamed(pipeline, session.stage);
  const instructions = [stage.instructions, tool?.instructions].filter((text) => text != null).join('\n\n');
  return {
    stage: { name: stage.name, ...(told && { outcome, payload }) },
    ...(instructions !== '' && { tool: { name: tool?.name ?? null, instructions } }),
  };
}

/** What a Handoff stores of its Context and its parties. */
export function rowOf(
  custody: Custody,
  { context, carry, contentHash }: Carried,
  input: HandOver,
  source: Finisher | null,
) {
  const { target } = input;
  return {
    via: input.via,
    reason: input.reason,
    ...storedContext(context),
    carry: carry as never,
    circular: custody.active.includes(target.id),
    operatorEpoch: custody.session.operatorEpoch,
    tokenEstimate: estimateTokensOf(canonicalJson(context)),
    redactionCount: redactionsIn(context),
    contentHash,
    sourceAgentId: source?.agentId ?? null,
    sourceAgentType: source?.agentType ?? null,
    sourceAgentSessionId: source?.tenureId ?? null,
    targetAgentId: target.id,
    targetAgentType: target.type,
  };
}

/**
 * Moves a locked Session to `target` with a Handoff: closes the open one (rule: supersede), ends the holder's tenure, begins
 * a PENDING one for the target, and stages the Handoff with its Context, snapshot, log entry and events. Returns the
 * Handoff's id.
 */
export function handOver(custody: Custody, prepared: Carried, input: HandOver): string {
  const { work, session } = custody;
  const { target, finisher = null, proposal = null } = input;
  const { sources } = prepared;
  const handoffId = proposal?.id ?? work.newId();
  const previousHolder = custody.holder;
  const replaced = input.replaces ?? (custody.openHandoff?.status === 'INITIATED' ? custody.openHandoff : null);
  const left = input.replaces == null ? leaveHolder(custody) : sourceOf(custody, input.replaces);
  const source = finisher ?? finisherOf(left);
  const wasUnheld = previousHolder === null;

  const snapshotId = captureSnapshot(work, session, 'HANDOFF_INITIATED', source?.tenureId ?? null, sources.visible);
  custody.changed({ messageCount: session.messageCount + 1 });
  work.insert('messages', {
    id: work.newId(),
    sessionId: session.id,
    sequence: session.messageCount,
    role: 'HANDOFF',
    kind: 'TEXT',
    content: `Routed to ${target.id}`,
    agentSessionId: source?.tenureId ?? null,
    handoffId,
    createdAt: work.now,
    recordedBy: work.caller.principal,
    recordedRole: work.caller.role,
  });
  custody.endTenure('HANDED_OFF', handoffId);
  if (finisher !== null && custody.tenure?.id === finisher.tenureId)
    work.change('agent_sessions', custody.tenure, { terminatedByHandoffId: handoffId });
  if (wasUnheld) custody.setStatus('RUNNING');
  custody.changed({
    previousAgentType: previousHolder?.type ?? session.previousAgentType,
    contextVariables: prepared.variables as never,
    lastReassignedAt: work.now,
    handoffCount: session.handoffCount + (proposal === null ? 1 : 0),
  });
  const visible = {
    ...sources.visible,
    handoff: sources.visible.handoff + 1,
    bytes: sources.visible.bytes + `Routed to ${target.id}`.length,
  };
  const tenure = custody.beginTenure(
    target,
    'PENDING',
    visible,
    prepared.carry === null ? prepared.limit : custody.limitFromNow(),
  );

  const from = currentStay(custody);
  const { enters = null } = input;
  const queuedFrom = finisher && leftByFinisher(custody, finisher);
  const stay =
    enters === null
      ? giveStage(custody, target.id)
      : enterStage(custody, enters.way.to!.name, target.id, {
          outcome: enters.way.outcome,
          payload: enters.payload,
          sentBack: enters.way.back,
        });
  const { remindAfterMinutes = null } = presentStage(custody) ?? {};

  const moved = {
    ...rowOf(custody, prepared, input, source),
    status: 'INITIATED' as const,
    targetAgentSessionId: tenure.id,
    snapshotId,
    ...(stay === null
      ? { leftEntryId: input.leftEntryId ?? null }
      : {
          stageEntryId: stay.id,
          leftEntryId: enters === null ? (replaced?.leftEntryId ?? queuedFrom?.id ?? null) : (from?.id ?? null),
        }),
    // A trigger sets it where no stage is left.
    sentBack: enters?.way.back ?? (replaced?.leftEntryId == null ? queuedFrom : replaced)?.sentBack ?? false,
    initiatedAt: work.now,
    deadlineAt: minutesAfter(work.now, input.staleAfterMinutes),
    acceptWithinMinutes: input.staleAfterMinutes,
    extensions: 0,
    remindAt: remindAfterMinutes === null ? null : minutesAfter(work.now, remindAfterMinutes),
  };
  if (proposal === null) {
    work.insert('handoffs', {
      id: handoffId,
      sessionId: session.id,
      ...moved,
      metadata: input.metadata ?? null,
      depth: session.handoffCount,
      priorTurnId: input.priorTurnId ?? sources.lastTurnId,
      previousHandoffId: session.lastHandoffId,
      actorPrincipal: work.caller.principal,
      actorRole: work.caller.role,
    });
    for (const [position, toolCallId] of (input.triggeringToolCallIds ?? sources.lastTurnCallIds).entries())
      work.insert('handoff_tool_calls', { handoffId, toolCallId, position });
    custody.changed({ lastHandoffId: handoffId });
  } else work.change('handoffs', proposal, moved);
  const parties = { id: handoffId, sourceAgentId: moved.sourceAgentId, targetAgentId: target.id };
  custody.reportHandoff(moved);
  custody.recordHandoff('HANDOFF_INITIATED', parties, { holderId: previousHolder?.id ?? null, reason: input.reason });
  custody.recordCustody('SESSION_REASSIGNED', {
    previousHolder,
    source: left?.agent ?? null,
    handoff: parties,
    reason: input.reason,
  });
  if (enters !== null)
    recordStage(custody, { from: from?.stage ?? null, outcome: enters.way.outcome, handoff: parties });

  work.afterCommit(() => {
    work.log.info(
      {
        handoff: encodeId('handoff', handoffId),
        session: encodeId('session', session.id),
        source: moved.sourceAgentId,
        target: target.id,
        duration_ms: Math.round((performance.now() - work.startedAt) * 10) / 10,
      },
      'handoff_created',
    );
  });
  return handoffId;
}

/** The stay that a queued Handoff leaves: the one before, if its source did not work in this one. */
export function leftByFinisher(custody: Custody, { agentId }: Finisher): Stay | null {
  const stay = currentStay(custody);
  return stay?.tried.includes(agentId) === false
    ? (custody.pipeline?.stays.find(({ number }) => number === stay.number - 1) ?? null)
    : null;
}

export const minutesAfter = (from: Date, minutes: number): Date => new Date(from.getTime() + minutes * 60_000);

/** The agent and tenure that a Session leaves, as the source of a Handoff. */
export const finisherOf = (left: { agent: LockedAgent; tenureId: string } | null): Finisher | null =>
  left && { agentId: left.agent.id, agentType: left.agent.type, tenureId: left.tenureId };

/**
 * Closes the open Handoff and returns the agent and tenure that the Session leaves (rule: supersede). A superseded target
 * never accepted, so the move is from the agent before it. Null for an unassigned Session.
 */
export function leaveHolder(custody: Custody): { agent: LockedAgent; tenureId: string } | null {
  const open = custody.openHandoff;
  const { holder, openTenure } = custody;
  if (open?.status === 'INITIATED') {
    custody.closeHandoff(open, { status: 'CANCELLED', cancelReason: 'superseded' });
    custody.endTenure('DECLINED');
    return sourceOf(custody, open);
  }
  if (open !== null) custody.closeHandoff(open, { status: 'COMPLETED' });
  return holder === null || openTenure === null ? null : { agent: holder, tenureId: openTenure.id };
}

/** The agent and tenure that a Handoff comes from. */
export function sourceOf(custody: Custody, handoff: LastHandoff): { agent: LockedAgent; tenureId: string } | null {
  const agent = custody.agent(handoff.sourceAgentId);
  return agent === null || handoff.sourceAgentSessionId === null
    ? null
    : { agent, tenureId: handoff.sourceAgentSessionId };
}
