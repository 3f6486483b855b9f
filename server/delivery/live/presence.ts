import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { statement } from '../../core/changes.ts';
import { newId } from '../../core/ids.ts';
import type { Logger } from '../../core/work.ts';

export interface PresenceOptions {
  pool: Pool;
  log: Logger;
  /** How often this process says that it is alive while agents are connected. Its connections end three times as long after its last word. */
  renewMs?: number;
  /** The shortest time between two writes of `lastSeenAt` of one agent. */
  seenMs?: number;
}

/** Changes within this time share one statement; a stream that ends and begins again within it writes nothing. */
const gatherMs = 200;
const missedRenewals = 3;

// SKIP LOCKED: two processes that remove the same dead one do not wait for each other.
const writeConnections = statement(`WITH dead AS (
  DELETE FROM server_processes WHERE id IN (SELECT id FROM server_processes WHERE alive_until < clock_timestamp() - interval '1 minute' AND id <> $1 FOR UPDATE SKIP LOCKED)
), alive AS (
  INSERT INTO server_processes (id, alive_until) VALUES ($1, clock_timestamp() + $2 * interval '1 millisecond')
  ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until RETURNING xmax = 0 AS fresh
), gone AS (
  DELETE FROM agent_connections WHERE process_id = $1 AND agent_id = ANY ($4::text[])
), came AS (
  INSERT INTO agent_connections (agent_id, process_id) SELECT a.id, $1 FROM agents a WHERE a.id = ANY ($3::text[]) ON CONFLICT DO NOTHING
) SELECT fresh FROM alive`);
// In the order of ids, so that two processes cannot wait for each other.
const writeSeen =
  statement(`INSERT INTO agent_presence (agent_id, last_seen_at) SELECT id, clock_timestamp() FROM agents WHERE id = ANY ($1::text[]) ORDER BY id
  ON CONFLICT (agent_id) DO UPDATE SET last_seen_at = greatest(agent_presence.last_seen_at, excluded.last_seen_at)`);
const endProcess = statement('DELETE FROM server_processes WHERE id = $1');

/**
 * Keeps in PostgreSQL which agents have a stream open in this process, and when each was last seen. The database's clock decides
 * whether a process is alive, so a killed process ends its connections without a word. Failures are tried again and fail nothing else.
 */
export class Presence {
  #process = newId();
  /** The number of open streams of each agent. */
  readonly #open = new Map<string, number>();
  /** The agents whose connection is in the database. */
  #stored = new Set<string>();
  readonly #seen = new Set<string>();
  readonly #seenAt = new LRUCache<string, number>({ max: 10_000 });
  readonly #clock: NodeJS.Timeout;
  readonly #renewMs: number;
  readonly #seenMs: number;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | null = null;
  #written = false;
  #stopped = false;
  #logged = false;

  constructor(private readonly options: PresenceOptions) {
    const { renewMs = 5_000, seenMs = 60_000 } = options;
    this.#renewMs = renewMs;
    this.#seenMs = seenMs;
    this.#clock = setInterval(() => this.#renew(), renewMs).unref();
  }

  /** A stream of the agents begins. Returns a function to call once when it ends. */
  connected(agentIds: readonly string[]): () => void {
    for (const id of agentIds) {
      this.#open.set(id, (this.#open.get(id) ?? 0) + 1);
      this.seen(id);
    }
    if (agentIds.length > 0) this.#request();
    return () => {
      for (const id of agentIds) {
        const left = this.#open.get(id)! - 1;
        if (left === 0) this.#open.delete(id);
        else this.#open.set(id, left);
      }
      if (agentIds.length > 0) this.#request();
    };
  }

  /** The agent did something now. Returns at once. */
  seen(agentId: string): void {
    const now = performance.now();
    if (now - (this.#seenAt.get(agentId) ?? -Infinity) < this.#seenMs) return;
    this.#seenAt.set(agentId, now);
    this.#seen.add(agentId);
    this.#request();
  }

  /** The database went back: what was stored of this process ends by itself, and its connections are written again. */
  beginAnew(): void {
    this.#process = newId();
    this.#stored = new Set();
    this.#request();
  }

  /** The number of agents with an open stream here. */
  get size(): number {
    return this.#open.size;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#clock);
    clearTimeout(this.#timer);
    await this.#writing;
    if (this.#written) await this.options.pool.query({ ...endProcess, values: [this.#process] }).catch(() => undefined);
  }

  #renew(): void {
    for (const id of this.#open.keys()) this.seen(id);
    if (this.#open.size + this.#stored.size + this.#seen.size > 0) this.#request();
  }

  #request(): void {
    if (this.#stopped) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#writing = (this.#writing ?? Promise.resolve()).then(() => this.#write());
    }, gatherMs).unref();
  }

  async #write(): Promise<void> {
    if (this.#stopped) return;
    const seen = [...this.#seen];
    this.#seen.clear();
    try {
      // First, so that an agent that is shown as connected has been seen, also when this process is killed in between.
      if (seen.length > 0) await this.options.pool.query({ ...writeSeen, values: [seen] });
      await this.#writeConnections();
      this.#logged = false;
    } catch (error) {
      for (const id of seen) this.#seen.add(id);
      if (!this.#logged)
        this.options.log.warn(
          { err: error },
          'which agents are connected could not be written; it is tried again and again',
        );
      this.#logged = true;
    }
  }

  async #writeConnections(): Promise<void> {
    const open = new Set(this.#open.keys());
    const came = [...open].filter((id) => !this.#stored.has(id));
    const gone = [...this.#stored].filter((id) => !open.has(id));
    if (open.size === 0 && gone.length === 0) return;
    const { rows } = await this.options.pool.query<{ fresh: boolean }>({
      ...writeConnections,
      values: [this.#process, missedRenewals * this.#renewMs, came, gone],
    });
    this.#written = true;
    // Another process took this one for dead, and removed its connections.
    const isLost = rows[0]!.fresh && this.#stored.size > 0;
    this.#stored = isLost ? new Set() : open;
    if (isLost) await this.#writeConnections();
  }
}

interface Seen {
  connected: boolean;
  /** Null when the agent was never seen. */
  lastSeenAt: Date | null;
}

const findSeen = statement(`SELECT w.id, p.last_seen_at AS "lastSeenAt",
  EXISTS (SELECT FROM agent_connections c JOIN server_processes s ON s.id = c.process_id WHERE c.agent_id = w.id AND s.alive_until > clock_timestamp()) AS connected
FROM unnest($1::text[]) AS w (id) LEFT JOIN agent_presence p ON p.agent_id = w.id`);

/** Reads of many agents in one statement whether any process has a stream of them open, and when they were last seen. */
export async function presenceOf(pool: Pool, agentIds: readonly string[]): Promise<Map<string, Seen>> {
  const { rows } = await pool.query<Seen & { id: string }>({ ...findSeen, values: [agentIds] });
  return new Map(rows.map(({ id, ...seen }) => [id, seen]));
}
