/** What a person has looked at in this browser: times of the server, as its records have them. */
export interface Looked {
  /** The newest handoff that the inbox has shown began then; null when the inbox was never opened. */
  inbox: string | null;
  /** Later handoffs that the inbox of one agent has shown. */
  handoffs: readonly string[];
  /** All sessions count as seen up to this activity; null before the first list. */
  sessions: string | null;
  /** Sessions that were opened later, by id, with their last activity then. */
  opened: Readonly<Record<string, string>>;
}

export interface Active {
  id: string;
  lastActivityAt: string;
}

const mostOpened = 200;
export const nothingLooked: Looked = { inbox: null, handoffs: [], sessions: null, opened: {} };

/** What a browser has stored; nothing of another form. */
export function readLooked(text: string | null): Looked {
  try {
    const { inbox, handoffs, sessions, opened } = (JSON.parse(text ?? '{}') ?? {}) as Partial<
      Record<keyof Looked, unknown>
    >;
    const known =
      typeof opened === 'object' && opened !== null
        ? Object.entries(opened).filter((entry): entry is [string, string] => isTime(entry[1]))
        : [];
    const ids = Array.isArray(handoffs) ? handoffs.filter((id): id is string => typeof id === 'string') : [];
    return {
      inbox: isTime(inbox) ? inbox : null,
      handoffs: ids.slice(-mostOpened),
      sessions: isTime(sessions) ? sessions : null,
      opened: Object.fromEntries(known.slice(-mostOpened)),
    };
  } catch {
    return nothingLooked;
  }
}

const isTime = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);

/** Whether something happened in a session since it was last looked at. */
export function hasChanged({ sessions, opened }: Looked, { id, lastActivityAt }: Active): boolean {
  const seen = Object.hasOwn(opened, id) ? opened[id]! : '';
  return sessions !== null && lastActivityAt > sessions && lastActivityAt > seen;
}

interface Waiting {
  id: string;
  initiatedAt: string;
  targetAgent: { id: string };
}

/** Whether no inbox has shown the handoff. */
export const isUnread = ({ inbox, handoffs }: Looked, { id, initiatedAt }: Waiting): boolean =>
  (inbox === null || initiatedAt > inbox) && !handoffs.includes(id);

/** The inbox of an agent, or of all for null, was open with these unread handoffs, newest first. Returns the same value when that changes nothing. */
export function withInboxSeen(looked: Looked, waiting: readonly Waiting[], agentId: string | null): Looked {
  const shown = agentId === null ? waiting : waiting.filter(({ targetAgent }) => targetAgent.id === agentId);
  if (shown.length === 0) return looked;
  if (agentId === null) return { ...looked, inbox: shown[0]!.initiatedAt, handoffs: [] };
  return { ...looked, handoffs: [...looked.handoffs, ...shown.map(({ id }) => id)].slice(-mostOpened) };
}

/** The session was looked at. Returns the same value when that changes nothing. */
export function withOpened(looked: Looked, session: Active): Looked {
  if (!hasChanged(looked, session)) return looked;
  const { [session.id]: _before, ...others } = looked.opened;
  const newest = Object.entries({ ...others, [session.id]: session.lastActivityAt }).slice(-mostOpened);
  return { ...looked, opened: Object.fromEntries(newest) };
}

/** All sessions were looked at, up to the newest of these. */
export function withAllSeen(looked: Looked, sessions: readonly Active[]): Looked {
  const newest = sessions.reduce(
    (latest, { lastActivityAt }) => (lastActivityAt > latest ? lastActivityAt : latest),
    looked.sessions ?? '',
  );
  return newest === '' ? looked : { ...looked, sessions: newest, opened: {} };
}

/** "3", or "50+" when there are more than were read. */
export const countText = (count: number, hasMore: boolean): string => `${count}${hasMore ? '+' : ''}`;
