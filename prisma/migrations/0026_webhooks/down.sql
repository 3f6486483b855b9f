-- Lost are the webhooks and what was sent to them. WEBHOOK_DISABLED becomes AGENT_CHANGED of some agent, so that the one order over
-- all events has no gap; without agents there are no other events.
DROP TABLE "webhook_worker";
DROP TABLE "deliveries";
DROP TABLE "webhooks";
DROP TYPE "delivery_error";
DROP TYPE "delivery_status";
DROP TYPE "webhook_disabled_reason";

-- A value of an enum cannot be dropped, and the checks name values of it.
ALTER TABLE "events" DROP CONSTRAINT "events_have_a_stream_or_an_agent", DROP CONSTRAINT "events_of_handoffs_name_them";
UPDATE "events" SET "type" = 'AGENT_CHANGED', "agent_id" = (SELECT min("id") FROM "agents") WHERE "type" = 'WEBHOOK_DISABLED' AND EXISTS (SELECT FROM "agents");
DELETE FROM "event_positions" WHERE "event_id" IN (SELECT "id" FROM "events" WHERE "type" = 'WEBHOOK_DISABLED');
DELETE FROM "unpositioned_events" WHERE "event_id" IN (SELECT "id" FROM "events" WHERE "type" = 'WEBHOOK_DISABLED');
DELETE FROM "events" WHERE "type" = 'WEBHOOK_DISABLED';
ALTER TYPE "event_type" RENAME TO "event_type_0026";
DO $$BEGIN
  EXECUTE (SELECT format('CREATE TYPE "event_type" AS ENUM (%s)', string_agg(quote_literal(enumlabel), ', ' ORDER BY enumsortorder))
    FROM pg_enum WHERE enumtypid = '"event_type_0026"'::regtype AND enumlabel <> 'WEBHOOK_DISABLED');
END$$;
ALTER TABLE "events" ALTER COLUMN "type" TYPE "event_type" USING "type"::text::"event_type";
DROP TYPE "event_type_0026";
ALTER TABLE "events"
  ADD CONSTRAINT "events_have_a_stream_or_an_agent" CHECK (CASE WHEN "type" = 'AGENT_CHANGED'
    THEN "agent_id" IS NOT NULL AND num_nulls("session_id", "session_sequence", "session_status") = 3
    ELSE num_nulls("session_id", "session_sequence", "session_status") = 0 END),
  ADD CONSTRAINT "events_of_handoffs_name_them" CHECK ("handoff_id" IS NOT NULL OR "type" NOT IN ('HANDOFF_INITIATED', 'HANDOFF_ACCEPTED',
    'HANDOFF_REJECTED', 'HANDOFF_COMPLETED', 'HANDOFF_FAILED', 'HANDOFF_CANCELLED', 'HANDOFF_TIMED_OUT'));
