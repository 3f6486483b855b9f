import type { Pool } from 'pg';
import { ownAgent, readable } from '../../core/rights.ts';
import type { Caller } from '../../core/work.ts';

/** A tenure that ended with work: it has a Turn. */
export interface EndedTenure {
  id: string;
  agentId: string;
  startedAt: Date;
  endedAt: Date;
  /** The end of the last Message of the Agent; null when it wrote none. */
  text: string | null;
}

/** Results of a Session, the newest. */
export const longestHistory = 500;
/** Of a text, its end. */
export const longestText = 4_000;

/** The tenures of Sessions that ended with work of which the caller may read, oldest first; the newest 500 of each. */
export async function tenuresWithWork(
  pool: Pool,
  caller: Caller,
  sessionIds: readonly string[],
): Promise<Map<string, EndedTenure[]>> {
  const { rows } = await pool.query<EndedTenure & { sessionId: string }>({
    ...(ownAgent(caller) === null && { name: 'tenures_with_work' }),
    text: `SELECT s.id AS "sessionId", a.id, a.agent_id AS "agentId", a.started_at AS "startedAt", a.ended_at AS "endedAt", m.text
      FROM unnest($1::uuid[]) s (id) CROSS JOIN LATERAL (
        SELECT * FROM agent_sessions a WHERE a.session_id = s.id AND a.ended_at IS NOT NULL
          AND EXISTS (SELECT FROM turns t WHERE t.agent_session_id = a.id AND ${readable(caller, 'Turn', 't')})
        ORDER BY a.started_at DESC, a.id DESC LIMIT ${longestHistory}) a
      LEFT JOIN LATERAL (SELECT right(t.content, ${longestText}) AS text FROM messages t
        WHERE t.agent_session_id = a.id AND t.role = 'ASSISTANT' AND t.kind = 'TEXT' AND btrim(t.content) <> '' AND ${readable(caller, 'Message', 't')}
        ORDER BY t.sequence DESC LIMIT 1) m ON true
      ORDER BY a.started_at, a.id`,
    values: [sessionIds],
  });
  const found = new Map<string, EndedTenure[]>(sessionIds.map((id) => [id, []]));
  for (const { sessionId, ...tenure } of rows) found.get(sessionId)!.push(tenure);
  return found;
}
