import { asCarry } from '../context/carry.ts';
import { statement } from '../core/changes.ts';
import type { Custody } from '../custody/custody.ts';
import type { LastHandoff } from '../custody/read.ts';
import { currentStay, presentStage } from '../custody/stages.ts';
import { chooseOrQueue } from '../pipelines/chooseOrQueue.ts';
import { handOver, prepareContext, type Told } from './handOver.ts';

const readStatement = statement(`
SELECT h.reason, CASE WHEN (h.context ->> 'summaryComposed')::bool IS FALSE THEN h.summary END AS summary, h.metadata, h.prior_turn_id AS "priorTurnId", h.carry,
  t.reads_from IS NOT NULL AS limited,
  extract(epoch FROM h.deadline_at - h.initiated_at)::float8 / 60 AS minutes, e.outcome, e.payload
FROM handoffs h JOIN agent_sessions t ON t.id = h.target_agent_session_id LEFT JOIN stage_entries e ON e.id = h.left_entry_id WHERE h.id = $1`);

interface Row {
  reason: string | null;
  summary: string | null;
  metadata: unknown;
  priorTurnId: string | null;
  carry: unknown;
  /** Its target did not read everything: nor do the agents after it. Its actor may be Baton. */
  limited: boolean;
  minutes: number;
  outcome: string | null;
  payload: unknown;
}

/**
 * Gives a Session whose Handoff timed out in a pipeline to the next agent of the stage that did not have it in this stay,
 * from the same source. False when there is none with a place, and for an operator's move within a stage.
 */
export async function passOn(custody: Custody, handoff: LastHandoff): Promise<boolean> {
  const { work, session } = custody;
  const stage = presentStage(custody);
  if (stage === null || (handoff.leftEntryId === null && handoff.sourceAgentId !== null)) return false;
  const target = chooseOrQueue(custody.agents, stage, { without: [session.agentId, handoff.sourceAgentId], before: currentStay(custody), untried: true });
  if (target === null) return false;
  const [row] = await work.query<Row>(readStatement, [handoff.id]);
  if (row === undefined) throw new Error(`handoff ${handoff.id} is not there under its session's lock`);
  const { reason, summary, metadata, priorTurnId, minutes, outcome, payload, carry, limited } = row;
  const told: Told | null = outcome === null ? null : { stage, outcome, payload };
  const prepared = await prepareContext(custody, { reason, summary, contextVariables: null, carry: carry === null ? null : asCarry(carry), byOperator: !limited, sourceAgentId: handoff.sourceAgentId }, target, told);
  custody.closeHandoff(handoff, { status: 'TIMED_OUT' });
  custody.endTenure('DECLINED');
  handOver(custody, prepared, { target, via: 'PIPELINE', reason, summary, metadata, priorTurnId, staleAfterMinutes: minutes, replaces: handoff });
  return true;
}
