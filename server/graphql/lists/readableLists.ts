import { statement } from '../../core/changes.ts';
import { ownAgent, readableHandoffs, readableSessions } from '../../core/readable.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import type { GraphQLContext } from '../context.ts';

type Asking = Pick<GraphQLContext, 'caller' | 'pool'>;

/** So many tenures are read, and their Sessions named one by one. Measured with 200,000 Handoffs: without names 2,100,000 pages for an agent of 10 Sessions. */
const mostNamed = 2_048;
/** Few lengths of lists, since each is a statement of its own that every connection prepares. */
const lengths = [16, 128, mostNamed];

// In an order, so that it reads by the index that has it, and no more than it needs.
const findSessions = statement(`SELECT session_id AS id FROM agent_sessions WHERE agent_id = $1 ORDER BY started_at DESC, id DESC LIMIT ${mostNamed + 1}`);

/**
 * What a caller may read of a whole list. An agent's Sessions are looked up first and named: along the order of the
 * list PostgreSQL would pass everybody else's to find them. Of an agent that had very many the next one is never far.
 */
export async function sessionsToList(asking: Asking): Promise<Prisma.SessionWhereInput> {
  const named = await nameSessions(asking);
  return named === null ? readableSessions(asking.caller) : { id: { in: named } };
}

export async function handoffsToList(asking: Asking): Promise<Prisma.HandoffWhereInput> {
  const named = await nameSessions(asking);
  return named === null ? readableHandoffs(asking.caller) : { sessionId: { in: named } };
}

/** Null when there are too many, or the caller reads all. */
async function nameSessions({ caller, pool }: Asking): Promise<string[] | null> {
  const agentId = ownAgent(caller);
  if (agentId === null) return null;
  const { rows } = await pool.query<{ id: string }>({ ...findSessions, values: [agentId] });
  if (rows.length > mostNamed) return null;
  const ids = [...new Set(rows.map(({ id }) => id))];
  const [first] = ids;
  if (first === undefined) return [];
  const length = lengths.find((one) => one >= ids.length)!;
  return Array.from({ length }, (_, index) => ids[index] ?? first);
}
