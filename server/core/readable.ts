import { escapeLiteral } from 'pg';
import type { Prisma, Role } from '../generated/prisma/client.ts';

/**
 * The read rules. An AGENT reads the Sessions in which it has or had an AgentSession, and what lies below them as far as its
 * tenures permit; other roles read everything. Unreadable and missing records give the same answer. Read access is never lost, because tenures are never
 * deleted.
 */
interface ReadRights {
  role: Role | null;
  agentId: string | null;
}

/**
 * The agent that a caller's reads are restricted to; null for callers that read everything. A key bound to an agent is
 * restricted whatever its role; an AGENT key without an agent reads nothing.
 */
export const ownAgent = ({ role, agentId }: ReadRights): string | null => agentId ?? (role === 'AGENT' ? '-' : null);

export const readableSessions = (caller: ReadRights): Prisma.SessionWhereInput => {
  const agentId = ownAgent(caller);
  return agentId === null ? {} : { agentSessions: { some: { agentId } } };
};

export const readableHandoffs = (caller: ReadRights): Prisma.HandoffWhereInput =>
  ownAgent(caller) === null ? {} : { session: readableSessions(caller) };

/** The Handoffs of the readable Sessions that the caller may read (rule: carry), as `entries.handoffs` below says it in SQL. */
export const carriedHandoffs = (caller: ReadRights): Prisma.HandoffWhereInput => {
  const agentId = ownAgent(caller);
  if (agentId === null) return {};
  return {
    OR: [
      { targetAgentId: agentId },
      { sourceAgentId: agentId, via: { not: 'OPERATOR' } },
      { session: { agentSessions: { some: { agentId, readsFrom: null } } } },
    ],
  };
};

/** The same rule as an SQL condition; `sessionId` is the column or value with the Session's id. */
export const readableSql = (caller: ReadRights, sessionId: string): string => {
  const agentId = ownAgent(caller);
  return agentId === null
    ? 'true'
    : `EXISTS (SELECT FROM agent_sessions r WHERE r.session_id = ${sessionId} AND r.agent_id = ${escapeLiteral(agentId)})`;
};

/**
 * A tenure that began with a Carry reads the log and the Events from certain numbers on, and the Handoffs that the agent got
 * or gave; an agent reads what any of its tenures reads (rule: carry). Calls, tasks and decisions have the number of the last
 * Message before them.
 */
const entries = {
  messages: (from: string) => `t.sequence >= ${from}`,
  tool_calls: (from: string) => `t.sequence >= ${from} - 1`,
  decisions: (from: string) => `t.sequence >= ${from} - 1`,
  tasks: (from: string) => `t.sequence >= ${from} - 1`,
  turns: (from: string) => `(${from} = 0 OR ${turnSince('t.id', from)})`,
  // A Handoff made by an operator carries everything; the source agent may have a limit.
  handoffs: (from: string, agent: string) =>
    `(${from} = 0 OR t.target_agent_id = ${agent} OR (t.source_agent_id = ${agent} AND t.via <> 'OPERATOR'))`,
  events: () => 't.session_sequence >= r.events_from',
} satisfies Record<string, (from: string, agent: string) => string>;

/** SQL: whether a Turn has a Message with this number or a later one, or a ToolCall after it. */
export const turnSince = (turnId: string, from: string): string =>
  `(EXISTS (SELECT FROM messages m WHERE m.turn_id = ${turnId} AND m.sequence >= ${from}) OR EXISTS (SELECT FROM tool_calls c WHERE c.turn_id = ${turnId} AND c.sequence >= ${from} - 1))`;

/** The same rule for a row `t` of a table below Session. */
export function readableEntrySql(caller: ReadRights, table: string): string {
  const agentId = ownAgent(caller);
  if (agentId === null) return 'true';
  const agent = escapeLiteral(agentId);
  const limit = Object.hasOwn(entries, table) ? entries[table as keyof typeof entries]('r.reads_from', agent) : 'true';
  return `EXISTS (SELECT FROM (
    SELECT min(coalesce(reads_from, 0)) AS reads_from, min(coalesce(reads_events_from, 0)) AS events_from FROM agent_sessions WHERE session_id = t.session_id AND agent_id = ${agent}) r
    WHERE r.reads_from IS NOT NULL AND ${limit})`;
}
