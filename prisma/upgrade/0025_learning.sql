-- How many Handoffs of an edge (source, target) were started on a day (UTC), by outcome: a status, or BOUNCED_BACK. The day -infinity is the sum of all days.
-- Without foreign keys: the counts stay when Sessions are deleted.
CREATE TABLE "handoff_path_counts" (
    "day" DATE NOT NULL,
    "source_agent_id" TEXT NOT NULL,
    "target_agent_id" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "handoff_path_counts_pkey" PRIMARY KEY ("day","source_agent_id","target_agent_id","outcome")
);

-- What is not in the counts yet. Writers append here: an upsert would let all Handoffs of an edge wait for one row.
CREATE TABLE "handoff_path_changes" (
    "serial" BIGSERIAL NOT NULL,
    "source_agent_id" TEXT NOT NULL,
    "target_agent_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "outcome" TEXT NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "handoff_path_changes_pkey" PRIMARY KEY ("serial")
);

-- Of the newest Handoffs of an edge; valid while the edge has no rows in handoff_path_changes.
CREATE TABLE "handoff_path_times" (
    "source_agent_id" TEXT NOT NULL,
    "target_agent_id" TEXT NOT NULL,
    "median_accept_ms" DOUBLE PRECISION,
    "p90_accept_ms" DOUBLE PRECISION,
    "median_complete_ms" DOUBLE PRECISION,

    CONSTRAINT "handoff_path_times_pkey" PRIMARY KEY ("source_agent_id","target_agent_id")
);

-- The newest Handoffs of an edge.
CREATE INDEX "handoffs_source_agent_id_target_agent_id_initiated_at_id_idx" ON "handoffs"("source_agent_id", "target_agent_id", "initiated_at", "id");

-- Triggers count, so that servers of the version before count too.
CREATE FUNCTION handoff_day(timestamptz) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN ($1 AT TIME ZONE 'UTC')::date;

CREATE FUNCTION handoff_path_of_new() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO handoff_path_changes (source_agent_id, target_agent_id, day, outcome, count)
  SELECT source_agent_id, target_agent_id, handoff_day(initiated_at), status, count(*) FROM fresh WHERE source_agent_id IS NOT NULL GROUP BY 1, 2, 3, 4;
  RETURN NULL;
END $body$;
CREATE TRIGGER "handoff_path_of_new" AFTER INSERT ON "handoffs" REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION handoff_path_of_new();

CREATE FUNCTION handoff_path_of_changed() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO handoff_path_changes (source_agent_id, target_agent_id, day, outcome, count)
  VALUES (OLD.source_agent_id, OLD.target_agent_id, handoff_day(OLD.initiated_at), OLD.status, -1), (OLD.source_agent_id, OLD.target_agent_id, handoff_day(OLD.initiated_at), NEW.status, 1);
  RETURN NULL;
END $body$;
CREATE TRIGGER "handoff_path_of_changed" AFTER UPDATE OF status ON "handoffs" FOR EACH ROW
  WHEN (OLD.status <> NEW.status AND OLD.source_agent_id IS NOT NULL) EXECUTE FUNCTION handoff_path_of_changed();

-- A tenure of the source that is the first or the second after the target's, and not the second of two.
CREATE FUNCTION handoff_path_of_tenure() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO handoff_path_changes (source_agent_id, target_agent_id, day, outcome, count)
  SELECT h.source_agent_id, h.target_agent_id, handoff_day(h.initiated_at), 'BOUNCED_BACK', 1
  FROM (
    SELECT id, lag(agent_id) OVER (ORDER BY started_at DESC, id DESC) AS next FROM (
      SELECT id, agent_id, started_at FROM agent_sessions
      WHERE session_id = NEW.session_id AND (started_at, id) < (NEW.started_at, NEW.id) ORDER BY started_at DESC, id DESC LIMIT 2) last) before
  JOIN handoffs h ON h.target_agent_session_id = before.id
  WHERE h.source_agent_id = NEW.agent_id AND before.next IS DISTINCT FROM NEW.agent_id;
  RETURN NULL;
END $body$;
CREATE TRIGGER "handoff_path_of_tenure" AFTER INSERT ON "agent_sessions" FOR EACH ROW EXECUTE FUNCTION handoff_path_of_tenure();

-- Medians and 90th percentile of the newest 10,000 Handoffs of an edge that were started between two times.
CREATE FUNCTION handoff_times(source text, target text, after timestamptz, before timestamptz, OUT median_accept_ms float8, OUT p90_accept_ms float8, OUT median_complete_ms float8)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT accept[1], accept[2], complete FROM (
    SELECT percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY extract(epoch FROM accepted_at - initiated_at)::float8 * 1000) AS accept,
      percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM completed_at - initiated_at)::float8 * 1000) AS complete
    FROM (
      SELECT initiated_at, accepted_at, completed_at FROM handoffs
      WHERE source_agent_id = $1 AND target_agent_id = $2 AND initiated_at > $3 AND initiated_at < $4 ORDER BY initiated_at DESC, id DESC LIMIT 10000) newest) p;
END;
