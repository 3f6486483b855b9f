import { InvalidPayloadError, InvalidStateError, NotFoundError, TransitionNotAllowedError } from '../../core/errors.ts';
import { encodeId } from '../../core/ids.ts';
import type { Work } from '../../core/work.ts';
import { mergeVariables, type StoredVariables } from '../context/context.ts';
import { propose } from '../handoffs/propose.ts';
import { Custody } from '../custody/custody.ts';
import { demandAct, demandMove, movedSession } from '../custody/demand.ts';
import { type Path, undecidedText } from '../custody/mayChangeHands.ts';
import {
  newestStay,
  waysFrom,
  type Definition,
  type SessionPipeline,
  type Stage,
  type Way,
} from '../custody/pipeline.ts';
import { payloadsSql } from '../custody/read.ts';
import { enterStage, leaveStage, recordStage } from '../custody/stages.ts';
import { type Advance, finisherOf, handOver, leaveHolder, prepareContext, toldOf } from '../handoffs/handOver.ts';
import { demandOf, type HandoffSettings, pathOf, readMove, startedHandoff } from '../handoffs/initiateHandoff.ts';
import { enqueue } from '../queue/entry.ts';
import { endWork } from '../sessions/changeSession.ts';
import { chooseOrQueue, queueOf } from './chooseOrQueue.ts';
import { faultsOfPayload, payloadMeant, schemaOfPayload } from './payloads.ts';

export interface AdvancePipelineInput {
  sessionId: string;
  outcome: string;
  payload: unknown;
  reason: string | null;
  summary: string | null;
  contextVariables?: Record<string, unknown> | null;
}

export interface AdvancePipelineAnswer {
  sessionId: string;
  /** Null when the Session waits for an agent, or when the pipeline is completed. */
  handoffId: string | null;
}

// A pipeline never changes, and a Session leaves it once, so this is final before the custody is read.
const wayRead = {
  columns: 's.id, s.stage, s.context_variables, s.pipeline_id',
  select: `s.stage, s.context_variables AS variables, (SELECT json_build_object('start', p.start, 'stages', p.stages, 'transitions', p.transitions, 'payloads', ${payloadsSql}) FROM pipelines p WHERE p.id = s.pipeline_id) AS pipeline`,
};
interface WayRead {
  stage: string | null;
  variables: StoredVariables;
  pipeline: Pick<SessionPipeline, keyof Definition | 'payloads'> | null;
}

/**
 * The holder, or an operator, ends the present stage with an outcome (rule: advance). `isAgents` as if the holder did; only a dry run
 * says so for an operator.
 */
export async function advancePipeline(
  work: Work,
  input: AdvancePipelineInput,
  { staleAfterMinutes, approveWithinMinutes }: HandoffSettings,
  isAgents = work.caller.agentId !== null,
): Promise<AdvancePipelineAnswer> {
  const { sessionId, outcome, contextVariables = null } = input;
  const read = await work.lockAndReadSession<WayRead & object>(sessionId, wayRead);
  if (read === null) throw new NotFoundError('session', encodeId('session', sessionId));
  const payload =
    read.pipeline === null || read.stage === null
      ? input.payload
      : payloadMeant(read.pipeline, read.stage, outcome, input.payload);
  const ahead =
    read.pipeline && read.stage !== null
      ? waysFrom({ ...read.pipeline, stays: [] }, read.stage, {
          variables: mergeVariables(read.variables, contextVariables ?? {}, ''),
          payload,
          payloads: read.pipeline.payloads,
        }).ways.find((way) => way.outcome === outcome)
      : undefined;
  // Asks for the check before anything else is read. The verdict is used in the order of the rules.
  if (ahead !== undefined) faultsOfPayload(work, schemaOfPayload(read.pipeline!, ahead.transition), payload);
  const next = ahead?.to;
  const custody = await Custody.of(work, sessionId, {
    everyCandidate: work.attempt > 1,
    forStage: next == null ? null : { stage: next.name, untried: false },
  });
  const earlier = await work.earlierAnswer<AdvancePipelineAnswer>();
  if (earlier !== null) return earlier;

  demandAct(custody, 'work');
  const variables = custody.variablesWith(contextVariables);
  const path = pathOf(custody, { outcome, payload, variables: contextVariables });
  // The guards bind the holder, not an operator.
  const moveRead = isAgents ? await readMove(custody, fromLastTurn) : null;
  const started = moveRead && { ...startedHandoff(custody, moveRead, { byAgent: true }), path };
  const move = { session: movedSession(custody), expectedVersion: null, target: null, agentType: null, started };
  demandMove(work, move, 'already assigned');
  const { stage, ways, undecided = [] } = demandStage(custody, path);
  demandMove(work, move, 'transition');
  const way = ways.find((each) => each.outcome === outcome);
  const allowed = ways.map((each) => each.outcome);
  if (way === undefined)
    throw new TransitionNotAllowedError(
      undecided.filter((each) => each.outcome === outcome).map(undecidedText)[0] ??
        `Stage '${stage}' has no outcome ${outcome}: give one of ${allowed.join(', ')}`,
      stage,
      outcome,
      allowed,
    );
  const schema = schemaOfPayload(custody.pipeline!, way.transition);
  const problems = faultsOfPayload(work, schema, payload);
  if (schema !== null && problems.length > 0) throw new InvalidPayloadError(problems, schema);

  // The end of the pipeline is no Handoff.
  const demand = isAgents && way.to !== null ? demandOf(custody, way, {}) : null;
  if (contextVariables !== null && demand === null) custody.changed({ contextVariables: variables as never });
  if (way.to === null) {
    complete(custody, way, { ...input, payload });
    return { sessionId, handoffId: null };
  }
  const target = chooseOrQueue(custody.agents, way.to, {
    without: [custody.session.agentId],
    before: newestStay(custody.pipeline!, way.to.name),
  });
  const whole = { ...move, target, stage: way.to };
  // All agents of the stage are looked at under their locks before the Session waits.
  demandMove(work, whole, target !== null ? 'loop' : work.attempt > 1 && demand === null ? 'free choice' : undefined);
  const { reason, summary } = input;
  const enters = { way, payload };
  const acceptWithinMinutes = way.to.acceptWithinMinutes ?? staleAfterMinutes;
  if (!isAgents) work.change('sessions', custody.session, { operatorEpoch: custody.session.operatorEpoch + 1 });
  if (target === null) {
    await waitInStage(custody, enters, way.to, { reason, summary, acceptWithinMinutes, byOperator: !isAgents });
    return { sessionId, handoffId: null };
  }
  const prepared = await prepareContext(
    custody,
    {
      reason,
      summary,
      contextVariables: demand === null ? null : contextVariables,
      carry: null,
      byOperator: !isAgents,
      came: moveRead?.came ?? null,
    },
    target,
    toldOf(enters),
  );
  demandMove(work, { ...whole, started: started && { ...started, contentHash: prepared.contentHash } });
  const given = {
    target,
    via: 'PIPELINE' as const,
    reason,
    summary,
    metadata: null,
    staleAfterMinutes: acceptWithinMinutes,
    enters,
  };
  if (work.dryRun !== null) work.dryRun.demandedBy = demand;
  if (demand === null) return { sessionId, handoffId: handOver(custody, prepared, given) };
  const request = {
    summary,
    contextVariables,
    tool: null,
    carry: null,
    outcome,
    payload,
    acceptWithinMinutes: staleAfterMinutes,
  };
  return { sessionId, handoffId: propose(custody, prepared, given, { demand, request, approveWithinMinutes }) };
}

const fromLastTurn = { priorTurnId: null, triggeringToolCallIds: null, targetAgentId: null };

/** @throws InvalidStateError unless an agent has taken the Session over in a stage of a pipeline. */
function demandStage({ session, openTenure, takenTenure }: Custody, path: Path | null): Path {
  if (path === null)
    throw new InvalidStateError(
      'The session is in no stage of a pipeline: hand it off with initiateHandoff, or end it with completeSession',
      'NO_PIPELINE',
      [],
    );
  if (openTenure === null)
    throw new InvalidStateError(
      `The session waits for an agent in stage '${path.stage}': assign it first (reassignSession)`,
      'UNASSIGNED',
      ['ACTIVE', 'PAUSED'],
    );
  if (takenTenure === null)
    throw new InvalidStateError(
      `Agent '${session.agentId}' is PENDING in this session: it has to accept its handoff first (acceptHandoff)`,
      'PENDING',
      ['ACTIVE', 'PAUSED'],
    );
  return path;
}

/** The Session leaves its holder, whose place is free then, and waits in the next stage. Its Handoff is made when its turn comes. */
async function waitInStage(
  custody: Custody,
  enters: Advance,
  stage: Stage,
  {
    reason,
    summary,
    acceptWithinMinutes,
    byOperator,
  }: { reason: string | null; summary: string | null; acceptWithinMinutes: number; byOperator: boolean },
): Promise<void> {
  const { work, session } = custody;
  const previousHolder = custody.holder;
  const { outcome, back, transition } = enters.way;
  const prepared = await prepareContext(
    custody,
    { reason, summary, contextVariables: null, carry: null, byOperator },
    null,
    toldOf(enters),
  );
  const finisher = finisherOf(leaveHolder(custody));
  custody.endTenure('HANDED_OFF');
  custody.changed({ previousAgentType: previousHolder?.type ?? session.previousAgentType, lastReassignedAt: work.now });
  enterStage(custody, stage.name, null, { outcome, payload: enters.payload, sentBack: back });
  const handoff = { via: 'PIPELINE' as const, prepared, acceptWithinMinutes };
  enqueue(custody, queueOf(stage), {
    handoff,
    visible: prepared.sources.visible,
    finisher,
    previousHolder,
    reason,
    summary,
  });
  recordStage(custody, { from: transition.from, outcome });
}

/** The end of the pipeline completes the Session, with the payload as its result. */
function complete(custody: Custody, way: Way, { payload, summary }: AdvancePipelineInput): void {
  const { outcome, transition } = way;
  leaveStage(custody, { outcome, payload, sentBack: false });
  endWork(custody, { status: 'COMPLETED', result: payload ?? null, summary });
  custody.changed({ stage: null });
  recordStage(custody, { type: 'PIPELINE_COMPLETED', from: transition.from, outcome });
}
