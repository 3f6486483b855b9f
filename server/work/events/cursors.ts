import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Pool } from 'pg';

/** A place in a stream: a position in the global order, or a number in an inbox or a Session's stream. */
export type Place =
  | { stream: 'all'; number: number }
  | { stream: 'inbox' | 'session'; of: string; number: number }
  /** An Event without a stream to resume. */
  | { stream: 'event'; of: string; number: 0 };

interface Recorded {
  id: string;
  sessionId: string | null;
  sessionSequence: number | null;
}

/** The place of an Event in its Session's stream. Without a Session, its cursor only identifies it. */
export const placeOf = ({ id, sessionId, sessionSequence }: Recorded): Place =>
  sessionId === null || sessionSequence === null
    ? { stream: 'event', of: id, number: 0 }
    : { stream: 'session', of: sessionId, number: sessionSequence };

/**
 * Signed cursors of one database: forged and foreign cursors are detected. A cursor carries a mark of the Event at its place: after
 * the database went back, another Event may have the same number.
 */
export interface Cursors {
  /** Without a mark when the Event is not known. */
  encode(place: Place, eventId: string | null | undefined): string;
  /** Null when it is not a cursor of this database. */
  decode(cursor: string): (Place & { mark?: string }) | null;
}

/** The random end of an Event's id. */
export const markOf = (eventId: string): string => eventId.slice(-12);

const signatureBytes = 12;
const known = new WeakMap<Pool, Promise<Cursors>>();

/** The cursors of this pool's database. The signing key is read once. */
export function cursorsOf(pool: Pool): Promise<Cursors> {
  const found = known.get(pool) ?? readKey(pool).then(createCursors);
  known.set(pool, found);
  found.catch(() => known.delete(pool));
  return found;
}

/** Reads the signing key again, which a restored database may have replaced. */
export const forgetCursors = (pool: Pool): void => void known.delete(pool);

/** Identifies the database. A restored copy has the same id. */
export async function databaseId(pool: Pool): Promise<string> {
  return (await readKey(pool)).id;
}

async function readKey(pool: Pool): Promise<{ id: string; key: Buffer }> {
  const { rows } = await pool.query<{ id: string; key: Buffer }>('SELECT id, cursor_key AS key FROM database_identity');
  return rows[0]!;
}

export function createCursors({ id, key }: { id: string; key: Buffer }): Cursors {
  const sign = (text: string): Buffer =>
    createHmac('sha256', key).update(`${id} ${text}`).digest().subarray(0, signatureBytes);
  return {
    encode(place, eventId) {
      const parts = [place.stream, place.number, ...('of' in place ? [place.of] : [])];
      // At the same place in every cursor, where the version before does not look.
      if (eventId != null) parts.splice(3, 0, ...('of' in place ? [] : ['']), markOf(eventId));
      const text = parts.join(' ');
      return Buffer.concat([sign(text), Buffer.from(text)]).toString('base64url');
    },
    decode(cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      const text = bytes.subarray(signatureBytes).toString();
      const signature = bytes.subarray(0, signatureBytes);
      if (
        signature.length !== signatureBytes ||
        bytes.toString('base64url') !== cursor ||
        !timingSafeEqual(signature, sign(text))
      )
        return null;
      const [stream, number, of, mark] = text.split(' ') as [Place['stream'], string, string?, string?];
      return {
        stream,
        number: Number(number),
        ...(of !== undefined && of !== '' && { of }),
        ...(mark !== undefined && { mark }),
      } as Place;
    },
  };
}
