-- Lost is which runner works in which tenure: each claims again within 30 seconds.
ALTER TABLE "agent_sessions" DROP CONSTRAINT "agent_sessions_claim";
ALTER TABLE "agent_sessions" DROP COLUMN "claim_ends_at", DROP COLUMN "runner_id";
