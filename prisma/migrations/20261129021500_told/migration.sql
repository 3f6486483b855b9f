ALTER TABLE "approvals" ADD COLUMN "told_at" TIMESTAMPTZ(3);

-- What agents were not told of yet: asked with each answer of MCP and before each prompt.
CREATE INDEX "approvals_untold" ON "approvals" ("agent_id", "decided_at") WHERE "told_at" IS NULL AND "decision" IN ('APPROVED', 'DECLINED', 'ANSWERED', 'TIMED_OUT');
