-- Loses questions, who approved what and its edits. Refuses while a Handoff is there that moved nothing: the version before has no place for it.
DO $body$ BEGIN
  IF EXISTS (SELECT FROM "handoffs" WHERE "target_agent_session_id" IS NULL) THEN
    RAISE EXCEPTION 'Handoffs were proposed and did not move a session: the version before cannot keep them. Restore a back-up instead.';
  END IF;
END $body$;

CREATE OR REPLACE FUNCTION handoff_path_of_new() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO handoff_path_changes (source_agent_id, target_agent_id, day, outcome, count)
  SELECT source_agent_id, target_agent_id, handoff_day(initiated_at), status, count(*) FROM fresh WHERE source_agent_id IS NOT NULL GROUP BY 1, 2, 3, 4;
  RETURN NULL;
END $body$;
CREATE OR REPLACE FUNCTION handoff_path_of_changed() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO handoff_path_changes (source_agent_id, target_agent_id, day, outcome, count)
  VALUES (OLD.source_agent_id, OLD.target_agent_id, handoff_day(OLD.initiated_at), OLD.status, -1), (OLD.source_agent_id, OLD.target_agent_id, handoff_day(OLD.initiated_at), NEW.status, 1);
  RETURN NULL;
END $body$;

DROP TRIGGER "handoff_sent_back_of_proposed" ON "handoffs";
ALTER TABLE "handoffs" DROP CONSTRAINT "handoffs_move_once_initiated",
  DROP CONSTRAINT "handoffs_times_follow_status",
  ADD CONSTRAINT "handoffs_times_follow_status" CHECK (CASE "status"
    WHEN 'INITIATED' THEN "accepted_at" IS NULL AND "closed_at" IS NULL
    WHEN 'ACCEPTED' THEN "accepted_at" IS NOT NULL AND "closed_at" IS NULL
    WHEN 'COMPLETED' THEN "accepted_at" IS NOT NULL AND "closed_at" IS NOT NULL
    WHEN 'FAILED' THEN "closed_at" IS NOT NULL
    ELSE "accepted_at" IS NULL AND "closed_at" IS NOT NULL END),
  ALTER COLUMN "target_agent_session_id" SET NOT NULL;

DROP TABLE "approvals";
ALTER TABLE "sessions" DROP COLUMN "handoff_approval";
ALTER TABLE "handoff_tools" DROP COLUMN "approval";
ALTER TABLE "agent_collaborators" DROP COLUMN "approval";
DROP TYPE "approval_decision", "approval_kind", "approval_rule";
