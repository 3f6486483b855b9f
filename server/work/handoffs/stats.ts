import type { Pool } from 'pg';
import { containingPattern } from '../../core/containing.ts';
import { readable } from '../../core/rights.ts';
import type { Caller } from '../../core/work.ts';
import type { HandoffStatus, HandoffVia } from '../../generated/prisma/client.ts';
import type { Usage } from '../log/queries.ts';

/** SQL of what Handoffs are grouped by, over `t` and its Session `s`, its tenure `e` and its stays `entered` and `gone`. */
const keys = {
  AGENT: { agent: 't.target_agent_id' },
  PAIR: { source: 't.source_agent_id', target: 't.target_agent_id' },
  STAGE: { stage: 'entered.stage' },
  OUTCOME: { outcome: 'gone.outcome' },
  STATUS: { status: 't.status' },
  DAY: { day: 'handoff_day(t.initiated_at)::text' },
  PROJECT: { project: 's.project' },
} as const satisfies Record<string, Record<string, string>>;

export type StatsKey = keyof typeof keys;

export interface HandoffStat {
  agent?: string;
  source?: string | null;
  target?: string;
  stage?: string | null;
  outcome?: string | null;
  status?: HandoffStatus;
  day?: string;
  project?: string | null;
  count: number;
  byStatus: { status: HandoffStatus; count: number }[];
  acceptance: number | null;
  medianWaitingMs: number | null;
  p95WaitingMs: number | null;
  medianWorkingMs: number | null;
  p95WorkingMs: number | null;
  sentBack: number;
  bounced: number;
  usage: Usage;
}

/** The Handoff's source held the Session again as one of the next two holders after the target (rule: bounced back). */
const bounced = `EXISTS (SELECT FROM (SELECT agent_id FROM agent_sessions n WHERE n.session_id = t.session_id AND (n.started_at, n.id) > (e.started_at, e.id)
  ORDER BY n.started_at, n.id LIMIT 2) next WHERE next.agent_id = t.source_agent_id)`;
const percentiles = (name: string, ms: string): string =>
  [0.5, 0.95]
    .map(
      (share, index) =>
        `percentile_cont(${share}) WITHIN GROUP (ORDER BY ${ms}) AS "${['median', 'p95'][index]!}${name}Ms"`,
    )
    .join(', ');
const tokens = {
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  cacheCreationInputTokens: 'cache_creation_input_tokens',
  cacheReadInputTokens: 'cache_read_input_tokens',
};

/** As `HandoffFilter` of the API. */
export interface StatsFilter {
  sessionId: string | null;
  agentId: string | null;
  sourceAgentId: string | null;
  targetAgentId: string | null;
  externalId: string | null;
  project: string | null;
  workspaceId: string | null;
  status: HandoffStatus[] | null;
  via: HandoffVia[] | null;
  circular: boolean | null;
  pipeline: string | null;
  stage: string | null;
  fromStage: string | null;
  outcome: string | null;
  sentBack: boolean | null;
  reasonContains: string | null;
  actor: string | null;
  waitedAtLeastSeconds: number | null;
  waitedAtMostSeconds: number | null;
  lastedAtLeastSeconds: number | null;
  lastedAtMostSeconds: number | null;
  staleForMinutes: number | null;
  initiatedAfter: Date | null;
  initiatedBefore: Date | null;
}

export interface StatsQuery {
  groupBy: readonly StatsKey[];
  filter: StatsFilter;
  /** Principals that `filter.actor` means. */
  principals: readonly string[];
  first: number;
  now: Date;
}

/** Sums of the Handoffs that the caller may read, by group, in one statement: newest days first, then the largest groups. */
export async function handoffStats(pool: Pool, caller: Caller, query: StatsQuery): Promise<HandoffStat[]> {
  const values: unknown[] = [query.first];
  const conditions = conditionsOf(query, (value) => `$${values.push(value)}`);
  const columns = query.groupBy.flatMap((key) => Object.entries(keys[key])) as [string, string][];
  const names = columns.map(([name]) => `"${name}"`);
  const groups = names.length === 0 ? '' : `${names.join(', ')}, `;
  const { rows } = await pool.query<
    Omit<HandoffStat, 'usage' | 'byStatus'> & Usage & { statuses: Record<HandoffStatus, number> }
  >(
    `WITH counted AS MATERIALIZED (
       SELECT ${columns.map(([name, sql]) => `${sql} AS "${name}", `).join('')}t.status AS status_of, t.accepted_at IS NOT NULL AS accepted, t.waited_ms, t.sent_back, ${bounced} AS bounced,
         extract(epoch FROM e.ended_at - t.accepted_at)::float8 * 1000 AS worked_ms, u.*
       FROM handoffs t JOIN sessions s ON s.id = t.session_id JOIN agent_sessions e ON e.id = t.target_agent_session_id
         LEFT JOIN stage_entries entered ON entered.id = t.stage_entry_id LEFT JOIN stage_entries gone ON gone.id = t.left_entry_id
         LEFT JOIN LATERAL (SELECT ${Object.values(tokens)
           .map((column) => `sum(${column}) AS ${column}`)
           .join(', ')} FROM turns WHERE agent_session_id = e.id) u ON true
       WHERE ${[readable(caller, 'Handoff', 't'), ...conditions].join(' AND ')}
     ), statuses AS (
       SELECT ${groups}jsonb_object_agg(status_of, count) AS statuses FROM (SELECT ${groups}status_of, count(*)::int AS count FROM counted GROUP BY ${groups}status_of) c
       ${names.length === 0 ? '' : `GROUP BY ${names.join(', ')}`}
     ), sums AS (
       SELECT ${groups}count(*)::int AS count,
         count(*) FILTER (WHERE accepted)::float8 / nullif(count(*) FILTER (WHERE accepted OR status_of IN ('REJECTED', 'TIMED_OUT')), 0) AS acceptance,
         ${percentiles('Waiting', 'waited_ms')}, ${percentiles('Working', 'worked_ms')},
         count(*) FILTER (WHERE sent_back)::int AS "sentBack", count(*) FILTER (WHERE bounced)::int AS bounced,
         ${Object.entries(tokens)
           .map(([name, column]) => `coalesce(sum(${column}), 0)::float8 AS "${name}"`)
           .join(', ')}
       FROM counted ${names.length === 0 ? 'HAVING count(*) > 0' : `GROUP BY ${names.join(', ')}`}
     )
     SELECT sums.*, statuses FROM sums JOIN statuses ON ${names.length === 0 ? 'true' : names.map((name) => `sums.${name} IS NOT DISTINCT FROM statuses.${name}`).join(' AND ')}
     ORDER BY ${[...(query.groupBy.includes('DAY') ? ['sums.day DESC'] : []), 'count DESC', ...names.map((name) => `sums.${name}`)].join(', ')} LIMIT $1`,
    values,
  );
  return rows.map(
    ({ statuses, inputTokens, outputTokens, cacheCreationInputTokens, cacheReadInputTokens, ...row }) => ({
      ...row,
      byStatus: Object.entries(statuses).map(([status, count]) => ({ status: status as HandoffStatus, count })),
      usage: { inputTokens, outputTokens, cacheCreationInputTokens, cacheReadInputTokens, model: null },
    }),
  );
}

/** The conditions of `handoffsWhere` as SQL. */
function conditionsOf({ filter, principals, now }: StatsQuery, add: (value: unknown) => string): string[] {
  const ago = (seconds: number): Date => new Date(Math.max(0, now.getTime() - seconds * 1_000));
  const conditions: string[] = [];
  const given = <Value>(value: Value | null, condition: (value: Value) => string): void => {
    if (value !== null) conditions.push(`(${condition(value)})`);
  };
  const equal = (column: string) => (value: unknown) => `${column} = ${add(value)}`;
  given(filter.sessionId, equal('t.session_id'));
  given(filter.agentId, (id) => `${add(id)} IN (t.source_agent_id, t.target_agent_id)`);
  given(filter.sourceAgentId, equal('t.source_agent_id'));
  given(filter.targetAgentId, equal('t.target_agent_id'));
  given(filter.externalId, equal('s.external_id'));
  given(filter.project, equal('s.project'));
  given(filter.workspaceId, equal('s.workspace_id'));
  given(filter.status, (statuses) => `t.status = ANY (${add(statuses)}::handoff_status[])`);
  given(filter.via, (vias) => `t.via = ANY (${add(vias)}::handoff_via[])`);
  given(filter.circular, equal('t.circular'));
  given(filter.pipeline, (slug) => `s.pipeline_id IN (SELECT id FROM pipelines WHERE slug = ${add(slug)})`);
  given(filter.stage, equal('entered.stage'));
  given(filter.fromStage, equal('gone.stage'));
  given(filter.outcome, equal('gone.outcome'));
  given(filter.sentBack, equal('t.sent_back'));
  given(filter.reasonContains, (text) => {
    const pattern = add(containingPattern(text));
    return ['reason', 'rejection_reason', 'failure_reason', 'cancel_reason']
      .map((column) => `t.${column} ILIKE ${pattern}`)
      .join(' OR ');
  });
  given(filter.actor, () => `t.actor_principal = ANY (${add(principals)})`);
  given(filter.staleForMinutes, (minutes) => `t.status = 'INITIATED' AND t.initiated_at <= ${add(ago(minutes * 60))}`);
  given(filter.initiatedAfter, (time) => `t.initiated_at > ${add(time)}`);
  given(filter.initiatedBefore, (time) => `t.initiated_at < ${add(time)}`);
  for (const [column, open, least, most] of [
    ['waited_ms', `t.status = 'INITIATED'`, filter.waitedAtLeastSeconds, filter.waitedAtMostSeconds],
    ['lasted_ms', 't.closed_at IS NULL', filter.lastedAtLeastSeconds, filter.lastedAtMostSeconds],
  ] as const) {
    given(
      least,
      (seconds) => `t.${column} >= ${add(seconds * 1_000)} OR ${open} AND t.initiated_at <= ${add(ago(seconds))}`,
    );
    given(
      most,
      (seconds) => `t.${column} <= ${add(seconds * 1_000)} OR ${open} AND t.initiated_at >= ${add(ago(seconds))}`,
    );
  }
  return conditions;
}
