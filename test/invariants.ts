import type { Pool } from 'pg';

/** The domain's invariants that the tables can show, as queries for violations. A sound database gives no rows; each row describes a violation. */
const breaches: Record<string, string> = {
  'the counts of a pair of agents are not those of its handoffs': `
    WITH tenures AS (SELECT id, lead(agent_id) OVER w AS first, lead(agent_id, 2) OVER w AS second FROM agent_sessions WINDOW w AS (PARTITION BY session_id ORDER BY started_at, id)),
    handed AS (SELECT h.*, source_agent_id IN (first, second) AS bounced FROM handoffs h JOIN tenures ON tenures.id = target_agent_session_id WHERE source_agent_id IS NOT NULL)
    SELECT source_agent_id, target_agent_id, outcome, sum(kept) AS kept, sum(days) AS days, sum(real) AS real FROM (
      SELECT source_agent_id, target_agent_id, outcome, CASE WHEN day = '-infinity' THEN count ELSE 0 END, CASE WHEN day > '-infinity' THEN count ELSE 0 END, 0 FROM handoff_path_counts
      UNION ALL SELECT source_agent_id, target_agent_id, outcome, count, count, 0 FROM handoff_path_changes
      UNION ALL SELECT source_agent_id, target_agent_id, status::text, 0, 0, 1 FROM handed
      UNION ALL SELECT source_agent_id, target_agent_id, 'BOUNCED_BACK', 0, 0, 1 FROM handed WHERE bounced) c (source_agent_id, target_agent_id, outcome, kept, days, real)
    GROUP BY 1, 2, 3 HAVING sum(kept) <> sum(days) OR sum(kept) < sum(real) OR (sum(kept) <> sum(real) AND (SELECT position FROM pruning) = 0)`,
  'an agent was given a session over its capacity': `
    SELECT a.id, a.current_load, a.max_capacity FROM agents a WHERE a.current_load > a.max_capacity AND (
      SELECT count(*) FROM sessions s JOIN agent_sessions t ON t.id = s.last_agent_session_id
      WHERE s.agent_id = a.id AND s.status IN ('RUNNING', 'PAUSED') AND EXISTS (SELECT FROM agent_sessions e WHERE e.session_id = s.id AND e.started_at < t.started_at)) > a.max_capacity`,
  "an agent's load is not the number of open sessions it holds": `
    SELECT a.id, a.current_load, count(s.id) FROM agents a LEFT JOIN sessions s ON s.agent_id = a.id AND s.status IN ('RUNNING', 'PAUSED')
    GROUP BY a.id HAVING a.current_load <> count(s.id) OR a.current_load < 0`,
  'a held, open session has not exactly one open tenure, of its holder': `
    SELECT s.id, s.agent_id, count(t.id), min(t.agent_id) FROM sessions s
    LEFT JOIN agent_sessions t ON t.session_id = s.id AND t.state IN ('PENDING', 'ACTIVE', 'PAUSED')
    WHERE s.status IN ('RUNNING', 'PAUSED') AND s.agent_id IS NOT NULL
    GROUP BY s.id HAVING count(t.id) <> 1 OR min(t.agent_id) <> s.agent_id OR min(t.id::text) <> s.last_agent_session_id::text`,
  'an unheld or finished session has an open tenure': `
    SELECT s.id, t.id FROM sessions s JOIN agent_sessions t ON t.session_id = s.id AND t.state IN ('PENDING', 'ACTIVE', 'PAUSED')
    WHERE s.agent_id IS NULL OR s.status NOT IN ('RUNNING', 'PAUSED')`,
  'an unheld or finished session has an open handoff': `
    SELECT s.id, h.id FROM sessions s JOIN handoffs h ON h.session_id = s.id AND h.status IN ('INITIATED', 'ACCEPTED')
    WHERE s.agent_id IS NULL OR s.status NOT IN ('RUNNING', 'PAUSED')`,
  "a handoff waits while its target's tenure does not": `
    SELECT h.id, h.status, t.state FROM handoffs h JOIN agent_sessions t ON t.id = h.target_agent_session_id
    WHERE (h.status = 'INITIATED') <> (t.state = 'PENDING') OR (h.status = 'ACCEPTED' AND t.state NOT IN ('ACTIVE', 'PAUSED'))`,
  'a tenure does not pause and run with its session': `
    SELECT s.id, s.status, t.state FROM sessions s JOIN agent_sessions t ON t.session_id = s.id
    WHERE (t.state = 'ACTIVE' AND s.status <> 'RUNNING') OR (t.state = 'PAUSED' AND s.status <> 'PAUSED')`,
  'the last tenure or handoff of a session is not what it names': `
    SELECT s.id FROM sessions s
    WHERE s.last_handoff_id IS DISTINCT FROM (SELECT id FROM handoffs h WHERE h.session_id = s.id ORDER BY depth DESC LIMIT 1)
       OR s.last_agent_session_id IS DISTINCT FROM (SELECT id FROM agent_sessions t WHERE t.session_id = s.id ORDER BY started_at DESC, id DESC LIMIT 1)`,
  'a replay of the events does not give the holder': `
    WITH replay AS (
      SELECT session_id, session_sequence, holder_id, type,
        max(session_sequence) FILTER (WHERE type IN ('SESSION_CREATED', 'SESSION_REASSIGNED', 'SESSION_RETURNED', 'SESSION_UNASSIGNED', 'SESSION_QUEUED'))
          OVER (PARTITION BY session_id ORDER BY session_sequence) AS moved,
        session_status
      FROM events WHERE session_id IS NOT NULL)
    SELECT r.session_id, r.session_sequence, r.holder_id, m.holder_id AS replayed FROM replay r
    JOIN events m ON m.session_id = r.session_id AND m.session_sequence = r.moved
    WHERE r.holder_id IS DISTINCT FROM CASE WHEN r.session_status IN ('RUNNING', 'PAUSED') THEN m.holder_id END`,
  'the last event of a session does not tell its holder and status': `
    SELECT s.id, s.status, e.session_status, s.agent_id, e.holder_id FROM sessions s JOIN events e ON e.session_id = s.id AND e.session_sequence = s.event_count
    WHERE e.session_status <> s.status OR e.holder_id IS DISTINCT FROM CASE WHEN s.status IN ('RUNNING', 'PAUSED') THEN s.agent_id END`,
  "a handoff's source is not who held the session before": `
    WITH listed AS (
      SELECT e.*, lag(type) OVER (PARTITION BY session_id ORDER BY session_sequence) AS previous,
        lag(holder_id) OVER (PARTITION BY session_id, type = 'SESSION_QUEUED' ORDER BY session_sequence) AS finisher,
        lag(holder_id) OVER (PARTITION BY session_id ORDER BY session_sequence) AS holder
      FROM events e WHERE type IN ('SESSION_CREATED', 'SESSION_REASSIGNED', 'SESSION_RETURNED', 'SESSION_UNASSIGNED', 'SESSION_QUEUED')),
    turned AS (
      SELECT l.*, actor_principal = 'queue'
        OR previous = 'SESSION_QUEUED' AND (SELECT source_agent_id FROM handoffs WHERE id = l.handoff_id) IS NOT NULL AS of_queue FROM listed l),
    moves AS (SELECT t.*, CASE WHEN of_queue THEN finisher ELSE holder END AS before FROM turned t),
    left_at AS (
      SELECT m.id, CASE WHEN m.of_queue THEN
        (SELECT max(at) FROM events q WHERE q.session_id = m.session_id AND q.session_sequence < m.session_sequence AND q.type IN ('HANDOFF_CANCELLED', 'HANDOFF_TIMED_OUT')
          AND q.session_sequence > (SELECT max(w.session_sequence) FROM events w WHERE w.session_id = m.session_id AND w.session_sequence < m.session_sequence AND w.type IN ('SESSION_CREATED', 'SESSION_REASSIGNED', 'SESSION_RETURNED'))) ELSE m.at END AS at
      FROM moves m)
    SELECT h.id, h.source_agent_id, m.before FROM handoffs h JOIN moves m ON m.handoff_id = h.id AND m.type = 'SESSION_REASSIGNED' JOIN left_at l ON l.id = m.id
    LEFT JOIN handoffs p ON p.id = h.previous_handoff_id
    WHERE h.source_agent_id IS DISTINCT FROM CASE WHEN (p.cancel_reason = 'superseded' OR p.status = 'TIMED_OUT') AND p.closed_at = l.at THEN p.source_agent_id ELSE m.before END`,
  'what is in the queue is not an open session without a holder, at its place': `
    SELECT s.id, s.status, s.agent_id, q.effective_at FROM queue_entries q JOIN sessions s ON s.id = q.session_id
    WHERE s.status <> 'PAUSED' OR s.agent_id IS NOT NULL
       OR q.effective_at <> q.queued_at - (array_position(ARRAY['LOW', 'NORMAL', 'HIGH', 'URGENT'], s.priority::text) - 1 + q.returned::int) * interval '30 minutes'`,
  'the last move of a session does not tell whether it is queued': `
    SELECT s.id, q.id AS entry, m.type FROM sessions s LEFT JOIN queue_entries q ON q.session_id = s.id
    JOIN LATERAL (SELECT type FROM events e WHERE e.session_id = s.id
      AND type IN ('SESSION_CREATED', 'SESSION_REASSIGNED', 'SESSION_RETURNED', 'SESSION_UNASSIGNED', 'SESSION_QUEUED') ORDER BY session_sequence DESC LIMIT 1) m ON true
    WHERE (m.type = 'SESSION_QUEUED' AND s.status IN ('RUNNING', 'PAUSED')) <> (q.id IS NOT NULL)`,
  'a change of a handoff has not exactly one event': `
    SELECT h.id, h.status, x.type, x.n FROM handoffs h LEFT JOIN approvals p ON p.handoff_id = h.id CROSS JOIN LATERAL (
      SELECT t.type, (SELECT count(*) FROM events e WHERE e.handoff_id = h.id AND e.type = t.type) AS n, t.expected
      FROM (VALUES ('HANDOFF_INITIATED', (h.target_agent_session_id IS NOT NULL)::int), ('HANDOFF_PROPOSED_FOR_APPROVAL', (p.id IS NOT NULL)::int),
        ('HANDOFF_APPROVED', (p.decision IS NOT DISTINCT FROM 'APPROVED')::int), ('HANDOFF_DECLINED', (h.status = 'DECLINED')::int), ('HANDOFF_ACCEPTED', (h.accepted_at IS NOT NULL)::int), ('HANDOFF_COMPLETED', (h.status = 'COMPLETED')::int),
        ('HANDOFF_REJECTED', (h.status = 'REJECTED')::int), ('HANDOFF_CANCELLED', (h.status = 'CANCELLED')::int),
        ('HANDOFF_TIMED_OUT', (h.status = 'TIMED_OUT')::int), ('HANDOFF_FAILED', (h.status = 'FAILED')::int),
        ('SESSION_REASSIGNED', (h.target_agent_session_id IS NOT NULL)::int)) t (type, expected)) x
    WHERE x.n <> x.expected`,
  'what waits for a person is not what its session is in': `
    SELECT p.id, p.kind, p.decision, h.status, s.status, s.agent_id FROM approvals p JOIN sessions s ON s.id = p.session_id LEFT JOIN handoffs h ON h.id = p.handoff_id
    WHERE (p.decided_at IS NULL AND (s.agent_id IS DISTINCT FROM p.agent_id OR s.last_agent_session_id <> p.agent_session_id OR s.status NOT IN ('RUNNING', 'PAUSED')))
       OR (p.kind = 'QUESTION' AND p.decided_at IS NULL AND s.status <> 'PAUSED')
       OR (p.kind = 'HANDOFF' AND (p.decided_at IS NULL) <> (h.status = 'PROPOSED'))
       OR (p.kind = 'HANDOFF' AND p.decision IN ('DECLINED', 'TIMED_OUT', 'CANCELLED') AND h.status::text <> p.decision::text)
       OR (p.decision = 'APPROVED' AND h.target_agent_session_id IS NULL)`,
  'a handoff that moved nothing has no approval, or is waited for': `
    SELECT h.id, h.status FROM handoffs h LEFT JOIN approvals p ON p.handoff_id = h.id WHERE h.target_agent_session_id IS NULL AND p.id IS NULL`,
  "a session's event numbers are not 1..n": `
    SELECT s.id, s.event_count, count(e.id), max(e.session_sequence) FROM sessions s LEFT JOIN events e ON e.session_id = s.id
    GROUP BY s.id HAVING count(e.id) <> s.event_count OR max(e.session_sequence) <> s.event_count OR min(e.session_sequence) <> 1`,
  "an inbox's numbers are not 1..n, or those after the newest that was pruned": `
    SELECT a.id, a.inbox_sequence, p.sequence AS pruned, count(i.event_id) FROM agents a LEFT JOIN pruned_inboxes p ON p.agent_id = a.id
    LEFT JOIN inbox_entries i ON i.agent_id = a.id AND i.sequence > coalesce(p.sequence, 0)
    GROUP BY a.id, p.sequence HAVING count(i.event_id) <> a.inbox_sequence - coalesce(p.sequence, 0) OR coalesce(max(i.sequence), p.sequence, 0) <> a.inbox_sequence`,
  'an event has neither a position nor a place among those that wait for one, or has both': `
    SELECT e.id, p.position, u.serial FROM events e LEFT JOIN event_positions p ON p.event_id = e.id LEFT JOIN unpositioned_events u ON u.event_id = e.id
    WHERE (p.position IS NULL) = (u.serial IS NULL)`,
  'positions are not 1..n, or those after the newest that was pruned': `
    SELECT count(*), min(position), max(position) FROM event_positions WHERE position > (SELECT position FROM pruning)
    HAVING count(*) <> coalesce(max(position), (SELECT position FROM pruning)) - (SELECT position FROM pruning)`,
  'something can be found of a session that is not there': `
    SELECT kind, id, session_id FROM search_entries e WHERE NOT EXISTS (SELECT FROM sessions s WHERE s.id = e.session_id)`,
  'positions do not grow along a stream': `
    SELECT stream, number FROM (
      SELECT stream, number, place, lag(place) OVER (PARTITION BY stream ORDER BY number) AS before FROM (
        SELECT session_id::text AS stream, session_sequence AS number, id AS event_id FROM events WHERE session_id IS NOT NULL
        UNION ALL SELECT agent_id, sequence, event_id FROM inbox_entries) s
      JOIN (SELECT event_id, ARRAY[0, position] AS place FROM event_positions UNION ALL SELECT event_id, ARRAY[1, serial] FROM unpositioned_events) p USING (event_id)) x
    WHERE place <= before`,
  "a session's log numbers are not 1..n": `
    SELECT s.id FROM sessions s
    WHERE s.message_count <> (SELECT count(*) FROM messages m WHERE m.session_id = s.id)
       OR s.turn_count <> (SELECT count(*) FROM turns t WHERE t.session_id = s.id)
       OR s.tool_call_count <> (SELECT count(*) FROM tool_calls c WHERE c.session_id = s.id)
       OR s.handoff_count <> (SELECT count(*) FROM handoffs h WHERE h.session_id = s.id)
       OR s.message_count <> (SELECT coalesce(max(sequence), 0) FROM messages m WHERE m.session_id = s.id)`,
  'events of a session are not in the order of their times': `
    SELECT session_id, session_sequence FROM (
      SELECT session_id, session_sequence, at, lag(at) OVER (PARTITION BY session_id ORDER BY session_sequence) AS before
      FROM events WHERE session_id IS NOT NULL) e WHERE at < before`,
  "a session's version is not one more than its committed changes": `
    SELECT s.id, s.version, count(DISTINCT e.at) FROM sessions s JOIN events e ON e.session_id = s.id AND e.type NOT IN ('TURN_APPENDED', 'LOG_CHANGED', 'HANDOFF_REMINDED', 'HANDOFF_EXTENDED', 'HANDOFF_PROPOSED', 'TOKEN_BUDGET_LOW')
    GROUP BY s.id HAVING s.version < count(DISTINCT e.at)`,
  'an open session of a pipeline is not in exactly one stage, that of its open stay': `
    SELECT s.id, s.stage, count(e.id), min(e.stage) FROM sessions s LEFT JOIN stage_entries e ON e.session_id = s.id AND e.left_at IS NULL
    WHERE s.pipeline_id IS NOT NULL AND s.status IN ('RUNNING', 'PAUSED')
    GROUP BY s.id HAVING count(e.id) <> 1 OR min(e.stage) IS DISTINCT FROM s.stage`,
  'a session that is finished or in no pipeline is in a stage': `
    SELECT s.id, e.stage FROM sessions s JOIN stage_entries e ON e.session_id = s.id AND e.left_at IS NULL
    WHERE s.pipeline_id IS NULL OR s.status NOT IN ('RUNNING', 'PAUSED')`,
  'the holder is not the agent of the stage': `
    SELECT s.id, s.agent_id, e.agent_id, e.stage FROM sessions s JOIN stage_entries e ON e.session_id = s.id AND e.left_at IS NULL
    WHERE s.agent_id IS NOT NULL AND (s.agent_id IS DISTINCT FROM e.agent_id OR s.agent_id <> ALL (e.tried))`,
  'a replay of the events does not give the stage': `
    SELECT s.id, s.stage, e.metadata FROM sessions s
    JOIN LATERAL (SELECT metadata FROM events WHERE session_id = s.id AND type IN ('SESSION_STAGE_CHANGED', 'PIPELINE_COMPLETED') ORDER BY session_sequence DESC LIMIT 1) e ON true
    WHERE s.stage IS DISTINCT FROM e.metadata ->> 'stage'`,
  'the stays of a session are not 1..n, one after the other': `
    SELECT session_id FROM stage_entries GROUP BY session_id HAVING count(*) <> max(number) OR min(number) <> 1`,
};

const everything = Object.entries(breaches)
  .map(([name, sql]) => `SELECT '${name.replaceAll("'", "''")}' AS name, row_to_json(x)::text AS row FROM (${sql}) x`)
  .join('\nUNION ALL\n');

/** Returns a line per violation, read in one statement and so in one snapshot. */
export async function brokenInvariants(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string; row: string }>({ name: 'broken_invariants', text: everything });
  return rows.map(({ name, row }) => `${name}: ${row}`);
}

/** After `assignQueued`: the queued Sessions that wait although an agent for them is AVAILABLE and has a free place. */
export async function waitInVain(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ row: string }>(
    `SELECT concat_ws(' ', q.session_id, q.wanted, a.id) AS row FROM queue_entries q JOIN agents a ON coalesce(q.agent_type, a.type) = a.type AND (q.role IS NULL OR q.role = a.role)
     WHERE NOT q.suspended AND NOT q.escalated AND a.administrative_status = 'AVAILABLE' AND a.archived_at IS NULL AND a.current_load < a.max_capacity AND NOT a.id = ANY (q.excluded_agent_ids)`,
  );
  return rows.map(({ row }) => row);
}
