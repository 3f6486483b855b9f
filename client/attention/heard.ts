import { stored } from '../app/stored.ts';
import type { AttentionFilter, AttentionKind } from '../gql/graphql.ts';
import { attentionKinds } from './looks.ts';

/** What of the list a person hears of in this browser: in the title, the badges and notifications. */
export interface Heard {
  /** Kinds that are left out: one that a later version adds is heard. */
  without: readonly AttentionKind[];
  /** Empty for every agent. */
  agent: string;
  /** Empty for every project. */
  project: string;
  /** Milliseconds since 1970 until which nothing is heard; null when it is not muted. */
  mutedUntil: number | null;
}

export const hearsAll: Heard = { without: [], agent: '', project: '', mutedUntil: null };

/** What a browser has stored; nothing of another form. */
export function readHeard(text: string | null): Heard {
  try {
    const { without, agent, project, mutedUntil } = (JSON.parse(text ?? '{}') ?? {}) as Partial<
      Record<keyof Heard, unknown>
    >;
    return {
      without: Array.isArray(without) ? attentionKinds.filter((kind) => without.includes(kind)) : [],
      agent: typeof agent === 'string' ? agent : '',
      project: typeof project === 'string' ? project : '',
      mutedUntil: typeof mutedUntil === 'number' ? mutedUntil : null,
    };
  } catch {
    return hearsAll;
  }
}

export const heard = stored('baton.heard', readHeard);

/** The filter of what is heard now; undefined for nothing. */
export function heardAt({ without, agent, project, mutedUntil }: Heard, now: number): AttentionFilter | undefined {
  const kinds = attentionKinds.filter((kind) => !without.includes(kind));
  if (kinds.length === 0 || (mutedUntil !== null && now < mutedUntil)) return undefined;
  return {
    ...(without.length > 0 && { kinds }),
    ...(agent !== '' && { agentId: agent }),
    ...(project !== '' && { project }),
  };
}

/** How many of the newest are read, to be announced. More do not come between two reads; of more the server would count the query as a heavy one. */
export const newestRead = 20;

/** What tells an item from others. Of the sessions that wait for one type and role the list has the one that waits longest, whichever that is. */
export const keyOf = ({ kind, session, webhook }: Item): string =>
  kind === 'QUEUE' && session?.queueEntry
    ? `${kind} ${JSON.stringify([session.queueEntry.agentType, session.queueEntry.role])}`
    : `${kind} ${session?.id ?? webhook?.id ?? ''}`;

interface Item {
  kind: AttentionKind;
  session?: { id: string; queueEntry?: { agentType?: string | null; role?: string | null } | null } | null;
  webhook?: { id: string } | null;
}

/** The newest items of a read, oldest first. */
export interface Newest {
  items: readonly { key: string; since: string }[];
  /** Whether there are older ones. */
  hasOlder: boolean;
}

/** The keys of what has come since the read before. What an older item left its place to is not new. */
export function comeSince(before: Newest, { items }: Newest): string[] {
  const known = new Set(before.items.map(({ key }) => key));
  const oldest = before.hasOlder ? (before.items[0]?.since ?? '') : '';
  return items.filter(({ key, since }) => !known.has(key) && since > oldest).map(({ key }) => key);
}
