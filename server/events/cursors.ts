import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Pool } from 'pg';

/** Where a stream stands: the order over all events at a position, an inbox or a Session's stream at a number. */
export type Place =
  | { stream: 'all'; number: number }
  | { stream: 'inbox' | 'session'; of: string; number: number }
  /** An Event outside of any stream that could be read on from it. */
  | { stream: 'event'; of: string; number: 0 };

interface Recorded {
  id: string;
  sessionId: string | null;
  sessionSequence: number | null;
}

/** The place of an Event in its Session's stream. One without a Session is in no stream that a query reads: its cursor only names it. */
export const placeOf = ({ id, sessionId, sessionSequence }: Recorded): Place =>
  sessionId === null || sessionSequence === null
    ? { stream: 'event', of: id, number: 0 }
    : { stream: 'session', of: sessionId, number: sessionSequence };

/** Cursors of one database: signed with its key, so that one that was made up, or comes from another, is known. */
export interface Cursors {
  encode(place: Place): string;
  /** Null for what is no cursor of this database. */
  decode(cursor: string): Place | null;
}

const signatureBytes = 12;
const known = new WeakMap<Pool, Promise<Cursors>>();

/** The cursors of the database behind this pool, whose key is read once. */
export function cursorsOf(pool: Pool): Promise<Cursors> {
  const found = known.get(pool) ?? readKey(pool).then(createCursors);
  known.set(pool, found);
  found.catch(() => known.delete(pool));
  return found;
}

/** Names the database: a restored copy of it has the same name. */
export async function databaseId(pool: Pool): Promise<string> {
  return (await readKey(pool)).id;
}

async function readKey(pool: Pool): Promise<{ id: string; key: Buffer }> {
  const { rows } = await pool.query<{ id: string; key: Buffer }>('SELECT id, cursor_key AS key FROM database_identity');
  return rows[0]!;
}

export function createCursors({ id, key }: { id: string; key: Buffer }): Cursors {
  const sign = (text: string): Buffer => createHmac('sha256', key).update(`${id} ${text}`).digest().subarray(0, signatureBytes);
  return {
    encode(place) {
      const text = 'of' in place ? `${place.stream} ${place.number} ${place.of}` : `${place.stream} ${place.number}`;
      return Buffer.concat([sign(text), Buffer.from(text)]).toString('base64url');
    },
    decode(cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      const text = bytes.subarray(signatureBytes).toString();
      const signature = bytes.subarray(0, signatureBytes);
      if (signature.length !== signatureBytes || bytes.toString('base64url') !== cursor || !timingSafeEqual(signature, sign(text))) return null;
      const [stream, number, of] = text.split(' ') as [Place['stream'], string, string?];
      return { stream, number: Number(number), ...(of !== undefined && { of }) } as Place;
    },
  };
}
