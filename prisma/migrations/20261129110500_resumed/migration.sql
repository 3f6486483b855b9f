-- An agent is told that its session was resumed without an answer: the condition of server/work/handoffs/notices.ts.
DROP INDEX "approvals_untold";
CREATE INDEX "approvals_untold" ON "approvals" ("agent_id", "decided_at") WHERE "told_at" IS NULL
  AND ("decision" IN ('APPROVED', 'DECLINED', 'ANSWERED', 'TIMED_OUT') OR "kind" = 'QUESTION' AND "decision" = 'CANCELLED' AND "decided_role" <> 'AGENT');
