import { type FixedForm, type FixedRow, fixedRow, isoOf, type PageSql } from '../core/fixedPage.ts';

const agent = { select: { id: true, name: true, type: true } };
const columns = {
  ...{
    id: true,
    title: true,
    status: true,
    version: true,
    previousAgentType: true,
    handoffsEnabled: true,
    maxHandoffs: true,
  },
  ...{ createdAt: true, updatedAt: true, lastActivityAt: true, lastReassignedAt: true },
};
const relations = {
  agent,
  lastHandoff: { select: { id: true, status: true, via: true, depth: true, initiatedAt: true, acceptedAt: true } },
};

/** The first page of `Session.handoffs`. */
const firstHandoffs = (take: number) => ({
  handoffs: {
    where: { AND: [] },
    orderBy: [{ depth: 'desc' }],
    take,
    select: {
      id: true,
      status: true,
      via: true,
      reason: true,
      depth: true,
      initiatedAt: true,
      acceptedAt: true,
      targetAgent: agent,
    },
  },
});

/** What a form reads besides the columns. */
interface Parts {
  relations: boolean;
  /** Number of Handoffs of each Session. */
  handoffs: number;
}

// OFFSET 0 prevents joins that scan whole tables.
const joins = `
  LEFT JOIN LATERAL (SELECT id, name, type FROM agents WHERE id = s.agent_id OFFSET 0) a ON true
  LEFT JOIN LATERAL (SELECT id, status, via, depth, initiated_at, accepted_at FROM handoffs WHERE id = s.last_handoff_id OFFSET 0) h ON true`;

const handoffsOf = (take: number): string => `
  (SELECT json_agg(json_build_array(n.id, n.status, n.via, n.reason, n.depth, n.initiated_at, n.accepted_at, t.id, t.name, t.type) ORDER BY n.depth DESC)
    FROM (SELECT * FROM handoffs n WHERE n.session_id = s.id ORDER BY n.depth DESC LIMIT ${take}) n
    LEFT JOIN LATERAL (SELECT id, name, type FROM agents WHERE id = n.target_agent_id OFFSET 0) t ON true)`;

const sqlOf =
  (parts: Parts) =>
  ({ where, orderBy, limit }: PageSql): string => `
  SELECT json_build_array(s.id, s.title, s.status, s.version, s.previous_agent_type, s.handoffs_enabled, s.max_handoffs, s.created_at, s.updated_at, s.last_activity_at, s.last_reassigned_at,
    ${parts.handoffs > 0 ? handoffsOf(parts.handoffs) : 'NULL'}
    ${parts.relations ? ', a.id, a.name, a.type, h.id, h.status, h.via, h.depth, h.initiated_at, h.accepted_at' : ''})
  FROM (SELECT * FROM sessions s ${where} ${orderBy('s')} LIMIT ${limit}) s
  ${parts.relations ? joins : ''}
  ${orderBy('s')}`;

type Text = string | null;
type HandoffValues = [
  id: string,
  status: string,
  via: string,
  reason: Text,
  depth: number,
  initiatedAt: string,
  acceptedAt: Text,
  agent: string,
  name: string,
  type: string,
];
type Values = [
  ...[
    id: string,
    title: string,
    status: string,
    version: number,
    previousAgentType: Text,
    handoffsEnabled: boolean,
    maxHandoffs: Text,
  ],
  ...[
    createdAt: string,
    updatedAt: string,
    lastActivityAt: string,
    lastReassignedAt: Text,
    handoffs: HandoffValues[] | null,
  ],
  ...[
    agent: Text,
    name: Text,
    type: Text,
    handoff: Text,
    handoffStatus: Text,
    via: Text,
    depth: number | null,
    initiatedAt: Text,
    acceptedAt: Text,
  ],
];

const handoffOf = ([
  id,
  status,
  via,
  reason,
  depth,
  initiatedAt,
  acceptedAt,
  agent,
  name,
  type,
]: HandoffValues): FixedRow =>
  fixedRow({
    id,
    status,
    via,
    reason,
    depth,
    initiatedAt: isoOf(initiatedAt),
    acceptedAt: isoOf(acceptedAt),
    targetAgent: { id: agent, name, type },
  });

const rowOf =
  (parts: Parts) =>
  ([
    id,
    title,
    status,
    version,
    previousAgentType,
    handoffsEnabled,
    maxHandoffs,
    createdAt,
    updatedAt,
    lastActivityAt,
    lastReassignedAt,
    handoffs,
    a,
    name,
    type,
    h,
    hStatus,
    via,
    depth,
    initiatedAt,
    acceptedAt,
  ]: Values): FixedRow =>
    fixedRow({
      id,
      title,
      status,
      version,
      previousAgentType,
      handoffsEnabled,
      maxHandoffs,
      createdAt: isoOf(createdAt),
      updatedAt: isoOf(updatedAt),
      lastActivityAt: isoOf(lastActivityAt),
      lastReassignedAt: isoOf(lastReassignedAt),
      handoffs: parts.handoffs > 0 ? (handoffs ?? []).map(handoffOf) : undefined,
      agent: !parts.relations ? undefined : a === null ? null : { id: a, name, type },
      lastHandoff: !parts.relations
        ? undefined
        : h === null
          ? null
          : { id: h, status: hStatus, via, depth, initiatedAt: isoOf(initiatedAt), acceptedAt: isoOf(acceptedAt) },
    });

const formOf = (parts: Parts): FixedForm => ({
  select: { ...columns, ...(parts.relations && relations), ...(parts.handoffs > 0 && firstHandoffs(parts.handoffs)) },
  isLarge: false,
  sql: sqlOf(parts),
  rowOf: rowOf(parts),
});

/** LIMIT is a literal: a page of Handoffs is read with the next of these. Few, because each connection prepares each statement. */
const takes = [6, 21, 101];

export const sessionForms: readonly FixedForm[] = [0, ...takes].flatMap((handoffs) => [
  formOf({ relations: false, handoffs }),
  formOf({ relations: true, handoffs }),
]);

export const sessionColumns = {
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  lastActivityAt: 'last_activity_at',
} as const;
export type SessionColumn = keyof typeof sessionColumns;
