import type { Place } from './cursors.ts';

interface Recorded {
  id: string;
  sessionId: string | null;
  sessionSequence: number | null;
}

/** The place of an Event in its Session's stream. One of no Session is in no stream that a query reads: its cursor only names it. */
export const placeOf = ({ id, sessionId, sessionSequence }: Recorded): Place =>
  sessionId === null || sessionSequence === null
    ? { stream: 'event', of: id, number: 0 }
    : { stream: 'session', of: sessionId, number: sessionSequence };
