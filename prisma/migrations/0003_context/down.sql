-- Of every Handoff are lost: the request, the last words and calls of its source, and the count of what it left out.
-- Its other columns, and the log that all of it was read from, stay.
ALTER TABLE "handoffs"
  DROP COLUMN "summary_composed",
  DROP COLUMN "original_request",
  DROP COLUMN "latest_request",
  DROP COLUMN "last_message",
  DROP COLUMN "last_tool_calls",
  DROP COLUMN "left_out";
