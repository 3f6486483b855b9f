import { channel } from 'node:diagnostics_channel';
import type { Pool } from 'pg';
import type { HandoffStatus, HandoffVia } from '../generated/prisma/client.ts';
import type { Caller } from './work.ts';

export type TracedRecord = 'session' | 'tenure' | 'handoff';

/** What a server does, for its metrics and traces: published after the fact, without effect on it. */
export interface Observed {
  /** A Session was created, or a tenure or Handoff ended, and this is committed. */
  traced: { record: TracedRecord; id: string; sessionId: string };
  /** A Handoff reached a status, and this is committed. */
  handoff: { status: HandoffStatus; via: HandoffVia; initiatedAt: Date; acceptedAt: Date | null; at: Date };
  /** A mutation was executed. `error` is what it threw, or undefined. */
  mutation: { name: string; input: object; answer: object | undefined; caller: Caller; ms: number; error: unknown };
  /** A statement ended; `infra/prisma.ts` publishes it. */
  statement: { ms: number };
  /** A query was executed, where there is a replica. */
  query: { from: 'replica' | 'primary' };
  /** Work in the background failed; it is tried again. */
  failure: { part: 'archive' | 'event_log' | 'webhook' | 'keeping' };
  /** The database went back to an earlier moment. `witness`: what showed it. */
  wentBack: { witness: 'server' | 'cursor' | 'archive' | 'event_log' };
  /** Sessions and their events were pruned, and this is committed. */
  pruned: { sessions: number; events: number };
}

type Kind = keyof Observed;
type Listeners = { [K in Kind]?: (observed: Observed[K]) => void };

const kinds = ['traced', 'handoff', 'mutation', 'statement', 'query', 'failure', 'wentBack', 'pruned'] as const;
const channels = Object.fromEntries(kinds.map((kind) => [kind, channel(`baton.${kind}`)])) as Record<
  Kind,
  ReturnType<typeof channel>
>;

/** Publishes to the metrics and traces of the servers on this pool. Does nothing while nobody listens. */
export function observed<K extends Kind>(kind: K, pool: Pool, fields: Observed[K]): void {
  if (channels[kind].hasSubscribers) channels[kind].publish({ pool, ...fields });
}

/** Listens to what servers on this pool do. Returns a function that stops it. */
export function observe(pool: Pool, listeners: Listeners): () => void {
  const stops = kinds.map((kind) => {
    const listener = listeners[kind];
    if (listener === undefined) return () => undefined;
    const heard = (message: unknown): void => {
      if ((message as { pool: Pool }).pool === pool) listener(message as never);
    };
    channels[kind].subscribe(heard);
    return () => void channels[kind].unsubscribe(heard);
  });
  return () => {
    for (const stop of stops) stop();
  };
}
