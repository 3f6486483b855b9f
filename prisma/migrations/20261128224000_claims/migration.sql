ALTER TABLE "agent_sessions" ADD COLUMN "runner_id" TEXT, ADD COLUMN "claim_ends_at" TIMESTAMPTZ(3);
-- A claim has a runner and an end.
ALTER TABLE "agent_sessions" ADD CONSTRAINT "agent_sessions_claim" CHECK (("runner_id" IS NULL) = ("claim_ends_at" IS NULL));
