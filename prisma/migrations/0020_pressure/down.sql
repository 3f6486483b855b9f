-- Lost are the sizes of the agents' windows and which tenures are above the limit. HANDOFF_PROPOSED becomes LOG_CHANGED, so that
-- the numbers of the streams have no gap.
ALTER TABLE "agent_sessions" DROP COLUMN "proposal_event_id";
ALTER TABLE "agents" DROP COLUMN "context_window";
UPDATE "events" SET "type" = 'LOG_CHANGED' WHERE "type" = 'HANDOFF_PROPOSED';

-- A value of an enum cannot be dropped, and the checks name values of it.
ALTER TABLE "events" DROP CONSTRAINT "events_have_a_stream_or_an_agent", DROP CONSTRAINT "events_of_handoffs_name_them";
ALTER TYPE "event_type" RENAME TO "event_type_0020";
DO $$BEGIN
  EXECUTE (SELECT format('CREATE TYPE "event_type" AS ENUM (%s)', string_agg(quote_literal(enumlabel), ', ' ORDER BY enumsortorder))
    FROM pg_enum WHERE enumtypid = '"event_type_0020"'::regtype AND enumlabel <> 'HANDOFF_PROPOSED');
END$$;
ALTER TABLE "events" ALTER COLUMN "type" TYPE "event_type" USING "type"::text::"event_type";
DROP TYPE "event_type_0020";
ALTER TABLE "events"
  ADD CONSTRAINT "events_have_a_stream_or_an_agent" CHECK (CASE WHEN "type" = 'AGENT_CHANGED'
    THEN "agent_id" IS NOT NULL AND num_nulls("session_id", "session_sequence", "session_status") = 3
    ELSE num_nulls("session_id", "session_sequence", "session_status") = 0 END),
  ADD CONSTRAINT "events_of_handoffs_name_them" CHECK ("handoff_id" IS NOT NULL OR "type" NOT IN ('HANDOFF_INITIATED', 'HANDOFF_ACCEPTED',
    'HANDOFF_REJECTED', 'HANDOFF_COMPLETED', 'HANDOFF_FAILED', 'HANDOFF_CANCELLED', 'HANDOFF_TIMED_OUT'));
