-- Back to an empty database: every record is lost. Take a dump first.
DROP TABLE
  "agents",
  "agent_collaborators",
  "sessions",
  "agent_sessions",
  "turns",
  "messages",
  "tool_calls",
  "decisions",
  "tasks",
  "handoffs",
  "handoff_tool_calls",
  "context_snapshots",
  "events",
  "inbox_entries",
  "idempotency_answers",
  "keys"
CASCADE;

DROP FUNCTION
  "messages_gapless",
  "turns_gapless",
  "tool_calls_gapless",
  "handoffs_gapless",
  "events_gapless",
  "inbox_entries_gapless";

DROP TYPE
  "administrative_status",
  "session_status",
  "agent_session_state",
  "handoff_status",
  "handoff_via",
  "message_role",
  "task_status",
  "snapshot_type",
  "role",
  "event_type";

-- pg_trgm stays: others may use it.
