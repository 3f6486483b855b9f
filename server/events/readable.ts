import type { Pool } from 'pg';
import { statement } from '../core/changes.ts';
import type { Caller } from '../core/work.ts';
import type { EventRow } from './rows.ts';

const findReadable = statement(
  'SELECT id FROM sessions s WHERE id = ANY ($1::uuid[]) AND ($2::text IS NULL OR EXISTS (SELECT FROM agent_sessions WHERE session_id = s.id AND agent_id = $2))',
);

/** Those of these Sessions that the caller may not read, or that do not exist: for an agent the two look the same. */
export async function unreadable(pool: Pool, caller: Caller, sessionIds: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({ ...findReadable, values: [sessionIds, ownAgent(caller)] });
  const found = new Set(rows.map(({ id }) => id));
  return sessionIds.filter((id) => !found.has(id));
}

/** Whether the caller may have an event, by the tenures that there were when it was read: such a right is never lost again. */
export function mayRead(caller: Caller): (event: EventRow) => boolean {
  const agentId = ownAgent(caller);
  if (agentId === null) return () => true;
  return ({ sessionId, readers, told }) => (sessionId === null ? told : readers).includes(agentId);
}

/** The agent that a caller is confined to; null for those who read everything. */
export const ownAgent = ({ role, agentId }: Caller): string | null => (role === 'AGENT' ? (agentId ?? '') : null);
