import type { Pool, PoolClient } from 'pg';
import { statement } from '../../core/changes.ts';
import { newId } from '../../core/ids.ts';
import { onOwnConnection } from '../../core/ownConnection.ts';

const take = statement(`UPDATE webhook_worker SET holder = $1, until = clock_timestamp() + $2 * interval '1 millisecond'
WHERE (holder IS NULL OR holder = $1 OR until < clock_timestamp()) AND EXISTS (SELECT FROM webhooks) RETURNING true`);
const renew = statement(
  `UPDATE webhook_worker SET until = clock_timestamp() + $2 * interval '1 millisecond' WHERE holder = $1 RETURNING true`,
);
const lock = statement('SELECT FROM webhook_worker FOR UPDATE');
const release = statement('UPDATE webhook_worker SET holder = NULL, until = NULL WHERE holder = $1');

/** How often a process without it tries to take it. */
const triedEveryMs = 900;

/**
 * Makes one process at a time the one that sends. It lasts `ms` milliseconds unless it is renewed, so that another process
 * continues after a kill. Every write locks its row: writes of two processes never overlap.
 */
export class Lease {
  readonly #holder = newId();
  /** In milliseconds of `performance.now()`. */
  #until = 0;
  #triedAt = -Infinity;

  constructor(
    private readonly pool: Pool,
    private readonly ms: number,
  ) {}

  /** How long this process may go on sending, in milliseconds. */
  get leftMs(): number {
    return Math.max(0, this.#until - performance.now());
  }

  /** Takes or renews it. False when another process has it, and when there are no webhooks. */
  async hold(): Promise<boolean> {
    if (this.leftMs > this.ms * 0.8) return true;
    const sentAt = performance.now();
    if (this.#until === 0 && sentAt - this.#triedAt < triedEveryMs) return false;
    this.#triedAt = sentAt;
    const { rowCount } = await this.pool.query({ ...take, values: [this.#holder, this.ms] });
    this.#until = rowCount === 1 ? sentAt + this.ms : 0;
    return rowCount === 1;
  }

  /** Runs a transaction that renews it. Null when another process has taken over. */
  async within<T>(work: (client: PoolClient) => Promise<T>): Promise<T | null> {
    return this.#locked((client, held) => (held ? work(client) : Promise.resolve(null)));
  }

  /** Runs a transaction beside no write of the process that has it, and renews it if that is this one. */
  async beside<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.#locked(async (client, held) => {
      if (!held) await client.query({ ...lock });
      return work(client);
    });
  }

  async #locked<T>(work: (client: PoolClient, held: boolean) => Promise<T>): Promise<T> {
    return onOwnConnection(this.pool, async (client) => {
      const sentAt = performance.now();
      await client.query('BEGIN');
      const { rowCount } = await client.query({ ...renew, values: [this.#holder, this.ms] });
      const result = await work(client, rowCount === 1);
      await client.query('COMMIT');
      this.#until = rowCount === 1 ? sentAt + this.ms : 0;
      return result;
    });
  }

  async release(): Promise<void> {
    if (this.leftMs > 0) await this.pool.query({ ...release, values: [this.#holder] });
    this.#until = 0;
  }
}
