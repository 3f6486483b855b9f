import { statement } from '../../core/changes.ts';
import { logFailedRow } from '../../core/failedRow.ts';
import { encodeId } from '../../core/ids.ts';
import type { Work, WorkOptions } from '../../core/work.ts';
import { Custody } from '../custody/custody.ts';
import { presentStage } from '../custody/stages.ts';
import { afterTimeOut, reasonOfEscalation } from '../pipelines/afterTimeOut.ts';
import { giveQueued, queueItself, type QueuedMove } from './drain.ts';
import { wanted } from './rules.ts';
import { runCommand } from './runCommand.ts';

const batch = 100;

/** SQL: an agent that may get the Session of `e`, if not now, then when it has a free place. */
const mayGet = `a.administrative_status = 'AVAILABLE' AND a.archived_at IS NULL AND NOT a.id = ANY (e.excluded_agent_ids)`;

// After a time-out an entry excludes the target besides the source. Sessions that cannot escalate are left out, so that they
// do not fill the batch.
const findStranded = statement(`
SELECT h.id AS "handoffId", h.source_agent_id AS "sourceAgentId", h.target_agent_id AS "targetAgentId"
FROM queue_entries e JOIN sessions s ON s.id = e.session_id JOIN handoffs h ON h.id = s.last_handoff_id JOIN pipelines p ON p.id = s.pipeline_id
  CROSS JOIN LATERAL jsonb_to_recordset(p.stages) AS n (name text, role text, "agentType" text, "escalateTo" jsonb)
WHERE e.via = 'PIPELINE' AND NOT e.suspended AND NOT e.escalated AND cardinality(e.excluded_agent_ids) > (CASE WHEN e.source_agent_id IS NULL THEN 0 ELSE 1 END)
  AND h.status = 'TIMED_OUT'
  AND n.name = s.stage AND n.role IS NOT DISTINCT FROM e.role AND n."agentType" IS NOT DISTINCT FROM e.agent_type
  AND NOT EXISTS (SELECT FROM agents a WHERE ${mayGet} AND (e.role IS NULL OR a.role = e.role) AND (e.agent_type IS NULL OR a.type = e.agent_type))
  AND (n."escalateTo" ->> 'operators' = 'true' OR EXISTS (
    SELECT FROM agents a WHERE ${mayGet} AND (a.role = n."escalateTo" ->> 'role' OR (a.id = n."escalateTo" ->> 'agentId' AND a.current_load < a.max_capacity))))
ORDER BY e.effective_at, e.id LIMIT ${batch}`);

interface Stranded {
  handoffId: string;
  sourceAgentId: string | null;
  targetAgentId: string;
}

const readMove = statement(
  'SELECT reason, summary, metadata, via, carried, accept_within_minutes AS "acceptWithinMinutes" FROM queue_entries WHERE id = $1',
);

/**
 * Escalates the Sessions that wait since a time-out for agents of their stage of which none is AVAILABLE any more (rule:
 * escalation). Processes may run it concurrently: locked Sessions are skipped, and the rest is checked again under the locks.
 * A Session that fails is logged and left to the next sweep.
 */
export async function escalateStranded(options: WorkOptions): Promise<void> {
  const { rows } = await options.pool.query<Stranded>({ ...findStranded });
  for (const row of rows) {
    const logged = logFailedRow(
      options.log,
      { handoffId: encodeId('handoff', row.handoffId) },
      'The escalation of a queued session failed and will run again',
    );
    await runCommand(options, (work) => escalate(work, row)).catch(logged);
  }
}

async function escalate(work: Work, { handoffId, sourceAgentId, targetAgentId }: Stranded): Promise<object> {
  const sessionId = await work.lockSessionOf(handoffId, { skipLocked: true });
  if (sessionId === null) return {};
  const agents = [sourceAgentId, targetAgentId].filter((id) => id !== null);
  const custody = await Custody.of(work, sessionId, {
    agents,
    everyCandidate: true,
    forStage: { stage: null, untried: true },
  });
  const { queued, handoff } = custody;
  const stage = presentStage(custody);
  if (queued === null || queued.suspended || queued.escalated || stage === null || handoff?.id !== handoffId) return {};
  if (queued.wanted !== wanted(stage.agentType, stage.role)) return {};
  const next = afterTimeOut(custody.agents, stage, queued.excludedAgentIds);
  // When the stage escalates to nobody either, the Session goes on waiting.
  if (next === null || !next.escalated) return {};
  custody.changed();
  custody.recordHandoff('HANDOFF_ESCALATED', handoff, {
    reason: reasonOfEscalation(stage, next),
    metadata: { stage: stage.name, escalateTo: stage.escalateTo },
  });
  if (next.target === null) {
    const { agentType, role } = next.wants;
    work.change('queue_entries', queued, {
      agentType,
      role,
      wanted: wanted(agentType, role),
      escalated: next.forOperators,
    });
    return {};
  }
  const [move] = await work.query<QueuedMove>(readMove, [queued.id]);
  if (move === undefined) throw new Error(`queue entry ${queued.id} is not there under its session's lock`);
  const { target } = next;
  await work.as(queueItself, () => giveQueued(custody, target, queued, move));
  return {};
}
