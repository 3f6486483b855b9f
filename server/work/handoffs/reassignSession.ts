import { encodeId } from '../../core/ids.ts';
import type { Work } from '../../core/work.ts';
import { addressedTo } from '../context/context.ts';
import { Custody } from '../custody/custody.ts';
import { demandMove, lockSession, movedSession } from '../custody/demand.ts';
import { leastLoaded } from '../custody/mayChangeHands.ts';
import type { Stage } from '../custody/pipeline.ts';
import type { LockedAgent } from '../custody/read.ts';
import { readVisible } from '../custody/snapshot.ts';
import { currentStay, giveStage, leaveStage, presentStage, putStageBack, recordStage } from '../custody/stages.ts';
import { enqueue, finisherAmong } from '../queue/entry.ts';
import { finisherOf, handOver, leaveHolder, prepareContext, type Told } from './handOver.ts';
import { keptOf, nothingKept } from './kept.ts';
import { demandTarget, idMeant } from './target.ts';

export interface ReassignSessionInput {
  sessionId: string;
  /** At least one of `agentId` and `agentType` is set. */
  agentId: string | null;
  agentType: string | null;
  skipHandoff: boolean;
  /** Waits for an agent of the type when none is free. Excludes `agentId`. */
  queue?: boolean;
  reason: string | null;
  summary: string | null;
  contextVariables: Record<string, unknown> | null;
  metadata: unknown;
  expectedVersion: number | null;
  /** True takes the Session out of its pipeline. */
  leavePipeline?: boolean;
}

export interface ReassignSessionAnswer {
  sessionId: string;
  handoffId: string | null;
  handoffCreated: boolean;
  previousAgentId: string | null;
  previousAgentType: string | null;
  /** Null: queued. */
  assignedAgentId: string | null;
  message: string;
}

/** An operator moves a Session to another agent, with a Handoff unless `skipHandoff` (rules: supersede, take back, free choice). */
export async function reassignSession(
  work: Work,
  input: ReassignSessionInput,
  { staleAfterMinutes }: { staleAfterMinutes: number },
): Promise<ReassignSessionAnswer> {
  await lockSession(work, input.sessionId);
  const custody = await Custody.of(work, input.sessionId, {
    agents: input.agentId === null ? [] : [idMeant(work, input.agentId)],
    type: input.agentId === null ? input.agentType : null,
    everyCandidate: work.attempt > 1,
  });
  const stage = input.leavePipeline === true ? null : presentStage(custody);
  const named =
    input.agentId === null ? null : demandTarget(custody, input.agentId, () => stage && [{ stage, by: '' }]);
  const earlier = await work.earlierAnswer<ReassignSessionAnswer>();
  if (earlier !== null) return earlier;

  const previous = custody.holder;
  const open = custody.openHandoff;
  const sourceId = open?.status === 'INITIATED' ? open.sourceAgentId : null;
  const target = named ?? chooseTarget(custody, input.agentType, work.attempt > 1, stage);
  const takesBack = open !== null && sourceId !== null && sourceId === target?.id;
  const waits = input.queue === true && target === null && work.attempt > 1;
  demandMove(
    work,
    {
      session: movedSession(custody),
      expectedVersion: input.expectedVersion,
      target,
      agentType: input.agentType,
      stage: takesBack ? null : stage,
      started: null,
    },
    waits ? 'free choice' : undefined,
  );

  work.change('sessions', custody.session, { operatorEpoch: custody.session.operatorEpoch + 1 });
  const kept = takesBack || input.skipHandoff ? nothingKept : await keptOf(custody);
  const leaves = input.leavePipeline === true ? currentStay(custody) : null;
  if (leaves !== null) {
    leaveStage(custody, { outcome: null, sentBack: false });
    custody.changed({ pipelineId: null, stage: null });
  }
  const left = (made: ReassignSessionAnswer): ReassignSessionAnswer => {
    if (leaves !== null) recordStage(custody, { from: leaves.stage, outcome: null });
    return made;
  };
  const given = {
    ...input,
    reason: input.reason ?? kept.reason,
    summary: input.summary ?? kept.summary,
    metadata: input.metadata ?? kept.metadata,
  };
  const told = kept.told && { ...kept.told, stage };
  if (waits) return left(await queueSession(custody, given, stage, told, staleAfterMinutes));
  if (target === null) throw new Error('a reassign without an agent and without a type is refused as input');
  custody.leaveQueue();
  const answer = (handoffId: string | null, how: string): ReassignSessionAnswer => ({
    sessionId: custody.session.id,
    handoffId,
    handoffCreated: handoffId !== null,
    previousAgentId: previous?.id ?? null,
    previousAgentType: previous?.type ?? null,
    assignedAgentId: target.id,
    message: `'${target.id}' holds the session now (before: ${previous === null ? 'no agent' : `'${previous.id}'`}). ${how}`,
  });
  if (open !== null && takesBack) {
    const visible = await readVisible(work, custody.session);
    custody.closeHandoff(open, { status: 'CANCELLED', cancelReason: input.reason });
    custody.changed({ contextVariables: custody.variablesWith(input.contextVariables) as never });
    custody.returnToSource(open, 'DECLINED', visible, input);
    putStageBack(custody, open, target.id);
    return left(answer(null, `Taken back: the handoff to '${open.targetAgentId}' was cancelled.`));
  }
  if (input.skipHandoff) {
    await moveWithoutHandoff(custody, target, input);
    return left(answer(null, 'No handoff was created, because skipHandoff is true.'));
  }
  // The source does not hand off to itself.
  const finisher = kept.finisher?.agentId === target.id ? null : kept.finisher;
  const prepared = await prepareContext(custody, { ...given, carry: null, byOperator: true }, target, told);
  const { instructions } = target;
  const context =
    finisher === null
      ? prepared.context
      : addressedTo(prepared.context, { from: finisher.agentId, to: target.id, instructions });
  const handoffId = handOver(
    custody,
    { ...prepared, context },
    {
      ...given,
      target,
      finisher,
      via: 'OPERATOR',
      staleAfterMinutes: stage?.acceptWithinMinutes ?? staleAfterMinutes,
      leftEntryId: leaves && (kept.leftEntryId ?? leaves.id),
    },
  );
  return left(answer(handoffId, `Handoff ${encodeId('handoff', handoffId)} was created and waits to be accepted.`));
}

/** Choosing the source of a waiting Handoff cancels it, so the source is chosen only when no other candidate is free, with all candidates locked. */
export function chooseTarget(
  { agents, holder, openHandoff }: Custody,
  type: string | null,
  everyCandidate: boolean,
  stage: Stage | null = null,
): LockedAgent | null {
  const holderId = holder?.id ?? null;
  const sourceId = openHandoff?.status === 'INITIATED' ? openHandoff.sourceAgentId : null;
  return (
    leastLoaded(agents, type, [holderId, sourceId], stage) ??
    (everyCandidate ? leastLoaded(agents, type, [holderId], stage) : null)
  );
}

/** Takes the Session from its holder and lets it wait for an agent of the type (rule: queue). */
async function queueSession(
  custody: Custody,
  input: ReassignSessionInput,
  stage: Stage | null,
  told: Told | null,
  staleAfterMinutes: number,
): Promise<ReassignSessionAnswer> {
  const { work, session, queued } = custody;
  const previousHolder = custody.holder;
  const prepared = input.skipHandoff
    ? null
    : await prepareContext(custody, { ...input, carry: null, byOperator: true }, null, told);
  const visible = prepared?.sources.visible ?? (await readVisible(work, session));
  const left = finisherOf(leaveHolder(custody));
  custody.endTenure('HANDED_OFF');
  custody.changed({
    contextVariables: (prepared?.variables ?? custody.variablesWith(input.contextVariables)) as never,
    previousAgentType: previousHolder?.type ?? session.previousAgentType,
    ...(previousHolder !== null && { lastReassignedAt: work.now }),
  });
  const { reason, summary, metadata } = input;
  enqueue(
    custody,
    { agentType: input.agentType, role: stage?.role ?? null },
    {
      handoff: prepared && {
        via: 'OPERATOR',
        prepared,
        acceptWithinMinutes: stage?.acceptWithinMinutes ?? staleAfterMinutes,
      },
      visible,
      finisher: left ?? finisherAmong(queued),
      previousHolder,
      reason,
      summary,
      metadata,
    },
  );
  return {
    sessionId: session.id,
    handoffId: null,
    handoffCreated: false,
    previousAgentId: previousHolder?.id ?? null,
    previousAgentType: previousHolder?.type ?? null,
    assignedAgentId: null,
    message: `The session waits in the queue (before: ${previousHolder === null ? 'no agent' : `'${previousHolder.id}'`}): no agent of type ${input.agentType} has a free place. ${
      input.skipHandoff
        ? 'It moves without a handoff, because skipHandoff is true.'
        : 'Its handoff is created when its turn comes.'
    }`,
  };
}

/** Moves custody without a Context for the next agent; the event is still written (rule: skip). */
async function moveWithoutHandoff(custody: Custody, target: LockedAgent, input: ReassignSessionInput): Promise<void> {
  const { work, session } = custody;
  const previousHolder = custody.holder;
  const visible = await readVisible(work, session);
  leaveHolder(custody);
  custody.endTenure('HANDED_OFF');
  if (previousHolder === null) custody.setStatus('RUNNING');
  custody.changed({
    contextVariables: custody.variablesWith(input.contextVariables) as never,
    previousAgentType: previousHolder?.type ?? session.previousAgentType,
    lastReassignedAt: work.now,
  });
  custody.beginTenure(target, custody.stateOfTaken(), visible);
  giveStage(custody, target.id);
  const { reason, summary, metadata } = input;
  custody.recordCustody('SESSION_REASSIGNED', { previousHolder, reason, summary, metadata });
}
