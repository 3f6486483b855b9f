import { channel } from 'node:diagnostics_channel';
import type { Pool } from 'pg';
import type { HandoffStatus, HandoffVia } from '../generated/prisma/client.ts';

/** What a server does, for its metrics: published after the fact, without effect on it. */
export interface Observed {
  /** A Handoff reached a status, and this is committed. */
  handoff: { status: HandoffStatus; via: HandoffVia; initiatedAt: Date; acceptedAt: Date | null; at: Date };
  /** A mutation was executed. `error` is what it threw, or undefined. */
  mutation: { name: string; input: object; ms: number; error: unknown };
  /** A statement ended; `infra/prisma.ts` publishes it. */
  statement: { ms: number };
  /** A query was executed, where there is a replica. */
  query: { from: 'replica' | 'primary' };
  /** Work in the background failed; it is tried again. */
  failure: { part: 'archive' | 'event_log' | 'webhook' | 'keeping' };
  /** Sessions and their events were pruned, and this is committed. */
  pruned: { sessions: number; events: number };
}

type Kind = keyof Observed;
type Listeners = { [K in Kind]: (observed: Observed[K]) => void };

const kinds = ['handoff', 'mutation', 'statement', 'query', 'failure', 'pruned'] as const;
const channels = Object.fromEntries(kinds.map((kind) => [kind, channel(`baton.${kind}`)])) as Record<Kind, ReturnType<typeof channel>>;

/** Publishes to the metrics of the servers on this pool. Does nothing while nobody listens. */
export function observed<K extends Kind>(kind: K, pool: Pool, fields: Observed[K]): void {
  if (channels[kind].hasSubscribers) channels[kind].publish({ pool, ...fields });
}

/** Listens to what servers on this pool do. Returns a function that stops it. */
export function observe(pool: Pool, listeners: Listeners): () => void {
  const stops = kinds.map((kind) => {
    const heard = (message: unknown): void => {
      if ((message as { pool: Pool }).pool === pool) listeners[kind](message as never);
    };
    channels[kind].subscribe(heard);
    return () => void channels[kind].unsubscribe(heard);
  });
  return () => {
    for (const stop of stops) stop();
  };
}
