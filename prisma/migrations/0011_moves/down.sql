-- Lost are summary and metadata of moves without a Handoff, and which Event began a tenure. Changes by
-- updateSession stay, as LOG_CHANGED, so that the numbers of the stream have no gap.
ALTER TABLE "agent_sessions" DROP COLUMN "start_event_id";
ALTER TABLE "events" DROP COLUMN "summary", DROP COLUMN "metadata";
UPDATE "events" SET "type" = 'LOG_CHANGED' WHERE "type" = 'SESSION_CHANGED';

-- A value of an enum cannot be dropped, and the checks name values of it.
ALTER TABLE "events" DROP CONSTRAINT "events_have_a_stream_or_an_agent", DROP CONSTRAINT "events_of_handoffs_name_them";
ALTER TYPE "event_type" RENAME TO "event_type_0011";
CREATE TYPE "event_type" AS ENUM ('SESSION_CREATED', 'SESSION_REASSIGNED', 'SESSION_RETURNED', 'SESSION_UNASSIGNED', 'SESSION_STATUS_CHANGED', 'HANDOFF_INITIATED', 'HANDOFF_ACCEPTED', 'HANDOFF_REJECTED', 'HANDOFF_COMPLETED', 'HANDOFF_FAILED', 'HANDOFF_CANCELLED', 'HANDOFF_TIMED_OUT', 'TURN_APPENDED', 'LOG_CHANGED', 'AGENT_CHANGED');
ALTER TABLE "events" ALTER COLUMN "type" TYPE "event_type" USING "type"::text::"event_type";
DROP TYPE "event_type_0011";
ALTER TABLE "events"
  ADD CONSTRAINT "events_have_a_stream_or_an_agent" CHECK (CASE WHEN "type" = 'AGENT_CHANGED'
    THEN "agent_id" IS NOT NULL AND num_nulls("session_id", "session_sequence", "session_status") = 3
    ELSE num_nulls("session_id", "session_sequence", "session_status") = 0 END),
  ADD CONSTRAINT "events_of_handoffs_name_them" CHECK ("handoff_id" IS NOT NULL OR "type" NOT IN ('HANDOFF_INITIATED', 'HANDOFF_ACCEPTED',
    'HANDOFF_REJECTED', 'HANDOFF_COMPLETED', 'HANDOFF_FAILED', 'HANDOFF_CANCELLED', 'HANDOFF_TIMED_OUT'));
