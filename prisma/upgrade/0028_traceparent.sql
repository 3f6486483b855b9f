-- AlterTable
ALTER TABLE "events" ADD COLUMN     "traceparent" TEXT;

-- NOT VALID: the rows that exist have none, and no large table is read while its writers wait.
ALTER TABLE "events" ADD CONSTRAINT "events_traceparent_has_its_form" CHECK ("traceparent" ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$') NOT VALID;
