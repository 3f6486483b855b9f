import { createHash, timingSafeEqual } from 'node:crypto';
import type { Pool } from 'pg';
import { statement } from '../../core/changes.ts';
import { isDatabaseAway } from '../../core/databaseErrors.ts';
import { UnauthenticatedError, UnavailableError } from '../../core/errors.ts';
import { encodeId } from '../../core/ids.ts';
import type { Caller, Logger, Role } from '../../core/work.ts';
import { bundled } from './bundled.ts';
import { hashOf, isMeantAsSecret, looksLikeSecret } from './secret.ts';
import { KeyWatch } from './watch.ts';

/** The caller on a server without keys, which accepts only requests of its own machine. */
export const loopback: Caller = { principal: 'loopback', role: 'ADMIN', agentId: null, keyId: null, expiresAt: null };
const admin: Caller = { ...loopback, principal: 'admin' };

export interface Authenticate {
  /**
   * Identifies the caller by `Authorization` (over WebSocket `connectionParams.authorization`).
   * @throws UnauthenticatedError; UnavailableError when the database does not answer.
   */
  (authorization: string | null | undefined): Promise<Caller>;
  /** Whether callers without a key are admins. Decided at the start of the process. */
  readonly open: boolean;
  /** Calls back once when the caller's key is revoked or expires (`KeyWatch.add`). Returns a function that stops watching. */
  watch(caller: Caller, onEnded: () => void): () => void;
  /** Ends a key that this process revoked, and calls the listeners, which inform other processes. */
  revoked(keyId: string): void;
  onRevoked(listener: (keyId: string) => void): void;
  /** Drops a key from the cache after another process revoked it. Safe for any id: a valid key is read again. */
  forget(keyId: string): void;
  /** Drops all keys from the cache: announcements of revocations may have been missed. */
  forgetAll(): void;
  close(): void;
}

export interface AuthenticateOptions {
  pool: Pool;
  log: Logger;
  /** BATON_ADMIN_KEY. */
  adminKey: string | undefined;
  open: boolean;
  /** Interval of checks for revocations by other processes, and lifetime of the cache, in milliseconds. */
  recheckMs?: number;
}

interface Known {
  /** Null until the key was read. */
  keyId: string | null;
  until: number;
  caller: Promise<Caller | null>;
}

const maxKnown = 10_000;
/** The database computes the remaining time: the clock of this process may be wrong or jump. */
const findKeys = statement(
  `SELECT secret_hash AS hash, id, role, agent_id AS "agentId", (extract(epoch FROM expires_at - clock_timestamp()) * 1000)::float8 AS "leftMs"
   FROM keys WHERE secret_hash = ANY ($1::text[]) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp())`,
);

interface Row {
  hash: string;
  id: string;
  role: Role;
  agentId: string | null;
  leftMs: number | null;
}

/** Whether a key was ever created. A server that starts then requires keys, even when all have ended. */
export async function hasHadKeys(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ had: boolean }>('SELECT EXISTS (SELECT FROM keys) AS had');
  return rows[0]!.had;
}

export function createAuthenticate({
  pool,
  log,
  adminKey,
  open,
  recheckMs = 10_000,
}: AuthenticateOptions): Authenticate {
  const known = new Map<string, Known>();
  const listeners: ((keyId: string) => void)[] = [];
  const watch = new KeyWatch(pool, log, recheckMs, forgetCached);
  const find = bundled(readKeys);
  const isAdmin = adminKey === undefined ? () => false : equals(adminKey);

  async function authenticate(authorization: string | null | undefined): Promise<Caller> {
    const credential = credentialIn(authorization);
    if (isAdmin(credential)) return admin;
    // Even on an open server, a presented key limits the caller to its role.
    if (open && !isMeantAsSecret(credential)) return loopback;
    const caller = looksLikeSecret(credential) ? await lookUp(hashOf(credential)) : null;
    if (caller === null || hasExpired(caller)) throw new UnauthenticatedError();
    return caller;
  }

  /** Concurrent look-ups of one key share one read. Valid keys are cached for `recheckMs` unless they are forgotten before. */
  async function lookUp(hash: string): Promise<Caller | null> {
    for (;;) {
      const found = known.get(hash);
      const entry = found !== undefined && found.until > performance.now() ? found : begin(hash);
      const caller = await entry.caller;
      // Reads again when the key was forgotten meanwhile: the result may be older than its revocation.
      if (caller === null || known.get(hash) === entry) return caller;
    }
  }

  function begin(hash: string): Known {
    const entry: Known = { keyId: null, until: performance.now() + recheckMs, caller: read(hash) };
    known.delete(hash);
    if (known.size >= maxKnown) known.delete(known.keys().next().value!);
    known.set(hash, entry);
    const forget = (): void => {
      if (known.get(hash) === entry) known.delete(hash);
    };
    // Invalid keys are not cached, so that they cannot evict valid ones.
    entry.caller.then((caller) => (caller === null ? forget() : (entry.keyId = caller.keyId)), forget);
    return entry;
  }

  async function read(hash: string): Promise<Caller | null> {
    const key = await find(hash);
    if (key === undefined) return null;
    const { id, role, agentId, leftMs } = key;
    return {
      principal: encodeId('key', id),
      role,
      agentId,
      keyId: id,
      expiresAt: leftMs === null ? null : performance.now() + leftMs,
    };
  }

  async function readKeys(hashes: string[]): Promise<Map<string, Row>> {
    const { rows } = await pool.query<Row>({ ...findKeys, values: [hashes] }).catch((error: unknown) => {
      throw isDatabaseAway(error) ? new UnavailableError('read') : error;
    });
    return new Map(rows.map((row) => [row.hash, row]));
  }

  /** Also drops entries that are still being read: their result may be older than the revocation. */
  function forgetCached(keyId: string): void {
    for (const [hash, entry] of known) if (entry.keyId === keyId || entry.keyId === null) known.delete(hash);
  }

  return Object.assign(authenticate, {
    open,
    watch: (caller: Caller, onEnded: () => void) => watch.add(caller, onEnded),
    revoked(keyId: string) {
      watch.end(keyId);
      for (const listener of listeners) listener(keyId);
    },
    onRevoked: (listener: (keyId: string) => void) => void listeners.push(listener),
    forget(keyId: string) {
      forgetCached(keyId);
      watch.recheck(keyId);
    },
    forgetAll() {
      known.clear();
      watch.recheckAll();
    },
    close: () => watch.close(),
  });
}

const credentialIn = (authorization: string | null | undefined): string =>
  /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';

const hasExpired = ({ expiresAt }: Caller): boolean => expiresAt !== null && expiresAt <= performance.now();

/** Compares in constant time; hashing makes the lengths equal. */
function equals(secret: string): (given: string) => boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const expected = digest(secret);
  return (given) => timingSafeEqual(digest(given), expected);
}
