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

export interface GraphNode {
  agent: string;
  received: number;
  given: number;
}

export interface Graph {
  /** The pairs with the most Handoffs. */
  edges: GraphEdge[];
  /** The Agents of the edges, with all of their counted Handoffs. */
  nodes: GraphNode[];
  pairCount: number;
  agentCount: number;
  handoffCount: number;
}

/** Counts the Handoffs that the caller may read by pair of agents, in one statement. Outcomes and medians are those of the `first` pairs only. */
export async function handoffGraph(pool: Pool, filter: GraphFilter, first: number | null, caller: Pick<Caller, 'role' | 'agentId'>): Promise<Graph> {
  const conditions = ['source_agent_id IS NOT NULL', readableSql(caller, 'handoffs.session_id')];
  const values: unknown[] = [first];
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
    `WITH counted AS (
       SELECT source_agent_id, target_agent_id, status, count(*)::int AS count FROM handoffs
       WHERE ${conditions.join(' AND ')} GROUP BY 1, 2, 3
     ), pairs AS (
       SELECT source_agent_id, target_agent_id, sum(count)::int AS count FROM counted GROUP BY 1, 2
     ), busiest AS (
       SELECT source_agent_id, target_agent_id FROM pairs ORDER BY count DESC, 1, 2 LIMIT $1
     ), outcomes AS (
       SELECT source_agent_id, target_agent_id, jsonb_agg(jsonb_build_object('status', status, 'count', count) ORDER BY status) AS by_status
       FROM counted JOIN busiest USING (source_agent_id, target_agent_id) GROUP BY 1, 2
     ), accepted AS (
       SELECT source_agent_id, target_agent_id,
         percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM accepted_at - initiated_at) * 1000) AS median
       FROM handoffs JOIN busiest USING (source_agent_id, target_agent_id)
       WHERE ${conditions.join(' AND ')} AND accepted_at IS NOT NULL GROUP BY 1, 2
     )
     SELECT source_agent_id AS source, target_agent_id AS target, count, by_status AS "byStatus", median::float8 AS "medianAcceptMs"
     FROM pairs LEFT JOIN outcomes USING (source_agent_id, target_agent_id) LEFT JOIN accepted USING (source_agent_id, target_agent_id)
     ORDER BY count DESC, 1, 2`,
    values,
  );
  const edges = first === null ? rows : rows.slice(0, first);
  const nodes = nodesOf(rows);
  const shown = new Set(edges.flatMap(({ source, target }) => [source, target]));
  return {
    edges,
    nodes: nodes.filter(({ agent }) => shown.has(agent)),
    pairCount: rows.length,
    agentCount: nodes.length,
    handoffCount: rows.reduce((sum, { count }) => sum + count, 0),
  };
}

function nodesOf(edges: readonly GraphEdge[]): GraphNode[] {
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
