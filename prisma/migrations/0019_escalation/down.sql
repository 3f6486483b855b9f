-- Lost is which agents besides the source and one other do not get a queued Session, and the place of returns before their
-- level. HANDOFF_ESCALATED becomes LOG_CHANGED, so that the numbers of the streams have no gap. Sessions that wait for an
-- operator stay in the queue.
ALTER TABLE "queue_entries" ADD COLUMN "previous_agent_id" TEXT;
UPDATE "queue_entries" SET "previous_agent_id" = (SELECT id FROM unnest("excluded_agent_ids") id WHERE id IS DISTINCT FROM "source_agent_id" LIMIT 1);
ALTER TABLE "queue_entries" DROP COLUMN "excluded_agent_ids";
UPDATE "queue_entries" SET "effective_at" = "effective_at" + interval '30 minutes' WHERE "returned";
ALTER TABLE "queue_entries" DROP COLUMN "returned";
UPDATE "events" SET "type" = 'LOG_CHANGED' WHERE "type" = 'HANDOFF_ESCALATED';

-- A value of an enum cannot be dropped, and the checks name values of it.
ALTER TABLE "events" DROP CONSTRAINT "events_have_a_stream_or_an_agent", DROP CONSTRAINT "events_of_handoffs_name_them";
ALTER TYPE "event_type" RENAME TO "event_type_0019";
DO $$BEGIN
  EXECUTE (SELECT format('CREATE TYPE "event_type" AS ENUM (%s)', string_agg(quote_literal(enumlabel), ', ' ORDER BY enumsortorder))
    FROM pg_enum WHERE enumtypid = '"event_type_0019"'::regtype AND enumlabel <> 'HANDOFF_ESCALATED');
END$$;
ALTER TABLE "events" ALTER COLUMN "type" TYPE "event_type" USING "type"::text::"event_type";
DROP TYPE "event_type_0019";
ALTER TABLE "events"
  ADD CONSTRAINT "events_have_a_stream_or_an_agent" CHECK (CASE WHEN "type" = 'AGENT_CHANGED'
    THEN "agent_id" IS NOT NULL AND num_nulls("session_id", "session_sequence", "session_status") = 3
    ELSE num_nulls("session_id", "session_sequence", "session_status") = 0 END),
  ADD CONSTRAINT "events_of_handoffs_name_them" CHECK ("handoff_id" IS NOT NULL OR "type" NOT IN ('HANDOFF_INITIATED', 'HANDOFF_ACCEPTED',
    'HANDOFF_REJECTED', 'HANDOFF_COMPLETED', 'HANDOFF_FAILED', 'HANDOFF_CANCELLED', 'HANDOFF_TIMED_OUT'));
