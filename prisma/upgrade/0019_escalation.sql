ALTER TYPE "event_type" ADD VALUE 'HANDOFF_ESCALATED';

-- The list of all agents that do not get a queued Session replaces the agent that it left last.
ALTER TABLE "queue_entries" ADD COLUMN     "excluded_agent_ids" TEXT[] DEFAULT ARRAY[]::TEXT[];
UPDATE "queue_entries" SET "excluded_agent_ids" = array_remove(ARRAY["source_agent_id", "previous_agent_id"], NULL);
ALTER TABLE "queue_entries" DROP COLUMN "previous_agent_id";

-- A return that finds no place counts one level more. Sessions that wait now keep their place.
ALTER TABLE "queue_entries" ADD COLUMN     "returned" BOOLEAN NOT NULL DEFAULT false;
