import { escapeLiteral } from 'pg';
import type { Prisma } from '../generated/prisma/client.ts';
import type { Caller } from './work.ts';

/**
 * What a caller may read, in one place: an AGENT the Sessions in which it has or had an AgentSession, and everything
 * below them; everybody else all. For what it may not read a caller gets the same answer as for what does not exist.
 * These rights only ever grow: a tenure is never deleted.
 */
type Asking = Pick<Caller, 'agentId'>;

export const readableSessions = ({ agentId }: Asking): Prisma.SessionWhereInput =>
  agentId === null ? {} : { agentSessions: { some: { agentId } } };

export const readableHandoffs = (caller: Asking): Prisma.HandoffWhereInput =>
  caller.agentId === null ? {} : { session: readableSessions(caller) };

/** The same in SQL, as a condition on the column or value that is the Session's id. */
export const readableSql = ({ agentId }: Asking, sessionId: string): string =>
  agentId === null ? 'true' : `EXISTS (SELECT FROM agent_sessions r WHERE r.session_id = ${sessionId} AND r.agent_id = ${escapeLiteral(agentId)})`;
