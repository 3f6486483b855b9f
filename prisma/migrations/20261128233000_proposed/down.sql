-- Loses nothing: the migration after this one does not go back while a Handoff has such a status. An enum loses a value only by
-- another enum, and what compares the column with values of the old one is made again.
DROP TRIGGER "handoff_path_of_changed" ON "handoffs";
DROP INDEX "handoffs_one_open_per_session", "handoffs_due", "handoffs_to_remind", "handoffs_open";
ALTER TABLE "handoffs" DROP CONSTRAINT "handoffs_times_follow_status", DROP CONSTRAINT "handoffs_completed_at_is_closed_at", DROP CONSTRAINT "handoffs_reasons_follow_status";

ALTER TYPE "handoff_status" RENAME TO "handoff_status_with_proposals";
CREATE TYPE "handoff_status" AS ENUM ('INITIATED', 'ACCEPTED', 'COMPLETED', 'FAILED', 'REJECTED', 'CANCELLED', 'TIMED_OUT');
ALTER TABLE "handoffs" ALTER COLUMN "status" TYPE "handoff_status" USING "status"::text::"handoff_status";
DROP TYPE "handoff_status_with_proposals";

ALTER TABLE "handoffs"
  ADD CONSTRAINT "handoffs_times_follow_status" CHECK (CASE "status"
    WHEN 'INITIATED' THEN "accepted_at" IS NULL AND "closed_at" IS NULL
    WHEN 'ACCEPTED' THEN "accepted_at" IS NOT NULL AND "closed_at" IS NULL
    WHEN 'COMPLETED' THEN "accepted_at" IS NOT NULL AND "closed_at" IS NOT NULL
    WHEN 'FAILED' THEN "closed_at" IS NOT NULL
    ELSE "accepted_at" IS NULL AND "closed_at" IS NOT NULL END),
  ADD CONSTRAINT "handoffs_completed_at_is_closed_at" CHECK (CASE "status" WHEN 'COMPLETED' THEN "completed_at" = "closed_at" ELSE "completed_at" IS NULL END),
  ADD CONSTRAINT "handoffs_reasons_follow_status" CHECK (
    ("status" = 'REJECTED') = ("rejection_reason" IS NOT NULL) AND ("status" = 'FAILED') = ("failure_reason" IS NOT NULL) AND ("cancel_reason" IS NULL OR "status" = 'CANCELLED'));
CREATE UNIQUE INDEX "handoffs_one_open_per_session" ON "handoffs" ("session_id") WHERE "status" IN ('INITIATED', 'ACCEPTED');
CREATE INDEX "handoffs_due" ON "handoffs" ("deadline_at") WHERE "status" = 'INITIATED';
CREATE INDEX "handoffs_to_remind" ON "handoffs"("remind_at") WHERE "status" = 'INITIATED' AND "reminded_at" IS NULL;
CREATE INDEX "handoffs_open" ON "handoffs" ("initiated_at", "id") WHERE "status" IN ('INITIATED', 'ACCEPTED');
CREATE TRIGGER "handoff_path_of_changed" AFTER UPDATE OF status ON "handoffs" FOR EACH ROW
  WHEN (OLD.status <> NEW.status AND OLD.source_agent_id IS NOT NULL) EXECUTE FUNCTION handoff_path_of_changed();
