import type { Pool, PoolClient } from 'pg';
import { statement } from '../../core/changes.ts';
import { newId } from '../../core/ids.ts';
import type { DeliveryError } from '../../generated/prisma/client.ts';
import type { EventType } from '../events/topics.ts';

/** The statements of the process that sends. Those that write run within its lease. */

/** A delivery that is due. */
export interface Due {
  id: string;
  webhookId: string;
  eventId: string;
  position: number;
  redeliveryOfId: string | null;
  url: string;
  secretVersion: number;
  previousSecretUntil: Date | null;
  keyCheck: string;
}

/** What became of an attempt. */
export interface Result {
  id: string;
  /** Its number, from `beginAttempts`. */
  attempt: number;
  response: number | null;
  /** Null: delivered. */
  error: DeliveryError | null;
}

/** Events of one statement and webhook. */
const batch = 500;

const look =
  statement(`SELECT EXISTS (SELECT FROM unpositioned_events) AS waiting, EXISTS (SELECT FROM webhooks WHERE disabled_at IS NULL AND deleted_at IS NULL
  AND position < (SELECT max(position) FROM event_positions)) AS behind`);

const findNext =
  statement(`SELECT w.id AS "webhookId", w.types, n.position::float8, n.event_id AS "eventId", e.type, coalesce(e.session_id::text, e.agent_id, '') AS lane
FROM webhooks w CROSS JOIN LATERAL (SELECT position, event_id FROM event_positions WHERE position > w.position ORDER BY position LIMIT ${batch}) n
JOIN events e ON e.id = n.event_id WHERE w.disabled_at IS NULL AND w.deleted_at IS NULL ORDER BY n.position FOR NO KEY UPDATE OF w`);

// The first of its lane is due unless an earlier one is not done.
const add = statement(`WITH added AS (
  INSERT INTO deliveries (id, webhook_id, event_id, position, lane, status, due_at, attempts, created_at)
  SELECT n.id, n.webhook_id, n.event_id, n.position::bigint, n.lane, (CASE WHEN n.due THEN 'PENDING' ELSE 'PARKED' END)::delivery_status, CASE WHEN n.due THEN clock_timestamp() END, 0, clock_timestamp()
  FROM (SELECT g.*, g.first AND NOT EXISTS (SELECT FROM deliveries o WHERE o.webhook_id = g.webhook_id AND o.lane = g.lane AND o.status = 'PENDING') AS due
    FROM json_to_recordset($1) AS g(id uuid, webhook_id uuid, event_id uuid, position float8, lane text, first boolean)) n
  ON CONFLICT (webhook_id, event_id) WHERE redelivery_of_id IS NULL DO NOTHING)
UPDATE webhooks w SET position = r.position::bigint FROM json_to_recordset($2) AS r(id uuid, position float8) WHERE w.id = r.id`);

const findDue =
  statement(`SELECT d.id, w.id AS "webhookId", d.event_id AS "eventId", d.position::float8, d.redelivery_of_id AS "redeliveryOfId", w.url,
  w.secret_version AS "secretVersion", w.previous_secret_until AS "previousSecretUntil", w.key_check AS "keyCheck"
FROM webhooks w CROSS JOIN LATERAL (SELECT * FROM deliveries WHERE webhook_id = w.id AND status = 'PENDING' AND due_at <= clock_timestamp() AND NOT id = ANY ($1)
  ORDER BY due_at, position LIMIT $2) d
WHERE w.disabled_at IS NULL AND w.deleted_at IS NULL ORDER BY d.due_at, d.position`);

/** The wait after an attempt that fails: it doubles with each failure, from 5 s to an hour. */
const wait = `least(5 * power(2, least(d.failures, 10)), 3600) * interval '1 second' * (0.9 + 0.2 * random())`;

// An attempt is counted before it is sent, and due again only when it must have ended: another process neither repeats it meanwhile nor
// after a kill before the wait is over.
const begin =
  statement(`UPDATE deliveries d SET attempts = d.attempts + 1, attempted_at = clock_timestamp(), response_status = NULL, error = NULL,
  due_at = clock_timestamp() + $2 * interval '1 millisecond' + ${wait}
WHERE d.id = ANY ($1) AND d.status = 'PENDING' AND d.due_at <= clock_timestamp() RETURNING d.id, d.attempts AS attempt`);

const mark = statement(`WITH done AS (
  UPDATE deliveries d SET response_status = r.response, error = r.error,
    status = (CASE WHEN r.error IS NULL THEN 'DELIVERED' WHEN d.redelivery_of_id IS NOT NULL THEN 'FAILED' ELSE 'PENDING' END)::delivery_status,
    failing_since = CASE WHEN r.error IS NOT NULL THEN coalesce(d.failing_since, clock_timestamp()) END,
    failures = CASE WHEN r.error IS NULL THEN 0 ELSE d.failures + 1 END,
    due_at = CASE WHEN r.error IS NOT NULL AND d.redelivery_of_id IS NULL AND w.disabled_at IS NULL THEN clock_timestamp() + ${wait} END
  FROM json_to_recordset($1) AS r(id uuid, attempt integer, response integer, error delivery_error), webhooks w
  WHERE d.id = r.id AND d.status = 'PENDING' AND d.attempts = r.attempt AND w.id = d.webhook_id
  RETURNING d.webhook_id, d.lane, d.status, d.response_status, d.failing_since, w.disabled_at
), next AS (
  UPDATE deliveries n SET status = 'PENDING', due_at = CASE WHEN l.disabled_at IS NULL THEN clock_timestamp() END
  FROM (SELECT webhook_id, lane, disabled_at FROM done WHERE status = 'DELIVERED') l
  WHERE n.id = (SELECT id FROM deliveries p WHERE p.webhook_id = l.webhook_id AND p.lane = l.lane AND p.status = 'PARKED' ORDER BY p.position LIMIT 1)
)
SELECT webhook_id AS "webhookId", (CASE WHEN bool_or(response_status = 410) THEN 'GONE' ELSE 'FAILING' END) AS reason FROM done
WHERE disabled_at IS NULL AND (response_status = 410 OR (status = 'PENDING' AND failing_since <= clock_timestamp() - interval '24 hours')) GROUP BY webhook_id`);

const forget = statement(`DELETE FROM deliveries WHERE id IN (SELECT d.id FROM webhooks w CROSS JOIN LATERAL (
  (SELECT id FROM deliveries WHERE webhook_id = w.id AND w.deleted_at IS NOT NULL LIMIT 500)
  UNION (SELECT id FROM deliveries WHERE webhook_id = w.id AND status = 'DELIVERED' AND created_at < clock_timestamp() - interval '7 days' LIMIT 500)
  UNION (SELECT id FROM deliveries WHERE webhook_id = w.id AND status = 'FAILED' AND created_at < clock_timestamp() - interval '7 days' LIMIT 500)) d)`);

/** Whether events wait for a position, and whether one has no deliveries yet. */
export async function lookForEvents(pool: Pool): Promise<{ waiting: boolean; behind: boolean }> {
  return (await pool.query<{ waiting: boolean; behind: boolean }>({ ...look })).rows[0]!;
}

interface Next {
  webhookId: string;
  types: EventType[];
  position: number;
  eventId: string;
  type: EventType;
  lane: string;
}

const isWanted = ({ types, type }: Next): boolean =>
  types.length === 0 ? type !== 'TURN_APPENDED' && type !== 'LOG_CHANGED' : types.includes(type);

/** Adds the deliveries of the next events of each webhook, and returns whether there were any. */
export async function addDeliveries(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<Next>({ ...findNext });
  if (rows.length === 0) return false;
  const reached = new Map<string, number>();
  const lanes = new Set<string>();
  const added = rows.flatMap((row) => {
    const { webhookId, eventId, position, lane } = row;
    reached.set(webhookId, position);
    if (!isWanted(row)) return [];
    const place = `${webhookId} ${lane}`;
    const first = !lanes.has(place);
    lanes.add(place);
    return [{ id: newId(), webhook_id: webhookId, event_id: eventId, position, lane, first }];
  });
  const positions = [...reached].map(([id, position]) => ({ id, position }));
  await client.query({ ...add, values: [JSON.stringify(added), JSON.stringify(positions)] });
  return true;
}

/** The deliveries that are due, at most `ofWebhook` of each webhook, oldest first, without those under way. */
export async function findDueDeliveries(pool: Pool, underWay: readonly string[], ofWebhook: number): Promise<Due[]> {
  return (await pool.query<Due>({ ...findDue, values: [underWay, ofWebhook] })).rows;
}

/** Counts an attempt of each delivery that is still due, and returns their numbers by delivery. It ends within `ms` milliseconds. */
export async function beginAttempts(
  client: PoolClient,
  ids: readonly string[],
  ms: number,
): Promise<Map<string, number>> {
  const { rows } = await client.query<{ id: string; attempt: number }>({ ...begin, values: [ids, ms] });
  return new Map(rows.map(({ id, attempt }) => [id, attempt]));
}

export interface Ended {
  webhookId: string;
  reason: 'GONE' | 'FAILING';
}

/** Records the results of attempts and lets the next of each lane go. Returns the webhooks to disable. */
export async function markResults(client: PoolClient, results: readonly Result[]): Promise<Ended[]> {
  return (await client.query<Ended>({ ...mark, values: [JSON.stringify(results)] })).rows;
}

/** Deletes deliveries of deleted webhooks, and those done more than 7 days ago, in a small batch. Returns whether there were any. */
export async function forgetDeliveries(client: PoolClient): Promise<boolean> {
  return ((await client.query({ ...forget })).rowCount ?? 0) > 0;
}
