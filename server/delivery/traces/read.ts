import type { Pool } from 'pg';
import { statement } from '../../core/changes.ts';

export interface SessionRow {
  id: string;
  title: string;
  project: string | null;
  externalId: string | null;
  pipeline: string | null;
  at: Date;
  traceparent: string | null;
}

export interface TenureRow {
  id: string;
  sessionId: string;
  agentId: string;
  agentName: string;
  agentType: string;
  model: string | null;
  state: string;
  startedAt: Date;
  activatedAt: Date | null;
  endedAt: Date;
  traceparent: string | null;
  /** The tenure before; null for the first. */
  previousId: string | null;
  /** The Handoff of the move that began the tenure; null when it had none. */
  handoff: { id: string; status: string; via: string; reason: string | null } | null;
  turns: number;
  inputTokens: number;
  outputTokens: number;
}

export interface HandoffRow {
  id: string;
  sessionId: string;
  status: string;
  via: string;
  reason: string | null;
  /** Why it was rejected, failed or was cancelled. */
  endReason: string | null;
  depth: number;
  tokenEstimate: number;
  sourceAgentId: string | null;
  targetAgentId: string;
  sourceTenureId: string | null;
  targetTenureId: string;
  initiatedAt: Date;
  acceptedAt: Date | null;
  closedAt: Date;
  traceparent: string | null;
}

const sessions = statement(`
SELECT s.id, s.title, s.project, s.external_id AS "externalId", p.slug AS pipeline, s.created_at AS at, e.traceparent
FROM sessions s LEFT JOIN pipelines p ON p.id = s.pipeline_id LEFT JOIN events e ON e.session_id = s.id AND e.session_sequence = 1
WHERE s.id = ANY ($1::uuid[])`);

const tenures = statement(`
SELECT t.id, t.session_id AS "sessionId", t.agent_id AS "agentId", a.name AS "agentName", a.type AS "agentType", a.model, t.state,
  t.started_at AS "startedAt", t.activated_at AS "activatedAt", t.ended_at AS "endedAt", e.traceparent,
  (SELECT p.id FROM agent_sessions p WHERE p.session_id = t.session_id AND p.started_at <= t.started_at AND (p.started_at, p.id) < (t.started_at, t.id)
   ORDER BY p.started_at DESC, p.id DESC LIMIT 1) AS "previousId",
  CASE WHEN h.id IS NULL THEN NULL ELSE json_build_object('id', h.id, 'status', h.status, 'via', h.via, 'reason', h.reason) END AS handoff,
  u.turns, u."inputTokens", u."outputTokens"
FROM agent_sessions t JOIN agents a ON a.id = t.agent_id LEFT JOIN events e ON e.id = t.start_event_id LEFT JOIN handoffs h ON h.id = e.handoff_id
CROSS JOIN LATERAL (SELECT count(*)::float8 AS turns, coalesce(sum(input_tokens), 0)::float8 AS "inputTokens", coalesce(sum(output_tokens), 0)::float8 AS "outputTokens"
  FROM turns WHERE agent_session_id = t.id) u
WHERE t.id = ANY ($1::uuid[]) AND t.ended_at IS NOT NULL`);

const handoffs = statement(`
SELECT h.id, h.session_id AS "sessionId", h.status, h.via, h.reason, coalesce(h.rejection_reason, h.failure_reason, h.cancel_reason) AS "endReason", h.depth,
  h.token_estimate AS "tokenEstimate", h.source_agent_id AS "sourceAgentId", h.target_agent_id AS "targetAgentId", h.source_agent_session_id AS "sourceTenureId",
  h.target_agent_session_id AS "targetTenureId", h.initiated_at AS "initiatedAt", h.accepted_at AS "acceptedAt", h.closed_at AS "closedAt",
  (SELECT traceparent FROM events WHERE handoff_id = h.id AND type = 'HANDOFF_INITIATED' LIMIT 1) AS traceparent
FROM handoffs h WHERE h.id = ANY ($1::uuid[]) AND h.closed_at IS NOT NULL`);

interface Ids {
  session: readonly string[];
  tenure: readonly string[];
  handoff: readonly string[];
}

/** What the spans of ended records say. */
export async function readRecords(
  pool: Pool,
  { session, tenure, handoff }: Ids,
): Promise<{ sessions: SessionRow[]; tenures: TenureRow[]; handoffs: HandoffRow[] }> {
  const read = async <Row extends object>(prepared: typeof sessions, ids: readonly string[]): Promise<Row[]> =>
    ids.length === 0 ? [] : (await pool.query<Row>({ ...prepared, values: [ids] })).rows;
  return {
    sessions: await read(sessions, session),
    tenures: await read(tenures, tenure),
    handoffs: await read(handoffs, handoff),
  };
}
