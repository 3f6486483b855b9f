import type { Pool } from 'pg';
import { type Bounds, FixedRow, type PageSql, readFixedPage } from '../core/fixedPage.ts';

export const sessionSelect = {
  id: true, title: true, status: true, version: true, previousAgentType: true, handoffsEnabled: true, maxHandoffs: true, createdAt: true, updatedAt: true, lastReassignedAt: true,
  agent: { select: { id: true, name: true, type: true } },
  lastHandoff: { select: { id: true, status: true, via: true, depth: true, initiatedAt: true, acceptedAt: true } },
};

// OFFSET 0 prevents joins that scan whole tables.
const sql = ({ where, orderBy, limit }: PageSql): string => `
  SELECT s.id, s.title, s.status, s.version, s.previous_agent_type, s.handoffs_enabled, s.max_handoffs, s.created_at, s.updated_at, s.last_reassigned_at,
    a.id, a.name, a.type, h.id, h.status, h.via, h.depth, h.initiated_at, h.accepted_at
  FROM (SELECT id, title, status, version, previous_agent_type, handoffs_enabled, max_handoffs, created_at, updated_at, last_reassigned_at, agent_id, last_handoff_id
    FROM sessions s ${where} ${orderBy('s')} LIMIT ${limit}) s
  LEFT JOIN LATERAL (SELECT id, name, type FROM agents WHERE id = s.agent_id OFFSET 0) a ON true
  LEFT JOIN LATERAL (SELECT id, status, via, depth, initiated_at, accepted_at FROM handoffs WHERE id = s.last_handoff_id OFFSET 0) h ON true
  ${orderBy('s')}`;

type Text = string | null;

const rowOf = ([id, title, status, version, previousAgentType, handoffsEnabled, maxHandoffs, createdAt, updatedAt, lastReassignedAt, a, name, type, h, hStatus, via, depth, initiatedAt, acceptedAt]: Text[]): FixedRow =>
  Object.assign(new FixedRow(), {
    id: id!, title, status, version, previousAgentType, handoffsEnabled, maxHandoffs, createdAt, updatedAt, lastReassignedAt,
    agent: a === null ? null : { id: a, name, type },
    lastHandoff: h === null ? null : { id: h, status: hStatus, via, depth, initiatedAt, acceptedAt },
  });

const orders = { createdAt: 'created_at', updatedAt: 'updated_at', lastActivityAt: 'last_activity_at' } as const;
export type SessionColumn = keyof typeof orders;

export const readSessions = (pool: Pool, order: SessionColumn, bounds: Bounds): Promise<FixedRow[]> =>
  readFixedPage(pool, bounds, { columns: [orders[order], 'id'], filter: null, sql, rowOf });
