-- An agent hears also of its proposed handoff that somebody else took back.
DROP INDEX "approvals_untold";
CREATE INDEX "approvals_untold" ON "approvals" ("agent_id", "decided_at") WHERE "told_at" IS NULL
  AND ("decision" IN ('APPROVED', 'DECLINED', 'ANSWERED', 'TIMED_OUT') OR ("decision" = 'CANCELLED' AND "decided_role" <> 'AGENT'));
