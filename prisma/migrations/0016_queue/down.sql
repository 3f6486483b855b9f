-- Lost are external ids, projects, priorities and times of last activity, and who waits in the queue: those Sessions are
-- unassigned; also reminders that are due. SESSION_QUEUED becomes SESSION_UNASSIGNED, reminders and extensions become
-- LOG_CHANGED, so that the numbers of the streams have no gap. Deadlines stay.
ALTER TABLE "handoffs" DROP CONSTRAINT "handoffs_extensions";
ALTER TABLE "handoffs" DROP COLUMN "accept_within_minutes", DROP COLUMN "extensions", DROP COLUMN "remind_at", DROP COLUMN "reminded_at";
DROP TABLE "queue_entries";
ALTER TABLE "sessions" DROP COLUMN "external_id", DROP COLUMN "last_activity_at", DROP COLUMN "priority", DROP COLUMN "project";
DROP TYPE "session_priority";
UPDATE "events" SET "type" = 'SESSION_UNASSIGNED' WHERE "type" = 'SESSION_QUEUED';
UPDATE "events" SET "type" = 'LOG_CHANGED' WHERE "type" IN ('HANDOFF_REMINDED', 'HANDOFF_EXTENDED');

-- A value of an enum cannot be dropped, and the checks name values of it.
ALTER TABLE "events" DROP CONSTRAINT "events_have_a_stream_or_an_agent", DROP CONSTRAINT "events_of_handoffs_name_them";
ALTER TYPE "event_type" RENAME TO "event_type_0016";
CREATE TYPE "event_type" AS ENUM ('SESSION_CREATED', 'SESSION_REASSIGNED', 'SESSION_RETURNED', 'SESSION_UNASSIGNED', 'SESSION_STATUS_CHANGED', 'HANDOFF_INITIATED', 'HANDOFF_ACCEPTED', 'HANDOFF_REJECTED', 'HANDOFF_COMPLETED', 'HANDOFF_FAILED', 'HANDOFF_CANCELLED', 'HANDOFF_TIMED_OUT', 'TURN_APPENDED', 'LOG_CHANGED', 'AGENT_CHANGED', 'SESSION_CHANGED');
ALTER TABLE "events" ALTER COLUMN "type" TYPE "event_type" USING "type"::text::"event_type";
DROP TYPE "event_type_0016";
ALTER TABLE "events"
  ADD CONSTRAINT "events_have_a_stream_or_an_agent" CHECK (CASE WHEN "type" = 'AGENT_CHANGED'
    THEN "agent_id" IS NOT NULL AND num_nulls("session_id", "session_sequence", "session_status") = 3
    ELSE num_nulls("session_id", "session_sequence", "session_status") = 0 END),
  ADD CONSTRAINT "events_of_handoffs_name_them" CHECK ("handoff_id" IS NOT NULL OR "type" NOT IN ('HANDOFF_INITIATED', 'HANDOFF_ACCEPTED',
    'HANDOFF_REJECTED', 'HANDOFF_COMPLETED', 'HANDOFF_FAILED', 'HANDOFF_CANCELLED', 'HANDOFF_TIMED_OUT'));
