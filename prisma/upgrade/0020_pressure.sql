ALTER TYPE "event_type" ADD VALUE 'HANDOFF_PROPOSED';

-- Tokens that fit into the window of the agent's model; null when not known.
ALTER TABLE "agents" ADD COLUMN     "context_window" INTEGER;
ALTER TABLE "agents" ADD CONSTRAINT "agents_have_a_window" CHECK ("context_window" > 0);

-- The HANDOFF_PROPOSED of the present crossing. Null below the limit: the next crossing writes another.
ALTER TABLE "agent_sessions" ADD COLUMN     "proposal_event_id" UUID;
CREATE UNIQUE INDEX "agent_sessions_proposal_event_id_key" ON "agent_sessions"("proposal_event_id");
ALTER TABLE "agent_sessions" ADD CONSTRAINT "agent_sessions_proposal_event_id_fkey" FOREIGN KEY ("proposal_event_id") REFERENCES "events"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
