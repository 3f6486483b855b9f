import { statement } from '../../core/changes.ts';
import { Overtaken } from '../../core/work.ts';
import { asCarry } from '../context/carry.ts';
import type { Custody } from '../custody/custody.ts';
import type { Stage } from '../custody/pipeline.ts';
import type { LastHandoff } from '../custody/read.ts';
import { currentStay, presentStage, vacateStage } from '../custody/stages.ts';
import { afterTimeOut, reasonOfEscalation } from '../pipelines/afterTimeOut.ts';
import { enqueue } from '../queue/entry.ts';
import { type Came, cameSql, finisherOf, handOver, prepareContext, sourceOf, type Told } from './handOver.ts';

const readStatement = statement(`
SELECT h.reason, CASE WHEN (h.context ->> 'summaryComposed')::bool IS FALSE THEN h.summary END AS summary, h.metadata, h.prior_turn_id AS "priorTurnId", h.carry,
  t.reads_from IS NOT NULL AS limited,
  coalesce(h.accept_within_minutes, extract(epoch FROM h.deadline_at - h.initiated_at)::float8 / 60) AS minutes, e.outcome, e.payload,
  ${cameSql('e.id = h.left_entry_id')} AS came
FROM handoffs h JOIN agent_sessions t ON t.id = h.target_agent_session_id LEFT JOIN stage_entries e ON e.id = h.left_entry_id WHERE h.id = $1`);

interface Row {
  reason: string | null;
  summary: string | null;
  metadata: unknown;
  priorTurnId: string | null;
  carry: unknown;
  /** The target reads less than everything; so does the next one. The actor does not tell: it may be Baton. */
  limited: boolean;
  minutes: number;
  outcome: string | null;
  payload: unknown;
  came: Came | null;
}

/** The step that brought the Session into its stage, for another target. */
export const toldAgain = (stage: Stage | null, outcome: string | null, payload: unknown): Told | null =>
  stage === null || outcome === null ? null : { stage, outcome, payload };

/**
 * Passes on a Session whose Handoff timed out in a pipeline, from the same source: to the next agent, into the queue, or
 * where the stage escalates to (rules: next agent, escalation). Returns false when the Session has to go back to its source.
 */
export async function passOn(custody: Custody, handoff: LastHandoff): Promise<boolean> {
  const { work, session } = custody;
  const stage = presentStage(custody);
  // An operator's move within a stage returns to its source.
  if (stage === null || (handoff.leftEntryId === null && handoff.sourceAgentId !== null)) return false;
  const tried = currentStay(custody)?.tried ?? [];
  const next = afterTimeOut(custody.agents, stage, [...tried, session.agentId, handoff.sourceAgentId]);
  // The first attempt locks only agents of the stage with a free place.
  if (work.attempt === 1 && (next === null || next.target === null || next.escalated)) throw new Overtaken();
  if (next === null) return false;

  const [row] = await work.query<Row>(readStatement, [handoff.id]);
  if (row === undefined) throw new Error(`handoff ${handoff.id} is not there under its session's lock`);
  const { reason, summary, metadata, priorTurnId, minutes, outcome, payload, carry, limited, came } = row;
  const told = toldAgain(stage, outcome, payload);
  const given = {
    reason,
    summary,
    contextVariables: null,
    carry: carry === null ? null : asCarry(carry),
    byOperator: !limited,
    sourceAgentId: handoff.sourceAgentId,
    came,
  };
  const prepared = await prepareContext(custody, given, next.target, told);
  const previousHolder = custody.holder;
  custody.closeHandoff(handoff, { status: 'TIMED_OUT' });
  if (next.escalated)
    custody.recordHandoff('HANDOFF_ESCALATED', handoff, {
      reason: reasonOfEscalation(stage, next),
      metadata: { stage: stage.name, escalateTo: stage.escalateTo },
    });
  custody.endTenure('DECLINED');
  if (next.target !== null) {
    handOver(custody, prepared, {
      target: next.target,
      via: 'PIPELINE',
      reason,
      summary,
      metadata,
      priorTurnId,
      staleAfterMinutes: minutes,
      replaces: handoff,
    });
    return true;
  }
  custody.changed({ previousAgentType: previousHolder?.type ?? null, lastReassignedAt: work.now });
  vacateStage(custody);
  const { visible } = prepared.sources;
  const turn = {
    via: 'PIPELINE' as const,
    prepared: { ...prepared, sources: { ...prepared.sources, lastTurnId: priorTurnId } },
    acceptWithinMinutes: minutes,
  };
  enqueue(custody, next.wants, {
    handoff: turn,
    visible,
    finisher: finisherOf(sourceOf(custody, handoff)),
    previousHolder,
    tried,
    escalated: next.forOperators,
    reason,
    summary,
    metadata,
  });
  return true;
}
