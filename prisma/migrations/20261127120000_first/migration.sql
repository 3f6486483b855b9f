-- CreateEnum
CREATE TYPE "administrative_status" AS ENUM ('AVAILABLE', 'DRAINING', 'OFFLINE');

-- CreateEnum
CREATE TYPE "session_status" AS ENUM ('RUNNING', 'PAUSED', 'COMPLETED', 'FAILED', 'CANCELLED');

-- CreateEnum
CREATE TYPE "session_priority" AS ENUM ('LOW', 'NORMAL', 'HIGH', 'URGENT');

-- CreateEnum
CREATE TYPE "agent_session_state" AS ENUM ('PENDING', 'ACTIVE', 'PAUSED', 'HANDED_OFF', 'COMPLETED', 'FAILED', 'DECLINED');

-- CreateEnum
CREATE TYPE "handoff_status" AS ENUM ('INITIATED', 'ACCEPTED', 'COMPLETED', 'FAILED', 'REJECTED', 'CANCELLED', 'TIMED_OUT');

-- CreateEnum
CREATE TYPE "handoff_via" AS ENUM ('OPERATOR', 'API', 'TOOL', 'PIPELINE');

-- CreateEnum
CREATE TYPE "message_role" AS ENUM ('USER', 'ASSISTANT', 'SYSTEM', 'TOOL', 'HANDOFF');

-- CreateEnum
CREATE TYPE "message_kind" AS ENUM ('TEXT', 'ERROR', 'STATUS', 'SKILL', 'SUBTASK');

-- CreateEnum
CREATE TYPE "task_status" AS ENUM ('PENDING', 'IN_PROGRESS', 'DONE');

-- CreateEnum
CREATE TYPE "snapshot_type" AS ENUM ('SESSION_START', 'HANDOFF_INITIATED', 'TRUNCATION', 'CHECKPOINT');

-- CreateEnum
CREATE TYPE "role" AS ENUM ('AGENT', 'OPERATOR', 'ANALYST', 'ADMIN');

-- CreateEnum
CREATE TYPE "webhook_disabled_reason" AS ENUM ('ADMIN', 'FAILING', 'GONE');

-- CreateEnum
CREATE TYPE "delivery_status" AS ENUM ('PENDING', 'PARKED', 'DELIVERED', 'FAILED');

-- CreateEnum
CREATE TYPE "delivery_error" AS ENUM ('TIMEOUT', 'UNREACHABLE', 'UNKNOWN_HOST', 'PRIVATE_ADDRESS', 'TLS', 'REDIRECT', 'STATUS', 'SIGNING_KEY', 'INTERNAL');

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
    "model" TEXT,
    "definition" JSONB,
    "context_window" INTEGER,
    "registered_at" TIMESTAMPTZ(3) NOT NULL,
    "archived_at" TIMESTAMPTZ(3),

    CONSTRAINT "agents_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "agent_presence" (
    "agent_id" TEXT NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "agent_presence_pkey" PRIMARY KEY ("agent_id")
);

-- CreateTable
CREATE TABLE "server_processes" (
    "id" UUID NOT NULL,
    "alive_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "server_processes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "agent_connections" (
    "agent_id" TEXT NOT NULL,
    "process_id" UUID NOT NULL,

    CONSTRAINT "agent_connections_pkey" PRIMARY KEY ("agent_id","process_id")
);

-- CreateTable
CREATE TABLE "agent_collaborators" (
    "agent_id" TEXT NOT NULL,
    "collaborator_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "when" TEXT,
    "instructions" TEXT,
    "carry" JSONB,

    CONSTRAINT "agent_collaborators_pkey" PRIMARY KEY ("agent_id","collaborator_id")
);

-- CreateTable
CREATE TABLE "handoff_tools" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "target_agent_id" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "variables" JSONB NOT NULL,
    "instructions" TEXT,
    "carry" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "archived_at" TIMESTAMPTZ(3),

    CONSTRAINT "handoff_tools_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "handoff_tool_offers" (
    "tool_id" UUID NOT NULL,
    "agent_id" TEXT NOT NULL,

    CONSTRAINT "handoff_tool_offers_pkey" PRIMARY KEY ("tool_id","agent_id")
);

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

-- CreateTable
CREATE TABLE "sessions" (
    "id" UUID NOT NULL,
    "title" TEXT NOT NULL,
    "status" "session_status" NOT NULL,
    "version" INTEGER NOT NULL,
    "agent_id" TEXT,
    "ended_agent_type" TEXT,
    "previous_agent_type" TEXT,
    "context_variables" JSONB NOT NULL,
    "metadata" JSONB,
    "result" JSONB,
    "summary" TEXT,
    "end_reason" TEXT,
    "handoffs_enabled" BOOLEAN NOT NULL,
    "max_handoffs" INTEGER NOT NULL,
    "external_id" TEXT,
    "project" TEXT,
    "workspace" JSONB,
    "workspace_id" TEXT,
    "repository" TEXT,
    "priority" "session_priority" NOT NULL DEFAULT 'NORMAL',
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
    "pipeline_id" UUID,
    "stage" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "last_reassigned_at" TIMESTAMPTZ(3),
    "last_activity_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "queue_entries" (
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "agent_type" TEXT,
    "role" TEXT,
    "wanted" TEXT NOT NULL,
    "queued_at" TIMESTAMPTZ(3) NOT NULL,
    "effective_at" TIMESTAMPTZ(3) NOT NULL,
    "returned" BOOLEAN NOT NULL DEFAULT false,
    "suspended" BOOLEAN NOT NULL,
    "escalated" BOOLEAN NOT NULL,
    "source_agent_id" TEXT,
    "source_agent_type" TEXT,
    "source_agent_session_id" UUID,
    "excluded_agent_ids" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "reason" TEXT,
    "summary" TEXT,
    "metadata" JSONB,
    "via" "handoff_via",
    "carried" JSONB NOT NULL,
    "accept_within_minutes" DOUBLE PRECISION,

    CONSTRAINT "queue_entries_pkey" PRIMARY KEY ("id")
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
    "start_event_id" UUID,
    "proposal_event_id" UUID,
    "reads_from" INTEGER,
    "reads_events_from" INTEGER,
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
    "window_tokens" INTEGER,
    "workspace" JSONB,
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
    "kind" "message_kind" NOT NULL DEFAULT 'TEXT',
    "content" TEXT NOT NULL,
    "turn_id" UUID,
    "agent_session_id" UUID,
    "handoff_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "recorded_by" TEXT,
    "recorded_role" "role",

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
    "duration_ms" INTEGER,

    CONSTRAINT "tool_calls_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "decisions" (
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "agent_session_id" UUID,
    "text" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL DEFAULT 0,
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
    "sequence" INTEGER NOT NULL DEFAULT 0,

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
    "context" JSONB NOT NULL,
    "carry" JSONB,
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
    "stage_entry_id" UUID,
    "left_entry_id" UUID,
    "actor_principal" TEXT NOT NULL,
    "actor_role" "role",
    "initiated_at" TIMESTAMPTZ(3) NOT NULL,
    "accepted_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "closed_at" TIMESTAMPTZ(3),
    "deadline_at" TIMESTAMPTZ(3) NOT NULL,
    "accept_within_minutes" DOUBLE PRECISION,
    "extensions" INTEGER NOT NULL DEFAULT 0,
    "remind_at" TIMESTAMPTZ(3),
    "reminded_at" TIMESTAMPTZ(3),
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
    "type" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "session_id" UUID,
    "session_sequence" INTEGER,
    "handoff_id" UUID,
    "agent_id" TEXT,
    "holder_id" TEXT,
    "session_status" "session_status",
    "reason" TEXT,
    "summary" TEXT,
    "metadata" JSONB,
    "actor_principal" TEXT NOT NULL,
    "actor_role" "role",
    "traceparent" TEXT,

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
CREATE TABLE "event_positions" (
    "position" BIGINT NOT NULL,
    "event_id" UUID NOT NULL,

    CONSTRAINT "event_positions_pkey" PRIMARY KEY ("position")
);

-- CreateTable
CREATE TABLE "unpositioned_events" (
    "serial" BIGSERIAL NOT NULL,
    "event_id" UUID NOT NULL,

    CONSTRAINT "unpositioned_events_pkey" PRIMARY KEY ("serial")
);

-- CreateTable
CREATE TABLE "database_identity" (
    "only" BOOLEAN NOT NULL DEFAULT true,
    "id" UUID NOT NULL,
    "cursor_key" BYTEA NOT NULL,

    CONSTRAINT "database_identity_pkey" PRIMARY KEY ("only")
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
CREATE TABLE "import_lines" (
    "session_id" UUID NOT NULL,
    "line_key" TEXT NOT NULL,
    "turn_id" UUID,

    CONSTRAINT "import_lines_pkey" PRIMARY KEY ("session_id","line_key")
);

-- CreateTable
CREATE TABLE "import_usages" (
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "turn_id" UUID NOT NULL,
    "input_tokens" INTEGER NOT NULL,
    "output_tokens" INTEGER NOT NULL,
    "cache_creation_input_tokens" INTEGER NOT NULL,
    "cache_read_input_tokens" INTEGER NOT NULL,

    CONSTRAINT "import_usages_pkey" PRIMARY KEY ("id")
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

-- CreateTable
CREATE TABLE "webhooks" (
    "id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT,
    "types" TEXT[],
    "secret_version" INTEGER NOT NULL,
    "previous_secret_until" TIMESTAMPTZ(3),
    "key_check" TEXT NOT NULL,
    "position" BIGINT NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "disabled_at" TIMESTAMPTZ(3),
    "disabled_reason" "webhook_disabled_reason",
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "deliveries" (
    "id" UUID NOT NULL,
    "webhook_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "position" BIGINT NOT NULL,
    "lane" TEXT NOT NULL,
    "status" "delivery_status" NOT NULL,
    "attempts" INTEGER NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "failing_since" TIMESTAMPTZ(3),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "attempted_at" TIMESTAMPTZ(3),
    "response_status" INTEGER,
    "error" "delivery_error",
    "redelivery_of_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_worker" (
    "only" BOOLEAN NOT NULL DEFAULT true,
    "holder" UUID,
    "until" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_worker_pkey" PRIMARY KEY ("only")
);

-- CreateTable
CREATE TABLE "pruning" (
    "only" BOOLEAN NOT NULL DEFAULT true,
    "position" BIGINT NOT NULL DEFAULT 0,
    "holder" UUID,
    "until" TIMESTAMPTZ(3),

    CONSTRAINT "pruning_pkey" PRIMARY KEY ("only")
);

-- CreateTable
CREATE TABLE "pruned_inboxes" (
    "agent_id" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL,

    CONSTRAINT "pruned_inboxes_pkey" PRIMARY KEY ("agent_id")
);

-- CreateTable
CREATE TABLE "event_followers" (
    "name" TEXT NOT NULL,
    "position" BIGINT NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "event_followers_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "search_entries" (
    "kind" TEXT NOT NULL,
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "sequence" INTEGER,
    "words" tsvector NOT NULL,

    CONSTRAINT "search_entries_pkey" PRIMARY KEY ("kind","id")
);

-- CreateTable
CREATE TABLE "handoff_path_counts" (
    "day" DATE NOT NULL,
    "source_agent_id" TEXT NOT NULL,
    "target_agent_id" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "handoff_path_counts_pkey" PRIMARY KEY ("day","source_agent_id","target_agent_id","outcome")
);

-- CreateTable
CREATE TABLE "handoff_path_changes" (
    "serial" BIGSERIAL NOT NULL,
    "source_agent_id" TEXT NOT NULL,
    "target_agent_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "outcome" TEXT NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "handoff_path_changes_pkey" PRIMARY KEY ("serial")
);

-- CreateTable
CREATE TABLE "handoff_path_times" (
    "source_agent_id" TEXT NOT NULL,
    "target_agent_id" TEXT NOT NULL,
    "median_accept_ms" DOUBLE PRECISION,
    "p90_accept_ms" DOUBLE PRECISION,
    "median_complete_ms" DOUBLE PRECISION,

    CONSTRAINT "handoff_path_times_pkey" PRIMARY KEY ("source_agent_id","target_agent_id")
);

-- CreateIndex
CREATE INDEX "agents_type_administrative_status_idx" ON "agents"("type", "administrative_status");

-- CreateIndex
CREATE INDEX "agent_connections_process_id_idx" ON "agent_connections"("process_id");

-- CreateIndex
CREATE INDEX "agent_collaborators_collaborator_id_idx" ON "agent_collaborators"("collaborator_id");

-- CreateIndex
CREATE INDEX "handoff_tools_name_id_idx" ON "handoff_tools"("name", "id");

-- CreateIndex
CREATE INDEX "handoff_tools_target_agent_id_idx" ON "handoff_tools"("target_agent_id");

-- CreateIndex
CREATE INDEX "handoff_tool_offers_agent_id_idx" ON "handoff_tool_offers"("agent_id");

-- CreateIndex
CREATE UNIQUE INDEX "pipelines_slug_version_key" ON "pipelines"("slug", "version");

-- CreateIndex
CREATE UNIQUE INDEX "stage_entries_session_id_number_key" ON "stage_entries"("session_id", "number");

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
CREATE INDEX "sessions_agent_id_updated_at_id_idx" ON "sessions"("agent_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "sessions_last_activity_at_id_idx" ON "sessions"("last_activity_at", "id");

-- CreateIndex
CREATE INDEX "sessions_priority_created_at_id_idx" ON "sessions"("priority", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "queue_entries_session_id_key" ON "queue_entries"("session_id");

-- CreateIndex
CREATE INDEX "queue_entries_effective_at_id_idx" ON "queue_entries"("effective_at", "id");

-- CreateIndex
CREATE INDEX "queue_entries_agent_type_effective_at_id_idx" ON "queue_entries"("agent_type", "effective_at", "id");

-- CreateIndex
CREATE INDEX "queue_entries_role_effective_at_id_idx" ON "queue_entries"("role", "effective_at", "id");

-- CreateIndex
CREATE INDEX "queue_entries_source_agent_session_id_idx" ON "queue_entries"("source_agent_session_id");

-- CreateIndex
CREATE UNIQUE INDEX "agent_sessions_start_event_id_key" ON "agent_sessions"("start_event_id");

-- CreateIndex
CREATE UNIQUE INDEX "agent_sessions_proposal_event_id_key" ON "agent_sessions"("proposal_event_id");

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
CREATE INDEX "tool_calls_session_id_sequence_idx" ON "tool_calls"("session_id", "sequence");

-- CreateIndex
CREATE INDEX "tool_calls_session_id_call_id_idx" ON "tool_calls"("session_id", "call_id");

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
CREATE INDEX "handoffs_source_agent_id_target_agent_id_initiated_at_id_idx" ON "handoffs"("source_agent_id", "target_agent_id", "initiated_at", "id");

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
CREATE UNIQUE INDEX "event_positions_event_id_key" ON "event_positions"("event_id");

-- CreateIndex
CREATE INDEX "idempotency_answers_created_at_idx" ON "idempotency_answers"("created_at");

-- CreateIndex
CREATE INDEX "import_lines_turn_id_idx" ON "import_lines"("turn_id");

-- CreateIndex
CREATE INDEX "import_usages_turn_id_idx" ON "import_usages"("turn_id");

-- CreateIndex
CREATE UNIQUE INDEX "import_usages_session_id_key_key" ON "import_usages"("session_id", "key");

-- CreateIndex
CREATE UNIQUE INDEX "keys_secret_hash_key" ON "keys"("secret_hash");

-- CreateIndex
CREATE INDEX "keys_agent_id_idx" ON "keys"("agent_id");

-- CreateIndex
CREATE INDEX "deliveries_webhook_id_created_at_id_idx" ON "deliveries"("webhook_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "deliveries_webhook_id_status_created_at_id_idx" ON "deliveries"("webhook_id", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "deliveries_event_id_idx" ON "deliveries"("event_id");

-- CreateIndex
CREATE INDEX "search_entries_session_id_idx" ON "search_entries"("session_id");

-- CreateIndex
CREATE INDEX "handoff_path_counts_of_source" ON "handoff_path_counts"("source_agent_id", "day", "target_agent_id");

-- CreateIndex
CREATE INDEX "handoff_path_counts_of_target" ON "handoff_path_counts"("target_agent_id", "day", "source_agent_id");

-- AddForeignKey
ALTER TABLE "agent_presence" ADD CONSTRAINT "agent_presence_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_connections" ADD CONSTRAINT "agent_connections_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_connections" ADD CONSTRAINT "agent_connections_process_id_fkey" FOREIGN KEY ("process_id") REFERENCES "server_processes"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_collaborators" ADD CONSTRAINT "agent_collaborators_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_collaborators" ADD CONSTRAINT "agent_collaborators_collaborator_id_fkey" FOREIGN KEY ("collaborator_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "handoff_tools" ADD CONSTRAINT "handoff_tools_target_agent_id_fkey" FOREIGN KEY ("target_agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "handoff_tool_offers" ADD CONSTRAINT "handoff_tool_offers_tool_id_fkey" FOREIGN KEY ("tool_id") REFERENCES "handoff_tools"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "handoff_tool_offers" ADD CONSTRAINT "handoff_tool_offers_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "stage_entries" ADD CONSTRAINT "stage_entries_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "stage_entries" ADD CONSTRAINT "stage_entries_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_last_agent_session_id_fkey" FOREIGN KEY ("last_agent_session_id") REFERENCES "agent_sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_last_handoff_id_fkey" FOREIGN KEY ("last_handoff_id") REFERENCES "handoffs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_pipeline_id_fkey" FOREIGN KEY ("pipeline_id") REFERENCES "pipelines"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "queue_entries" ADD CONSTRAINT "queue_entries_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "queue_entries" ADD CONSTRAINT "queue_entries_source_agent_id_fkey" FOREIGN KEY ("source_agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "queue_entries" ADD CONSTRAINT "queue_entries_source_agent_session_id_fkey" FOREIGN KEY ("source_agent_session_id") REFERENCES "agent_sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_sessions" ADD CONSTRAINT "agent_sessions_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_sessions" ADD CONSTRAINT "agent_sessions_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_sessions" ADD CONSTRAINT "agent_sessions_terminated_by_handoff_id_fkey" FOREIGN KEY ("terminated_by_handoff_id") REFERENCES "handoffs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_sessions" ADD CONSTRAINT "agent_sessions_start_event_id_fkey" FOREIGN KEY ("start_event_id") REFERENCES "events"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_sessions" ADD CONSTRAINT "agent_sessions_proposal_event_id_fkey" FOREIGN KEY ("proposal_event_id") REFERENCES "events"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

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
ALTER TABLE "handoffs" ADD CONSTRAINT "handoffs_stage_entry_id_fkey" FOREIGN KEY ("stage_entry_id") REFERENCES "stage_entries"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "handoffs" ADD CONSTRAINT "handoffs_left_entry_id_fkey" FOREIGN KEY ("left_entry_id") REFERENCES "stage_entries"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

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
ALTER TABLE "event_positions" ADD CONSTRAINT "event_positions_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "import_lines" ADD CONSTRAINT "import_lines_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "import_lines" ADD CONSTRAINT "import_lines_turn_id_fkey" FOREIGN KEY ("turn_id") REFERENCES "turns"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "import_usages" ADD CONSTRAINT "import_usages_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "import_usages" ADD CONSTRAINT "import_usages_turn_id_fkey" FOREIGN KEY ("turn_id") REFERENCES "turns"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "keys" ADD CONSTRAINT "keys_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhooks"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What follows is what schema.prisma cannot say.

-- Values that a row may not have, whoever writes it.
ALTER TABLE "agents"
  ADD CONSTRAINT "agents_id_is_slug" CHECK ("id" ~ '^[a-z0-9]([a-z0-9_-]{0,50}[a-z0-9])?$'),
  ADD CONSTRAINT "agents_type_is_upper_case" CHECK ("type" ~ '^[A-Z][A-Z0-9_]{0,49}$'),
  ADD CONSTRAINT "agents_load_within_capacity" CHECK (0 <= "current_load" AND "current_load" <= "max_capacity" AND "max_capacity" >= 1),
  ADD CONSTRAINT "agents_counters" CHECK ("total_assigned" >= 0 AND "inbox_sequence" >= 0),
  ADD CONSTRAINT "agents_have_a_window" CHECK ("context_window" > 0),
  ADD CONSTRAINT "agents_definitions_are_objects" CHECK (jsonb_typeof("definition") = 'object'),
  ADD CONSTRAINT "agents_archived_hold_nothing" CHECK ("archived_at" IS NULL OR ("current_load" = 0 AND "administrative_status" = 'OFFLINE'));

ALTER TABLE "agent_collaborators"
  ADD CONSTRAINT "agent_collaborators_are_others" CHECK ("agent_id" <> "collaborator_id"),
  ADD CONSTRAINT "agent_collaborators_carry_is_an_object" CHECK (jsonb_typeof("carry") = 'object');

ALTER TABLE "handoff_tools"
  ADD CONSTRAINT "handoff_tools_name_is_a_function_name" CHECK ("name" ~ '^[a-zA-Z0-9_-]{1,64}$'),
  ADD CONSTRAINT "handoff_tools_variables_are_a_list" CHECK (jsonb_typeof("variables") = 'array'),
  ADD CONSTRAINT "handoff_tools_carry_is_an_object" CHECK (jsonb_typeof("carry") = 'object');

ALTER TABLE "pipelines"
  ADD CONSTRAINT "pipelines_have_lists" CHECK (jsonb_typeof("stages") = 'array' AND jsonb_typeof("transitions") = 'array');

ALTER TABLE "sessions"
  ADD CONSTRAINT "sessions_title_length" CHECK (char_length("title") BETWEEN 1 AND 500),
  ADD CONSTRAINT "sessions_running_are_held" CHECK ("status" <> 'RUNNING' OR "agent_id" IS NOT NULL),
  ADD CONSTRAINT "sessions_counters" CHECK ("version" >= 1 AND "max_handoffs" >= 0 AND "operator_epoch" >= 0 AND "message_count" >= 0
    AND "turn_count" >= 0 AND "tool_call_count" >= 0 AND "handoff_count" >= 0 AND "event_count" >= 1 AND "visible_from" >= 1 AND "visible_calls_from" >= 1),
  ADD CONSTRAINT "sessions_results_are_of_completed" CHECK ("status" = 'COMPLETED' OR ("result" IS NULL AND "summary" IS NULL)),
  ADD CONSTRAINT "sessions_end_reasons_are_of_ended" CHECK ("end_reason" IS NULL OR "status" IN ('FAILED', 'CANCELLED')),
  ADD CONSTRAINT "sessions_ended_types_are_of_ended" CHECK ("ended_agent_type" IS NULL OR "status" NOT IN ('RUNNING', 'PAUSED')),
  ADD CONSTRAINT "sessions_stages_are_of_a_pipeline" CHECK ("stage" IS NULL OR "pipeline_id" IS NOT NULL);

ALTER TABLE "agent_sessions"
  ADD CONSTRAINT "agent_sessions_end_when_closed" CHECK (("state" IN ('PENDING', 'ACTIVE', 'PAUSED')) = ("ended_at" IS NULL) AND ("ended_at" IS NULL) = ("end_sequence" IS NULL)),
  ADD CONSTRAINT "agent_sessions_activated_when_taken" CHECK (CASE "state" WHEN 'FAILED' THEN true WHEN 'PENDING' THEN "activated_at" IS NULL
    WHEN 'DECLINED' THEN "activated_at" IS NULL ELSE "activated_at" IS NOT NULL END),
  ADD CONSTRAINT "agent_sessions_range" CHECK ("start_sequence" >= 1 AND "end_sequence" >= "start_sequence" - 1),
  ADD CONSTRAINT "agent_sessions_reads_both" CHECK (("reads_from" IS NULL) = ("reads_events_from" IS NULL));

ALTER TABLE "stage_entries"
  ADD CONSTRAINT "stage_entries_count_from_one" CHECK ("number" >= 1 AND "attempt" >= 1),
  ADD CONSTRAINT "stage_entries_end_with_their_outcome" CHECK ("left_at" IS NOT NULL OR num_nulls("outcome", "payload") = 2 AND NOT "sent_back");

ALTER TABLE "queue_entries"
  ADD CONSTRAINT "queue_entries_want_a_type_or_a_role" CHECK ("wanted" = coalesce("agent_type", '') || '/' || coalesce("role", '')),
  ADD CONSTRAINT "queue_entries_source_is_whole" CHECK (num_nulls("source_agent_id", "source_agent_type", "source_agent_session_id") IN (0, 3)),
  ADD CONSTRAINT "queue_entries_handoff_is_whole" CHECK (num_nulls("via", "accept_within_minutes") IN (0, 2));

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
  ADD CONSTRAINT "handoffs_chain" CHECK ("depth" >= 1 AND ("depth" = 1) = ("previous_handoff_id" IS NULL)),
  ADD CONSTRAINT "handoffs_extensions" CHECK ("extensions" BETWEEN 0 AND 3);

ALTER TABLE "context_snapshots"
  ADD CONSTRAINT "context_snapshots_count_their_range" CHECK ("sequence_start" >= 1 AND
    "user_count" + "assistant_count" + "system_count" + "tool_count" + "handoff_count" = "sequence_end" - "sequence_start" + 1),
  ADD CONSTRAINT "context_snapshots_call_range" CHECK ("call_start" >= 1 AND "call_end" >= "call_start" - 1);

ALTER TABLE "turns"
  ADD CONSTRAINT "turns_windows_are_counts" CHECK ("window_tokens" >= 0);

ALTER TABLE "tool_calls"
  ADD CONSTRAINT "tool_calls_end_one_way" CHECK ("result" IS NULL OR "error" IS NULL);

-- Figures that only ever grow from 0; a negative one would be a fault of the import.
ALTER TABLE "import_usages"
  ADD CONSTRAINT "import_usages_are_counts" CHECK (least("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens") >= 0);

ALTER TABLE "events"
  ADD CONSTRAINT "events_have_a_stream_or_an_agent" CHECK (CASE "type"
    WHEN 'AGENT_CHANGED' THEN "agent_id" IS NOT NULL AND num_nulls("session_id", "session_sequence", "session_status") = 3
    WHEN 'WEBHOOK_DISABLED' THEN num_nulls("session_id", "session_sequence", "session_status", "agent_id") = 4
    ELSE num_nulls("session_id", "session_sequence", "session_status") = 0 END),
  ADD CONSTRAINT "events_of_handoffs_name_them" CHECK ("handoff_id" IS NOT NULL OR "type" NOT IN ('HANDOFF_INITIATED', 'HANDOFF_ACCEPTED',
    'HANDOFF_REJECTED', 'HANDOFF_COMPLETED', 'HANDOFF_FAILED', 'HANDOFF_CANCELLED', 'HANDOFF_TIMED_OUT')),
  ADD CONSTRAINT "events_traceparent_has_its_form" CHECK ("traceparent" ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$');

ALTER TABLE "idempotency_answers"
  ADD CONSTRAINT "idempotency_answers_key_length" CHECK (char_length("key") BETWEEN 1 AND 128);

ALTER TABLE "keys"
  ADD CONSTRAINT "keys_of_agents_are_bound" CHECK (("role" = 'AGENT') = ("agent_id" IS NOT NULL));

ALTER TABLE "search_entries"
  ADD CONSTRAINT "search_entries_kind" CHECK ("kind" IN ('SESSION', 'HANDOFF', 'MESSAGE'));

-- Tables of one row.
ALTER TABLE "database_identity" ADD CONSTRAINT "database_identity_is_one" CHECK ("only");
ALTER TABLE "webhook_worker" ADD CONSTRAINT "webhook_worker_is_one_row" CHECK ("only");
ALTER TABLE "pruning" ADD CONSTRAINT "pruning_is_one_row" CHECK ("only");
INSERT INTO "database_identity" ("id", "cursor_key")
  VALUES (gen_random_uuid(), sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')));
INSERT INTO "webhook_worker" DEFAULT VALUES;
INSERT INTO "pruning" DEFAULT VALUES;

-- One holder, one open Handoff, one stage: the last line of defence behind the row locks.
CREATE UNIQUE INDEX "agent_sessions_one_open_per_session" ON "agent_sessions" ("session_id") WHERE "state" IN ('PENDING', 'ACTIVE', 'PAUSED');
CREATE UNIQUE INDEX "handoffs_one_open_per_session" ON "handoffs" ("session_id") WHERE "status" IN ('INITIATED', 'ACCEPTED');
CREATE UNIQUE INDEX "stage_entries_one_open" ON "stage_entries"("session_id") WHERE "left_at" IS NULL;
CREATE UNIQUE INDEX "pipelines_newest" ON "pipelines"("slug") WHERE "replaced_at" IS NULL;
-- Work of another system is one open Session. The second index finds its newest Session, open or not.
CREATE UNIQUE INDEX "sessions_open_external_id" ON "sessions"("external_id") WHERE "status" IN ('RUNNING', 'PAUSED');
CREATE INDEX "sessions_external_id" ON "sessions"("external_id", "created_at", "id") WHERE "external_id" IS NOT NULL;

-- The sweep asks for these every few seconds, and few rows are ever in them.
CREATE INDEX "handoffs_due" ON "handoffs" ("deadline_at") WHERE "status" = 'INITIATED';
CREATE INDEX "handoffs_to_remind" ON "handoffs"("remind_at") WHERE "status" = 'INITIATED' AND "reminded_at" IS NULL;

-- The order in which a free place is given; see server/queue/rules.ts.
CREATE INDEX "queue_entries_turn" ON "queue_entries"("wanted", "effective_at", "id") WHERE NOT "suspended" AND NOT "escalated";
CREATE INDEX "queue_entries_escalated" ON "queue_entries"("effective_at", "id") WHERE "escalated";

-- Few rows, which the indexes by time would look for among all the others.
CREATE INDEX "sessions_unassigned" ON "sessions" ("created_at", "id") WHERE "agent_id" IS NULL;
CREATE INDEX "sessions_project" ON "sessions"("project", "created_at", "id") WHERE "project" IS NOT NULL;
CREATE INDEX "sessions_pipeline" ON "sessions"("pipeline_id", "created_at", "id") WHERE "pipeline_id" IS NOT NULL;
CREATE INDEX "sessions_workspace_id_created_at_id_idx" ON "sessions" ("workspace_id", "created_at", "id") WHERE "workspace_id" IS NOT NULL;
CREATE INDEX "sessions_repository_created_at_id_idx" ON "sessions" ("repository", "created_at", "id") WHERE "repository" IS NOT NULL;
CREATE INDEX "handoffs_circular" ON "handoffs" ("initiated_at", "id") WHERE "circular";
CREATE INDEX "handoffs_stage_entry" ON "handoffs"("stage_entry_id") WHERE "stage_entry_id" IS NOT NULL;
CREATE INDEX "handoffs_left_entry" ON "handoffs"("left_entry_id") WHERE "left_entry_id" IS NOT NULL;
-- Whether an agent has such a tenure is asked with each request of an agent.
CREATE INDEX "agent_sessions_limited" ON "agent_sessions"("agent_id") WHERE "reads_from" IS NOT NULL;
-- For the filter by type: Sessions that are open have none.
CREATE INDEX "sessions_ended_type_created" ON "sessions" ("ended_agent_type", "created_at", "id") WHERE "ended_agent_type" IS NOT NULL;
CREATE INDEX "sessions_ended_type_updated" ON "sessions" ("ended_agent_type", "updated_at", "id") WHERE "ended_agent_type" IS NOT NULL;
-- Finished Sessions, the longest finished first: what is pruned next.
CREATE INDEX "sessions_finished" ON "sessions"("last_activity_at", "id") WHERE "status" IN ('COMPLETED', 'FAILED', 'CANCELLED');
-- Agents are chosen by their role.
CREATE INDEX "agents_role" ON "agents"("role", "administrative_status") WHERE "archived_at" IS NULL;
-- Detection looks agents up by their names, `-` and `_` aside.
CREATE INDEX "agents_folded_id" ON "agents" (replace("id", '_', '-'));
-- A generated tool has no row of its own: its id, a UUIDv8, is computed, and found by this index.
CREATE INDEX "agent_collaborators_tool" ON "agent_collaborators" ((overlay(overlay(md5("agent_id" || ' ' || "collaborator_id") PLACING '8' FROM 13) PLACING '8' FROM 17)::uuid));
-- What the log shows between two messages, without reading the Session's other events: one for each turn.
CREATE INDEX "events_in_log" ON "events" ("session_id", "id")
  WHERE "type" IN ('SESSION_STATUS_CHANGED', 'SESSION_RETURNED', 'SESSION_UNASSIGNED', 'SESSION_QUEUED', 'HANDOFF_TIMED_OUT') OR "type" = 'SESSION_REASSIGNED' AND "handoff_id" IS NULL;

-- titleContains, without reading every Session.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX "sessions_title_trigrams" ON "sessions" USING gin ("title" gin_trgm_ops);

-- Due attempts of a webhook.
CREATE INDEX "deliveries_due" ON "deliveries"("webhook_id", "due_at") WHERE "status" = 'PENDING';
-- At most one delivery of a lane is sent at a time, however many processes try.
CREATE UNIQUE INDEX "deliveries_one_pending_of_lane" ON "deliveries"("webhook_id", "lane") WHERE "status" = 'PENDING';
-- The next of a lane.
CREATE INDEX "deliveries_parked" ON "deliveries"("webhook_id", "lane", "position") WHERE "status" = 'PARKED';
-- An event is delivered to a webhook once; only people send it again.
CREATE UNIQUE INDEX "deliveries_one_of_event" ON "deliveries"("webhook_id", "event_id") WHERE "redelivery_of_id" IS NULL;

-- Numbers without gaps: a row numbered n goes in only where n - 1 is. The unique indexes keep out repeats, so numbers that fill their
-- range, after a row that exists, have no gap. A statement trigger with one look-up for each Session, unlike a foreign key to the row
-- before, locks and rewrites nothing. A connection that planned the look-up while the table was empty kept an index of the Session alone:
-- each row then read all rows of its Session, 1.3 s for 500 tool calls after 8,000. Only the unique index has the order that it asks for.
DO $gapless$
DECLARE
  numbered text[];
BEGIN
  FOREACH numbered SLICE 1 IN ARRAY ARRAY[
    ['messages', 'session_id', 'sequence'],
    ['turns', 'session_id', 'index'],
    ['tool_calls', 'session_id', 'index'],
    ['handoffs', 'session_id', 'depth'],
    ['events', 'session_id', 'session_sequence']
  ] LOOP
    EXECUTE format($template$
      CREATE FUNCTION %1$I() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $body$
      BEGIN
        IF EXISTS (
          SELECT FROM (SELECT f.%3$I AS owner, min(f.%4$I) AS first, max(f.%4$I) AS last, count(f.%4$I) AS n FROM fresh f GROUP BY f.%3$I) g
          WHERE g.first < 1 OR g.last - g.first + 1 <> g.n
            OR (g.first > 1 AND (SELECT t.%4$I FROM %2$I t WHERE (t.%3$I, t.%4$I) >= (g.owner, g.first - 1)
              ORDER BY t.%3$I, t.%4$I LIMIT 1) IS DISTINCT FROM g.first - 1)
        ) THEN
          RAISE EXCEPTION 'a number was skipped in %2$s' USING ERRCODE = 'check_violation', CONSTRAINT = '%1$s';
        END IF;
        RETURN NULL;
      END $body$;
      CREATE TRIGGER %1$I AFTER INSERT ON %2$I REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION %1$I()
    $template$, numbered[1] || '_gapless', numbered[1], numbered[2], numbered[3]);
  END LOOP;
END $gapless$;

-- The inboxes have a guard of their own: few rows of one Agent come at once, and the entry before may be pruned. Both are asked in one
-- statement, and so in one snapshot. Not by EXISTS, for which PostgreSQL may read a whole table into memory first.
CREATE FUNCTION inbox_entries_gapless() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $body$
BEGIN
  IF EXISTS (
    SELECT FROM fresh f WHERE f.sequence < 1
      OR (f.sequence > 1 AND (SELECT t.sequence FROM inbox_entries t WHERE t.agent_id = f.agent_id AND t.sequence = f.sequence - 1) IS NULL
        AND (SELECT p.sequence FROM pruned_inboxes p WHERE p.agent_id = f.agent_id AND p.sequence >= f.sequence - 1) IS NULL)
  ) THEN
    RAISE EXCEPTION 'a number was skipped in inbox_entries' USING ERRCODE = 'check_violation', CONSTRAINT = 'inbox_entries_gapless';
  END IF;
  RETURN NULL;
END $body$;
CREATE TRIGGER inbox_entries_gapless AFTER INSERT ON inbox_entries REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION inbox_entries_gapless();

-- One order over all streams. An event waits in unpositioned_events from its own transaction on; after the commit one
-- stamper at a time gives it the next position. Its serial is taken under the row locks of its Session and inboxes, so
-- serials grow along each of those streams, and so do positions, which are given in the order of serials.
CREATE FUNCTION events_await_position() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO unpositioned_events (event_id) SELECT id FROM fresh;
  RETURN NULL;
END $body$;
CREATE TRIGGER events_await_position AFTER INSERT ON events REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION events_await_position();

-- It stays as small as what waits only if it is vacuumed by what was taken out of it.
ALTER TABLE "unpositioned_events" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- The last position that was ever given: the event that has it may be pruned.
CREATE FUNCTION newest_position() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
  RETURN greatest((SELECT max("position") FROM "event_positions"), (SELECT "position" FROM "pruning"));

CREATE FUNCTION event_positions_grow() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF (SELECT min(position) FROM fresh) <= (SELECT position FROM pruning) THEN
    RAISE EXCEPTION 'a position was given again' USING ERRCODE = 'check_violation', CONSTRAINT = 'event_positions_grow';
  END IF;
  RETURN NULL;
END $body$;
CREATE TRIGGER "event_positions_grow" AFTER INSERT ON "event_positions" REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION event_positions_grow();

-- The words of what `search` finds, apart from the rows themselves: these change often, and each change would write an index of words again.
-- The bodies (RETURN) name what they call once and for all: indexes and restores use them under another search_path.
-- The words of a text in lower case, without punctuation; each CJK character is a word. 'simple': no stop words and no stemming, so that
-- names in code and all languages are found. The parser gets letters, digits and spaces only: it would keep paths and URLs whole.
CREATE FUNCTION search_text(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN regexp_replace(regexp_replace(lower(left($1, 20000)), '[^[:alnum:]]+', ' ', 'g'), '([\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])', ' \1 ', 'g');
CREATE FUNCTION search_words(text, "char") RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN setweight(to_tsvector('pg_catalog.simple', search_text(coalesce($1, ''))), $2);
-- All words, the last one as a prefix. Null without a word.
CREATE FUNCTION search_query(text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN to_tsquery('pg_catalog.simple', nullif(regexp_replace(trim(search_text($1)), ' +', ' & ', 'g'), '') || ':*');

CREATE FUNCTION search_words_of_agent(id text, name text, role text, description text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN search_words(id || ' ' || name, 'A') || search_words(role, 'B') || search_words(description, 'C');
CREATE FUNCTION search_words_of_session(title text, external_id text, summary text, end_reason text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN search_words(title, 'A') || search_words(external_id, 'A') || search_words(summary, 'C') || search_words(end_reason, 'B');
CREATE FUNCTION search_words_of_handoff(reason text, rejection_reason text, failure_reason text, cancel_reason text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN search_words(concat_ws(' ', reason, rejection_reason, failure_reason, cancel_reason), 'B');

CREATE FUNCTION search_entry_of_session() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO search_entries (kind, id, session_id, words)
  VALUES ('SESSION', NEW.id, NEW.id, search_words_of_session(NEW.title, NEW.external_id, NEW.summary, NEW.end_reason))
  ON CONFLICT (kind, id) DO UPDATE SET words = excluded.words;
  RETURN NULL;
END $body$;
CREATE TRIGGER "search_entry_of_new" AFTER INSERT ON "sessions" FOR EACH ROW EXECUTE FUNCTION search_entry_of_session();
CREATE TRIGGER "search_entry_of_changed" AFTER UPDATE OF title, external_id, summary, end_reason ON "sessions" FOR EACH ROW
  WHEN ((OLD.title, OLD.external_id, OLD.summary, OLD.end_reason) IS DISTINCT FROM (NEW.title, NEW.external_id, NEW.summary, NEW.end_reason))
  EXECUTE FUNCTION search_entry_of_session();

CREATE FUNCTION search_entry_of_handoff() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO search_entries (kind, id, session_id, words)
  VALUES ('HANDOFF', NEW.id, NEW.session_id, search_words_of_handoff(NEW.reason, NEW.rejection_reason, NEW.failure_reason, NEW.cancel_reason))
  ON CONFLICT (kind, id) DO UPDATE SET words = excluded.words;
  RETURN NULL;
END $body$;
CREATE TRIGGER "search_entry_of_new" AFTER INSERT ON "handoffs" FOR EACH ROW WHEN (NEW.reason IS NOT NULL) EXECUTE FUNCTION search_entry_of_handoff();
CREATE TRIGGER "search_entry_of_changed" AFTER UPDATE OF reason, rejection_reason, failure_reason, cancel_reason ON "handoffs" FOR EACH ROW
  WHEN ((OLD.reason, OLD.rejection_reason, OLD.failure_reason, OLD.cancel_reason) IS DISTINCT FROM (NEW.reason, NEW.rejection_reason, NEW.failure_reason, NEW.cancel_reason))
  EXECUTE FUNCTION search_entry_of_handoff();

-- HANDOFF messages say nothing that the Handoff does not.
CREATE FUNCTION search_entries_of_messages() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO search_entries (kind, id, session_id, sequence, words)
  SELECT 'MESSAGE', id, session_id, sequence, search_words(content, CASE WHEN role = 'USER' THEN 'C' ELSE 'D' END::"char") FROM fresh WHERE role <> 'HANDOFF';
  RETURN NULL;
END $body$;
CREATE TRIGGER "search_entries_of_new" AFTER INSERT ON "messages" REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION search_entries_of_messages();

CREATE FUNCTION search_entries_of_deleted() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  DELETE FROM search_entries e USING gone WHERE e.kind = TG_ARGV[0] AND e.id = gone.id;
  RETURN NULL;
END $body$;
CREATE TRIGGER "search_entries_of_deleted" AFTER DELETE ON "sessions" REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION search_entries_of_deleted('SESSION');
CREATE TRIGGER "search_entries_of_deleted" AFTER DELETE ON "handoffs" REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION search_entries_of_deleted('HANDOFF');
CREATE TRIGGER "search_entries_of_deleted" AFTER DELETE ON "messages" REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION search_entries_of_deleted('MESSAGE');

-- An index for each kind: a word that is frequent in messages costs nothing in a search for titles.
CREATE INDEX "search_entries_of_sessions" ON "search_entries" USING gin ("words") WHERE "kind" = 'SESSION';
CREATE INDEX "search_entries_of_handoffs" ON "search_entries" USING gin ("words") WHERE "kind" = 'HANDOFF';
CREATE INDEX "search_entries_of_messages" ON "search_entries" USING gin ("words") WHERE "kind" = 'MESSAGE';
CREATE INDEX "agents_words" ON "agents" USING gin (search_words_of_agent("id", "name", "role", "description"));

-- How many Handoffs of an edge (source, target) were started on a day (UTC), by outcome: a status, or BOUNCED_BACK. The day -infinity is the sum of all
-- days. Without foreign keys: the counts stay when Sessions are deleted. Triggers append to handoff_path_changes what is not in the counts yet: an
-- upsert would let all Handoffs of an edge wait for one row. handoff_path_times holds for an edge without rows there.
CREATE FUNCTION handoff_day(timestamptz) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN ($1 AT TIME ZONE 'UTC')::date;

CREATE FUNCTION handoff_path_of_new() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO handoff_path_changes (source_agent_id, target_agent_id, day, outcome, count)
  SELECT source_agent_id, target_agent_id, handoff_day(initiated_at), status, count(*) FROM fresh WHERE source_agent_id IS NOT NULL GROUP BY 1, 2, 3, 4;
  RETURN NULL;
END $body$;
CREATE TRIGGER "handoff_path_of_new" AFTER INSERT ON "handoffs" REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION handoff_path_of_new();

CREATE FUNCTION handoff_path_of_changed() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO handoff_path_changes (source_agent_id, target_agent_id, day, outcome, count)
  VALUES (OLD.source_agent_id, OLD.target_agent_id, handoff_day(OLD.initiated_at), OLD.status, -1), (OLD.source_agent_id, OLD.target_agent_id, handoff_day(OLD.initiated_at), NEW.status, 1);
  RETURN NULL;
END $body$;
CREATE TRIGGER "handoff_path_of_changed" AFTER UPDATE OF status ON "handoffs" FOR EACH ROW
  WHEN (OLD.status <> NEW.status AND OLD.source_agent_id IS NOT NULL) EXECUTE FUNCTION handoff_path_of_changed();

-- A tenure of the source that is the first or the second after the target's, and not the second of two.
CREATE FUNCTION handoff_path_of_tenure() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO handoff_path_changes (source_agent_id, target_agent_id, day, outcome, count)
  SELECT h.source_agent_id, h.target_agent_id, handoff_day(h.initiated_at), 'BOUNCED_BACK', 1
  FROM (
    SELECT id, lag(agent_id) OVER (ORDER BY started_at DESC, id DESC) AS next FROM (
      SELECT id, agent_id, started_at FROM agent_sessions
      WHERE session_id = NEW.session_id AND (started_at, id) < (NEW.started_at, NEW.id) ORDER BY started_at DESC, id DESC LIMIT 2) last) before
  JOIN handoffs h ON h.target_agent_session_id = before.id
  WHERE h.source_agent_id = NEW.agent_id AND before.next IS DISTINCT FROM NEW.agent_id;
  RETURN NULL;
END $body$;
CREATE TRIGGER "handoff_path_of_tenure" AFTER INSERT ON "agent_sessions" FOR EACH ROW EXECUTE FUNCTION handoff_path_of_tenure();

-- Medians and 90th percentile of the newest 10,000 Handoffs of an edge that were started between two times.
CREATE FUNCTION handoff_times(source text, target text, after timestamptz, before timestamptz, OUT median_accept_ms float8, OUT p90_accept_ms float8, OUT median_complete_ms float8)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT accept[1], accept[2], complete FROM (
    SELECT percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY extract(epoch FROM accepted_at - initiated_at)::float8 * 1000) AS accept,
      percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM completed_at - initiated_at)::float8 * 1000) AS complete
    FROM (
      SELECT initiated_at, accepted_at, completed_at FROM handoffs
      WHERE source_agent_id = $1 AND target_agent_id = $2 AND initiated_at > $3 AND initiated_at < $4 ORDER BY initiated_at DESC, id DESC LIMIT 10000) newest) p;
END;

-- Counts everything anew, from the Handoffs that are there. Nobody waits: what the statement does not see is in handoff_path_changes, since triggers
-- write there in the transaction of each change.
CREATE FUNCTION recount_handoff_paths() RETURNS void LANGUAGE plpgsql AS $body$
BEGIN
  -- No process folds meanwhile (foldPaths.ts).
  PERFORM pg_advisory_xact_lock(72707425);
  DELETE FROM handoff_path_counts;
  DELETE FROM handoff_path_times;
  -- One statement, so that the changes that it deletes are those of the Handoffs that it counts.
  WITH gone AS (
    DELETE FROM handoff_path_changes
  ), tenures AS (
    SELECT id, lead(agent_id) OVER w AS first, lead(agent_id, 2) OVER w AS second FROM agent_sessions WINDOW w AS (PARTITION BY session_id ORDER BY started_at, id)
  ), counted AS (
    SELECT handoff_day(initiated_at) AS day, source_agent_id, target_agent_id, status, count(*) AS count, count(*) FILTER (WHERE source_agent_id IN (first, second)) AS bounced
    FROM handoffs JOIN tenures ON tenures.id = target_agent_session_id WHERE source_agent_id IS NOT NULL GROUP BY 1, 2, 3, 4
  )
  INSERT INTO handoff_path_counts (day, source_agent_id, target_agent_id, outcome, count)
  SELECT d.day, source_agent_id, target_agent_id, o.outcome, sum(o.count)
  FROM counted, unnest(ARRAY[counted.day, '-infinity']) AS d (day), LATERAL (VALUES (status::text, count), ('BOUNCED_BACK', bounced)) AS o (outcome, count)
  WHERE o.count > 0 GROUP BY 1, 2, 3, 4;
  INSERT INTO handoff_path_times
  SELECT source_agent_id, target_agent_id, t.* FROM (SELECT DISTINCT source_agent_id, target_agent_id FROM handoff_path_counts WHERE day = '-infinity') c, handoff_times(source_agent_id, target_agent_id, '-infinity', 'infinity') t;
END $body$;
