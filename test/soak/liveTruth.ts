import type { Pool } from 'pg';
import type { Topic } from '../../client/stream/index.ts';
import { decodeId, encodeId } from '../../server/core/ids.ts';

/** The positions of all streams while nothing was written. */
export interface Beginning {
  position: number;
  inboxes: ReadonlyMap<string, number>;
}

export async function beginning(pool: Pool): Promise<Beginning> {
  const { rows: positions } = await pool.query<{ position: number }>(
    'SELECT coalesce(max(position), 0)::float8 AS position FROM event_positions',
  );
  const { rows: inboxes } = await pool.query<{ id: string; sequence: number }>(
    'SELECT id, inbox_sequence AS sequence FROM agents',
  );
  return { position: positions[0]!.position, inboxes: new Map(inboxes.map(({ id, sequence }) => [id, sequence])) };
}

/** Events in the global order, with a condition for the recipients. */
const inOrder = (condition: string): string =>
  `SELECT e.id FROM event_positions p JOIN events e ON e.id = p.event_id WHERE p.position > $1 AND ${condition} ORDER BY p.position`;
const noLogEntry = `e.type NOT IN ('TURN_APPENDED', 'LOG_CHANGED')`;

/** A topic's events since then, in order, read from the tables alone. */
export async function truthOf(pool: Pool, topic: Topic, since: Beginning): Promise<string[]> {
  const read = async (sql: string, ...values: unknown[]): Promise<string[]> => {
    const { rows } = await pool.query<{ id: string }>(sql, values);
    return rows.map(({ id }) => encodeId('event', id));
  };
  const uuid = (id: string): string => decodeId(id)!.uuid;
  switch (topic.kind) {
    case 'handoffAssigned':
      return read(
        'SELECT event_id AS id FROM inbox_entries WHERE agent_id = $1 AND sequence > $2 ORDER BY sequence',
        topic.agentId,
        since.inboxes.get(topic.agentId) ?? 0,
      );
    case 'sessionUpdated':
      if (topic.sessionIds === undefined) return read(inOrder('e.session_id IS NOT NULL'), since.position);
      return read(inOrder('e.session_id = ANY ($2::uuid[])'), since.position, topic.sessionIds.map(uuid));
    case 'handoffEvents': {
      const { sessionId, agentId } = topic.where ?? {};
      if (sessionId !== undefined)
        return read(inOrder(`${noLogEntry} AND e.session_id = $2`), since.position, uuid(sessionId));
      if (agentId !== undefined)
        return read(
          inOrder(`${noLogEntry} AND EXISTS (SELECT FROM inbox_entries i WHERE i.event_id = e.id AND i.agent_id = $2)`),
          since.position,
          agentId,
        );
      return read(inOrder(noLogEntry), since.position);
    }
  }
}

/** Checks that the global order agrees with each Session's and inbox's numbers and omits nothing. */
export async function disorder(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ line: string }>(`
    SELECT format('session %s: number %s has position %s, after %s', session_id, session_sequence, position, before) AS line FROM (
      SELECT e.session_id, e.session_sequence, p.position, max(p.position) OVER (PARTITION BY e.session_id ORDER BY e.session_sequence ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
      FROM events e JOIN event_positions p ON p.event_id = e.id WHERE e.session_id IS NOT NULL) s WHERE position < before
    UNION ALL
    SELECT format('inbox of %s: number %s has position %s, after %s', agent_id, sequence, position, before) FROM (
      SELECT i.agent_id, i.sequence, p.position, max(p.position) OVER (PARTITION BY i.agent_id ORDER BY i.sequence ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
      FROM inbox_entries i JOIN event_positions p ON p.event_id = i.event_id) i WHERE position < before
    UNION ALL
    SELECT format('event %s has no position', e.id) FROM events e LEFT JOIN event_positions p ON p.event_id = e.id WHERE p.position IS NULL
    UNION ALL
    SELECT format('positions are not 1..n: %s of them up to %s', count(*), max(position)) FROM event_positions HAVING count(*) <> coalesce(max(position), 0)`);
  return rows.map(({ line }) => line);
}
