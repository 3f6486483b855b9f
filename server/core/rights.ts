import { escapeLiteral } from 'pg';
import type { Prisma, Role } from '../generated/prisma/client.ts';

/**
 * The one definition of who may read what: a condition for the rows of each table. An AGENT reads the Sessions in which it has or
 * had an AgentSession, and what lies below them as far as its tenures permit; other roles read everything but keys and webhooks.
 * Unreadable and missing records give the same answer. Read access is never lost, because tenures are never deleted.
 */
export interface Rights {
  role: Role | null;
  agentId: string | null;
  keyId?: string | null;
}

/**
 * The agent that a caller's reads are restricted to; null for callers that read everything. A key bound to an agent is
 * restricted whatever its role; an AGENT key without an agent reads nothing.
 */
export const ownAgent = ({ role, agentId }: Pick<Rights, 'role' | 'agentId'>): string | null =>
  agentId ?? (role === 'AGENT' ? '-' : null);

/** SQL expressions with the ids of the reading agent and key. */
export interface ReaderIds {
  readonly agent: string;
  readonly key: string;
}
type Condition = (row: string, ids: ReaderIds) => string;

interface Rule {
  /** For an agent; null: it reads all rows. */
  agent: Condition | null;
  /** For everybody but an ADMIN; undefined: they read all rows. */
  others?: Condition;
}

const hasTenure = (session: string, agent: string): string =>
  `EXISTS (SELECT FROM agent_sessions tenure WHERE tenure.session_id = ${session} AND tenure.agent_id = ${agent})`;

const inSession: Rule = { agent: (row, { agent }) => hasTenure(`${row}.session_id`, agent) };

/**
 * A tenure that began with a Carry reads the log and the Events from certain numbers on, and the Handoffs that the agent got
 * or gave; an agent reads what any of its tenures reads (rule: carry).
 */
const inPart =
  (reads: Condition): Condition =>
  (row, ids) =>
    // OFFSET 0: PostgreSQL looks up the few tenures of the row's Session, and never begins with all tenures of the agent.
    `EXISTS (SELECT FROM agent_sessions tenure WHERE tenure.session_id = ${row}.session_id AND tenure.agent_id = ${ids.agent} AND (${reads(row, ids)}) OFFSET 0)`;

/** SQL: whether a Turn has a Message with this number or a later one, or a ToolCall after it. */
export const turnSince = (turnId: string, from: string): string =>
  `(EXISTS (SELECT FROM messages later WHERE later.turn_id = ${turnId} AND later.sequence >= ${from}) OR EXISTS (SELECT FROM tool_calls later WHERE later.turn_id = ${turnId} AND later.sequence >= ${from} - 1))`;

// Calls, tasks and decisions have the number of the last Message before them.
const afterMessage = inPart((row) => `${row}.sequence >= coalesce(tenure.reads_from, 0) - 1`);
const readsEvent: Condition = (row) => `${row}.session_sequence >= coalesce(tenure.reads_events_from, 0)`;

const everybody: Rule = { agent: null };
const ofItself: Rule = { agent: (row, { agent }) => `${row}.agent_id = ${agent}` };
const admins: Rule = { agent: null, others: () => 'false' };
/** Rows that no field shows. */
const noAgent: Rule = { agent: () => 'false' };

const rules: Record<Prisma.ModelName, Rule> = {
  Agent: everybody,
  AgentPresence: everybody,
  AgentConnection: everybody,
  // The fields that show it have `access: 'ownAgent'`.
  AgentCollaborator: everybody,
  Pipeline: everybody,
  // Joins rows that have rules of their own.
  HandoffToolCall: everybody,

  Session: { agent: (row, { agent }) => hasTenure(`${row}.id`, agent) },
  AgentSession: inSession,
  ContextSnapshot: inSession,
  QueueEntry: inSession,
  StageEntry: inSession,
  Message: { agent: inPart((row) => `${row}.sequence >= coalesce(tenure.reads_from, 0)`) },
  ToolCall: { agent: afterMessage },
  Decision: { agent: afterMessage },
  Task: { agent: afterMessage },
  Turn: {
    agent: inPart((row) => `coalesce(tenure.reads_from, 0) = 0 OR ${turnSince(`${row}.id`, 'tenure.reads_from')}`),
  },
  // A Handoff made by an operator carries everything; the source agent may have a limit.
  Handoff: {
    agent: inPart(
      (row, { agent }) =>
        `coalesce(tenure.reads_from, 0) = 0 OR ${row}.target_agent_id = ${agent} OR (${row}.source_agent_id = ${agent} AND ${row}.via <> 'OPERATOR')`,
    ),
  },
  // A proposal is read as its Handoff is; the target has no tenure yet.
  Approval: {
    agent: inPart((row, { agent }) => `coalesce(tenure.reads_from, 0) = 0 OR ${row}.agent_id = ${agent}`),
  },
  // An Event without a Session is about an Agent.
  Event: {
    agent: (row, ids) =>
      `(${inPart(readsEvent)(row, ids)} OR (${row}.session_id IS NULL AND ${row}.agent_id = ${ids.agent}))`,
  },

  HandoffTool: {
    agent: (row, { agent }) =>
      `EXISTS (SELECT FROM handoff_tool_offers offer WHERE offer.tool_id = ${row}.id AND offer.agent_id = ${agent})`,
  },
  HandoffToolOffer: ofItself,
  InboxEntry: ofItself,

  Key: { agent: null, others: (row, { key }) => `${row}.id = ${key}` },
  Webhook: admins,
  Delivery: admins,

  DatabaseIdentity: noAgent,
  EventFollower: noAgent,
  EventPosition: noAgent,
  IdempotencyAnswer: noAgent,
  ImportLine: noAgent,
  ImportUsage: noAgent,
  PrunedInbox: noAgent,
  Pruning: noAgent,
  ServerProcess: noAgent,
  UnpositionedEvent: noAgent,
  WebhookWorker: noAgent,
};

const isAdmin = ({ role }: Rights): boolean => role === 'ADMIN' || role === null;

/** The condition for a row of a table; null when the caller reads all rows of it. */
export function conditionOf(model: Prisma.ModelName, row: string, caller: Rights, ids: ReaderIds): string | null {
  const { agent, others } = rules[model];
  const conditions = [
    ...(agent === null || ownAgent(caller) === null ? [] : [agent(row, ids)]),
    ...(others === undefined || isAdmin(caller) ? [] : [others(row, ids)]),
  ];
  return conditions.length === 0 ? null : conditions.join(' AND ');
}

/** Equal for callers whose statements differ in their ids only. */
export const kindOf = (caller: Rights): string => `${ownAgent(caller) === null} ${isAdmin(caller)}`;

/** The same for a statement that someone writes: `row` is the alias of the table in it. */
export const readable = (caller: Rights, model: Prisma.ModelName, row: string): string =>
  conditionOf(model, row, caller, {
    agent: escapeLiteral(ownAgent(caller) ?? ''),
    key: caller.keyId == null ? 'NULL' : escapeLiteral(caller.keyId),
  }) ?? 'true';

/** SQL: whether an agent reads a Session; both are expressions. */
export const agentReadsSession = hasTenure;

/** The condition for a row whose Session's id is this expression. */
export const readsSession = (caller: Rights, session: string): string => {
  const agentId = ownAgent(caller);
  return agentId === null ? 'true' : hasTenure(session, escapeLiteral(agentId));
};

/** SQL: the agents that read an Event of a Session. */
export const readersOfEvent = (event: string): string =>
  `SELECT DISTINCT tenure.agent_id FROM agent_sessions tenure WHERE tenure.session_id = ${event}.session_id AND ${readsEvent(event, { agent: '', key: '' })}`;

/** SQL: the agents that read a Session in part (`session_id`, `agent_id`), and the numbers of the first Message and Event that they read. */
export const partialReaders = `SELECT session_id, agent_id, min(reads_from) AS reads_from, min(reads_events_from) AS reads_events_from
  FROM agent_sessions GROUP BY session_id, agent_id HAVING bool_and(reads_from IS NOT NULL)`;

/** Whether a caller may read a Handoff's instructions: its target and people may, other agents may not. */
export const readsInstructions = ({ agentId }: Pick<Rights, 'agentId'>, targetAgentId: string): boolean =>
  agentId === null || agentId === targetAgentId;
