import type { Pool } from 'pg';
import { readableSql } from '../core/readable.ts';
import type { Caller } from '../core/work.ts';
import type { HandoffStatus } from '../generated/prisma/client.ts';

/** The number of Handoffs that `chain` returns. */
export const longestChain = 100;

export const isOpenHandoff = ({ status }: { status: HandoffStatus }): boolean => status === 'INITIATED' || status === 'ACCEPTED';

/** The Handoff that began the source's tenure, if it was accepted and came from this target. */
export const returnOf = <H extends { sourceAgentId: string | null; acceptedAt: Date | null }>(targetAgentId: string, began: H | null): H | null =>
  began !== null && began.acceptedAt !== null && began.sourceAgentId === targetAgentId ? began : null;

interface GraphFilter {
  sessionId: string | null;
  agentId: string | null;
  initiatedAfter: Date | null;
  initiatedBefore: Date | null;
}

export interface GraphEdge {
  source: string;
  target: string;
  count: number;
  byStatus: { status: HandoffStatus; count: number }[];
  medianAcceptMs: number | null;
}

/** Counts the Handoffs that the caller may read by pair of agents, in one statement. */
export async function handoffEdges(pool: Pool, filter: GraphFilter, caller: Pick<Caller, 'role' | 'agentId'>): Promise<GraphEdge[]> {
  const conditions = ['source_agent_id IS NOT NULL', readableSql(caller, 'handoffs.session_id')];
  const values: unknown[] = [];
  const where = (condition: (parameter: string) => string, value: unknown): void => {
    if (value === null) return;
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  where((id) => `session_id = ${id}`, filter.sessionId);
  where((id) => `(source_agent_id = ${id} OR target_agent_id = ${id})`, filter.agentId);
  where((at) => `initiated_at > ${at}`, filter.initiatedAfter);
  where((at) => `initiated_at < ${at}`, filter.initiatedBefore);
  const { rows } = await pool.query<GraphEdge>(
    `WITH pairs AS (
       SELECT source_agent_id, target_agent_id, status, count(*)::int AS count FROM handoffs
       WHERE ${conditions.join(' AND ')} GROUP BY 1, 2, 3
     ), accepted AS (
       SELECT source_agent_id, target_agent_id,
         percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM accepted_at - initiated_at) * 1000) AS median
       FROM handoffs WHERE ${conditions.join(' AND ')} AND accepted_at IS NOT NULL GROUP BY 1, 2
     )
     SELECT source_agent_id AS source, target_agent_id AS target, sum(p.count)::int AS count,
       jsonb_agg(jsonb_build_object('status', p.status, 'count', p.count) ORDER BY p.status) AS "byStatus",
       min(a.median)::float8 AS "medianAcceptMs"
     FROM pairs p LEFT JOIN accepted a USING (source_agent_id, target_agent_id)
     GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2`,
    values,
  );
  return rows;
}

export interface GraphNode {
  agent: string;
  received: number;
  given: number;
}

export function nodesOf(edges: readonly GraphEdge[]): GraphNode[] {
  const nodes = new Map<string, GraphNode>();
  const node = (agent: string): GraphNode => {
    const known = nodes.get(agent) ?? { agent, received: 0, given: 0 };
    nodes.set(agent, known);
    return known;
  };
  for (const { source, target, count } of edges) {
    node(source).given += count;
    node(target).received += count;
  }
  return [...nodes.values()].sort((a, b) => (a.agent < b.agent ? -1 : 1));
}
