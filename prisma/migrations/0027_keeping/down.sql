-- Numbers of pruned events are given again, if no later ones are there. Therefore all cursors expire, when events were pruned.
UPDATE "database_identity" SET "id" = gen_random_uuid(), "cursor_key" = sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')) WHERE (SELECT "position" FROM "pruning") > 0;
UPDATE "agents" a SET "inbox_sequence" = (SELECT coalesce(max("sequence"), 0) FROM "inbox_entries" WHERE "agent_id" = a."id")
  FROM "pruned_inboxes" p WHERE p."agent_id" = a."id" AND p."sequence" = a."inbox_sequence";
UPDATE "webhooks" SET "position" = least("position", (SELECT coalesce(max("position"), 0) FROM "event_positions"));

DROP TRIGGER "event_positions_grow" ON "event_positions";
DROP FUNCTION event_positions_grow();
CREATE OR REPLACE FUNCTION inbox_entries_gapless() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $body$
      BEGIN
        IF EXISTS (
          SELECT FROM fresh f WHERE f.sequence < 1
            OR (f.sequence > 1 AND (SELECT t.sequence FROM inbox_entries t WHERE t.agent_id = f.agent_id AND t.sequence = f.sequence - 1) IS NULL)
        ) THEN
          RAISE EXCEPTION 'a number was skipped in inbox_entries' USING ERRCODE = 'check_violation', CONSTRAINT = 'inbox_entries_gapless';
        END IF;
        RETURN NULL;
      END $body$;
DROP FUNCTION newest_position();
DROP INDEX "handoff_path_counts_of_source";
DROP INDEX "handoff_path_counts_of_target";
DROP INDEX "sessions_finished";
DROP INDEX "queue_entries_source_agent_session_id_idx";
DROP TABLE "event_followers";
DROP TABLE "pruned_inboxes";
DROP TABLE "pruning";
