import type { Pool } from 'pg';
import { statement } from '../../core/changes.ts';
import type { Caller, Logger } from '../../core/work.ts';

const findEnded = statement(
  'SELECT id FROM keys WHERE id = ANY ($1::uuid[]) AND (revoked_at IS NOT NULL OR expires_at <= clock_timestamp())',
);
/** The longest delay of `setTimeout`. */
const longestTimer = 2 ** 31 - 1;

interface Watched {
  callbacks: Set<() => void>;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Calls back when a watched key ends: at once when it is revoked in this process, and at its expiry by this process's
 * monotonic clock. While keys are watched, checks the database every `everyMs` for other revocations and for expiry by the
 * database's clock.
 */
export class KeyWatch {
  readonly #watched = new Map<string, Watched>();
  #polling: NodeJS.Timeout | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly log: Logger,
    private readonly everyMs: number,
    /** Called before the callbacks, so that the key is already refused. */
    private readonly onEnded: (keyId: string) => void,
  ) {}

  /** Calls back once when the caller's key ends, soon if it has expired already; never for a caller without a key. Returns a function that stops watching. */
  add({ keyId, expiresAt }: Caller, callback: () => void): () => void {
    if (keyId === null) return () => undefined;
    let watched = this.#watched.get(keyId);
    if (watched === undefined) {
      watched = { callbacks: new Set(), timer: undefined };
      this.#watched.set(keyId, watched);
      if (expiresAt !== null) this.#expireAt(keyId, watched, expiresAt);
      this.#polling ??= setInterval(() => this.recheckAll(), this.everyMs).unref();
    }
    const once = (): void => callback();
    const { callbacks } = watched;
    callbacks.add(once);
    return () => {
      callbacks.delete(once);
      if (callbacks.size === 0 && this.#watched.get(keyId)?.callbacks === callbacks) this.#drop(keyId);
    };
  }

  end(keyId: string): void {
    this.onEnded(keyId);
    const callbacks = [...(this.#watched.get(keyId)?.callbacks ?? [])];
    this.#drop(keyId);
    for (const callback of callbacks) {
      try {
        callback();
      } catch (error) {
        this.log.error({ err: error }, 'What was open under an ended key could not be closed');
      }
    }
  }

  /** Checks in the database whether this key has ended. */
  recheck(keyId: string): void {
    if (this.#watched.has(keyId)) void this.#look([keyId]);
  }

  /** Checks all watched keys: announcements may have been missed. */
  recheckAll(): void {
    if (this.#watched.size > 0) void this.#look([...this.#watched.keys()]);
  }

  close(): void {
    for (const keyId of [...this.#watched.keys()]) this.#drop(keyId);
  }

  async #look(keyIds: string[]): Promise<void> {
    try {
      const { rows } = await this.pool.query<{ id: string }>({ ...findEnded, values: [keyIds] });
      for (const { id } of rows) this.end(id);
    } catch (error) {
      this.log.warn({ err: error }, 'Whether keys have ended could not be read: it will be tried again');
    }
  }

  #expireAt(keyId: string, watched: Watched, expiresAt: number): void {
    const left = expiresAt - performance.now();
    watched.timer = setTimeout(
      () => (left > longestTimer ? this.#expireAt(keyId, watched, expiresAt) : this.end(keyId)),
      Math.min(Math.max(left, 0), longestTimer),
    ).unref();
  }

  #drop(keyId: string): void {
    clearTimeout(this.#watched.get(keyId)?.timer);
    this.#watched.delete(keyId);
    if (this.#watched.size > 0) return;
    clearInterval(this.#polling);
    this.#polling = undefined;
  }
}
