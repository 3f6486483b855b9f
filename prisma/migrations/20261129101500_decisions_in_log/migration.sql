-- The log shows refused handoffs and what people decide: the condition of eventsAfterMessages in server/work/log/queries.ts.
DROP INDEX "events_in_log";
CREATE INDEX "events_in_log" ON "events" ("session_id", "id")
  WHERE "type" IN ('SESSION_STATUS_CHANGED', 'SESSION_RETURNED', 'SESSION_UNASSIGNED', 'SESSION_QUEUED', 'SESSION_STUCK', 'HANDOFF_TIMED_OUT', 'HANDOFF_PROPOSED_FOR_APPROVAL', 'HANDOFF_APPROVED', 'HANDOFF_DECLINED', 'QUESTION_ASKED', 'QUESTION_ANSWERED') OR "type" = 'SESSION_REASSIGNED' AND "handoff_id" IS NULL;
