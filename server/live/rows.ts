import type { Pool } from 'pg';
import { statement } from '../core/changes.ts';
import type { Role } from '../core/work.ts';
import type { EventType } from '../generated/prisma/client.ts';

/** A committed Event, with what decides who is to have it. */
export interface EventRow {
  id: string;
  type: EventType;
  at: Date;
  sessionId: string | null;
  sessionSequence: number | null;
  reason: string | null;
  actorPrincipal: string;
  actorRole: Role | null;
  /** In whose inboxes it is. */
  told: string[];
  /** The agents that have or had an AgentSession in its Session. */
  readers: string[];
}

/** Which rows, in which order. */
export type StreamKey = { kind: 'all' } | { kind: 'inbox'; agentId: string };

/** A row and its number in the stream that it was read from. */
export type NumberedRow = EventRow & { number: number };

const columns = `e.id, e.type, e.at, e.session_id AS "sessionId", e.session_sequence AS "sessionSequence", e.reason,
  e.actor_principal AS "actorPrincipal", e.actor_role AS "actorRole",
  ARRAY(SELECT agent_id FROM inbox_entries WHERE event_id = e.id) AS told,
  ARRAY(SELECT DISTINCT agent_id FROM agent_sessions WHERE session_id = e.session_id) AS readers`;

const readAll = statement(`SELECT p.position::float8 AS number, ${columns} FROM event_positions p JOIN events e ON e.id = p.event_id
WHERE p.position > $1 ORDER BY p.position LIMIT $2`);
const readInbox = statement(`SELECT i.sequence AS number, ${columns} FROM inbox_entries i JOIN events e ON e.id = i.event_id
WHERE i.agent_id = $3 AND i.sequence > $1 ORDER BY i.sequence LIMIT $2`);

/** The next rows of a stream after a number, which have no gaps between them. */
export async function readRows(pool: Pool, key: StreamKey, after: number, limit: number): Promise<NumberedRow[]> {
  const result =
    key.kind === 'all'
      ? await pool.query<NumberedRow>({ ...readAll, values: [after, limit] })
      : await pool.query<NumberedRow>({ ...readInbox, values: [after, limit, key.agentId] });
  return result.rows;
}

export interface Heads {
  /** The last position that was given; 0 when none was. */
  position: number;
  /** The first that is kept. */
  oldest: number;
  /** Whether events wait for a position. */
  waiting: boolean;
  /** The last number in each inbox that was asked for; an agent that does not exist has none. */
  inboxes: Record<string, number>;
}

const findHeads = statement(`SELECT (SELECT coalesce(max(position), 0)::float8 FROM event_positions) AS position,
  (SELECT coalesce(min(position), 1)::float8 FROM event_positions) AS oldest,
  EXISTS (SELECT FROM unpositioned_events) AS waiting,
  (SELECT coalesce(json_object_agg(id, inbox_sequence), '{}') FROM agents WHERE id = ANY ($1)) AS inboxes`);

export async function readHeads(pool: Pool, agentIds: readonly string[]): Promise<Heads> {
  const { rows } = await pool.query<Heads>({ ...findHeads, values: [agentIds] });
  return rows[0]!;
}
