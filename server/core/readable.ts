import { escapeLiteral } from 'pg';
import type { Prisma, Role } from '../generated/prisma/client.ts';

/**
 * What a caller may read, in one place: an AGENT the Sessions in which it has or had an AgentSession, and everything
 * below them; everybody else all. For what it may not read a caller gets the same answer as for what does not exist.
 * These rights only ever grow: a tenure is never deleted.
 */
interface Asking {
  role: Role | null;
  agentId: string | null;
}

/**
 * The agent that a caller is confined to; null for those who read everything. Whoever is bound to an agent is confined,
 * whatever its role says, and an AGENT that is bound to none reads nothing.
 */
export const ownAgent = ({ role, agentId }: Asking): string | null => agentId ?? (role === 'AGENT' ? '-' : null);

export const readableSessions = (caller: Asking): Prisma.SessionWhereInput => {
  const agentId = ownAgent(caller);
  return agentId === null ? {} : { agentSessions: { some: { agentId } } };
};

export const readableHandoffs = (caller: Asking): Prisma.HandoffWhereInput => (ownAgent(caller) === null ? {} : { session: readableSessions(caller) });

/** The same in SQL, as a condition on the column or value that is the Session's id. */
export const readableSql = (caller: Asking, sessionId: string): string => {
  const agentId = ownAgent(caller);
  return agentId === null ? 'true' : `EXISTS (SELECT FROM agent_sessions r WHERE r.session_id = ${sessionId} AND r.agent_id = ${escapeLiteral(agentId)})`;
};
