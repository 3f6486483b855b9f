import type { Pool } from 'pg';
import { statement } from '../../core/changes.ts';

/** Names that users choose have their own label up to this number; the smallest of more are `other`. */
export const namesKept = 50;
/** Rows in question are counted up to this number. */
const counted = 10_000;

// One statement, so that a scrape takes one connection once. Its counts read partial indexes, or tables without history.
const read = statement(`WITH queues AS (
  SELECT coalesce(role, '') AS role, coalesce(agent_type, '') AS type, count(*) AS length, min(queued_at) AS oldest FROM queue_entries WHERE NOT suspended AND NOT escalated GROUP BY 1, 2
), longest AS (
  SELECT *, row_number() OVER (ORDER BY length DESC, role, type) <= ${namesKept} AS kept FROM queues
), queue AS (
  SELECT CASE WHEN kept THEN role ELSE 'other' END AS role, CASE WHEN kept THEN type ELSE 'other' END AS type, sum(length)::int AS length,
    greatest(0, extract(epoch FROM clock_timestamp() - min(oldest)))::float8 AS age FROM longest GROUP BY 1, 2
), types AS (
  SELECT type, sum(current_load) AS load, sum(max_capacity) FILTER (WHERE administrative_status = 'AVAILABLE') AS capacity, row_number() OVER (ORDER BY count(*) DESC, type) <= ${namesKept} AS kept
  FROM agents WHERE archived_at IS NULL GROUP BY type
), agents_by_type AS (
  SELECT CASE WHEN kept THEN type ELSE 'other' END AS type, sum(load)::float8 AS load, coalesce(sum(capacity), 0)::float8 AS capacity FROM types GROUP BY 1
), due AS (
  SELECT d.due_at FROM webhooks w CROSS JOIN LATERAL (
    SELECT due_at FROM deliveries WHERE webhook_id = w.id AND status = 'PENDING' AND due_at <= clock_timestamp() ORDER BY due_at LIMIT ${counted}) d
  WHERE w.disabled_at IS NULL AND w.deleted_at IS NULL
)
SELECT (SELECT coalesce(json_agg(queue), '[]') FROM queue) AS queues,
  (SELECT count(*)::int FROM queue_entries WHERE escalated) AS escalated,
  (SELECT coalesce(json_agg(a), '[]') FROM (SELECT kind, count(*)::int AS count, greatest(0, extract(epoch FROM clock_timestamp() - min(requested_at)))::float8 AS age
    FROM approvals WHERE decided_at IS NULL GROUP BY kind) a) AS approvals,
  (SELECT coalesce(json_agg(agents_by_type), '[]') FROM agents_by_type) AS agents,
  (SELECT count(*)::int FROM handoffs WHERE status = 'INITIATED') AS initiated,
  (SELECT count(*)::int FROM handoffs WHERE status = 'ACCEPTED') AS accepted,
  (SELECT count(*)::int FROM handoffs WHERE status = 'INITIATED' AND deadline_at < clock_timestamp()) AS overdue,
  (SELECT count(*)::int FROM (SELECT FROM unpositioned_events LIMIT ${counted}) u) AS unpositioned,
  (SELECT count(*)::int FROM due) AS "deliveriesDue",
  (SELECT greatest(0, coalesce(extract(epoch FROM clock_timestamp() - min(due_at)), 0))::float8 FROM due) AS "deliveryAge",
  greatest(0, coalesce(extract(epoch FROM clock_timestamp() - (SELECT min(last_activity_at) FROM sessions WHERE status IN ('COMPLETED', 'FAILED', 'CANCELLED'))), 0))::float8 AS "oldestFinished",
  (SELECT count(*)::int FROM webhooks WHERE disabled_at IS NOT NULL AND deleted_at IS NULL) AS "webhooksDisabled"`);

export interface Gauges {
  queues: { role: string; type: string; length: number; age: number }[];
  escalated: number;
  approvals: { kind: 'HANDOFF' | 'QUESTION'; count: number; age: number }[];
  agents: { type: string; load: number; capacity: number }[];
  initiated: number;
  accepted: number;
  overdue: number;
  unpositioned: number;
  deliveriesDue: number;
  deliveryAge: number;
  oldestFinished: number;
  webhooksDisabled: number;
}

/** Reads the gauges of the database, at most once per `everyMs` for any number of concurrent calls. Null when it does not answer. */
export function gaugesOf(pool: Pool, everyMs = 5_000): () => Promise<Gauges | null> {
  let until = -Infinity;
  let latest: Promise<Gauges | null> = Promise.resolve(null);
  return () => {
    if (performance.now() < until) return latest;
    until = performance.now() + everyMs;
    latest = pool.query<Gauges>({ ...read }).then(
      ({ rows }) => rows[0]!,
      () => null,
    );
    return latest;
  };
}
