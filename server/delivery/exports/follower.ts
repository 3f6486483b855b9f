import { hostname } from 'node:os';
import type { Pool } from 'pg';
import { statement } from '../../core/changes.ts';

const tell = statement(`INSERT INTO event_followers (name, position, seen_at) VALUES ($1, $2, clock_timestamp())
ON CONFLICT (name) DO UPDATE SET position = excluded.position, seen_at = excluded.seen_at`);

/** Events that follow each other share a statement. */
const everyMs = 60_000;

/**
 * Tells the database up to which position a file is written, so that nothing is pruned that it has not written. A follower
 * that was not seen for a week is forgotten (`keeping/findFinished.ts`).
 */
export class Follower {
  readonly #name: string;
  #position = -1;
  #toldAt = -Infinity;

  constructor(
    private readonly pool: Pool,
    kind: 'archive' | 'event log',
    path: string,
  ) {
    this.#name = `${kind} ${hostname()} ${path}`;
  }

  /** Rejects when the database fails. */
  async at(position: number): Promise<void> {
    const isNew = this.#position === -1 || position < this.#position;
    if (!isNew && performance.now() - this.#toldAt < everyMs) return;
    await this.pool.query({ ...tell, values: [this.#name, position] });
    this.#position = position;
    this.#toldAt = performance.now();
  }
}
