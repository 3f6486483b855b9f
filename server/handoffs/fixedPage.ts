import type { Pool } from 'pg';
import { type Bounds, type Filter, FixedRow, type PageSql, readFixedPage } from '../core/fixedPage.ts';

const agent = { select: { id: true, name: true, type: true } };

export const handoffSelect = {
  id: true, status: true, via: true, reason: true, depth: true, circular: true, initiatedAt: true, acceptedAt: true, completedAt: true, closedAt: true,
  sourceAgent: agent, targetAgent: agent, session: { select: { id: true, title: true, status: true } },
};

// OFFSET 0 prevents joins that scan whole tables.
const sql = ({ where, orderBy, limit }: PageSql): string => `
  SELECT h.id, h.status, h.via, h.reason, h.depth, h.circular, h.initiated_at, h.accepted_at, h.completed_at, h.closed_at,
    a.id, a.name, a.type, b.id, b.name, b.type, s.id, s.title, s.status
  FROM (SELECT id, status, via, reason, depth, circular, initiated_at, accepted_at, completed_at, closed_at, source_agent_id, target_agent_id, session_id
    FROM handoffs h ${where} ${orderBy('h')} LIMIT ${limit}) h
  LEFT JOIN LATERAL (SELECT id, name, type FROM agents WHERE id = h.source_agent_id OFFSET 0) a ON true
  LEFT JOIN LATERAL (SELECT id, name, type FROM agents WHERE id = h.target_agent_id OFFSET 0) b ON true
  LEFT JOIN LATERAL (SELECT id, title, status FROM sessions WHERE id = h.session_id OFFSET 0) s ON true
  ${orderBy('h')}`;

type Text = string | null;

const rowOf = ([id, status, via, reason, depth, circular, initiatedAt, acceptedAt, completedAt, closedAt, a, aName, aType, b, bName, bType, s, title, sStatus]: Text[]): FixedRow =>
  Object.assign(new FixedRow(), {
    id: id!, status, via, reason, depth, circular, initiatedAt, acceptedAt, completedAt, closedAt,
    sourceAgent: a === null ? null : { id: a, name: aName, type: aType },
    targetAgent: { id: b, name: bName, type: bType },
    session: { id: s, title, status: sStatus },
  });

const equals = (column: string, value: string): Filter => [`${column} = $1`, value];

/** The filters of a Handoff list; null when not given. */
interface HandoffFilters {
  sessionId: string | null;
  agentId: string | null;
  sourceAgentId: string | null;
  targetAgentId: string | null;
}

/** The filters of the prepared statement: all Handoffs, or those of a Session or an Agent. Null for other filters. */
export function fixedFilters({ sessionId, agentId, sourceAgentId, targetAgentId, ...others }: HandoffFilters): Filter[] | null {
  if (Object.values(others).some((each) => each !== null)) return null;
  const given: Filter[][] = [
    ...(sessionId === null ? [] : [[equals('session_id', sessionId)]]),
    ...(agentId === null ? [] : [[equals('source_agent_id', agentId), equals('target_agent_id', agentId)]]),
    ...(sourceAgentId === null ? [] : [[equals('source_agent_id', sourceAgentId)]]),
    ...(targetAgentId === null ? [] : [[equals('target_agent_id', targetAgentId)]]),
  ];
  return given.length > 1 ? null : (given[0] ?? [null]);
}

export const readHandoffs = (pool: Pool, filter: Filter, bounds: Bounds): Promise<FixedRow[]> =>
  readFixedPage(pool, bounds, { columns: ['initiated_at', 'id'], filter, sql, rowOf });
