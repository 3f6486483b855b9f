import type { Pool } from 'pg';
import { statement } from '../../core/changes.ts';
import { hasMoved } from '../custody/rules.ts';

const isOpen = `s.status IN ('RUNNING', 'PAUSED')`;

/** SQL of the open Sessions at their limit, as the rule `limit` of work/custody/mayChangeHands.ts counts. */
export const atMaxHandoffs = `SELECT s.id FROM sessions s WHERE ${isOpen} AND s.handoff_count >= s.max_handoffs AND s.max_handoffs > 0 AND s.max_handoffs <= (
    SELECT CASE WHEN s.pipeline_id IS NULL THEN count(*) FILTER (WHERE h.via IN ('API', 'TOOL'))
      ELSE count(DISTINCT e.id) FILTER (WHERE e.attempt > 1 AND (h.via IN ('API', 'TOOL') OR h.actor_role = 'AGENT')) END
    FROM handoffs h LEFT JOIN stage_entries e ON e.id = h.stage_entry_id WHERE h.session_id = s.id AND h.operator_epoch = s.operator_epoch AND ${hasMoved('h')})`;

/** SQL: an agent `a` that works no more. */
export const isAway = `(a.administrative_status = 'OFFLINE' OR a.archived_at IS NOT NULL)`;

/** SQL: an agent `a` that may get the Session of the queue entry `q`, if not now, then when it has a free place. */
export const mayGet = `a.archived_at IS NULL AND a.administrative_status = 'AVAILABLE' AND NOT a.id = ANY (q.excluded_agent_ids)
      AND (q.agent_type IS NULL OR a.type = q.agent_type) AND (q.role IS NULL OR a.role = q.role)`;

/** SQL of the Sessions that wait for agents of which none is available. */
export const withoutAgent = `SELECT q.session_id AS id FROM queue_entries q WHERE NOT q.escalated AND NOT q.suspended AND NOT EXISTS (
    SELECT FROM agents a WHERE ${mayGet})`;

/** SQL of the open Sessions `s.id` that no Agent can go on with until a person acts, by reason. */
const found = {
  ESCALATED: `SELECT q.session_id AS id FROM queue_entries q WHERE q.escalated`,
  NO_AGENT: withoutAgent,
  UNASSIGNED: `SELECT s.id FROM sessions s WHERE s.agent_id IS NULL AND ${isOpen}
    AND NOT EXISTS (SELECT FROM queue_entries q WHERE q.session_id = s.id)`,
  HOLDER_AWAY: `SELECT s.id FROM sessions s JOIN agents a ON a.id = s.agent_id WHERE ${isOpen} AND ${isAway}`,
  MAX_HANDOFFS: atMaxHandoffs,
} as const;

export type StuckReason = keyof typeof found;
export const stuckReasons = Object.keys(found) as StuckReason[];

const mostFound = 10_000;
const anyOf = (reasons: readonly StuckReason[]): string =>
  reasons.map((reason) => `SELECT id, '${reason}' AS reason FROM (${found[reason]}) f`).join(' UNION ALL ');

/** The newest 10,000 Sessions that are stuck for one of these reasons. */
export async function stuckSessions(pool: Pool, reasons: readonly StuckReason[]): Promise<string[]> {
  if (reasons.length === 0) return [];
  const { rows } = await pool.query<{ id: string }>(
    statement(`SELECT DISTINCT id FROM (${anyOf(reasons)}) f ORDER BY id DESC LIMIT ${mostFound}`),
  );
  return rows.map(({ id }) => id);
}

const reasonsStatement = statement(
  `SELECT id, array_agg(reason) AS reasons FROM (${anyOf(stuckReasons)}) f WHERE id = ANY ($1::uuid[]) GROUP BY id`,
);

/** Why each of these Sessions is stuck; those that are not are left out. */
export async function reasonsOf(pool: Pool, ids: readonly string[]): Promise<Map<string, StuckReason[]>> {
  const { rows } = await pool.query<{ id: string; reasons: StuckReason[] }>({ ...reasonsStatement, values: [ids] });
  return new Map(rows.map(({ id, reasons }) => [id, reasons]));
}
