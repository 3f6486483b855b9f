/** The place of an Event in its Session's stream, which only that stream takes back. */
export const sessionCursor = (sessionId: string, sequence: number): string => encode(['session', sessionId, sequence]);

interface Place {
  id: string;
  sessionId: string | null;
  sessionSequence: number | null;
}

/** An Event of no Session is in no stream that a query reads: its cursor only names it. */
export const eventCursor = ({ id, sessionId, sessionSequence }: Place): string =>
  sessionId === null || sessionSequence === null ? encode(['event', id]) : sessionCursor(sessionId, sessionSequence);

/** The number that a cursor of this Session's stream stands at; null when it is none of its cursors. */
export function sequenceOf(cursor: string, sessionId: string): number | null {
  const [, , sequence] = decode(cursor);
  if (typeof sequence !== 'number' || !Number.isInteger(sequence) || sequence < 1) return null;
  return sessionCursor(sessionId, sequence) === cursor ? sequence : null;
}

const encode = (parts: unknown[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url');

function decode(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}
