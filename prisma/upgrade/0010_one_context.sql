-- What a Handoff carries becomes one column: new kinds of it need no column each. A field that an older Handoff lacks stays absent.
ALTER TABLE "handoffs" ADD COLUMN "context" JSONB;

UPDATE "handoffs" SET "context" = jsonb_build_object(
  'summaryComposed', "summary_composed",
  'originalRequest', "original_request",
  'latestRequest', "latest_request",
  'lastMessage', "last_message",
  'toolSummaries', "tool_summaries",
  'lastToolCalls', "last_tool_calls",
  'filesModified', coalesce(to_jsonb("files_modified"), '[]'),
  'pendingTasks', coalesce(to_jsonb("pending_tasks"), '[]'),
  'decisions', coalesce(to_jsonb("decisions"), '[]'),
  'recentMessages', "recent_messages",
  'contextVariables', "context_variables",
  'instructions', "instructions",
  'leftOut', "left_out");

ALTER TABLE "handoffs"
  ALTER COLUMN "context" SET NOT NULL,
  DROP COLUMN "summary_composed",
  DROP COLUMN "original_request",
  DROP COLUMN "latest_request",
  DROP COLUMN "last_message",
  DROP COLUMN "last_tool_calls",
  DROP COLUMN "left_out",
  DROP COLUMN "tool_summaries",
  DROP COLUMN "files_modified",
  DROP COLUMN "pending_tasks",
  DROP COLUMN "decisions",
  DROP COLUMN "recent_messages",
  DROP COLUMN "context_variables",
  DROP COLUMN "instructions";
