-- Types of events are texts: a new one needs no migration. events/topics.ts defines them. Both checks and the index name values of the enum.
ALTER TABLE "events" DROP CONSTRAINT "events_have_a_stream_or_an_agent", DROP CONSTRAINT "events_of_handoffs_name_them";
DROP INDEX "events_in_log";
ALTER TABLE "events" ALTER COLUMN "type" TYPE TEXT;
ALTER TABLE "webhooks" ALTER COLUMN "types" TYPE TEXT[];
DROP TYPE "event_type";
ALTER TABLE "events"
  ADD CONSTRAINT "events_have_a_stream_or_an_agent" CHECK (CASE "type"
    WHEN 'AGENT_CHANGED' THEN "agent_id" IS NOT NULL AND num_nulls("session_id", "session_sequence", "session_status") = 3
    WHEN 'WEBHOOK_DISABLED' THEN num_nulls("session_id", "session_sequence", "session_status", "agent_id") = 4
    ELSE num_nulls("session_id", "session_sequence", "session_status") = 0 END),
  ADD CONSTRAINT "events_of_handoffs_name_them" CHECK ("handoff_id" IS NOT NULL OR "type" NOT IN ('HANDOFF_INITIATED', 'HANDOFF_ACCEPTED',
    'HANDOFF_REJECTED', 'HANDOFF_COMPLETED', 'HANDOFF_FAILED', 'HANDOFF_CANCELLED', 'HANDOFF_TIMED_OUT')),
  VALIDATE CONSTRAINT "events_traceparent_has_its_form";
CREATE INDEX "events_in_log" ON "events" ("session_id", "id")
  WHERE "type" IN ('SESSION_STATUS_CHANGED', 'SESSION_RETURNED', 'SESSION_UNASSIGNED', 'SESSION_QUEUED', 'HANDOFF_TIMED_OUT') OR "type" = 'SESSION_REASSIGNED' AND "handoff_id" IS NULL;

-- It hashed the keys of a server that stored them as they are. No such server runs on this database.
DROP TRIGGER "idempotency_keys_are_hashed" ON "idempotency_answers";
DROP FUNCTION hash_idempotency_key();
