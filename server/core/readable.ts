import { escapeLiteral } from 'pg';
import type { Prisma, Role } from '../generated/prisma/client.ts';

/**
 * The read rules. An AGENT reads the Sessions in which it has or had an AgentSession, and everything below them; other roles
 * read everything. Unreadable and missing records give the same answer. Read access is never lost, because tenures are never
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

export const readableHandoffs = (caller: ReadRights): Prisma.HandoffWhereInput => (ownAgent(caller) === null ? {} : { session: readableSessions(caller) });

/** The same rule as an SQL condition; `sessionId` is the column or value with the Session's id. */
export const readableSql = (caller: ReadRights, sessionId: string): string => {
  const agentId = ownAgent(caller);
  return agentId === null ? 'true' : `EXISTS (SELECT FROM agent_sessions r WHERE r.session_id = ${sessionId} AND r.agent_id = ${escapeLiteral(agentId)})`;
};
