import DataLoader from 'dataloader';
import { statement } from '../../core/changes.ts';
import { ownAgent, partialReaders } from '../../core/rights.ts';
import type { GraphQLContext } from './context.ts';

/** What a limited caller reads of a Session: the numbers of its first Message and Event, and the variables that it was given. */
interface SessionLimit {
  from: number;
  eventsFrom: number;
  variables: string[];
}

const findLimits = statement(`
SELECT session_id, reads_from AS "from", reads_events_from AS "eventsFrom",
  ARRAY(SELECT DISTINCT v ->> 'name' FROM handoffs h, jsonb_array_elements(h.context -> 'contextVariables') v WHERE h.session_id = t.session_id AND h.target_agent_id = $1) AS variables
FROM (${partialReaders}) t WHERE agent_id = $1 AND session_id = ANY ($2::uuid[])`);

const loaders = new WeakMap<object, DataLoader<string, SessionLimit | null>>();

/** The limit of the caller in a Session that it may read; null when it reads everything. */
export async function limitIn(context: GraphQLContext, sessionId: string): Promise<SessionLimit | null> {
  const { pool, caller } = context;
  const agentId = ownAgent(caller);
  if (agentId === null) return null;
  let loader = loaders.get(context);
  if (loader === undefined) {
    loader = new DataLoader(async (ids) => {
      const { rows } = await pool.query<SessionLimit & { session_id: string }>({
        ...findLimits,
        values: [agentId, ids],
      });
      return ids.map((id) => rows.find((row) => row.session_id === id) ?? null);
    });
    loaders.set(context, loader);
  }
  return loader.load(sessionId);
}
