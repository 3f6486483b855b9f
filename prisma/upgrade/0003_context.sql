-- What a Handoff carries beyond its lists. Null in Handoffs that were made before, which stay as they are.
ALTER TABLE "handoffs"
  ADD COLUMN "summary_composed" BOOLEAN,
  ADD COLUMN "original_request" JSONB,
  ADD COLUMN "latest_request" JSONB,
  ADD COLUMN "last_message" JSONB,
  ADD COLUMN "last_tool_calls" JSONB,
  ADD COLUMN "left_out" JSONB;
