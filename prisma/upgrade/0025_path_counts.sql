-- Counts everything anew, from the Handoffs that are there. Nobody waits: what the statement does not see is in handoff_path_changes, since triggers
-- write there in the transaction of each change. In a migration of its own, because the one before locks the tables for its triggers until it ends.
CREATE OR REPLACE FUNCTION recount_handoff_paths() RETURNS void LANGUAGE plpgsql AS $body$
BEGIN
  -- No process folds meanwhile (foldPaths.ts).
  PERFORM pg_advisory_xact_lock(72707425);
  DELETE FROM handoff_path_counts;
  DELETE FROM handoff_path_times;
  -- One statement, so that the changes that it deletes are those of the Handoffs that it counts.
  WITH gone AS (
    DELETE FROM handoff_path_changes
  ), tenures AS (
    SELECT id, lead(agent_id) OVER w AS first, lead(agent_id, 2) OVER w AS second FROM agent_sessions WINDOW w AS (PARTITION BY session_id ORDER BY started_at, id)
  ), counted AS (
    SELECT handoff_day(initiated_at) AS day, source_agent_id, target_agent_id, status, count(*) AS count, count(*) FILTER (WHERE source_agent_id IN (first, second)) AS bounced
    FROM handoffs JOIN tenures ON tenures.id = target_agent_session_id WHERE source_agent_id IS NOT NULL GROUP BY 1, 2, 3, 4
  )
  INSERT INTO handoff_path_counts (day, source_agent_id, target_agent_id, outcome, count)
  SELECT d.day, source_agent_id, target_agent_id, o.outcome, sum(o.count)
  FROM counted, unnest(ARRAY[counted.day, '-infinity']) AS d (day), LATERAL (VALUES (status::text, count), ('BOUNCED_BACK', bounced)) AS o (outcome, count)
  WHERE o.count > 0 GROUP BY 1, 2, 3, 4;
  INSERT INTO handoff_path_times
  SELECT source_agent_id, target_agent_id, t.* FROM (SELECT DISTINCT source_agent_id, target_agent_id FROM handoff_path_counts WHERE day = '-infinity') c, handoff_times(source_agent_id, target_agent_id, '-infinity', 'infinity') t;
END $body$;

-- A database that 0025_learning counted before it was divided may have counts of Handoffs that were deleted.
DO $do$ BEGIN
  IF NOT EXISTS (SELECT FROM handoff_path_counts) THEN PERFORM recount_handoff_paths(); END IF;
END $do$;
