-- Lost are the pipelines and the stages of Sessions, with their payloads. Their events stay, as LOG_CHANGED, so that the
-- numbers of the streams have no gap.
DROP INDEX "agents_role";
DELETE FROM "queue_entries" WHERE "wanted" = '/';
ALTER TABLE "queue_entries" DROP CONSTRAINT "queue_entries_want_a_type_or_a_role",
  ADD CONSTRAINT "queue_entries_want_a_type_or_a_role" CHECK ("wanted" = coalesce("agent_type", '') || '/' || coalesce("role", '') AND "wanted" <> '/');
ALTER TABLE "handoffs" DROP COLUMN "left_entry_id", DROP COLUMN "stage_entry_id";
ALTER TABLE "sessions" DROP COLUMN "pipeline_id", DROP COLUMN "stage";
DROP TABLE "stage_entries";
DROP TABLE "pipelines";
UPDATE "events" SET "type" = 'LOG_CHANGED' WHERE "type" IN ('SESSION_STAGE_CHANGED', 'PIPELINE_COMPLETED');

-- A value of an enum cannot be dropped, and the checks name values of it.
ALTER TABLE "events" DROP CONSTRAINT "events_have_a_stream_or_an_agent", DROP CONSTRAINT "events_of_handoffs_name_them";
ALTER TYPE "event_type" RENAME TO "event_type_0017";
DO $$BEGIN
  EXECUTE (SELECT format('CREATE TYPE "event_type" AS ENUM (%s)', string_agg(quote_literal(enumlabel), ', ' ORDER BY enumsortorder))
    FROM pg_enum WHERE enumtypid = '"event_type_0017"'::regtype AND enumlabel NOT IN ('SESSION_STAGE_CHANGED', 'PIPELINE_COMPLETED'));
END$$;
ALTER TABLE "events" ALTER COLUMN "type" TYPE "event_type" USING "type"::text::"event_type";
DROP TYPE "event_type_0017";
ALTER TABLE "events"
  ADD CONSTRAINT "events_have_a_stream_or_an_agent" CHECK (CASE WHEN "type" = 'AGENT_CHANGED'
    THEN "agent_id" IS NOT NULL AND num_nulls("session_id", "session_sequence", "session_status") = 3
    ELSE num_nulls("session_id", "session_sequence", "session_status") = 0 END),
  ADD CONSTRAINT "events_of_handoffs_name_them" CHECK ("handoff_id" IS NOT NULL OR "type" NOT IN ('HANDOFF_INITIATED', 'HANDOFF_ACCEPTED',
    'HANDOFF_REJECTED', 'HANDOFF_COMPLETED', 'HANDOFF_FAILED', 'HANDOFF_CANCELLED', 'HANDOFF_TIMED_OUT'));
