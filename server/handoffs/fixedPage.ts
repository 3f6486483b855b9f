import { type Filter, type FixedForm, type FixedRow, fixedRow, isoOf, type PageSql } from '../core/fixedPage.ts';

const agent = { select: { id: true, name: true, type: true } };
const columns = {
  id: true,
  status: true,
  via: true,
  reason: true,
  depth: true,
  circular: true,
  initiatedAt: true,
  acceptedAt: true,
  completedAt: true,
  closedAt: true,
};
const relations = {
  sourceAgent: agent,
  targetAgent: agent,
  session: { select: { id: true, title: true, status: true } },
};
const carried = { targetAgentId: true, summary: true, context: true };

/** What a form reads besides the columns. */
interface Parts {
  relations: boolean;
  context: boolean;
}

// OFFSET 0 prevents joins that scan whole tables.
const joins = `
  LEFT JOIN LATERAL (SELECT id, name, type FROM agents WHERE id = h.source_agent_id OFFSET 0) a ON true
  LEFT JOIN LATERAL (SELECT id, name, type FROM agents WHERE id = h.target_agent_id OFFSET 0) b ON true
  LEFT JOIN LATERAL (SELECT id, title, status FROM sessions WHERE id = h.session_id OFFSET 0) s ON true`;

const sqlOf =
  (parts: Parts) =>
  ({ where, orderBy, limit }: PageSql): string => `
  SELECT json_build_array(h.id, h.status, h.via, h.reason, h.depth, h.circular, h.initiated_at, h.accepted_at, h.completed_at, h.closed_at
    ${parts.context ? ', h.target_agent_id, h.summary, h.context' : ', NULL, NULL, NULL'}
    ${parts.relations ? ', a.id, a.name, a.type, b.id, b.name, b.type, s.id, s.title, s.status' : ''})
  FROM (SELECT * FROM handoffs h ${where} ${orderBy('h')} LIMIT ${limit}) h
  ${parts.relations ? joins : ''}
  ${orderBy('h')}`;

type Text = string | null;
type Values = [
  ...[
    id: string,
    status: string,
    via: string,
    reason: Text,
    depth: number,
    circular: boolean,
    initiatedAt: string,
    acceptedAt: Text,
    completedAt: Text,
    closedAt: Text,
  ],
  ...[targetAgentId: Text, summary: Text, context: object | null],
  ...(string | null)[],
];

const rowOf =
  (parts: Parts) =>
  ([
    id,
    status,
    via,
    reason,
    depth,
    circular,
    initiatedAt,
    acceptedAt,
    completedAt,
    closedAt,
    targetAgentId,
    summary,
    context,
    a,
    aName,
    aType,
    b,
    bName,
    bType,
    s,
    title,
    sStatus,
  ]: Values): FixedRow =>
    fixedRow({
      id,
      status,
      via,
      reason,
      depth,
      circular,
      initiatedAt: isoOf(initiatedAt),
      acceptedAt: isoOf(acceptedAt),
      completedAt: isoOf(completedAt),
      closedAt: isoOf(closedAt),
      targetAgentId: parts.context ? targetAgentId : undefined,
      summary: parts.context ? summary : undefined,
      context: parts.context ? context : undefined,
      sourceAgent: !parts.relations ? undefined : a === null ? null : { id: a, name: aName, type: aType },
      targetAgent: parts.relations ? { id: b, name: bName, type: bType } : undefined,
      session: parts.relations ? { id: s, title, status: sStatus } : undefined,
    });

const formOf = (parts: Parts): FixedForm => ({
  select: { ...columns, ...(parts.relations && relations), ...(parts.context && carried) },
  isLarge: parts.context,
  sql: sqlOf(parts),
  rowOf: rowOf(parts),
});

export const handoffForms: readonly FixedForm[] = [
  formOf({ relations: false, context: false }),
  formOf({ relations: true, context: false }),
  formOf({ relations: false, context: true }),
  formOf({ relations: true, context: true }),
];

const equals = (column: string, value: string): Filter => [`${column} = $1`, value];

/** The filters of a Handoff list; null when not given. */
interface HandoffFilters {
  sessionId: string | null;
  agentId: string | null;
  sourceAgentId: string | null;
  targetAgentId: string | null;
}

/** The filters of the prepared statements: all Handoffs, or those of a Session or an Agent. Null for other filters. */
export function fixedFilters({
  sessionId,
  agentId,
  sourceAgentId,
  targetAgentId,
  ...others
}: HandoffFilters): Filter[] | null {
  if (Object.values(others).some((each) => each !== null)) return null;
  const given: Filter[][] = [
    ...(sessionId === null ? [] : [[equals('session_id', sessionId)]]),
    ...(agentId === null ? [] : [[equals('source_agent_id', agentId), equals('target_agent_id', agentId)]]),
    ...(sourceAgentId === null ? [] : [[equals('source_agent_id', sourceAgentId)]]),
    ...(targetAgentId === null ? [] : [[equals('target_agent_id', targetAgentId)]]),
  ];
  return given.length > 1 ? null : (given[0] ?? [null]);
}
