-- Each part of the Context gets its own column again. Parts that had no column are lost; the log that they were read from stays.
ALTER TABLE "handoffs"
  ADD COLUMN "summary_composed" BOOLEAN,
  ADD COLUMN "original_request" JSONB,
  ADD COLUMN "latest_request" JSONB,
  ADD COLUMN "last_message" JSONB,
  ADD COLUMN "last_tool_calls" JSONB,
  ADD COLUMN "left_out" JSONB,
  ADD COLUMN "tool_summaries" JSONB,
  ADD COLUMN "files_modified" TEXT[],
  ADD COLUMN "pending_tasks" TEXT[],
  ADD COLUMN "decisions" TEXT[],
  ADD COLUMN "recent_messages" JSONB,
  ADD COLUMN "context_variables" JSONB,
  ADD COLUMN "instructions" TEXT;

UPDATE "handoffs" SET
  "summary_composed" = ("context" ->> 'summaryComposed')::boolean,
  "original_request" = nullif("context" -> 'originalRequest', 'null'),
  "latest_request" = nullif("context" -> 'latestRequest', 'null'),
  "last_message" = nullif("context" -> 'lastMessage', 'null'),
  "last_tool_calls" = nullif("context" -> 'lastToolCalls', 'null'),
  "left_out" = nullif("context" -> 'leftOut', 'null'),
  "tool_summaries" = "context" -> 'toolSummaries',
  "files_modified" = ARRAY(SELECT item FROM jsonb_array_elements_text("context" -> 'filesModified') WITH ORDINALITY AS items (item, place) ORDER BY place),
  "pending_tasks" = ARRAY(SELECT item FROM jsonb_array_elements_text("context" -> 'pendingTasks') WITH ORDINALITY AS items (item, place) ORDER BY place),
  "decisions" = ARRAY(SELECT item FROM jsonb_array_elements_text("context" -> 'decisions') WITH ORDINALITY AS items (item, place) ORDER BY place),
  "recent_messages" = "context" -> 'recentMessages',
  "context_variables" = "context" -> 'contextVariables',
  "instructions" = "context" ->> 'instructions';

ALTER TABLE "handoffs"
  ALTER COLUMN "tool_summaries" SET NOT NULL,
  ALTER COLUMN "recent_messages" SET NOT NULL,
  ALTER COLUMN "context_variables" SET NOT NULL,
  DROP COLUMN "context";
