import type { Pool } from 'pg';
import { statement } from '../../core/changes.ts';
import { repeat } from '../../core/repeat.ts';
import { runWork } from '../../core/runWork.ts';
import { batonItself, type Logger } from '../../core/work.ts';

const batch = 20_000;
// One process folds at a time, the others skip their turn. Taken before the snapshot of `fold`: times of an older snapshot would replace newer ones.
const takeTurn = statement('SELECT pg_try_advisory_xact_lock(72707425) AS taken');

// One statement, so that every reader sees a change either in handoff_path_changes or in the counts. The times of an edge
// are valid while it has no changes: those of changes that this snapshot does not see are read anew.
const fold = statement(`
WITH gone AS (
  DELETE FROM handoff_path_changes WHERE serial IN (SELECT serial FROM handoff_path_changes ORDER BY serial LIMIT ${batch}) RETURNING *),
counts AS (
  INSERT INTO handoff_path_counts (day, source_agent_id, target_agent_id, outcome, count)
  SELECT d.day, source_agent_id, target_agent_id, outcome, sum(count) FROM gone, unnest(ARRAY[gone.day, '-infinity']) AS d (day)
  GROUP BY 1, 2, 3, 4 HAVING sum(count) <> 0
  ON CONFLICT (day, source_agent_id, target_agent_id, outcome) DO UPDATE SET count = handoff_path_counts.count + excluded.count),
times AS (
  INSERT INTO handoff_path_times (source_agent_id, target_agent_id, median_accept_ms, p90_accept_ms, median_complete_ms)
  SELECT source_agent_id, target_agent_id, t.*
  FROM (SELECT DISTINCT source_agent_id, target_agent_id FROM gone) edges, handoff_times(source_agent_id, target_agent_id, '-infinity', 'infinity') t
  ON CONFLICT (source_agent_id, target_agent_id)
  DO UPDATE SET median_accept_ms = excluded.median_accept_ms, p90_accept_ms = excluded.p90_accept_ms, median_complete_ms = excluded.median_complete_ms)
SELECT count(*)::int AS folded FROM gone`);

interface FoldOptions {
  pool: Pool;
  log: Logger;
}

/** Adds what Handoffs appended to the counts of their edges. Any number of processes may run it. Returns the number of changes. */
export async function foldPaths({ pool, log }: FoldOptions): Promise<number> {
  const { folded } = await runWork(
    { pool, log, caller: batonItself('fold'), mutation: 'foldPaths', input: {} },
    async (work) => {
      await work.begin();
      const [turn] = await work.query<{ taken: boolean }>(takeTurn, []);
      if (turn?.taken !== true) return { folded: 0 };
      return (await work.query<{ folded: number }>(fold, []))[0]!;
    },
  );
  return folded;
}

/** Runs `foldPaths` repeatedly until stopped. Errors are logged; the schedule stays. */
export function startFolding(deps: FoldOptions, everyMs = 10_000): { stop(): Promise<void> } {
  return repeat(everyMs, async () => {
    try {
      // More than a batch waits after an outage.
      return (await foldPaths(deps)) < batch ? everyMs : 0;
    } catch (error) {
      deps.log.warn({ err: error }, 'counting the handoffs of each pair of agents failed and will run again');
      return everyMs;
    }
  });
}
