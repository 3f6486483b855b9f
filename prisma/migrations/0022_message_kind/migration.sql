-- CreateEnum
CREATE TYPE "message_kind" AS ENUM ('TEXT', 'ERROR', 'STATUS', 'SKILL', 'SUBTASK');

-- AlterTable
-- A constant default rewrites no row, and gives the messages of a running server of the version before their kind.
ALTER TABLE "messages" ADD COLUMN     "kind" "message_kind" NOT NULL DEFAULT 'TEXT';
