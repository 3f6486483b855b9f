-- What the log shows between two messages, without reading the Session's other events: one for each turn.
CREATE INDEX "events_in_log" ON "events" ("session_id", "id")
  WHERE "type" IN ('SESSION_STATUS_CHANGED', 'SESSION_RETURNED', 'SESSION_UNASSIGNED', 'SESSION_QUEUED', 'HANDOFF_TIMED_OUT') OR "type" = 'SESSION_REASSIGNED' AND "handoff_id" IS NULL;
