import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Log } from './log.ts';
import { createDatabase, type Database, type DatabaseOptions } from './prisma.ts';

/** All in milliseconds. */
const defaults = {
  /** The longest wait of a query until the replica has what was committed before it. A replica beside its primary needs 1 to 5. */
  waitMs: 50,
  /** How often the monitor asks both servers, and how long it waits for an answer. */
  lookMs: 1_000,
  /** A replica that is further behind is reported as degraded. */
  behindMs: 5_000,
};
export type ReplicaPace = typeof defaults;

/** What the monitor saw last. */
export interface ReplicaState {
  /** Whether it answers, follows this primary, and is at most `behindMs` behind. */
  follows: boolean;
  /** Seconds for which the oldest change that it lacks is known; to the second. */
  lagSeconds: number;
  /** Bytes of write-ahead log that it lacks. */
  lagBytes: number;
}

export interface Replica extends Pick<Database, 'pool' | 'prisma'> {
  readonly state: ReplicaState;
  /**
   * Whether the replica has everything that was committed before this call, so that a query that begins now may read it
   * (rule: replica). Never rejects.
   */
  caughtUp(): Promise<boolean>;
  /** The result of the query, or null as soon as the replica is lost. */
  whileFollowed<T>(query: Promise<T> | T): Promise<T | null>;
  close(): Promise<void>;
}

// Positions in the write-ahead log, in bytes. With synchronous_commit = on a commit is visible when its log is flushed; else
// it may be visible before.
const fence = {
  name: 'replica_fence',
  text: `SELECT pg_wal_lsn_diff(CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn() END, '0/0')::float8 AS position`,
};
const replayed = {
  name: 'replica_replayed',
  text: `SELECT pg_is_in_recovery() AS standby, pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 AS position`,
};
/** Equal on a primary and its standbys, for one of its databases. */
const identity = `SELECT format('%s %s', (SELECT system_identifier FROM pg_control_system()), (SELECT oid FROM pg_database WHERE datname = current_database())) AS id`;
const mostSamples = 3_600;
const notKnown = -1;

/** Follows a streaming replica of the primary, and says when a query may read it. The primary is asked once for all queries that come while it is asked. */
export function createReplica(
  url: string,
  primary: Pool,
  log: Log,
  { prepared, ...chosen }: Partial<ReplicaPace> & DatabaseOptions = {},
): Replica {
  const pace = { ...defaults, ...chosen };
  const database = createDatabase(url, log, { prepared });
  const { pool } = database;
  const losses = new Set<() => void>();
  /** What the replica is known to have. Unknown after a connection ended: a server that restarted may have less for a moment. */
  let has = notKnown;
  /** What a query waited for in vain: until the replica has that, no other query waits. */
  let wanted = 0;
  let isWell = false;
  let said: boolean | undefined;
  /** When the primary had a position that the replica lacks. */
  let samples: { at: number; position: number }[] = [];
  let state: ReplicaState = { follows: false, lagSeconds: 0, lagBytes: 0 };
  let here: string | undefined;
  let closed = false;

  const lose = (): void => {
    for (const lost of losses) lost();
  };
  pool.on('remove', () => (has = notKnown));
  pool.on('error', lose);

  const position = inTurn(async () => (await primary.query<{ position: number }>(fence)).rows[0]!.position);
  const look = inTurn(async () => {
    const { standby, position: at } = (await pool.query<{ standby: boolean; position: number }>(replayed)).rows[0]!;
    if (!standby) throw new Error('it is no standby, or was promoted');
    has = Math.max(has, at);
  });

  async function follow(): Promise<void> {
    const at = performance.now();
    const [ofPrimary, ofReplica] = await Promise.allSettled([
      position(),
      within(Promise.all([look(), sameDatabase()]), pace.lookMs),
    ]);
    if (closed) return;
    if (ofPrimary.status === 'fulfilled' && samples.length < mostSamples)
      samples.push({ at, position: ofPrimary.value });
    const newest = samples.at(-1)?.position ?? has;
    samples = samples.filter((sample) => sample.position > has);
    const lagMs = samples.length === 0 ? 0 : performance.now() - samples[0]!.at;
    const reason =
      ofReplica.status === 'rejected'
        ? (ofReplica.reason as Error).message
        : lagMs > pace.behindMs
          ? `it is ${Math.round(lagMs / 1_000)} s behind`
          : null;
    isWell = ofReplica.status === 'fulfilled';
    state = {
      follows: reason === null,
      lagSeconds: lagMs / 1_000,
      lagBytes: has === notKnown ? state.lagBytes : Math.max(0, newest - has),
    };
    if (!isWell) lose();
    if (state.follows === said) return;
    said = state.follows;
    if (said) log.info(state, 'The replica follows: queries read it');
    else log.warn({ reason, ...state }, 'The replica is away or behind: queries read the primary');
  }

  async function sameDatabase(): Promise<void> {
    const idOf = async (each: Pool): Promise<string> => (await each.query<{ id: string }>(identity)).rows[0]!.id;
    here ??= await idOf(primary);
    if (here !== (await idOf(pool))) throw new Error('DATABASE_REPLICA_URL is another database than DATABASE_URL');
  }

  async function run(): Promise<void> {
    while (!closed) {
      await follow();
      await stopping(pace.lookMs);
    }
  }
  const stop = new AbortController();
  const stopping = (ms: number): Promise<void> =>
    delay(ms, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
  const running = run();

  async function catchUp(): Promise<boolean> {
    const until = performance.now() + pace.waitMs;
    const needed = await position();
    while (has < needed) {
      const leftMs = until - performance.now();
      if (
        !isWell ||
        leftMs <= 0 ||
        !(await within(
          look().then(() => true),
          leftMs,
        ).catch(() => false))
      ) {
        wanted = Math.max(wanted, needed);
        return false;
      }
      if (has < needed) await delay(1);
    }
    return true;
  }

  return {
    pool,
    prisma: database.prisma,
    get state() {
      return state;
    },
    caughtUp: () =>
      isWell && (has === notKnown || has >= wanted) ? catchUp().catch(() => false) : Promise.resolve(false),
    async whileFollowed(query) {
      let lost = (): void => undefined;
      const loss = new Promise<null>((resolve) => losses.add((lost = () => resolve(null))));
      try {
        return await Promise.race([query, loss]);
      } finally {
        losses.delete(lost);
      }
    },
    async close() {
      closed = true;
      stop.abort();
      await running;
      await database.close();
    },
  };
}

/** Rejects when it takes longer. */
async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>(
    (_, reject) => (timer = setTimeout(() => reject(new Error('it does not answer')), ms)),
  );
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** One call at a time: those who come while it runs share the next one, which begins after they came. */
function inTurn<T>(ask: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    if (next !== undefined) return next;
    const asked = last.then(() => {
      next = undefined;
      return ask();
    });
    next = asked;
    last = asked.catch(() => undefined);
    return asked;
  };
}
