-- Lost are the kind of each message and the duration of each call.
ALTER TABLE "messages" DROP COLUMN "kind";
DROP TYPE "message_kind";
ALTER TABLE "tool_calls" DROP COLUMN "duration_ms";
DROP INDEX "tool_calls_session_id_sequence_idx";
