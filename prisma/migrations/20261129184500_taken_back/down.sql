DROP INDEX "approvals_untold";
CREATE INDEX "approvals_untold" ON "approvals" ("agent_id", "decided_at") WHERE "told_at" IS NULL
  AND ("decision" IN ('APPROVED', 'DECLINED', 'ANSWERED', 'TIMED_OUT') OR ("kind" = 'QUESTION' AND "decision" = 'CANCELLED' AND "decided_role" <> 'AGENT'));
