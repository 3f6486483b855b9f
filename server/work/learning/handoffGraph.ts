import type { Pool } from 'pg';
import { ownAgent, readable, readsSession } from '../../core/rights.ts';
import type { Caller } from '../../core/work.ts';
import { hasMoved } from '../custody/rules.ts';
import { cutIntoDays } from './days.ts';
import { type Outcomes, rated, type Rated } from './rules.ts';

export interface GraphFilter {
  sessionId: string | null;
  project: string | null;
  agentId: string | null;
  initiatedAfter: Date | null;
  initiatedBefore: Date | null;
}

export interface EdgeTimes {
  medianAcceptMs: number | null;
  p90AcceptMs: number | null;
  medianCompleteMs: number | null;
}

export interface GraphEdge extends EdgeTimes, Rated {
  source: string;
  target: string;
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

interface Row extends EdgeTimes {
  source: string;
  target: string;
  count: number;
  outcomes: Outcomes | null;
}

type Reader = Pick<Caller, 'role' | 'agentId'>;

/**
 * Counts the Handoffs that the caller may read by pair of agents, in one statement. Outcomes and times are those of the `first`
 * pairs only. Counts of all Sessions come from the stored counts, so they do not slow down with the number of Handoffs.
 */
export async function handoffGraph(
  pool: Pool,
  filter: GraphFilter,
  first: number | null,
  caller: Reader,
): Promise<Graph> {
  const values: unknown[] = [first];
  const add = (value: unknown): string => `$${values.push(value)}`;
  const parts =
    filter.sessionId !== null || filter.project !== null || ownAgent(caller) !== null
      ? countedRows(filter, caller, add)
      : storedCounts(filter, add);
  const { rows } = await pool.query<Row>(
    `WITH ${parts.ctes}counted AS (
       SELECT source_agent_id, target_agent_id, outcome, sum(count)::int AS count FROM (${parts.counts}) c GROUP BY 1, 2, 3 HAVING sum(count) > 0
     ), pairs AS (
       SELECT source_agent_id, target_agent_id, sum(count)::int AS count FROM counted WHERE outcome <> 'BOUNCED_BACK' GROUP BY 1, 2
     ), busiest AS MATERIALIZED (
       SELECT source_agent_id, target_agent_id FROM pairs ORDER BY count DESC, 1, 2 LIMIT $1
     ), outcomes AS (
       SELECT source_agent_id, target_agent_id, jsonb_object_agg(outcome, count) AS outcomes FROM counted JOIN busiest USING (source_agent_id, target_agent_id) GROUP BY 1, 2
     ), times AS (${parts.times})
     SELECT source_agent_id AS source, target_agent_id AS target, count, outcomes, median_accept_ms AS "medianAcceptMs", p90_accept_ms AS "p90AcceptMs", median_complete_ms AS "medianCompleteMs"
     FROM pairs LEFT JOIN outcomes USING (source_agent_id, target_agent_id) LEFT JOIN times USING (source_agent_id, target_agent_id)
     ORDER BY count DESC, 1, 2`,
    values,
  );
  const edges = (first === null ? rows : rows.slice(0, first)).map(({ outcomes, ...row }): GraphEdge => ({
    ...rated(outcomes ?? {}),
    ...row,
  }));
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

interface Parts {
  /** Each ends with a comma. */
  ctes: string;
  /** Rows of (source_agent_id, target_agent_id, outcome, count), to be summed. */
  counts: string;
  /** The times of the pairs in `busiest`. */
  times: string;
}

type Add = (value: unknown) => string;

// The Session was back at the source within the next two tenures (rule: bounced back).
const bounced = `EXISTS (SELECT FROM (
  SELECT n.agent_id FROM agent_sessions b JOIN agent_sessions n ON n.session_id = b.session_id AND (n.started_at, n.id) > (b.started_at, b.id)
  WHERE b.id = t.target_agent_session_id ORDER BY n.started_at, n.id LIMIT 2) next WHERE next.agent_id = t.source_agent_id)`;

const outcomesOf = (rows: string): string =>
  `SELECT source_agent_id, target_agent_id, o.outcome, 1 AS count FROM ${rows} r, LATERAL (VALUES (r.status::text), (CASE WHEN r.bounced THEN 'BOUNCED_BACK' END)) o (outcome) WHERE o.outcome IS NOT NULL`;

/** For one Session, for those of a project, and for a caller that may not read everything: reads the Handoffs themselves. */
function countedRows(filter: GraphFilter, caller: Reader, add: Add): Parts {
  const conditions = [
    'source_agent_id IS NOT NULL',
    hasMoved('t'),
    readsSession(caller, 't.session_id'),
    readable(caller, 'Handoff', 't'),
  ];
  if (filter.sessionId !== null) conditions.push(`session_id = ${add(filter.sessionId)}`);
  if (filter.project !== null)
    conditions.push(`session_id IN (SELECT id FROM sessions WHERE project = ${add(filter.project)})`);
  if (filter.agentId !== null) conditions.push(ofAgent(add(filter.agentId)));
  if (filter.initiatedAfter !== null) conditions.push(`initiated_at > ${add(filter.initiatedAfter)}`);
  if (filter.initiatedBefore !== null) conditions.push(`initiated_at < ${add(filter.initiatedBefore)}`);
  return {
    ctes: `matching AS MATERIALIZED (
       SELECT id, source_agent_id, target_agent_id, status, ${bounced} AS bounced, initiated_at, accepted_at, completed_at FROM handoffs t WHERE ${conditions.join(' AND ')}),`,
    counts: outcomesOf('matching'),
    times: `SELECT source_agent_id, target_agent_id, accept[1] AS median_accept_ms, accept[2] AS p90_accept_ms, median_complete_ms FROM (
         SELECT source_agent_id, target_agent_id,
           percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY extract(epoch FROM accepted_at - initiated_at)::float8 * 1000) AS accept,
           percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM completed_at - initiated_at)::float8 * 1000) AS median_complete_ms
         FROM (SELECT *, row_number() OVER (PARTITION BY source_agent_id, target_agent_id ORDER BY initiated_at DESC, id DESC) AS number FROM matching JOIN busiest USING (source_agent_id, target_agent_id)) m
         WHERE number <= 10000 GROUP BY 1, 2) p`,
  };
}

/** Reads the counts: the sums of all days, or whole days and the Handoffs of the days that the filter cuts. */
function storedCounts({ agentId, initiatedAfter: after, initiatedBefore: before }: GraphFilter, add: Add): Parts {
  const agent = agentId === null ? 'true' : ofAgent(add(agentId));
  const columns = 'source_agent_id, target_agent_id, outcome, count';
  if (after === null && before === null) {
    return {
      ctes: `changes AS MATERIALIZED (SELECT ${columns} FROM handoff_path_changes WHERE ${agent}), changed AS MATERIALIZED (SELECT DISTINCT source_agent_id, target_agent_id FROM changes),`,
      counts: `SELECT ${columns} FROM handoff_path_counts WHERE day = '-infinity' AND ${agent} UNION ALL SELECT ${columns} FROM changes`,
      times: `SELECT * FROM handoff_path_times JOIN busiest USING (source_agent_id, target_agent_id) WHERE NOT (source_agent_id, target_agent_id) IN (SELECT * FROM changed)
         UNION ALL SELECT source_agent_id, target_agent_id, times.* FROM busiest JOIN changed USING (source_agent_id, target_agent_id), handoff_times(source_agent_id, target_agent_id, '-infinity', 'infinity') times`,
    };
  }
  const { whole, rest } = cutIntoDays({ after, before });
  const counts: string[] = [];
  if (whole !== null) {
    const days = [
      whole.from === null ? `day > '-infinity'` : `day >= handoff_day(${add(whole.from)}::timestamptz)`,
      ...(whole.until === null ? [] : [`day < handoff_day(${add(whole.until)}::timestamptz)`]),
    ].join(' AND ');
    for (const table of ['handoff_path_counts', 'handoff_path_changes'])
      counts.push(`SELECT ${columns} FROM ${table} WHERE ${days} AND ${agent}`);
  }
  for (const { from, includesFrom, until } of rest) {
    const rows = `(SELECT source_agent_id, target_agent_id, status, ${bounced} AS bounced FROM handoffs t
       WHERE source_agent_id IS NOT NULL AND ${hasMoved('t')} AND ${agent} AND initiated_at ${includesFrom ? '>=' : '>'} ${add(from)} AND initiated_at < ${add(until)})`;
    counts.push(outcomesOf(rows));
  }
  const bound = (at: Date | null, open: string): string => (at === null ? `'${open}'` : `${add(at)}::timestamptz`);
  return {
    ctes: '',
    counts: [...counts, `SELECT ${columns} FROM handoff_path_counts WHERE false AND ${agent}`].join(' UNION ALL '),
    times: `SELECT source_agent_id, target_agent_id, times.* FROM busiest, handoff_times(source_agent_id, target_agent_id, ${bound(after, '-infinity')}, ${bound(before, 'infinity')}) times`,
  };
}

const ofAgent = (id: string): string => `(source_agent_id = ${id} OR target_agent_id = ${id})`;

function nodesOf(edges: readonly Pick<GraphEdge, 'source' | 'target' | 'count'>[]): GraphNode[] {
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
