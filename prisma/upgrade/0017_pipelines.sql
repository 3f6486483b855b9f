-- Pipelines, each version a row, and the stays of Sessions in their stages. All new columns are null in earlier rows.
ALTER TYPE "event_type" ADD VALUE 'SESSION_STAGE_CHANGED';
ALTER TYPE "event_type" ADD VALUE 'PIPELINE_COMPLETED';

-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "pipeline_id" UUID,
ADD COLUMN     "stage" TEXT;

-- AlterTable
ALTER TABLE "handoffs" ADD COLUMN     "left_entry_id" UUID,
ADD COLUMN     "stage_entry_id" UUID;

-- CreateTable
CREATE TABLE "pipelines" (
    "id" UUID NOT NULL,
    "slug" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "start" TEXT NOT NULL,
    "stages" JSONB NOT NULL,
    "transitions" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "replaced_at" TIMESTAMPTZ(3),
    "archived_at" TIMESTAMPTZ(3),

    CONSTRAINT "pipelines_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "stage_entries" (
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "stage" TEXT NOT NULL,
    "attempt" INTEGER NOT NULL,
    "agent_id" TEXT,
    "tried" TEXT[],
    "entered_at" TIMESTAMPTZ(3) NOT NULL,
    "left_at" TIMESTAMPTZ(3),
    "outcome" TEXT,
    "sent_back" BOOLEAN NOT NULL,
    "payload" JSONB,

    CONSTRAINT "stage_entries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "pipelines_slug_version_key" ON "pipelines"("slug", "version");

-- CreateIndex
CREATE UNIQUE INDEX "stage_entries_session_id_number_key" ON "stage_entries"("session_id", "number");

-- AddForeignKey
ALTER TABLE "stage_entries" ADD CONSTRAINT "stage_entries_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "stage_entries" ADD CONSTRAINT "stage_entries_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_pipeline_id_fkey" FOREIGN KEY ("pipeline_id") REFERENCES "pipelines"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "handoffs" ADD CONSTRAINT "handoffs_stage_entry_id_fkey" FOREIGN KEY ("stage_entry_id") REFERENCES "stage_entries"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "handoffs" ADD CONSTRAINT "handoffs_left_entry_id_fkey" FOREIGN KEY ("left_entry_id") REFERENCES "stage_entries"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- No Session is in two stages.
CREATE UNIQUE INDEX "stage_entries_one_open" ON "stage_entries"("session_id") WHERE "left_at" IS NULL;
ALTER TABLE "stage_entries"
  ADD CONSTRAINT "stage_entries_count_from_one" CHECK ("number" >= 1 AND "attempt" >= 1),
  ADD CONSTRAINT "stage_entries_end_with_their_outcome" CHECK ("left_at" IS NOT NULL OR num_nulls("outcome", "payload") = 2 AND NOT "sent_back");
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_stages_are_of_a_pipeline" CHECK ("stage" IS NULL OR "pipeline_id" IS NOT NULL);
ALTER TABLE "pipelines" ADD CONSTRAINT "pipelines_have_lists" CHECK (jsonb_typeof("stages") = 'array' AND jsonb_typeof("transitions") = 'array');
CREATE UNIQUE INDEX "pipelines_newest" ON "pipelines"("slug") WHERE "replaced_at" IS NULL;

-- Most rows have no pipeline.
CREATE INDEX "sessions_pipeline" ON "sessions"("pipeline_id", "created_at", "id") WHERE "pipeline_id" IS NOT NULL;
CREATE INDEX "handoffs_stage_entry" ON "handoffs"("stage_entry_id") WHERE "stage_entry_id" IS NOT NULL;
CREATE INDEX "handoffs_left_entry" ON "handoffs"("left_entry_id") WHERE "left_entry_id" IS NOT NULL;

-- A stage may need neither a type nor a role.
ALTER TABLE "queue_entries" DROP CONSTRAINT "queue_entries_want_a_type_or_a_role",
  ADD CONSTRAINT "queue_entries_want_a_type_or_a_role" CHECK ("wanted" = coalesce("agent_type", '') || '/' || coalesce("role", ''));

-- Agents are chosen by their role.
CREATE INDEX "agents_role" ON "agents"("role", "administrative_status") WHERE "archived_at" IS NULL;
