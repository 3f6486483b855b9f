import type { Pool } from 'pg';
import { observed } from './observed.ts';
import type { Logger } from './work.ts';

/** A number of a stream and the Event that has it: undefined when it was not read, null when the Event was pruned or the number is 0. */
export interface Point {
  number: number;
  eventId: string | null | undefined;
}

/**
 * Whether a stream that had this point is another one now: the number is not given any more, or another Event has it. `here` is
 * the Event that has the number, and `pruned` the newest number that was pruned, both of one snapshot that is younger than the point.
 */
export const isLost = ({ number, eventId }: Point, here: string | null, pruned: number): boolean =>
  here === null ? number > pruned : eventId !== undefined && here !== eventId;

/** What showed that the database went back: a later look of this process, a caller's cursor, or a file that follows the events. */
export type Witness = 'server' | 'cursor' | 'archive' | 'event_log';

const seenAt = new WeakMap<Pool, number>();
const shownForMs = 3_600_000;

/** Whether this process saw within the last hour that the database went back. */
export const wentBack = (pool: Pool): boolean => performance.now() - (seenAt.get(pool) ?? -Infinity) < shownForMs;

/** Counts and shows that the database went back. Archive and event log have log lines of their own. */
export function sawGoBack(pool: Pool, log: Logger, witness: Witness): void {
  const isShown = wentBack(pool);
  seenAt.set(pool, performance.now());
  observed('wentBack', pool, { witness });
  if (witness === 'server')
    log.error(
      {},
      'The database went back to an earlier moment: events that were delivered are gone, and their numbers are given again. All streams end with CURSOR_EXPIRED, so that clients read again',
    );
  if (witness === 'cursor' && !isShown)
    log.error(
      {},
      'A client sent a cursor of an event that the database does not have: it went back to an earlier moment. The client gets CURSOR_EXPIRED and reads again',
    );
}
