-- The type that the last holder of a finished Session had when it ended: agents may be given another.
ALTER TABLE "sessions" ADD COLUMN "ended_agent_type" TEXT;
UPDATE sessions s SET ended_agent_type = a.type FROM agents a WHERE a.id = s.agent_id AND s.status NOT IN ('RUNNING', 'PAUSED');
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_ended_types_are_of_ended" CHECK ("ended_agent_type" IS NULL OR "status" NOT IN ('RUNNING', 'PAUSED'));
-- For the filter by type: Sessions that are open have none.
CREATE INDEX "sessions_ended_type_created" ON "sessions" ("ended_agent_type", "created_at", "id") WHERE "ended_agent_type" IS NOT NULL;
CREATE INDEX "sessions_ended_type_updated" ON "sessions" ("ended_agent_type", "updated_at", "id") WHERE "ended_agent_type" IS NOT NULL;

-- Tokens in the window after a Turn, as its model reported them; null in Turns of before this was kept.
ALTER TABLE "turns" ADD COLUMN "window_tokens" INTEGER;
ALTER TABLE "turns" ADD CONSTRAINT "turns_windows_are_counts" CHECK ("window_tokens" >= 0);
