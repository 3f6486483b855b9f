-- CreateEnum
CREATE TYPE "session_priority" AS ENUM ('LOW', 'NORMAL', 'HIGH', 'URGENT');

-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "external_id" TEXT,
ADD COLUMN     "last_activity_at" TIMESTAMPTZ(3),
ADD COLUMN     "priority" "session_priority" NOT NULL DEFAULT 'NORMAL',
ADD COLUMN     "project" TEXT;

UPDATE "sessions" SET "last_activity_at" = "updated_at";
ALTER TABLE "sessions" ALTER COLUMN "last_activity_at" SET NOT NULL;

-- CreateIndex
CREATE INDEX "sessions_last_activity_at_id_idx" ON "sessions"("last_activity_at", "id");

-- CreateIndex
CREATE INDEX "sessions_priority_created_at_id_idx" ON "sessions"("priority", "created_at", "id");

-- Work of another system is one open Session. The second index finds its newest Session, open or not.
CREATE UNIQUE INDEX "sessions_open_external_id" ON "sessions"("external_id") WHERE "status" IN ('RUNNING', 'PAUSED');
CREATE INDEX "sessions_external_id" ON "sessions"("external_id", "created_at", "id") WHERE "external_id" IS NOT NULL;
CREATE INDEX "sessions_project" ON "sessions"("project", "created_at", "id") WHERE "project" IS NOT NULL;

-- AlterEnum
ALTER TYPE "event_type" ADD VALUE 'SESSION_QUEUED';
ALTER TYPE "event_type" ADD VALUE 'HANDOFF_REMINDED';
ALTER TYPE "event_type" ADD VALUE 'HANDOFF_EXTENDED';

-- AlterTable
ALTER TABLE "handoffs" ADD COLUMN     "accept_within_minutes" DOUBLE PRECISION,
ADD COLUMN     "extensions" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "remind_at" TIMESTAMPTZ(3),
ADD COLUMN     "reminded_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "queue_entries" (
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "agent_type" TEXT,
    "role" TEXT,
    "wanted" TEXT NOT NULL,
    "queued_at" TIMESTAMPTZ(3) NOT NULL,
    "effective_at" TIMESTAMPTZ(3) NOT NULL,
    "suspended" BOOLEAN NOT NULL,
    "escalated" BOOLEAN NOT NULL,
    "source_agent_id" TEXT,
    "source_agent_type" TEXT,
    "source_agent_session_id" UUID,
    "previous_agent_id" TEXT,
    "reason" TEXT,
    "summary" TEXT,
    "metadata" JSONB,
    "via" "handoff_via",
    "carried" JSONB NOT NULL,
    "accept_within_minutes" DOUBLE PRECISION,

    CONSTRAINT "queue_entries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "queue_entries_session_id_key" ON "queue_entries"("session_id");

-- CreateIndex
CREATE INDEX "queue_entries_effective_at_id_idx" ON "queue_entries"("effective_at", "id");

-- CreateIndex
CREATE INDEX "queue_entries_agent_type_effective_at_id_idx" ON "queue_entries"("agent_type", "effective_at", "id");

-- CreateIndex
CREATE INDEX "queue_entries_role_effective_at_id_idx" ON "queue_entries"("role", "effective_at", "id");

-- AddForeignKey
ALTER TABLE "queue_entries" ADD CONSTRAINT "queue_entries_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "queue_entries" ADD CONSTRAINT "queue_entries_source_agent_id_fkey" FOREIGN KEY ("source_agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "queue_entries" ADD CONSTRAINT "queue_entries_source_agent_session_id_fkey" FOREIGN KEY ("source_agent_session_id") REFERENCES "agent_sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- The order in which a free place is given; see server/queue/rules.ts.
CREATE INDEX "queue_entries_turn" ON "queue_entries"("wanted", "effective_at", "id") WHERE NOT "suspended" AND NOT "escalated";
CREATE INDEX "queue_entries_escalated" ON "queue_entries"("effective_at", "id") WHERE "escalated";

ALTER TABLE "queue_entries"
  ADD CONSTRAINT "queue_entries_want_a_type_or_a_role" CHECK ("wanted" = coalesce("agent_type", '') || '/' || coalesce("role", '') AND "wanted" <> '/'),
  ADD CONSTRAINT "queue_entries_source_is_whole" CHECK (num_nulls("source_agent_id", "source_agent_type", "source_agent_session_id") IN (0, 3)),
  ADD CONSTRAINT "queue_entries_handoff_is_whole" CHECK (num_nulls("via", "accept_within_minutes") IN (0, 2));

ALTER TABLE "handoffs" ADD CONSTRAINT "handoffs_extensions" CHECK ("extensions" BETWEEN 0 AND 3);

-- Whom the sweep has to remind.
CREATE INDEX "handoffs_to_remind" ON "handoffs"("remind_at") WHERE "status" = 'INITIATED' AND "reminded_at" IS NULL;
