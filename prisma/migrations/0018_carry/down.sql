-- Lost is what tools and Handoffs passed on, and with it the limits of agents that got a Session with less than everything:
-- they read everything then.
DROP INDEX "agents_folded_id";
ALTER TABLE "tasks" DROP COLUMN "sequence";
ALTER TABLE "decisions" DROP COLUMN "sequence";
DROP INDEX "agent_sessions_limited";
ALTER TABLE "agent_sessions" DROP CONSTRAINT "agent_sessions_reads_both";
ALTER TABLE "agent_sessions" DROP COLUMN "reads_from", DROP COLUMN "reads_events_from";
ALTER TABLE "handoffs" DROP COLUMN "carry";
ALTER TABLE "handoff_tools" DROP CONSTRAINT "handoff_tools_carry_is_an_object";
ALTER TABLE "handoff_tools" DROP COLUMN "carry";
