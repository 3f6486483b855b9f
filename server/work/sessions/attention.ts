import type { Pool } from 'pg';
import { readable, type Rights } from '../../core/rights.ts';
import type { Prisma, QueueEntry, WebhookDisabledReason } from '../../generated/prisma/client.ts';
import { agingMs } from '../queue/rules.ts';
import { situations, type Situation } from './situation.ts';
import { isAway, mayGet, withoutAgent } from './stuck.ts';

/** What needs a person, and why (rule: attention). */

/** Minutes after which a webhook whose deliveries fail needs a person: the first repetitions are over. */
export const failingAfterMinutes = 5;
/** A sweep times out what is due within seconds. Later than this, none runs. */
const lateSeconds = 60;

interface SessionKind {
  situation: Situation;
  /** SQL of the time since which a Session `s` needs a person. */
  since: string;
  /** SQL of what holds for `s` besides its situation. */
  also?: string;
}

const sinceActivity = 's.last_activity_at';
const holderAway = `EXISTS (SELECT FROM agents a WHERE a.id = s.agent_id AND ${isAway})`;
const endsWithRefusal = `EXISTS (SELECT FROM events e WHERE e.session_id = s.id AND e.session_sequence = s.event_count AND e.type = 'SESSION_STUCK')`;

/** No Session meets two of these: each is in one situation. */
const ofSessions = {
  NOT_ACCEPTED: {
    situation: 'WAITING_FOR_ACCEPTANCE',
    since: '(SELECT h.initiated_at FROM handoffs h WHERE h.id = s.last_handoff_id)',
    also: 'EXISTS (SELECT FROM handoffs h WHERE h.id = s.last_handoff_id AND clock_timestamp() >= h.initiated_at + (h.deadline_at - h.initiated_at) / 2)',
  },
  WITHOUT_HOLDER: { situation: 'WITHOUT_HOLDER', since: sinceActivity },
  LIMIT_REACHED: { situation: 'LIMIT_REACHED', since: sinceActivity },
  HANDOFF_LOOP: { situation: 'WORKING', since: sinceActivity, also: `${endsWithRefusal} AND NOT ${holderAway}` },
  WAITING_FOR_PERSON: {
    situation: 'WAITING_FOR_PERSON',
    since: '(SELECT p.requested_at FROM approvals p WHERE p.session_id = s.id AND p.decided_at IS NULL)',
  },
  HOLDER_AWAY: { situation: 'WORKING', since: sinceActivity, also: holderAway },
  SILENT: { situation: 'SILENT', since: sinceActivity },
} satisfies Record<string, SessionKind>;

export type AttentionKind = keyof typeof ofSessions | 'QUEUE' | 'WEBHOOK';

export interface AttentionFilter {
  kinds: readonly AttentionKind[] | null;
  agentId: string | null;
  project: string | null;
}

/** The list as SQL of the id (of a Session or webhook), the kind and the time. `where` writes a condition of `s`. */
export async function attentionSql(
  pool: Pool,
  caller: Rights,
  { kinds, agentId, project }: AttentionFilter,
  readableSessions: Prisma.SessionWhereInput,
  where: (condition: Prisma.SessionWhereInput) => string,
): Promise<string> {
  const conditions = await situations(pool, null);
  const filter: Prisma.SessionWhereInput[] = [readableSessions];
  if (agentId !== null) filter.push({ lastAgentSession: { agentId } });
  if (project !== null) filter.push({ project });
  const sessionsIn = (situation: Situation): string =>
    `${where({ AND: [conditions[situation], ...filter] })} AND ${readable(caller, 'Session', 's')}`;
  const wants = (kind: AttentionKind): boolean => kinds === null || kinds.includes(kind);

  const all = Object.entries<SessionKind>(ofSessions)
    .filter(([kind]) => wants(kind as AttentionKind))
    .map(
      ([kind, { situation, since, also = 'true' }]) =>
        `SELECT s.id, '${kind}', ${since} FROM sessions s WHERE ${sessionsIn(situation)} AND ${also}`,
    );
  // Of the Sessions that wait for the same type and role, the one that waits longest.
  if (wants('QUEUE') && agentId === null)
    all.push(`(SELECT DISTINCT ON (q.wanted) s.id, 'QUEUE', q.queued_at FROM queue_entries q JOIN sessions s ON s.id = q.session_id
      WHERE ${sessionsIn('QUEUED')} AND (q.queued_at <= clock_timestamp() - interval '${agingMs} milliseconds' OR s.id IN (${withoutAgent}))
      ORDER BY q.wanted, q.queued_at, s.id)`);
  if (wants('WEBHOOK') && agentId === null && project === null)
    all.push(`SELECT w.id, 'WEBHOOK', coalesce(w.disabled_at, f.since) FROM webhooks w
      CROSS JOIN LATERAL (SELECT min(d.failing_since) AS since FROM deliveries d WHERE d.webhook_id = w.id AND d.status = 'PENDING' AND d.failing_since IS NOT NULL) f
      WHERE w.deleted_at IS NULL AND ${readable(caller, 'Webhook', 'w')} AND CASE WHEN w.disabled_at IS NULL
        THEN f.since <= clock_timestamp() - interval '${failingAfterMinutes} minutes' ELSE w.disabled_reason <> 'ADMIN' END`);
  return all.length === 0 ? 'SELECT NULL::uuid, NULL, NULL::timestamptz WHERE false' : all.join('\nUNION ALL ');
}

export interface Attention extends Facts {
  id: string;
  since: Date;
  sessionId: string | null;
  handoffId: string | null;
  webhookId: string | null;
}

/** What the sentence about an item says. */
interface Facts {
  kind: AttentionKind;
  /** The Agent that holds the Session, or held it last; null when none did, and for other kinds. */
  agentId: string | null;
  /** Whether the tenure of `agentId` ended without an acceptance. */
  declined: boolean;
  asks: boolean;
  late: boolean;
  escalated: boolean;
  queue: (Pick<QueueEntry, 'agentType' | 'role'> & { waiting: number; agents: number }) | null;
  disabled: WebhookDisabledReason | null;
}

const columns = `i.id, i.kind, i.since, s.id AS "sessionId", w.id AS "webhookId", w.disabled_reason AS disabled,
  CASE WHEN i.kind <> 'QUEUE' THEN t.agent_id END AS "agentId",
  CASE WHEN p.id IS NOT NULL THEN p.handoff_id WHEN i.kind <> 'QUEUE' THEN h.id END AS "handoffId",
  coalesce(t.state = 'DECLINED', false) AS declined, coalesce(p.kind = 'QUESTION', false) AS asks, coalesce(q.escalated, false) AS escalated,
  coalesce(h.status = 'INITIATED' AND h.deadline_at <= clock_timestamp() - interval '${lateSeconds} seconds', false) AS late,
  CASE WHEN i.kind = 'QUEUE' THEN (SELECT json_build_object('agentType', q.agent_type, 'role', q.role,
    'waiting', (SELECT count(*) FROM queue_entries o WHERE o.wanted = q.wanted AND NOT o.suspended AND NOT o.escalated),
    'agents', (SELECT count(*) FROM agents a WHERE ${mayGet}))) END AS queue`;
const facts = `LEFT JOIN sessions s ON s.id = i.id LEFT JOIN agent_sessions t ON t.id = s.last_agent_session_id
  LEFT JOIN handoffs h ON h.id = s.last_handoff_id LEFT JOIN queue_entries q ON q.session_id = s.id
  LEFT JOIN approvals p ON p.session_id = s.id AND p.decided_at IS NULL LEFT JOIN webhooks w ON w.id = i.id`;

interface Page {
  where: string;
  orderBy: string;
  take: number;
  values: readonly unknown[];
}

export async function pageOfAttention(pool: Pool, list: string, values: unknown[], page: Page): Promise<Attention[]> {
  const { where, orderBy, take } = page;
  const { rows } = await pool.query<Attention>(
    `SELECT ${columns} FROM (SELECT * FROM (${list}) u (id, kind, since) WHERE ${where} ORDER BY ${orderBy} LIMIT ${take}) i ${facts} ORDER BY ${orderBy.replaceAll(/since|id/g, 'i.$&')}`,
    [...values, ...page.values],
  );
  return rows;
}

export async function countAttention(pool: Pool, list: string, values: unknown[]): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(`SELECT count(*)::int AS count FROM (${list}) u`, values);
  return rows[0]!.count;
}

/** What is wrong, and what a person may do about it. */
export function attentionText({ kind, agentId, declined, asks, late, escalated, queue, disabled }: Facts): string {
  const agent = agentId ?? 'an agent';
  switch (kind) {
    case 'NOT_ACCEPTED':
      return late
        ? `${agent} has not accepted the handoff in time, and no sweep has timed it out: see that a server runs, or reassign the session.`
        : `${agent} has not accepted the handoff, and more than half of its time is over: see that the agent runs, or reassign the session.`;
    case 'WITHOUT_HOLDER':
      if (escalated) return 'It waits for an operator, who chooses its agent: assign it to one.';
      if (agentId === null) return 'No agent has held it, and it waits for none: assign it to one.';
      return `${agent} ${declined ? 'did not take it over, and it could not return to its source' : 'held it last'}: assign it to an agent.`;
    case 'LIMIT_REACHED':
      return `${agent} can hand it off no more: reassign it, or raise its limit of handoffs.`;
    case 'HANDOFF_LOOP':
      return `A limit refused the last handoff of ${agent}, and nothing has happened since: reassign it, or tell the agent what to do.`;
    case 'WAITING_FOR_PERSON':
      return asks
        ? `${agent} asks a question and waits: answer it.`
        : `${agent} wants to hand it off: approve or decline.`;
    case 'HOLDER_AWAY':
      return `${agent} holds it and is offline: reassign it, or make the agent available.`;
    case 'SILENT':
      return `${agent} holds it, and nothing has happened for a long time: see that the agent runs, or reassign it.`;
    case 'QUEUE':
      return queueText(queue!);
    case 'WEBHOOK':
      if (disabled === null) return 'Its deliveries fail: see their errors.';
      return `${disabled === 'GONE' ? 'The receiver answered that it is gone' : 'A delivery failed for 24 hours'}: see that it answers, then enable the webhook.`;
  }
}

function queueText({ agentType, role, waiting, agents }: NonNullable<Facts['queue']>): string {
  const of = `${agentType === null ? '' : ` of type ${agentType}`}${role === null ? '' : ` with the role "${role}"`}`;
  const wait = `${waiting === 1 ? '1 session waits' : `${waiting} sessions wait`} for an agent${of}`;
  return agents === 0
    ? `${wait}, and none is available: make one available, or register one.`
    : `${wait}, and none has a free place: raise a capacity, or register one.`;
}
