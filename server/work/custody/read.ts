import { statement, type Statement } from '../../core/changes.ts';
import { partialReaders } from '../../core/rights.ts';
import { column, fromColumns } from '../../core/rows.ts';
import type { Work } from '../../core/work.ts';
import type { Agent, AgentSession, Approval, Handoff, QueueEntry, Session } from '../../generated/prisma/client.ts';
import type { SessionPipeline, Stay } from './pipeline.ts';

const columns = (fields: readonly string[], table: string): string =>
  fields.map((field) => `${table}.${column(field)}`).join(', ');

// Only the fields that rules read or steps change are selected.
const sessionFields = [
  'id',
  'status',
  'version',
  'agentId',
  'endedAgentType',
  'previousAgentType',
  'contextVariables',
  'result',
  'summary',
  'endReason',
  'pauseReason',
  'tokenBudget',
  'handoffsEnabled',
  'handoffApproval',
  'maxHandoffs',
  'operatorEpoch',
  'messageCount',
  'turnCount',
  'toolCallCount',
  'handoffCount',
  'eventCount',
  'visibleFrom',
  'visibleCallsFrom',
  'lastAgentSessionId',
  'lastHandoffId',
  'pipelineId',
  'stage',
  'updatedAt',
  'lastReassignedAt',
  'lastActivityAt',
  'priority',
] as const satisfies (keyof Session)[];
const tenureFields = [
  'id',
  'agentId',
  'state',
  'startSequence',
  'endSequence',
  'endedAt',
  'activatedAt',
  'terminatedByHandoffId',
  'proposalEventId',
  'runnerId',
  'claimEndsAt',
] as const satisfies (keyof AgentSession)[];
const handoffFields = [
  'id',
  'sessionId',
  'status',
  'reason',
  'depth',
  'sourceAgentId',
  'sourceAgentType',
  'sourceAgentSessionId',
  'targetAgentId',
  'targetAgentSessionId',
  'deadlineAt',
  'acceptWithinMinutes',
  'extensions',
  'remindAt',
  'remindedAt',
  'acceptedAt',
  'completedAt',
  'closedAt',
  'rejectionReason',
  'failureReason',
  'cancelReason',
  'returnToldAt',
  'leftEntryId',
  'sentBack',
  'via',
  'initiatedAt',
] as const satisfies (keyof Handoff)[];
const agentFields = [
  'id',
  'type',
  'role',
  'instructions',
  'administrativeStatus',
  'archivedAt',
  'currentLoad',
  'maxCapacity',
  'totalAssigned',
  'inboxSequence',
] as const satisfies (keyof Agent)[];

const queuedFields = [
  'id',
  'sessionId',
  'wanted',
  'queuedAt',
  'effectiveAt',
  'returned',
  'suspended',
  'escalated',
  'sourceAgentId',
  'sourceAgentType',
  'sourceAgentSessionId',
  'excludedAgentIds',
] as const satisfies (keyof QueueEntry)[];

const approvalFields = [
  'id',
  'kind',
  'agentId',
  'deadlineAt',
  'remindAt',
  'remindedAt',
] as const satisfies (keyof Approval)[];

/** The columns that a Custody reads of each table. */
export const custodyColumns = {
  session: columns(sessionFields, 'sessions'),
  tenure: columns(tenureFields, 't'),
  handoff: columns(handoffFields, 'h'),
  queued: columns(queuedFields, 'e'),
  approval: columns(approvalFields, 'p'),
};

export type HeldSession = Pick<Session, (typeof sessionFields)[number]>;
export type Tenure = Pick<AgentSession, (typeof tenureFields)[number]>;
export type LastHandoff = Pick<Handoff, (typeof handoffFields)[number]>;
export type QueuedSession = Pick<QueueEntry, (typeof queuedFields)[number]>;
export type OpenApproval = Pick<Approval, (typeof approvalFields)[number]>;
export type LockedAgent = Pick<Agent, (typeof agentFields)[number]>;

export interface CustodyRead {
  session: HeldSession;
  /** The last AgentSession, open or not; null when the Session never had a holder. */
  tenure: Tenure | null;
  /** The last Handoff, open or not. */
  handoff: LastHandoff | null;
  /** The locked agents, whose load or inbox may change, by id. */
  agents: LockedAgent[];
  /** The agents that accepted the Session, newest first. */
  active: string[];
  /** What agents read of the Session that do not read everything, by agent (rule: carry). */
  limits: Record<string, ReadLimit>;
  /** Null outside of pipelines. */
  pipeline: SessionPipeline | null;
  /** The Session's place in the queue; null when it does not wait. */
  queued: QueuedSession | null;
  /** What the holder asked of a person and waits for; null when it waits for nobody. */
  approval: OpenApproval | null;
  /** Whether a queued Session waits for an agent like the holder. */
  isAwaited: boolean;
  /** The holder's; null when it is not known. */
  contextWindow: number | null;
}

/** The first Message and the first Event that an agent reads. */
export interface ReadLimit {
  from: number;
  eventsFrom: number;
}

/**
 * A stage to choose an agent for; null for the present one. `untried` leaves out the agents that had the Session in this
 * stay, and with `everyCandidate` adds those that the stage escalates to.
 */
export interface StageChoice {
  stage: string | null;
  untried: boolean;
  /** For a new Session: its pipeline. */
  pipelineId?: string;
}

export interface LockOptions {
  /** Agents named by the caller. */
  agents?: readonly string[];
  /** Also the best candidates of this type: eight, or all with `everyCandidate`. */
  type?: string | null;
  everyCandidate?: boolean;
  /** Also the best candidates for a stage of the Session's pipeline, and the agent that held it there last. */
  forStage?: StageChoice | null;
  /** False skips locking the holder of a Session without an open Handoff, for commands that write to inboxes only for one. */
  holder?: boolean;
  /** False reads without locks, for what writes nothing. */
  lock?: boolean;
}

// Runs in a new snapshot after the Session is locked, so its rows are final; the locking read returns the agents' latest
// versions. MATERIALIZED and ORDER BY id lock agents in one order for all transactions, which prevents deadlocks. NO KEY
// UPDATE does not block foreign key checks.
const ofType = `
  SELECT id FROM agents
  WHERE type = $3::text AND administrative_status = 'AVAILABLE' AND archived_at IS NULL AND ($4::bool OR current_load < max_capacity)
    AND id IS DISTINCT FROM (SELECT agent_id FROM s)
  ORDER BY current_load::float8 / max_capacity, id
  LIMIT CASE WHEN $4 THEN NULL ELSE 8 END`;

const ofStage = (also: { where: string; union: string }): string => `
  (SELECT a.id FROM needs n JOIN agents a ON (n.role IS NULL OR a.role = n.role)
  WHERE ($3::text IS NULL OR a.type = $3) AND a.administrative_status = 'AVAILABLE' AND a.archived_at IS NULL AND ($4::bool OR a.current_load < a.max_capacity)
    AND a.id IS DISTINCT FROM (SELECT agent_id FROM s)
    AND (n.type IS NULL OR a.type = n.type) ${also.where}
  ORDER BY a.current_load::float8 / a.max_capacity, a.id
  LIMIT CASE WHEN $4 THEN NULL ELSE 8 END)
  UNION (${also.union})`;
// The agent that had the Session in the stage before is tried first, so it is locked too.
const entering = ofStage({
  where: '',
  union:
    'SELECT agent_id FROM stage_entries e, needs n WHERE e.session_id = $1 AND e.stage = n.name ORDER BY e.number DESC LIMIT 1',
});
// A statement of its own: every advance would run these parts too.
const untried = ofStage({
  where: 'AND NOT a.id = ANY (SELECT unnest(tried) FROM stage_entries WHERE session_id = $1 AND left_at IS NULL)',
  union: `SELECT a.id FROM needs n JOIN agents a ON a.id = n.escalation ->> 'agentId' OR a.role = n.escalation ->> 'role' WHERE $4`,
});

const needs = `
needs AS MATERIALIZED (
  SELECT n.name, n.role, n."agentType" AS type, n."escalateTo" AS escalation
  FROM pipelines p, jsonb_to_recordset(p.stages) AS n (name text, role text, "agentType" text, "escalateTo" jsonb)
  WHERE p.id = coalesce($7::uuid, (SELECT pipeline_id FROM s)) AND n.name = coalesce($6::text, (SELECT stage FROM s))),`;

const stayFields = ['id', 'number', 'stage', 'attempt', 'agentId', 'tried', 'enteredAt', 'leftAt', 'sentBack'] as const;

/** SQL of the newest payloads of the stages of `s`, when a condition of the pipeline `p` reads any. */
export const payloadsSql = `CASE WHEN p.transitions @? '$[*].when.variable ? (@ starts with "stages.")' THEN
    (SELECT json_object_agg(stage, payload) FROM (SELECT DISTINCT ON (y.stage) y.stage, y.payload FROM stage_entries y
      WHERE y.session_id = s.id AND y.outcome IS NOT NULL AND y.payload IS NOT NULL ORDER BY y.stage, y.number DESC) x) END`;

/** SQL of the pipeline of a Session among the rows of `s`, with the stays that the steps need. */
export const pipelineSql = (s: string, sessionId = '$1'): string => `(
  SELECT json_build_object('id', p.id, 'slug', p.slug, 'version', p.version, 'start', p.start, 'stages', p.stages, 'transitions', p.transitions, 'stays',
    (SELECT coalesce(json_agg(y), '[]') FROM (
      SELECT * FROM (SELECT DISTINCT ON (y.stage) ${columns(stayFields, 'y')} FROM stage_entries y WHERE y.session_id = s.id ORDER BY y.stage, y.number DESC) newest
      UNION SELECT ${columns(stayFields, 'y')} FROM stage_entries y JOIN handoffs l ON l.left_entry_id = y.id WHERE l.id = s.last_handoff_id
      UNION SELECT ${columns(stayFields, 'y')} FROM stage_entries y JOIN stage_entries o ON o.session_id = y.session_id AND o.left_at IS NULL AND o.number = y.number + 1
        WHERE y.session_id = s.id) y), 'payloads', ${payloadsSql})
  FROM pipelines p JOIN ${s} s ON p.id = s.pipeline_id WHERE s.id = ${sessionId})`;

export type PipelineRow = (Omit<SessionPipeline, 'stays'> & { stays: object[] }) | null;
export const pipelineOf = (row: PipelineRow): SessionPipeline | null =>
  row && { ...row, stays: row.stays.map((stay) => fromColumns<Stay>(stay)) };

const custodySql = (lock: string, inStage: string | null): Statement =>
  statement(`
WITH s AS MATERIALIZED (
  SELECT ${custodyColumns.session} FROM sessions WHERE id = $1::uuid),
t AS (
  SELECT ${custodyColumns.tenure} FROM agent_sessions t JOIN s ON t.id = s.last_agent_session_id),
h AS MATERIALIZED (
  SELECT ${custodyColumns.handoff} FROM handoffs h JOIN s ON h.id = s.last_handoff_id),
open_handoff AS (SELECT source_agent_id, target_agent_id FROM h WHERE status IN ('PROPOSED', 'INITIATED', 'ACCEPTED')),${inStage === null ? '' : needs}
candidates AS (${inStage ?? ofType}),
concerned AS (
  SELECT agent_id AS id FROM s WHERE $5::bool
  UNION SELECT source_agent_id FROM open_handoff
  UNION SELECT target_agent_id FROM open_handoff
  UNION SELECT unnest($2::text[])
  UNION SELECT id FROM candidates),
a AS MATERIALIZED (
  SELECT ${columns(agentFields, 'agents')} FROM agents WHERE id IN (SELECT id FROM concerned) ORDER BY id ${lock}),
q AS (
  SELECT ${custodyColumns.queued} FROM queue_entries e WHERE e.session_id = (SELECT id FROM s WHERE agent_id IS NULL))
SELECT
  (SELECT row_to_json(s) FROM s) AS session,
  (SELECT row_to_json(t) FROM t) AS tenure,
  (SELECT row_to_json(h) FROM h) AS handoff,
  (SELECT coalesce(json_agg(a), '[]') FROM a) AS agents,
  (SELECT row_to_json(q) FROM q) AS queued,
  (SELECT row_to_json(p) FROM (SELECT ${custodyColumns.approval} FROM approvals p WHERE p.session_id = $1 AND p.decided_at IS NULL) p) AS approval,
  coalesce((SELECT true FROM queue_entries e WHERE e.wanted = ANY (ARRAY(SELECT unnest(ARRAY['/', type || '/', type || '/' || role, '/' || role]) FROM a WHERE id = (SELECT agent_id FROM s)))
    AND NOT e.suspended AND NOT e.escalated LIMIT 1), false) AS awaited,
  (SELECT coalesce(json_agg(agent_id), '[]') FROM (
    SELECT agent_id FROM agent_sessions WHERE session_id = $1 AND activated_at IS NOT NULL
    GROUP BY agent_id ORDER BY max(started_at) DESC, max(id::text) DESC) x) AS active,
  (SELECT coalesce(json_object_agg(agent_id, json_build_object('from', reads_from, 'eventsFrom', reads_events_from)), '{}') FROM (${partialReaders}) l WHERE session_id = $1) AS limits,
  ${pipelineSql('s')} AS pipeline,
  (SELECT context_window FROM agents WHERE id = (SELECT agent_id FROM s)) AS "contextWindow"
`);
const readCustodyStatement = custodySql('FOR NO KEY UPDATE', null);
const readEnteringStatement = custodySql('FOR NO KEY UPDATE', entering);
const readUntriedStatement = custodySql('FOR NO KEY UPDATE', untried);
const lookStatement = custodySql('', null);

interface Row {
  session: object | null;
  tenure: object | null;
  handoff: object | null;
  agents: object[];
  active: string[];
  limits: Record<string, ReadLimit>;
  pipeline: PipelineRow;
  queued: object | null;
  approval: object | null;
  awaited: boolean;
  contextWindow: number | null;
}

async function read(work: Work, sessionId: string, options: LockOptions): Promise<Row> {
  const { agents = [], type = null, everyCandidate = false, forStage = null, holder = true, lock = true } = options;
  const values = [sessionId, agents, type, everyCandidate, holder];
  const [row] =
    forStage === null
      ? await work.query<Row>(lock ? readCustodyStatement : lookStatement, values)
      : await work.query<Row>(forStage.untried ? readUntriedStatement : readEnteringStatement, [
          ...values,
          forStage.stage,
          forStage.pipelineId ?? null,
        ]);
  if (row === undefined) throw new Error('the custody query returned no row');
  return row;
}

/** Reads a locked Session's custody and locks the agents involved. */
export async function readCustody(work: Work, sessionId: string, options: LockOptions): Promise<CustodyRead> {
  const row = await read(work, sessionId, options);
  if (row.session === null) throw new Error(`session ${sessionId} is not there under its lock`);
  return {
    session: fromColumns<HeldSession>(row.session),
    tenure: row.tenure && fromColumns<Tenure>(row.tenure),
    handoff: row.handoff && fromColumns<LastHandoff>(row.handoff),
    agents: row.agents.map((agent) => fromColumns<LockedAgent>(agent)),
    active: row.active,
    limits: row.limits,
    pipeline: pipelineOf(row.pipeline),
    queued: row.queued && fromColumns<QueuedSession>(row.queued),
    approval: row.approval && fromColumns<OpenApproval>(row.approval),
    isAwaited: row.awaited,
    contextWindow: row.contextWindow,
  };
}

const lockAgentStatement = statement(
  `SELECT row_to_json(a) AS agent FROM (SELECT ${columns(agentFields, 'agents')} FROM agents WHERE id = $1 FOR NO KEY UPDATE) a`,
);

/** Locks one more agent. Call it only while no other agent is locked, or for one that is locked already. */
export async function lockAgent(work: Work, agentId: string): Promise<LockedAgent> {
  const [row] = await work.query<{ agent: object }>(lockAgentStatement, [agentId]);
  return fromColumns<LockedAgent>(row!.agent);
}

/** Locks agents for a new Session. */
export async function lockAgents(work: Work, newSessionId: string, options: LockOptions): Promise<LockedAgent[]> {
  const row = await read(work, newSessionId, options);
  return row.agents.map((agent) => fromColumns<LockedAgent>(agent));
}
