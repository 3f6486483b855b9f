import type { Pool, PoolClient, QueryConfig } from 'pg';
import { statement } from '../../core/changes.ts';
import { errorCode, isDatabaseAway, mayRetry } from '../../core/databaseErrors.ts';
import { encodeId, newId } from '../../core/ids.ts';
import { observed } from '../../core/observed.ts';
import { onOwnConnection } from '../../core/ownConnection.ts';
import type { Logger } from '../../core/work.ts';

export interface PruneOptions {
  pool: Pool;
  log: Logger;
  /** Sessions that finished more than this many days ago are pruned. */
  days: number;
}

export interface Batch {
  sessions: number;
  events: number;
  /** Whether there may be more: false when all were looked at, and when another process prunes. */
  more: boolean;
  /** How long its transactions took. */
  ms: number;
}

/** Rows of one transaction: more Sessions join it while it has fewer. A Session with more has a transaction of its own. */
const rowsAtOnce = 1_000;
const sessionsAtOnce = 50;
/** How long the other processes leave it to this one after its last batch. More than any pause. */
const leaseMs = 60_000;
/** Of the deletion: that of 100,000 messages, 50,000 calls and 50,000 events took 18 s. The pool's bound is for callers that wait. */
const statementMs = 600_000;

const finished = `s.status IN ('COMPLETED', 'FAILED', 'CANCELLED')`;
const enabled = 'w.disabled_at IS NULL AND w.deleted_at IS NULL';

// Webhooks that are enabled, and files that were seen in the last week, must have passed the newest event; and no delivery may
// wait. The first of a Session that waits is PENDING: there are at most as many as Sessions that wait.
const find = statement(`WITH bound AS MATERIALIZED (SELECT min(position) AS position FROM (
  SELECT w.position FROM webhooks w WHERE ${enabled} UNION ALL SELECT position FROM event_followers WHERE seen_at > clock_timestamp() - interval '7 days') f),
waiting AS MATERIALIZED (SELECT e.session_id FROM webhooks w JOIN deliveries d ON d.webhook_id = w.id AND d.status = 'PENDING' JOIN events e ON e.id = d.event_id WHERE ${enabled} AND e.session_id IS NOT NULL)
SELECT s.id, s.last_activity_at::text AS "finishedAt", s.message_count + s.turn_count + s.tool_call_count + 5 * s.handoff_count + 3 * s.event_count AS rows,
  p.position IS NULL OR coalesce(p.position > (SELECT position FROM bound), false) OR s.id IN (SELECT session_id FROM waiting) AS held
FROM (SELECT * FROM sessions s WHERE ${finished} AND (s.last_activity_at, s.id) > ($1::timestamptz, $2::uuid) AND s.last_activity_at < clock_timestamp() - $3 * interval '1 day'
  ORDER BY s.last_activity_at, s.id LIMIT ${sessionsAtOnce}) s
LEFT JOIN events e ON e.session_id = s.id AND e.session_sequence = s.event_count LEFT JOIN event_positions p ON p.event_id = e.id
ORDER BY s.last_activity_at, s.id`);

const takeTurn =
  statement(`UPDATE pruning SET holder = $1, until = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
WHERE "only" IN (SELECT "only" FROM pruning WHERE holder IS NULL OR holder = $1 OR until < clock_timestamp() FOR UPDATE SKIP LOCKED)`);
const release = statement('UPDATE pruning SET holder = NULL, until = NULL WHERE holder = $1');
const lock = statement(
  `SELECT id FROM sessions s WHERE id = ANY ($1) AND ${finished} ORDER BY id FOR UPDATE SKIP LOCKED`,
);

/** Tables with the Session's id, besides `events`. Deliveries go with their events. */
const below = [
  'import_lines',
  'import_usages',
  'tool_calls',
  'messages',
  'decisions',
  'tasks',
  'queue_entries',
  'approvals',
  'handoffs',
  'context_snapshots',
  'stage_entries',
  'turns',
  'agent_sessions',
  'search_entries',
];

// One statement: its rows refer to each other in circles, and foreign keys are checked at its end.
const prune = statement(`WITH gone AS MATERIALIZED (SELECT id FROM events WHERE session_id = ANY ($1)),
inboxes AS (DELETE FROM inbox_entries WHERE event_id IN (SELECT id FROM gone) RETURNING agent_id, sequence),
inboxes_pruned AS (INSERT INTO pruned_inboxes (agent_id, sequence) SELECT agent_id, max(sequence) FROM inboxes GROUP BY 1
  ON CONFLICT (agent_id) DO UPDATE SET sequence = greatest(pruned_inboxes.sequence, excluded.sequence)),
positions AS (DELETE FROM event_positions WHERE event_id IN (SELECT id FROM gone) RETURNING position),
positions_pruned AS (UPDATE pruning SET position = greatest(position, (SELECT max(position) FROM positions))),
calls AS (DELETE FROM handoff_tool_calls WHERE handoff_id IN (SELECT id FROM handoffs WHERE session_id = ANY ($1))),
${below.map((table) => `of_${table} AS (DELETE FROM ${table} WHERE session_id = ANY ($1)),`).join('\n')}
of_events AS (DELETE FROM events WHERE session_id = ANY ($1) RETURNING 1),
of_sessions AS (DELETE FROM sessions WHERE id = ANY ($1))
SELECT count(*)::int AS events FROM of_events`);

const beginning = { finishedAt: '-infinity', id: '00000000-0000-0000-0000-000000000000' };

/**
 * Deletes finished Sessions with all below them, the longest finished first, a few in each transaction. One process at a
 * time; after its death another continues within a minute. Locks no row that a writer needs: the Sessions are finished, and
 * locked ones are passed over, as are those whose events a webhook or a file still has to get.
 */
export class Pruner {
  readonly #holder = newId();
  #after = beginning;

  constructor(private readonly options: PruneOptions) {}

  /** Prunes the next Sessions. Rejects when the database is away; a Session that cannot be pruned is logged and passed over. */
  async batch(): Promise<Batch> {
    const started = performance.now();
    const { rows } = await this.options.pool.query<{ id: string; finishedAt: string; rows: number; held: boolean }>({
      ...find,
      values: [this.#after.finishedAt, this.#after.id, this.options.days],
    });
    const chosen: string[] = [];
    let [size, seen] = [0, 0];
    for (const { id, rows: count, held } of rows) {
      if (chosen.length > 0 && !held && size + count > rowsAtOnce) break;
      seen += 1;
      if (held) continue;
      chosen.push(id);
      size += count;
    }
    const pruned = chosen.length === 0 ? { sessions: 0, events: 0 } : await this.#prune(chosen);
    const last = rows[seen - 1];
    const more = pruned !== null && last !== undefined && (seen < rows.length || rows.length === sessionsAtOnce);
    this.#after = more ? last : beginning;
    return { ...(pruned ?? { sessions: 0, events: 0 }), more, ms: performance.now() - started };
  }

  /** Leaves it to other processes at once. */
  async release(): Promise<void> {
    await this.options.pool.query({ ...release, values: [this.#holder] });
  }

  /** Null when another process prunes. */
  async #prune(ids: readonly string[]): Promise<{ sessions: number; events: number } | null> {
    const { pool, log } = this.options;
    try {
      const pruned = await inTransaction(pool, (client) => this.#delete(client, ids));
      if (pruned !== null) observed('pruned', pool, pruned);
      return pruned;
    } catch (error) {
      if (isDatabaseAway(error) && !isOfItsRows(error)) throw error;
      const [id, ...others] = ids;
      if (others.length === 0) {
        observed('failure', pool, { part: 'keeping' });
        log.error(
          { err: error, session: encodeId('session', id!) },
          'A finished session could not be pruned: it stays, and it will be tried again',
        );
        return { sessions: 0, events: 0 };
      }
      // One that cannot be pruned must not hold the others up.
      const sum = { sessions: 0, events: 0 };
      for (const one of ids) {
        const pruned = await this.#prune([one]);
        if (pruned === null) return null;
        sum.sessions += pruned.sessions;
        sum.events += pruned.events;
      }
      return sum;
    }
  }

  async #delete(client: PoolClient, ids: readonly string[]): Promise<{ sessions: number; events: number } | null> {
    const { rowCount } = await client.query({ ...takeTurn, values: [this.#holder] });
    if (rowCount !== 1) return null;
    const { rows } = await client.query<{ id: string }>({ ...lock, values: [ids] });
    const locked = rows.map(({ id }) => id);
    if (locked.length === 0) return { sessions: 0, events: 0 };
    const patient: QueryConfig & { query_timeout: number } = { ...prune, values: [locked], query_timeout: statementMs };
    const result = await client.query<{ events: number }>(patient);
    return { sessions: locked.length, events: result.rows[0]!.events };
  }
}

/** A lock that was held for too long, or a time-out of the statement: that of these Sessions, not of the database. */
const isOfItsRows = (error: unknown): boolean => mayRetry(error) || errorCode(error) === '57014';

// Every row is found by an index, also where statistics are old. A commit that a crash loses is repeated, so none waits for the disk.
const begin = `BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off;
SET LOCAL synchronous_commit = off; SET LOCAL statement_timeout = ${statementMs}`;

const inTransaction = <T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> =>
  onOwnConnection(pool, async (client) => {
    await client.query(begin);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  });

const count = statement(
  `SELECT count(*)::int AS count FROM (SELECT FROM sessions s WHERE ${finished} AND s.last_activity_at < clock_timestamp() - $1 * interval '1 day' LIMIT 100000) s`,
);

/** The number of Sessions that finished long enough ago, counted up to 100,000. */
export async function countFinished({ pool, days }: PruneOptions): Promise<number> {
  return (await pool.query<{ count: number }>({ ...count, values: [days] })).rows[0]!.count;
}
