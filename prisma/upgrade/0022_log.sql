-- First: while the index is built, nothing else is locked than writing to this table.
-- CreateIndex
CREATE INDEX "tool_calls_session_id_sequence_idx" ON "tool_calls"("session_id", "sequence");

-- AlterTable
ALTER TABLE "tool_calls" ADD COLUMN     "duration_ms" INTEGER;

-- CreateEnum
CREATE TYPE "message_kind" AS ENUM ('TEXT', 'ERROR', 'STATUS', 'SKILL', 'SUBTASK');

-- AlterTable
-- A constant default rewrites no row, and gives the messages of a running server of the version before their kind.
ALTER TABLE "messages" ADD COLUMN     "kind" "message_kind" NOT NULL DEFAULT 'TEXT';
