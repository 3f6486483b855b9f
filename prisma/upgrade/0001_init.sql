-- CreateEnum
CREATE TYPE "administrative_status" AS ENUM ('AVAILABLE', 'DRAINING', 'OFFLINE');

-- CreateEnum
CREATE TYPE "session_status" AS ENUM ('RUNNING', 'PAUSED', 'COMPLETED', 'FAILED', 'CANCELLED');

-- CreateEnum
CREATE TYPE "agent_session_state" AS ENUM ('PENDING', 'ACTIVE', 'PAUSED', 'HANDED_OFF', 'COMPLETED', 'FAILED', 'DECLINED');

-- CreateEnum
CREATE TYPE "handoff_status" AS ENUM ('INITIATED', 'ACCEPTED', 'COMPLETED', 'FAILED', 'REJECTED', 'CANCELLED', 'TIMED_OUT');

-- CreateEnum
CREATE TYPE "handoff_via" AS ENUM ('OPERATOR', 'API', 'TOOL', 'PIPELINE');

-- CreateEnum
CREATE TYPE "message_role" AS ENUM ('USER', 'ASSISTANT', 'SYSTEM', 'TOOL', 'HANDOFF');

-- CreateEnum
CREATE TYPE "task_status" AS ENUM ('PENDING', 'IN_PROGRESS', 'DONE');

-- CreateEnum
CREATE TYPE "snapshot_type" AS ENUM ('SESSION_START', 'HANDOFF_INITIATED', 'TRUNCATION', 'CHECKPOINT');

-- CreateEnum
CREATE TYPE "role" AS ENUM ('AGENT', 'OPERATOR', 'ANALYST', 'ADMIN');

-- CreateEnum
CREATE TYPE "event_type" AS ENUM ('SESSION_CREATED', 'SESSION_REASSIGNED', 'SESSION_RETURNED', 'SESSION_UNASSIGNED', 'SESSION_STATUS_CHANGED', 'HANDOFF_INITIATED', 'HANDOFF_ACCEPTED', 'HANDOFF_REJECTED', 'HANDOFF_COMPLETED', 'HANDOFF_FAILED', 'HANDOFF_CANCELLED', 'HANDOFF_TIMED_OUT', 'TURN_APPENDED', 'LOG_CHANGED', 'AGENT_CHANGED');

-- CreateTable
CREATE TABLE "agents" (
    "id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "role" TEXT,
    "description" TEXT,
    "instructions" TEXT,
    "metadata" JSONB,
    "administrative_status" "administrative_status" NOT NULL,
    "current_load" INTEGER NOT NULL,
    "max_capacity" INTEGER NOT NULL,
    "total_assigned" INTEGER NOT NULL,
    "inbox_sequence" INTEGER NOT NULL,
    "registered_at" TIMESTAMPTZ(3) NOT NULL,
    "archived_at" TIMESTAMPTZ(3),

    CONSTRAINT "agents_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "agent_collaborators" (
    "agent_id" TEXT NOT NULL,
    "collaborator_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,

    CONSTRAINT "agent_collaborators_pkey" PRIMARY KEY ("agent_id","collaborator_id")
);

-- CreateTable
CREATE TABLE "sessions" (
    "id" UUID NOT NULL,
    "title" TEXT NOT NULL,
    "status" "session_status" NOT NULL,
    "version" INTEGER NOT NULL,
    "agent_id" TEXT,
    "previous_agent_type" TEXT,
    "context_variables" JSONB NOT NULL,
    "metadata" JSONB,
    "result" JSONB,
    "summary" TEXT,
    "end_reason" TEXT,
    "handoffs_enabled" BOOLEAN NOT NULL,
    "max_handoffs" INTEGER NOT NULL,
    "operator_epoch" INTEGER NOT NULL,
    "message_count" INTEGER NOT NULL,
    "turn_count" INTEGER NOT NULL,
    "tool_call_count" INTEGER NOT NULL,
    "handoff_count" INTEGER NOT NULL,
    "event_count" INTEGER NOT NULL,
    "visible_from" INTEGER NOT NULL,
    "visible_calls_from" INTEGER NOT NULL,
    "last_agent_session_id" UUID,
    "last_handoff_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "last_reassigned_at" TIMESTAMPTZ(3),

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "agent_sessions" (
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "agent_id" TEXT NOT NULL,
    "state" "agent_session_state" NOT NULL,
    "start_sequence" INTEGER NOT NULL,
    "end_sequence" INTEGER,
    "terminated_by_handoff_id" UUID,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "activated_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "agent_sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "turns" (
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "agent_session_id" UUID,
    "index" INTEGER NOT NULL,
    "input_tokens" INTEGER,
    "output_tokens" INTEGER,
    "cache_creation_input_tokens" INTEGER,
    "cache_read_input_tokens" INTEGER,
    "model" TEXT,
    "truncated" BOOLEAN NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "turns_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "messages" (
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "sequence" INTEGER NOT NULL,
    "role" "message_role" NOT NULL,
    "content" TEXT NOT NULL,
    "turn_id" UUID,
    "agent_session_id" UUID,
    "handoff_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "messages_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tool_calls" (
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "turn_id" UUID NOT NULL,
    "message_id" UUID,
    "index" INTEGER NOT NULL,
    "sequence" INTEGER NOT NULL,
    "call_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "arguments" JSONB,
    "result" TEXT,
    "error" TEXT,
    "files_modified" TEXT[],

    CONSTRAINT "tool_calls_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "decisions" (
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "agent_session_id" UUID,
    "text" TEXT NOT NULL,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "decisions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tasks" (
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "content" TEXT NOT NULL,
    "status" "task_status" NOT NULL,

    CONSTRAINT "tasks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "handoffs" (
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "status" "handoff_status" NOT NULL,
    "via" "handoff_via" NOT NULL,
    "reason" TEXT,
    "summary" TEXT NOT NULL,
    "tool_summaries" JSONB NOT NULL,
    "files_modified" TEXT[],
    "pending_tasks" TEXT[],
    "decisions" TEXT[],
    "recent_messages" JSONB NOT NULL,
    "context_variables" JSONB NOT NULL,
    "instructions" TEXT,
    "metadata" JSONB,
    "depth" INTEGER NOT NULL,
    "circular" BOOLEAN NOT NULL,
    "operator_epoch" INTEGER NOT NULL,
    "token_estimate" INTEGER NOT NULL,
    "redaction_count" INTEGER NOT NULL,
    "content_hash" TEXT NOT NULL,
    "source_agent_id" TEXT,
    "source_agent_type" TEXT,
    "target_agent_id" TEXT NOT NULL,
    "target_agent_type" TEXT NOT NULL,
    "source_agent_session_id" UUID,
    "target_agent_session_id" UUID NOT NULL,
    "prior_turn_id" UUID,
    "snapshot_id" UUID NOT NULL,
    "previous_handoff_id" UUID,
    "actor_principal" TEXT NOT NULL,
    "actor_role" "role",
    "initiated_at" TIMESTAMPTZ(3) NOT NULL,
    "accepted_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "closed_at" TIMESTAMPTZ(3),
    "deadline_at" TIMESTAMPTZ(3) NOT NULL,
    "rejection_reason" TEXT,
    "failure_reason" TEXT,
    "cancel_reason" TEXT,

    CONSTRAINT "handoffs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "handoff_tool_calls" (
    "handoff_id" UUID NOT NULL,
    "tool_call_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,

    CONSTRAINT "handoff_tool_calls_pkey" PRIMARY KEY ("handoff_id","tool_call_id")
);

-- CreateTable
CREATE TABLE "context_snapshots" (
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "agent_session_id" UUID,
    "type" "snapshot_type" NOT NULL,
    "sequence_start" INTEGER NOT NULL,
    "sequence_end" INTEGER NOT NULL,
    "user_count" INTEGER NOT NULL,
    "assistant_count" INTEGER NOT NULL,
    "system_count" INTEGER NOT NULL,
    "tool_count" INTEGER NOT NULL,
    "handoff_count" INTEGER NOT NULL,
    "call_start" INTEGER NOT NULL,
    "call_end" INTEGER NOT NULL,
    "token_estimate" INTEGER NOT NULL,
    "captured_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "context_snapshots_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "events" (
    "id" UUID NOT NULL,
    "type" "event_type" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "session_id" UUID,
    "session_sequence" INTEGER,
    "handoff_id" UUID,
    "agent_id" TEXT,
    "holder_id" TEXT,
    "session_status" "session_status",
    "reason" TEXT,
    "actor_principal" TEXT NOT NULL,
    "actor_role" "role",

    CONSTRAINT "events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "inbox_entries" (
    "agent_id" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL,
    "event_id" UUID NOT NULL,

    CONSTRAINT "inbox_entries_pkey" PRIMARY KEY ("agent_id","sequence")
);

-- CreateTable
CREATE TABLE "idempotency_answers" (
    "caller" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "mutation" TEXT NOT NULL,
    "input_hash" TEXT NOT NULL,
    "answer" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_answers_pkey" PRIMARY KEY ("caller","key")
);

-- CreateTable
CREATE TABLE "keys" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "role" "role" NOT NULL,
    "agent_id" TEXT,
    "secret_hash" TEXT NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "keys_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "agents_type_administrative_status_idx" ON "agents"("type", "administrative_status");

-- CreateIndex
CREATE INDEX "agent_collaborators_collaborator_id_idx" ON "agent_collaborators"("collaborator_id");

-- CreateIndex
CREATE UNIQUE INDEX "sessions_last_agent_session_id_key" ON "sessions"("last_agent_session_id");

-- CreateIndex
CREATE UNIQUE INDEX "sessions_last_handoff_id_key" ON "sessions"("last_handoff_id");

-- CreateIndex
CREATE INDEX "sessions_created_at_id_idx" ON "sessions"("created_at", "id");

-- CreateIndex
CREATE INDEX "sessions_updated_at_id_idx" ON "sessions"("updated_at", "id");

-- CreateIndex
CREATE INDEX "sessions_status_created_at_id_idx" ON "sessions"("status", "created_at", "id");

-- CreateIndex
CREATE INDEX "sessions_agent_id_created_at_id_idx" ON "sessions"("agent_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "agent_sessions_session_id_started_at_id_idx" ON "agent_sessions"("session_id", "started_at", "id");

-- CreateIndex
CREATE INDEX "agent_sessions_agent_id_started_at_id_idx" ON "agent_sessions"("agent_id", "started_at", "id");

-- CreateIndex
CREATE INDEX "agent_sessions_terminated_by_handoff_id_idx" ON "agent_sessions"("terminated_by_handoff_id");

-- CreateIndex
CREATE INDEX "turns_agent_session_id_index_idx" ON "turns"("agent_session_id", "index");

-- CreateIndex
CREATE UNIQUE INDEX "turns_session_id_index_key" ON "turns"("session_id", "index");

-- CreateIndex
CREATE UNIQUE INDEX "messages_handoff_id_key" ON "messages"("handoff_id");

-- CreateIndex
CREATE INDEX "messages_turn_id_idx" ON "messages"("turn_id");

-- CreateIndex
CREATE INDEX "messages_agent_session_id_idx" ON "messages"("agent_session_id");

-- CreateIndex
CREATE UNIQUE INDEX "messages_session_id_sequence_key" ON "messages"("session_id", "sequence");

-- CreateIndex
CREATE INDEX "tool_calls_message_id_idx" ON "tool_calls"("message_id");

-- CreateIndex
CREATE UNIQUE INDEX "tool_calls_session_id_index_key" ON "tool_calls"("session_id", "index");

-- CreateIndex
CREATE UNIQUE INDEX "tool_calls_turn_id_call_id_key" ON "tool_calls"("turn_id", "call_id");

-- CreateIndex
CREATE INDEX "decisions_session_id_recorded_at_id_idx" ON "decisions"("session_id", "recorded_at", "id");

-- CreateIndex
CREATE INDEX "decisions_agent_session_id_idx" ON "decisions"("agent_session_id");

-- CreateIndex
CREATE INDEX "tasks_session_id_position_idx" ON "tasks"("session_id", "position");

-- CreateIndex
CREATE UNIQUE INDEX "handoffs_target_agent_session_id_key" ON "handoffs"("target_agent_session_id");

-- CreateIndex
CREATE UNIQUE INDEX "handoffs_snapshot_id_key" ON "handoffs"("snapshot_id");

-- CreateIndex
CREATE UNIQUE INDEX "handoffs_previous_handoff_id_key" ON "handoffs"("previous_handoff_id");

-- CreateIndex
CREATE INDEX "handoffs_initiated_at_id_idx" ON "handoffs"("initiated_at", "id");

-- CreateIndex
CREATE INDEX "handoffs_source_agent_id_initiated_at_id_idx" ON "handoffs"("source_agent_id", "initiated_at", "id");

-- CreateIndex
CREATE INDEX "handoffs_target_agent_id_initiated_at_id_idx" ON "handoffs"("target_agent_id", "initiated_at", "id");

-- CreateIndex
CREATE INDEX "handoffs_status_initiated_at_id_idx" ON "handoffs"("status", "initiated_at", "id");

-- CreateIndex
CREATE INDEX "handoffs_via_initiated_at_id_idx" ON "handoffs"("via", "initiated_at", "id");

-- CreateIndex
CREATE INDEX "handoffs_source_agent_session_id_idx" ON "handoffs"("source_agent_session_id");

-- CreateIndex
CREATE INDEX "handoffs_prior_turn_id_idx" ON "handoffs"("prior_turn_id");

-- CreateIndex
CREATE UNIQUE INDEX "handoffs_session_id_depth_key" ON "handoffs"("session_id", "depth");

-- CreateIndex
CREATE INDEX "handoff_tool_calls_tool_call_id_idx" ON "handoff_tool_calls"("tool_call_id");

-- CreateIndex
CREATE INDEX "context_snapshots_session_id_captured_at_id_idx" ON "context_snapshots"("session_id", "captured_at", "id");

-- CreateIndex
CREATE INDEX "context_snapshots_agent_session_id_captured_at_id_idx" ON "context_snapshots"("agent_session_id", "captured_at", "id");

-- CreateIndex
CREATE INDEX "events_handoff_id_idx" ON "events"("handoff_id");

-- CreateIndex
CREATE UNIQUE INDEX "events_session_id_session_sequence_key" ON "events"("session_id", "session_sequence");

-- CreateIndex
CREATE UNIQUE INDEX "inbox_entries_event_id_agent_id_key" ON "inbox_entries"("event_id", "agent_id");

-- CreateIndex
CREATE INDEX "idempotency_answers_created_at_idx" ON "idempotency_answers"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "keys_secret_hash_key" ON "keys"("secret_hash");

-- CreateIndex
CREATE INDEX "keys_agent_id_idx" ON "keys"("agent_id");

-- AddForeignKey
ALTER TABLE "agent_collaborators" ADD CONSTRAINT "agent_collaborators_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_collaborators" ADD CONSTRAINT "agent_collaborators_collaborator_id_fkey" FOREIGN KEY ("collaborator_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_last_agent_session_id_fkey" FOREIGN KEY ("last_agent_session_id") REFERENCES "agent_sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_last_handoff_id_fkey" FOREIGN KEY ("last_handoff_id") REFERENCES "handoffs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_sessions" ADD CONSTRAINT "agent_sessions_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_sessions" ADD CONSTRAINT "agent_sessions_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_sessions" ADD CONSTRAINT "agent_sessions_terminated_by_handoff_id_fkey" FOREIGN KEY ("terminated_by_handoff_id") REFERENCES "handoffs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "turns" ADD CONSTRAINT "turns_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "turns" ADD CONSTRAINT "turns_agent_session_id_fkey" FOREIGN KEY ("agent_session_id") REFERENCES "agent_sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "messages" ADD CONSTRAINT "messages_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "messages" ADD CONSTRAINT "messages_turn_id_fkey" FOREIGN KEY ("turn_id") REFERENCES "turns"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "messages" ADD CONSTRAINT "messages_agent_session_id_fkey" FOREIGN KEY ("agent_session_id") REFERENCES "agent_sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "messages" ADD CONSTRAINT "messages_handoff_id_fkey" FOREIGN KEY ("handoff_id") REFERENCES "handoffs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tool_calls" ADD CONSTRAINT "tool_calls_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tool_calls" ADD CONSTRAINT "tool_calls_turn_id_fkey" FOREIGN KEY ("turn_id") REFERENCES "turns"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tool_calls" ADD CONSTRAINT "tool_calls_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "messages"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_agent_session_id_fkey" FOREIGN KEY ("agent_session_id") REFERENCES "agent_sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "handoffs" ADD CONSTRAINT "handoffs_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "handoffs" ADD CONSTRAINT "handoffs_source_agent_id_fkey" FOREIGN KEY ("source_agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "handoffs" ADD CONSTRAINT "handoffs_target_agent_id_fkey" FOREIGN KEY ("target_agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "handoffs" ADD CONSTRAINT "handoffs_source_agent_session_id_fkey" FOREIGN KEY ("source_agent_session_id") REFERENCES "agent_sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "handoffs" ADD CONSTRAINT "handoffs_target_agent_session_id_fkey" FOREIGN KEY ("target_agent_session_id") REFERENCES "agent_sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "handoffs" ADD CONSTRAINT "handoffs_prior_turn_id_fkey" FOREIGN KEY ("prior_turn_id") REFERENCES "turns"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "handoffs" ADD CONSTRAINT "handoffs_snapshot_id_fkey" FOREIGN KEY ("snapshot_id") REFERENCES "context_snapshots"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "handoffs" ADD CONSTRAINT "handoffs_previous_handoff_id_fkey" FOREIGN KEY ("previous_handoff_id") REFERENCES "handoffs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "handoff_tool_calls" ADD CONSTRAINT "handoff_tool_calls_handoff_id_fkey" FOREIGN KEY ("handoff_id") REFERENCES "handoffs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "handoff_tool_calls" ADD CONSTRAINT "handoff_tool_calls_tool_call_id_fkey" FOREIGN KEY ("tool_call_id") REFERENCES "tool_calls"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "context_snapshots" ADD CONSTRAINT "context_snapshots_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "context_snapshots" ADD CONSTRAINT "context_snapshots_agent_session_id_fkey" FOREIGN KEY ("agent_session_id") REFERENCES "agent_sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "events" ADD CONSTRAINT "events_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "events" ADD CONSTRAINT "events_handoff_id_fkey" FOREIGN KEY ("handoff_id") REFERENCES "handoffs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "events" ADD CONSTRAINT "events_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "events" ADD CONSTRAINT "events_holder_id_fkey" FOREIGN KEY ("holder_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "inbox_entries" ADD CONSTRAINT "inbox_entries_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "inbox_entries" ADD CONSTRAINT "inbox_entries_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "keys" ADD CONSTRAINT "keys_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What follows is what schema.prisma cannot say.

-- Values that a row may not have, whoever writes it.
ALTER TABLE "agents"
  ADD CONSTRAINT "agents_id_is_slug" CHECK ("id" ~ '^[a-z0-9]([a-z0-9_-]{0,50}[a-z0-9])?$'),
  ADD CONSTRAINT "agents_type_is_upper_case" CHECK ("type" ~ '^[A-Z][A-Z0-9_]{0,49}$'),
  ADD CONSTRAINT "agents_load_within_capacity" CHECK (0 <= "current_load" AND "current_load" <= "max_capacity" AND "max_capacity" >= 1),
  ADD CONSTRAINT "agents_counters" CHECK ("total_assigned" >= 0 AND "inbox_sequence" >= 0),
  ADD CONSTRAINT "agents_archived_hold_nothing" CHECK ("archived_at" IS NULL OR ("current_load" = 0 AND "administrative_status" = 'OFFLINE'));

ALTER TABLE "agent_collaborators"
  ADD CONSTRAINT "agent_collaborators_are_others" CHECK ("agent_id" <> "collaborator_id");

ALTER TABLE "sessions"
  ADD CONSTRAINT "sessions_title_length" CHECK (char_length("title") BETWEEN 1 AND 500),
  ADD CONSTRAINT "sessions_running_are_held" CHECK ("status" <> 'RUNNING' OR "agent_id" IS NOT NULL),
  ADD CONSTRAINT "sessions_counters" CHECK ("version" >= 1 AND "max_handoffs" >= 0 AND "operator_epoch" >= 0 AND "message_count" >= 0
    AND "turn_count" >= 0 AND "tool_call_count" >= 0 AND "handoff_count" >= 0 AND "event_count" >= 1 AND "visible_from" >= 1 AND "visible_calls_from" >= 1),
  ADD CONSTRAINT "sessions_results_are_of_completed" CHECK ("status" = 'COMPLETED' OR ("result" IS NULL AND "summary" IS NULL)),
  ADD CONSTRAINT "sessions_end_reasons_are_of_ended" CHECK ("end_reason" IS NULL OR "status" IN ('FAILED', 'CANCELLED'));

ALTER TABLE "agent_sessions"
  ADD CONSTRAINT "agent_sessions_end_when_closed" CHECK (("state" IN ('PENDING', 'ACTIVE', 'PAUSED')) = ("ended_at" IS NULL) AND ("ended_at" IS NULL) = ("end_sequence" IS NULL)),
  ADD CONSTRAINT "agent_sessions_activated_when_taken" CHECK (CASE "state" WHEN 'FAILED' THEN true WHEN 'PENDING' THEN "activated_at" IS NULL
    WHEN 'DECLINED' THEN "activated_at" IS NULL ELSE "activated_at" IS NOT NULL END),
  ADD CONSTRAINT "agent_sessions_range" CHECK ("start_sequence" >= 1 AND "end_sequence" >= "start_sequence" - 1);

ALTER TABLE "handoffs"
  ADD CONSTRAINT "handoffs_times_follow_status" CHECK (CASE "status"
    WHEN 'INITIATED' THEN "accepted_at" IS NULL AND "closed_at" IS NULL
    WHEN 'ACCEPTED' THEN "accepted_at" IS NOT NULL AND "closed_at" IS NULL
    WHEN 'COMPLETED' THEN "accepted_at" IS NOT NULL AND "closed_at" IS NOT NULL
    WHEN 'FAILED' THEN "closed_at" IS NOT NULL
    ELSE "accepted_at" IS NULL AND "closed_at" IS NOT NULL END),
  ADD CONSTRAINT "handoffs_completed_at_is_closed_at" CHECK (CASE "status" WHEN 'COMPLETED' THEN "completed_at" = "closed_at" ELSE "completed_at" IS NULL END),
  ADD CONSTRAINT "handoffs_reasons_follow_status" CHECK (
    ("status" = 'REJECTED') = ("rejection_reason" IS NOT NULL) AND ("status" = 'FAILED') = ("failure_reason" IS NOT NULL) AND ("cancel_reason" IS NULL OR "status" = 'CANCELLED')),
  ADD CONSTRAINT "handoffs_source_is_whole" CHECK (num_nulls("source_agent_id", "source_agent_type", "source_agent_session_id") IN (0, 3)),
  ADD CONSTRAINT "handoffs_change_hands" CHECK ("source_agent_id" <> "target_agent_id"),
  ADD CONSTRAINT "handoffs_chain" CHECK ("depth" >= 1 AND ("depth" = 1) = ("previous_handoff_id" IS NULL));

ALTER TABLE "context_snapshots"
  ADD CONSTRAINT "context_snapshots_count_their_range" CHECK ("sequence_start" >= 1 AND
    "user_count" + "assistant_count" + "system_count" + "tool_count" + "handoff_count" = "sequence_end" - "sequence_start" + 1),
  ADD CONSTRAINT "context_snapshots_call_range" CHECK ("call_start" >= 1 AND "call_end" >= "call_start" - 1);

ALTER TABLE "tool_calls"
  ADD CONSTRAINT "tool_calls_end_one_way" CHECK ("result" IS NULL OR "error" IS NULL);

ALTER TABLE "events"
  ADD CONSTRAINT "events_have_a_stream_or_an_agent" CHECK (CASE WHEN "type" = 'AGENT_CHANGED'
    THEN "agent_id" IS NOT NULL AND num_nulls("session_id", "session_sequence", "session_status") = 3
    ELSE num_nulls("session_id", "session_sequence", "session_status") = 0 END),
  ADD CONSTRAINT "events_of_handoffs_name_them" CHECK ("handoff_id" IS NOT NULL OR "type" NOT IN ('HANDOFF_INITIATED', 'HANDOFF_ACCEPTED',
    'HANDOFF_REJECTED', 'HANDOFF_COMPLETED', 'HANDOFF_FAILED', 'HANDOFF_CANCELLED', 'HANDOFF_TIMED_OUT'));

ALTER TABLE "idempotency_answers"
  ADD CONSTRAINT "idempotency_answers_key_length" CHECK (char_length("key") BETWEEN 1 AND 128);

ALTER TABLE "keys"
  ADD CONSTRAINT "keys_of_agents_are_bound" CHECK (("role" = 'AGENT') = ("agent_id" IS NOT NULL));

-- One holder, one open Handoff: the last line of defence behind the row locks.
CREATE UNIQUE INDEX "agent_sessions_one_open_per_session" ON "agent_sessions" ("session_id") WHERE "state" IN ('PENDING', 'ACTIVE', 'PAUSED');
CREATE UNIQUE INDEX "handoffs_one_open_per_session" ON "handoffs" ("session_id") WHERE "status" IN ('INITIATED', 'ACCEPTED');

-- The sweep asks for these every few seconds, and few rows are ever in it.
CREATE INDEX "handoffs_due" ON "handoffs" ("deadline_at") WHERE "status" = 'INITIATED';

-- Few rows, which the indexes by time would look for among all the others.
CREATE INDEX "sessions_unassigned" ON "sessions" ("created_at", "id") WHERE "agent_id" IS NULL;
CREATE INDEX "handoffs_circular" ON "handoffs" ("initiated_at", "id") WHERE "circular";

-- titleContains, without reading every Session.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX "sessions_title_trigrams" ON "sessions" USING gin ("title" gin_trgm_ops);

-- Numbers without gaps: a row numbered n goes in only where n - 1 is. The unique indexes keep out repeats;
-- a statement trigger costs one look-up a row and, unlike a foreign key to the row before, locks and rewrites nothing.
DO $gapless$
DECLARE
  numbered text[];
BEGIN
  FOREACH numbered SLICE 1 IN ARRAY ARRAY[
    ['messages', 'session_id', 'sequence'],
    ['turns', 'session_id', 'index'],
    ['tool_calls', 'session_id', 'index'],
    ['handoffs', 'session_id', 'depth'],
    ['events', 'session_id', 'session_sequence'],
    ['inbox_entries', 'agent_id', 'sequence']
  ] LOOP
    EXECUTE format($template$
      CREATE FUNCTION %1$I() RETURNS trigger LANGUAGE plpgsql AS $body$
      BEGIN
        IF EXISTS (
          SELECT FROM fresh f WHERE f.%4$I < 1
            OR (f.%4$I > 1 AND NOT EXISTS (SELECT FROM %2$I t WHERE t.%3$I = f.%3$I AND t.%4$I = f.%4$I - 1))
        ) THEN
          RAISE EXCEPTION 'a number was skipped in %2$s' USING ERRCODE = 'check_violation', CONSTRAINT = '%1$s';
        END IF;
        RETURN NULL;
      END $body$;
      CREATE TRIGGER %1$I AFTER INSERT ON %2$I REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION %1$I()
    $template$, numbered[1] || '_gapless', numbered[1], numbered[2], numbered[3]);
  END LOOP;
END $gapless$;
