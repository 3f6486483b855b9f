import type { SessionPriority } from '../../generated/prisma/client.ts';

/** The order of the queue. */

const levels: Record<SessionPriority, number> = { LOW: 0, NORMAL: 1, HIGH: 2, URGENT: 3 };

/** Waiting so long is worth one level of priority; a part of it, that part of a level. */
export const agingMs = 30 * 60_000;

interface Waiting {
  /** Grows with the time of queueing. */
  id: string;
  priority: SessionPriority;
  queuedAt: Date;
  /** True when no source could take it back: it stands before its own level. */
  returned: boolean;
}

const levelOf = ({ priority, returned }: Pick<Waiting, 'priority' | 'returned'>): number =>
  levels[priority] + (returned ? 1 : 0);

/** The level of a waiting Session at a time: its priority, raised by one for each 30 minutes of waiting, and by one for a return. */
export const levelAt = ({ queuedAt, ...waiting }: Omit<Waiting, 'id'>, now: Date): number =>
  levelOf(waiting) + (now.getTime() - queuedAt.getTime()) / agingMs;

/**
 * Time on which the place in the queue depends, earliest first. All levels rise alike, so that this stored value gives the
 * order of `levelAt` at any time.
 */
export const effectiveAt = ({ queuedAt, ...waiting }: Omit<Waiting, 'id'>): Date =>
  new Date(queuedAt.getTime() - levelOf(waiting) * agingMs);

/** What a waiting Session asks of its Agent, as one text. */
export const wanted = (agentType: string | null, role: string | null): string => `${agentType ?? ''}/${role ?? ''}`;

/** Every `wanted` that an Agent meets. */
export const wantedOf = ({ type, role }: { type: string; role: string | null }): string[] => [
  wanted(null, null),
  wanted(type, null),
  ...(role === null ? [] : [wanted(type, role), wanted(null, role)]),
];
