-- CreateEnum
CREATE TYPE "webhook_disabled_reason" AS ENUM ('ADMIN', 'FAILING', 'GONE');

-- CreateEnum
CREATE TYPE "delivery_status" AS ENUM ('PENDING', 'PARKED', 'DELIVERED', 'FAILED');

-- CreateEnum
CREATE TYPE "delivery_error" AS ENUM ('TIMEOUT', 'UNREACHABLE', 'UNKNOWN_HOST', 'PRIVATE_ADDRESS', 'TLS', 'REDIRECT', 'STATUS', 'SIGNING_KEY', 'INTERNAL');

-- AlterEnum
ALTER TYPE "event_type" ADD VALUE 'WEBHOOK_DISABLED';

-- CreateTable
CREATE TABLE "webhooks" (
    "id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT,
    "types" "event_type"[],
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

-- CreateIndex
CREATE INDEX "deliveries_webhook_id_created_at_id_idx" ON "deliveries"("webhook_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "deliveries_webhook_id_status_created_at_id_idx" ON "deliveries"("webhook_id", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "deliveries_event_id_idx" ON "deliveries"("event_id");

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhooks"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "webhook_worker" ADD CONSTRAINT "webhook_worker_is_one_row" CHECK ("only");
INSERT INTO "webhook_worker" DEFAULT VALUES;

-- Due attempts of a webhook.
CREATE INDEX "deliveries_due" ON "deliveries"("webhook_id", "due_at") WHERE "status" = 'PENDING';
-- At most one delivery of a lane is sent at a time, however many processes try.
CREATE UNIQUE INDEX "deliveries_one_pending_of_lane" ON "deliveries"("webhook_id", "lane") WHERE "status" = 'PENDING';
-- The next of a lane.
CREATE INDEX "deliveries_parked" ON "deliveries"("webhook_id", "lane", "position") WHERE "status" = 'PARKED';
-- An event is delivered to a webhook once; only people send it again.
CREATE UNIQUE INDEX "deliveries_one_of_event" ON "deliveries"("webhook_id", "event_id") WHERE "redelivery_of_id" IS NULL;

-- As text: a transaction that adds a value to an enum may not use it. NOT VALID: the check before was stricter, so that every row meets
-- this one, and no large table is read while its writers wait.
ALTER TABLE "events" DROP CONSTRAINT "events_have_a_stream_or_an_agent";
ALTER TABLE "events" ADD CONSTRAINT "events_have_a_stream_or_an_agent" CHECK (CASE "type"::text
    WHEN 'AGENT_CHANGED' THEN "agent_id" IS NOT NULL AND num_nulls("session_id", "session_sequence", "session_status") = 3
    WHEN 'WEBHOOK_DISABLED' THEN num_nulls("session_id", "session_sequence", "session_status", "agent_id") = 4
    ELSE num_nulls("session_id", "session_sequence", "session_status") = 0 END) NOT VALID;
