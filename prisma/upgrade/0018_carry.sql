-- What a handoff tool and a Handoff pass on; null for everything. agent_collaborators has the column already.
ALTER TABLE "handoff_tools" ADD COLUMN "carry" JSONB;
ALTER TABLE "handoff_tools" ADD CONSTRAINT "handoff_tools_carry_is_an_object" CHECK (jsonb_typeof("carry") = 'object');
ALTER TABLE "handoffs" ADD COLUMN "carry" JSONB;

-- What an agent may read because of a tenure: the log and the events from these numbers on; null for everything.
ALTER TABLE "agent_sessions" ADD COLUMN "reads_events_from" INTEGER, ADD COLUMN "reads_from" INTEGER;
ALTER TABLE "agent_sessions" ADD CONSTRAINT "agent_sessions_reads_both" CHECK (("reads_from" IS NULL) = ("reads_events_from" IS NULL));
-- Few tenures have a limit; whether an agent has such a tenure is asked with each request of an agent.
CREATE INDEX "agent_sessions_limited" ON "agent_sessions"("agent_id") WHERE "reads_from" IS NOT NULL;

-- Where in the log it was recorded. Earlier rows are older than any tenure with a limit.
ALTER TABLE "decisions" ADD COLUMN "sequence" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "tasks" ADD COLUMN "sequence" INTEGER NOT NULL DEFAULT 0;

-- Detection looks agents up by their names, `-` and `_` aside.
CREATE INDEX "agents_folded_id" ON "agents" (replace("id", '_', '-'));
