-- Lost are the token budgets, and the reasons of pauses, which their events keep.
ALTER TABLE "sessions" DROP CONSTRAINT "sessions_pause_reason", DROP CONSTRAINT "sessions_token_budget";
ALTER TABLE "sessions" DROP COLUMN "pause_reason", DROP COLUMN "token_budget";
