ALTER TABLE "sessions" ADD COLUMN "token_budget" INTEGER, ADD COLUMN "pause_reason" TEXT;
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_token_budget" CHECK ("token_budget" > 0);
-- Only a paused Session has a reason of its pause.
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_pause_reason" CHECK ("pause_reason" IS NULL OR "status" = 'PAUSED');
