-- Loses nothing.
DROP INDEX "events_in_log";
CREATE INDEX "events_in_log" ON "events" ("session_id", "id")
  WHERE "type" IN ('SESSION_STATUS_CHANGED', 'SESSION_RETURNED', 'SESSION_UNASSIGNED', 'SESSION_QUEUED', 'HANDOFF_TIMED_OUT') OR "type" = 'SESSION_REASSIGNED' AND "handoff_id" IS NULL;
