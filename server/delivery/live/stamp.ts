import type { Pool } from 'pg';
import { onOwnConnection } from '../../core/ownConnection.ts';
import type { Logger } from '../../core/work.ts';

const batch = 5_000;
const stamperLock = 4_244_010;

// One message, one round trip. The stamping statement takes its snapshot after it has the lock, so it sees everything
// committed before, including the previous stamper's positions.
const stamp = `BEGIN;
SELECT pg_advisory_xact_lock(${stamperLock});
WITH taken AS (
  DELETE FROM unpositioned_events WHERE serial IN (SELECT serial FROM unpositioned_events ORDER BY serial LIMIT ${batch}) RETURNING serial, event_id
), stamped AS (
  INSERT INTO event_positions (position, event_id)
  SELECT newest_position() + row_number() OVER (ORDER BY serial), event_id FROM taken RETURNING position
) SELECT count(*)::int AS stamped, max(position)::float8 AS position FROM stamped;
COMMIT`;

export interface Stamper {
  /** Requests positions within this many milliseconds. Returns at once; calls share one transaction. */
  request(within: number): void;
  /** Resolves when everything committed before the call has its position. Rejects when the database fails. */
  now(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Gives committed events their positions, one stamper at a time over all processes. The next stamper also handles events
 * that a crashed process left without one.
 */
export function createStamper({
  pool,
  log,
  stamped,
}: {
  pool: Pool;
  log: Logger;
  stamped: (position: number) => void;
}): Stamper {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  let timer: { at: number; handle: NodeJS.Timeout } | null = null;
  let stopped = false;

  async function run(): Promise<void> {
    for (;;) {
      const { count, position } = await stampBatch(pool);
      if (position !== null) stamped(position);
      if (count < batch) return;
    }
  }

  /** A running transaction may have taken its snapshot before the caller's commit, so all callers share the run after it. */
  function now(): Promise<void> {
    if (running === null) return begin();
    return (next ??= running.then(begin, begin));
  }

  function begin(): Promise<void> {
    next = null;
    clear();
    running = run().finally(() => (running = null));
    return running;
  }

  function clear(): void {
    clearTimeout(timer?.handle);
    timer = null;
  }

  function attempt(): void {
    now().catch((error: unknown) =>
      log.warn({ err: error }, 'committed events could not be given their positions yet; it will be tried again'),
    );
  }

  return {
    now,
    request(within) {
      if (stopped) return;
      if (within === 0) {
        if (next === null) attempt();
        return;
      }
      const at = performance.now() + within;
      if (timer !== null && timer.at <= at) return;
      clear();
      timer = { at, handle: setTimeout(attempt, within).unref() };
    },
    async stop() {
      stopped = true;
      clear();
      await Promise.allSettled([running, next]);
    },
  };
}

const stampBatch = (pool: Pool): Promise<{ count: number; position: number | null }> =>
  onOwnConnection(pool, async (client) => {
    const results = (await client.query(stamp)) as unknown as {
      rows: { stamped: number; position: number | null }[];
    }[];
    const [row] = results[2]!.rows;
    return { count: row!.stamped, position: row!.position };
  });
