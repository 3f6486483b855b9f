import DataLoader from 'dataloader';
import type { Pool } from 'pg';
import { statement } from '../../core/changes.ts';
import { agentReadsSession, ownAgent } from '../../core/rights.ts';
import type { Caller } from '../../core/work.ts';
import type { EventRow } from './hub.ts';

const findReadable =
  statement(`SELECT DISTINCT w.session_id || ' ' || w.agent_id AS key FROM unnest($1::uuid[], $2::text[]) AS w (session_id, agent_id) JOIN sessions s ON s.id = w.session_id
  WHERE w.agent_id = '' OR ${agentReadsSession('s.id', 'w.agent_id')}`);

/** After a restart all subscribers reconnect at once: those within this time share one statement. */
const gatherMs = 3;
const loaders = new WeakMap<Pool, DataLoader<string, boolean>>();

function loaderOf(pool: Pool): DataLoader<string, boolean> {
  const known = loaders.get(pool);
  if (known !== undefined) return known;
  const load = async (keys: readonly string[]): Promise<boolean[]> => {
    const parts = keys.map((key) => key.split(' ') as [string, string]);
    const values = [parts.map(([sessionId]) => sessionId), parts.map(([, agentId]) => agentId)];
    const { rows } = await pool.query<{ key: string }>({ ...findReadable, values });
    const found = new Set(rows.map(({ key }) => key));
    return keys.map((key) => found.has(key));
  };
  const loader = new DataLoader(load, {
    cache: false,
    maxBatchSize: 2_000,
    batchScheduleFn: (run) => void setTimeout(run, gatherMs),
  });
  loaders.set(pool, loader);
  return loader;
}

/** Returns the Sessions that are unreadable for the caller or missing. */
export async function unreadable(pool: Pool, caller: Caller, sessionIds: readonly string[]): Promise<string[]> {
  const agentId = ownAgent(caller) ?? '';
  const readable = await Promise.all(sessionIds.map((id) => loaderOf(pool).load(`${id} ${agentId}`)));
  return sessionIds.filter((_, at) => !readable[at]);
}

export const readsEverything = (caller: Caller): boolean => ownAgent(caller) === null;

/** Whether the caller may read an event, by the tenures when the row was read. Read access is never lost, so an old row never grants too much. */
export function mayRead(caller: Caller): (event: EventRow) => boolean {
  const agentId = ownAgent(caller);
  return ({ sessionId, readers, inboxes }) =>
    agentId === null || (sessionId === null ? inboxes : readers).includes(agentId);
}
