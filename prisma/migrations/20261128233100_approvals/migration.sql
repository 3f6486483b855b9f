-- What waits for a person: Handoffs that agents propose, and questions.
CREATE TYPE "approval_rule" AS ENUM ('NONE', 'REQUIRED');
CREATE TYPE "approval_kind" AS ENUM ('HANDOFF', 'QUESTION');
CREATE TYPE "approval_decision" AS ENUM ('APPROVED', 'DECLINED', 'ANSWERED', 'TIMED_OUT', 'CANCELLED');

ALTER TABLE "agent_collaborators" ADD COLUMN "approval" "approval_rule" NOT NULL DEFAULT 'NONE';
ALTER TABLE "handoff_tools" ADD COLUMN "approval" "approval_rule" NOT NULL DEFAULT 'NONE';
ALTER TABLE "sessions" ADD COLUMN "handoff_approval" "approval_rule" NOT NULL DEFAULT 'NONE';

CREATE TABLE "approvals" (
    "id" UUID NOT NULL,
    "kind" "approval_kind" NOT NULL,
    "session_id" UUID NOT NULL,
    "agent_id" TEXT NOT NULL,
    "agent_session_id" UUID NOT NULL,
    "handoff_id" UUID,
    "demanded_by" TEXT,
    "request" JSONB,
    "text" TEXT,
    "options" JSONB,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "deadline_at" TIMESTAMPTZ(3) NOT NULL,
    "remind_at" TIMESTAMPTZ(3),
    "reminded_at" TIMESTAMPTZ(3),
    "decision" "approval_decision",
    "decided_at" TIMESTAMPTZ(3),
    "note" TEXT,
    "edits" JSONB,
    "decided_principal" TEXT,
    "decided_role" "role",

    CONSTRAINT "approvals_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "approvals_are_of_one_kind" CHECK (CASE "kind"
      WHEN 'HANDOFF' THEN "handoff_id" = "id" AND "request" IS NOT NULL AND num_nulls("text", "options") = 2
      ELSE num_nulls("handoff_id", "request", "demanded_by", "edits") = 4 AND "text" IS NOT NULL END),
    CONSTRAINT "approvals_end_whole" CHECK (num_nulls("decision", "decided_at", "decided_principal") IN (0, 3)
      AND ("decision" IS NOT NULL OR num_nulls("note", "edits", "decided_role") = 3))
);
CREATE UNIQUE INDEX "approvals_handoff_id_key" ON "approvals"("handoff_id");
CREATE INDEX "approvals_deadline_at_id_idx" ON "approvals"("deadline_at", "id");
CREATE INDEX "approvals_session_id_idx" ON "approvals"("session_id");
CREATE INDEX "approvals_agent_session_id_idx" ON "approvals"("agent_session_id");
-- A Session waits for one thing at a time: the last line of defence behind the row locks. The lists and the sweep read few rows.
CREATE UNIQUE INDEX "approvals_one_open_per_session" ON "approvals" ("session_id") WHERE "decided_at" IS NULL;
CREATE INDEX "approvals_open" ON "approvals" ("deadline_at", "id") WHERE "decided_at" IS NULL;
CREATE INDEX "approvals_to_remind" ON "approvals" ("remind_at") WHERE "decided_at" IS NULL AND "reminded_at" IS NULL;

ALTER TABLE "approvals" ADD CONSTRAINT "approvals_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_agent_session_id_fkey" FOREIGN KEY ("agent_session_id") REFERENCES "agent_sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_handoff_id_fkey" FOREIGN KEY ("handoff_id") REFERENCES "handoffs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- A Handoff has a target's tenure once it is INITIATED: what was only proposed moved nothing. Compared as texts: a restore runs all migrations in one
-- transaction, and PostgreSQL before 17 does not use a value of an enum in the transaction that added it.
ALTER TABLE "handoffs" ALTER COLUMN "target_agent_session_id" DROP NOT NULL,
  DROP CONSTRAINT "handoffs_times_follow_status",
  ADD CONSTRAINT "handoffs_times_follow_status" CHECK (CASE "status"::text
    WHEN 'PROPOSED' THEN "accepted_at" IS NULL AND "closed_at" IS NULL
    WHEN 'INITIATED' THEN "accepted_at" IS NULL AND "closed_at" IS NULL
    WHEN 'ACCEPTED' THEN "accepted_at" IS NOT NULL AND "closed_at" IS NULL
    WHEN 'COMPLETED' THEN "accepted_at" IS NOT NULL AND "closed_at" IS NOT NULL
    WHEN 'FAILED' THEN "closed_at" IS NOT NULL
    ELSE "accepted_at" IS NULL AND "closed_at" IS NOT NULL END),
  ADD CONSTRAINT "handoffs_move_once_initiated" CHECK (CASE
    WHEN "status"::text IN ('PROPOSED', 'DECLINED') THEN "target_agent_session_id" IS NULL
    WHEN "status"::text IN ('CANCELLED', 'TIMED_OUT') THEN true
    ELSE "target_agent_session_id" IS NOT NULL END);

CREATE TRIGGER "handoff_sent_back_of_proposed" BEFORE UPDATE OF "target_agent_session_id" ON "handoffs" FOR EACH ROW
  WHEN (NEW.left_entry_id IS NULL AND NEW.source_agent_session_id IS NOT NULL) EXECUTE FUNCTION handoff_sent_back();

-- The paths count Handoffs that moved a Session.
CREATE OR REPLACE FUNCTION handoff_path_of_new() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO handoff_path_changes (source_agent_id, target_agent_id, day, outcome, count)
  SELECT source_agent_id, target_agent_id, handoff_day(initiated_at), status, count(*) FROM fresh
  WHERE source_agent_id IS NOT NULL AND target_agent_session_id IS NOT NULL GROUP BY 1, 2, 3, 4;
  RETURN NULL;
END $body$;
CREATE OR REPLACE FUNCTION handoff_path_of_changed() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF NEW.target_agent_session_id IS NULL THEN
    RETURN NULL;
  END IF;
  INSERT INTO handoff_path_changes (source_agent_id, target_agent_id, day, outcome, count)
  VALUES (NEW.source_agent_id, NEW.target_agent_id, handoff_day(NEW.initiated_at), NEW.status, 1);
  IF OLD.target_agent_session_id IS NOT NULL THEN
    INSERT INTO handoff_path_changes (source_agent_id, target_agent_id, day, outcome, count)
    VALUES (OLD.source_agent_id, OLD.target_agent_id, handoff_day(OLD.initiated_at), OLD.status, -1);
  END IF;
  RETURN NULL;
END $body$;
