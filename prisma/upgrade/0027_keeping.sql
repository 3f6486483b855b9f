-- One row: the newest position of an event that was pruned (0: none), and the process that prunes, until when.
CREATE TABLE "pruning" (
    "only" BOOLEAN NOT NULL DEFAULT true,
    "position" BIGINT NOT NULL DEFAULT 0,
    "holder" UUID,
    "until" TIMESTAMPTZ(3),

    CONSTRAINT "pruning_pkey" PRIMARY KEY ("only")
);
ALTER TABLE "pruning" ADD CONSTRAINT "pruning_is_one_row" CHECK ("only");
INSERT INTO "pruning" DEFAULT VALUES;

-- The newest number of an inbox that was pruned. Without a foreign key: its check would lock the row of an agent, which every move changes.
CREATE TABLE "pruned_inboxes" (
    "agent_id" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL,

    CONSTRAINT "pruned_inboxes_pkey" PRIMARY KEY ("agent_id")
);

-- Files that follow the one order over all events, such as the archive: what they have not written is not pruned.
CREATE TABLE "event_followers" (
    "name" TEXT NOT NULL,
    "position" BIGINT NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "event_followers_pkey" PRIMARY KEY ("name")
);

-- For the check of the foreign key, when a tenure is deleted.
CREATE INDEX "queue_entries_source_agent_session_id_idx" ON "queue_entries"("source_agent_session_id");

-- Counts of an agent, by day.
CREATE INDEX "handoff_path_counts_of_source" ON "handoff_path_counts"("source_agent_id", "day", "target_agent_id");
CREATE INDEX "handoff_path_counts_of_target" ON "handoff_path_counts"("target_agent_id", "day", "source_agent_id");

-- Finished Sessions, the longest finished first. A million Sessions take 1.5 s, in which writers of Sessions wait.
CREATE INDEX "sessions_finished" ON "sessions"("last_activity_at", "id") WHERE "status" IN ('COMPLETED', 'FAILED', 'CANCELLED');

-- The last position that was ever given: the event that has it may be pruned.
CREATE FUNCTION newest_position() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
  RETURN greatest((SELECT max("position") FROM "event_positions"), (SELECT "position" FROM "pruning"));

-- A server of the version before takes the next position after those that are there.
CREATE FUNCTION event_positions_grow() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF (SELECT min(position) FROM fresh) <= (SELECT position FROM pruning) THEN
    RAISE EXCEPTION 'a position was given again' USING ERRCODE = 'check_violation', CONSTRAINT = 'event_positions_grow';
  END IF;
  RETURN NULL;
END $body$;
CREATE TRIGGER "event_positions_grow" AFTER INSERT ON "event_positions" REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION event_positions_grow();

-- As before, but the entry before may be pruned. Both are asked in one statement, and so in one snapshot. Not by EXISTS, for which
-- PostgreSQL may read a whole table into memory first.
CREATE OR REPLACE FUNCTION inbox_entries_gapless() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $body$
BEGIN
  IF EXISTS (
    SELECT FROM fresh f WHERE f.sequence < 1
      OR (f.sequence > 1 AND (SELECT t.sequence FROM inbox_entries t WHERE t.agent_id = f.agent_id AND t.sequence = f.sequence - 1) IS NULL
        AND (SELECT p.sequence FROM pruned_inboxes p WHERE p.agent_id = f.agent_id AND p.sequence >= f.sequence - 1) IS NULL)
  ) THEN
    RAISE EXCEPTION 'a number was skipped in inbox_entries' USING ERRCODE = 'check_violation', CONSTRAINT = 'inbox_entries_gapless';
  END IF;
  RETURN NULL;
END $body$;
