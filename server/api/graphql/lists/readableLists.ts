import { statement } from '../../../core/changes.ts';
import { ownAgent } from '../../../core/rights.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import type { GraphQLContext } from '../context.ts';

type ReaderContext = Pick<GraphQLContext, 'caller' | 'pool'>;

/** Up to this many tenures the Sessions are listed by id. Measured with 200,000 Handoffs: without ids a list of an agent with 10 Sessions read 2,100,000 pages. */
const maxListed = 2_048;
/** Id lists are padded to these lengths: each length is a statement that every connection prepares. */
const lengths = [16, 128, maxListed];

// The order matches an index, so that the statement stops at its LIMIT.
const findSessions = statement(
  `SELECT session_id AS id FROM agent_sessions WHERE agent_id = $1 ORDER BY started_at DESC, id DESC LIMIT ${maxListed + 1}`,
);

/**
 * Filters that help PostgreSQL to find the few rows that an agent may read; the reader adds who may read them. The agent's Sessions
 * are looked up first and listed by id: otherwise PostgreSQL would scan the Sessions of all agents in the order of the list. For an
 * agent above the limit such a scan is fast, because many of the Sessions that it passes are its own.
 */
export async function sessionsToList(context: ReaderContext): Promise<Prisma.SessionWhereInput> {
  const sessionIds = await findSessionIds(context);
  return sessionIds === null ? {} : { id: { in: sessionIds } };
}

export async function handoffsToList(context: ReaderContext): Promise<Prisma.HandoffWhereInput> {
  const sessionIds = await findSessionIds(context);
  return sessionIds === null ? {} : { sessionId: { in: sessionIds } };
}

/** The Sessions that the caller may read; null when there are too many, or the caller reads all. */
export async function findSessionIds({ caller, pool }: ReaderContext): Promise<string[] | null> {
  const agentId = ownAgent(caller);
  if (agentId === null) return null;
  const { rows } = await pool.query<{ id: string }>({ ...findSessions, values: [agentId] });
  if (rows.length > maxListed) return null;
  const ids = [...new Set(rows.map(({ id }) => id))];
  const [first] = ids;
  if (first === undefined) return [];
  const length = lengths.find((one) => one >= ids.length)!;
  return Array.from({ length }, (_, index) => ids[index] ?? first);
}
