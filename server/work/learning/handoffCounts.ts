import type { Pool } from 'pg';
import { type Outcomes, rated, type Rated } from './rules.ts';

export interface CountFilter {
  agentId: string | null;
  sourceAgentId: string | null;
  targetAgentId: string | null;
  /** Their days (UTC) are counted. */
  from: Date | null;
  until: Date | null;
}

export interface HandoffCount extends Rated {
  /** Of day and pair. */
  id: string;
  /** Its beginning (UTC). */
  day: Date;
  sourceAgentId: string;
  targetAgentId: string;
}

interface Page {
  where: string;
  orderBy: string;
  take: number;
  values: unknown[];
}

const pair = 'day, source_agent_id, target_agent_id';
const tables = ['handoff_path_counts', 'handoff_path_changes'];

/** A page of days and pairs of agents with the outcomes of their Handoffs, in one statement. Counts of pruned Handoffs are among them. */
export async function pageOfCounts(
  pool: Pool,
  filter: CountFilter,
  pageAfter: (given: number) => Page,
): Promise<HandoffCount[]> {
  const { alternatives, values } = conditionsOf(filter);
  const page = pageAfter(values.length);
  // An index has each of the alternatives in the order of the page.
  const found = alternatives.flatMap((condition) =>
    tables.map(
      (table) =>
        `(SELECT DISTINCT ${pair} FROM ${table} WHERE ${condition} AND ${page.where} ORDER BY ${page.orderBy} LIMIT ${page.take})`,
    ),
  );
  const { rows } = await pool.query<{ day: string; source: string; target: string; outcomes: Outcomes }>(
    `WITH page AS MATERIALIZED (SELECT ${pair} FROM (${found.join(' UNION ALL ')}) f GROUP BY ${pair} ORDER BY ${page.orderBy} LIMIT ${page.take})
     SELECT day::text, source_agent_id AS source, target_agent_id AS target, jsonb_object_agg(outcome, count) AS outcomes FROM (
       SELECT ${pair}, outcome, sum(count)::int AS count FROM (
         ${tables.map((table) => `SELECT ${pair}, outcome, count FROM page JOIN ${table} USING (${pair})`).join(' UNION ALL ')}) c GROUP BY ${pair}, outcome HAVING sum(count) <> 0) s
     GROUP BY ${pair} ORDER BY ${page.orderBy}`,
    // As days: a time would be cut to a day of the server's time zone.
    [...values, ...page.values.map((value) => (value instanceof Date ? value.toISOString().slice(0, 10) : value))],
  );
  return rows.map(({ day, source, target, outcomes }) => ({
    id: `${day} ${source} ${target}`,
    day: new Date(`${day}T00:00:00Z`),
    sourceAgentId: source,
    targetAgentId: target,
    ...rated(outcomes),
  }));
}

/** The number of days and pairs of agents. */
export async function countCounts(pool: Pool, filter: CountFilter): Promise<number> {
  const { alternatives, values } = conditionsOf(filter);
  const found = alternatives.flatMap((condition) =>
    tables.map((table) => `SELECT ${pair} FROM ${table} WHERE ${condition}`),
  );
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM (${found.join(' UNION ')}) f`,
    values,
  );
  return rows[0]!.count;
}

function conditionsOf({ agentId, sourceAgentId, targetAgentId, from, until }: CountFilter): {
  alternatives: string[];
  values: unknown[];
} {
  const values: unknown[] = [];
  const add = (value: unknown): string => `$${values.push(value)}`;
  const every = [
    `day > '-infinity'`,
    ...(sourceAgentId === null ? [] : [`source_agent_id = ${add(sourceAgentId)}`]),
    ...(targetAgentId === null ? [] : [`target_agent_id = ${add(targetAgentId)}`]),
    ...(from === null ? [] : [`day >= handoff_day(${add(from)}::timestamptz)`]),
    ...(until === null ? [] : [`day <= handoff_day(${add(until)}::timestamptz)`]),
  ].join(' AND ');
  if (agentId === null) return { alternatives: [every], values };
  const agent = add(agentId);
  return {
    alternatives: [`source_agent_id = ${agent} AND ${every}`, `target_agent_id = ${agent} AND ${every}`],
    values,
  };
}
