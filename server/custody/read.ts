import type { Agent, AgentSession, Handoff, Session } from '../generated/prisma/client.ts';
import { statement } from '../core/changes.ts';
import { fromColumns } from '../core/rows.ts';
import type { Work } from '../core/work.ts';

/** What the rules may ask about, and the steps may change. The rest of each row stays in the database. */
export type HeldSession = Pick<
  Session,
  | 'id' | 'status' | 'version' | 'agentId' | 'endedAgentType' | 'previousAgentType' | 'contextVariables' | 'result' | 'summary' | 'endReason'
  | 'handoffsEnabled' | 'maxHandoffs' | 'operatorEpoch' | 'messageCount' | 'turnCount' | 'toolCallCount' | 'handoffCount'
  | 'eventCount' | 'visibleFrom' | 'visibleCallsFrom' | 'lastAgentSessionId' | 'lastHandoffId' | 'updatedAt' | 'lastReassignedAt'
>;
export type Tenure = Pick<
  AgentSession,
  'id' | 'agentId' | 'state' | 'startSequence' | 'endSequence' | 'endedAt' | 'activatedAt' | 'terminatedByHandoffId'
>;
export type LastHandoff = Pick<
  Handoff,
  | 'id' | 'sessionId' | 'status' | 'depth' | 'sourceAgentId' | 'sourceAgentType' | 'sourceAgentSessionId' | 'targetAgentId' | 'targetAgentSessionId'
  | 'deadlineAt' | 'acceptedAt' | 'completedAt' | 'closedAt' | 'rejectionReason' | 'failureReason' | 'cancelReason'
>;
export type LockedAgent = Pick<
  Agent,
  'id' | 'type' | 'instructions' | 'administrativeStatus' | 'archivedAt' | 'currentLoad' | 'maxCapacity' | 'totalAssigned' | 'inboxSequence'
>;

export interface CustodyRead {
  session: HeldSession;
  /** The last AgentSession, open or not; null when the Session never had a holder. */
  tenure: Tenure | null;
  /** The last Handoff, open or not. */
  handoff: LastHandoff | null;
  /** Agents whose load or inbox may change, locked, in id order. */
  agents: LockedAgent[];
  /** Who ever took the Session over, the last first. */
  active: string[];
}

export interface Concerned {
  /** Agents named by the caller. */
  agents?: readonly string[];
  /** Also the best candidates of this type: eight, or all of them when `everyCandidate`. */
  type?: string | null;
  everyCandidate?: boolean;
  /** False when only an open Handoff can make an event for an inbox: then a holder without one is not locked. */
  holder?: boolean;
}

// Runs after the Session's lock was taken, in a snapshot of its own, so that all but the agents is final; the
// agents' rows are as fresh, because a locking read takes their latest version. MATERIALIZED and ORDER BY id:
// every transaction locks agents in one order, so no two can wait for each other. NO KEY UPDATE leaves foreign keys alone.
const readCustodyStatement = statement(`
WITH s AS MATERIALIZED (
  SELECT id, status, version, agent_id, ended_agent_type, previous_agent_type, context_variables, result, summary, end_reason, handoffs_enabled, max_handoffs,
    operator_epoch, message_count, turn_count, tool_call_count, handoff_count, event_count, visible_from, visible_calls_from,
    last_agent_session_id, last_handoff_id, updated_at, last_reassigned_at
  FROM sessions WHERE id = $1::uuid),
t AS (
  SELECT t.id, t.agent_id, t.state, t.start_sequence, t.end_sequence, t.ended_at, t.activated_at, t.terminated_by_handoff_id
  FROM agent_sessions t JOIN s ON t.id = s.last_agent_session_id),
h AS MATERIALIZED (
  SELECT h.id, h.session_id, h.status, h.depth, h.source_agent_id, h.source_agent_type, h.source_agent_session_id, h.target_agent_id, h.target_agent_session_id,
    h.deadline_at, h.accepted_at, h.completed_at, h.closed_at, h.rejection_reason, h.failure_reason, h.cancel_reason
  FROM handoffs h JOIN s ON h.id = s.last_handoff_id),
open_handoff AS (SELECT source_agent_id, target_agent_id FROM h WHERE status IN ('INITIATED', 'ACCEPTED')),
candidates AS (
  SELECT id FROM agents
  WHERE type = $3::text AND administrative_status = 'AVAILABLE' AND archived_at IS NULL AND ($4::bool OR current_load < max_capacity)
    AND id IS DISTINCT FROM (SELECT agent_id FROM s)
  ORDER BY current_load::float8 / max_capacity, id
  LIMIT CASE WHEN $4 THEN NULL ELSE 8 END),
concerned AS (
  SELECT agent_id AS id FROM s WHERE $5::bool
  UNION SELECT source_agent_id FROM open_handoff
  UNION SELECT target_agent_id FROM open_handoff
  UNION SELECT unnest($2::text[])
  UNION SELECT id FROM candidates),
a AS MATERIALIZED (
  SELECT id, type, instructions, administrative_status, archived_at, current_load, max_capacity, total_assigned, inbox_sequence
  FROM agents WHERE id IN (SELECT id FROM concerned) ORDER BY id FOR NO KEY UPDATE)
SELECT
  (SELECT row_to_json(s) FROM s) AS session,
  (SELECT row_to_json(t) FROM t) AS tenure,
  (SELECT row_to_json(h) FROM h) AS handoff,
  (SELECT coalesce(json_agg(a), '[]') FROM a) AS agents,
  (SELECT coalesce(json_agg(agent_id), '[]') FROM (
    SELECT agent_id FROM agent_sessions WHERE session_id = $1 AND activated_at IS NOT NULL
    GROUP BY agent_id ORDER BY max(started_at) DESC, max(id::text) DESC) x) AS active
`);

interface Row {
  session: object | null;
  tenure: object | null;
  handoff: object | null;
  agents: object[];
  active: string[];
}

async function read(work: Work, sessionId: string, concerned: Concerned): Promise<Row> {
  const { agents = [], type = null, everyCandidate = false, holder = true } = concerned;
  const [row] = await work.query<Row>(readCustodyStatement, [sessionId, agents, type, everyCandidate, holder]);
  if (row === undefined) throw new Error('the custody query returned no row');
  return row;
}

/** Reads a locked Session's custody and locks the agents concerned. */
export async function readCustody(work: Work, sessionId: string, concerned: Concerned): Promise<CustodyRead> {
  const row = await read(work, sessionId, concerned);
  if (row.session === null) throw new Error(`session ${sessionId} is not there under its lock`);
  return {
    session: fromColumns<HeldSession>(row.session),
    tenure: row.tenure && fromColumns<Tenure>(row.tenure),
    handoff: row.handoff && fromColumns<LastHandoff>(row.handoff),
    agents: row.agents.map((agent) => fromColumns<LockedAgent>(agent)),
    active: row.active,
  };
}

/** Locks agents for a Session that is about to be created. */
export async function lockAgents(work: Work, newSessionId: string, concerned: Concerned): Promise<LockedAgent[]> {
  const row = await read(work, newSessionId, concerned);
  return row.agents.map((agent) => fromColumns<LockedAgent>(agent));
}
