import type { Pool } from 'pg';
import { statement } from '../../core/changes.ts';

const findTenures = statement(`
SELECT e.id, t.id AS tenure FROM events e CROSS JOIN LATERAL (
  SELECT id FROM agent_sessions WHERE session_id = e.session_id AND started_at <= e.at ORDER BY started_at DESC, id DESC LIMIT 1) t
WHERE e.id = ANY ($1::uuid[])`);

/** The AgentSession that each Event's Session was in after the Event, or the last before; none before the first. */
export async function tenuresOfEvents(pool: Pool, eventIds: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ id: string; tenure: string }>({ ...findTenures, values: [eventIds] });
  return new Map(rows.map(({ id, tenure }) => [id, tenure]));
}
