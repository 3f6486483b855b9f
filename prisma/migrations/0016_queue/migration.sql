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
