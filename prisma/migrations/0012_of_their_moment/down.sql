-- Lost are the types that agents had when their Sessions ended, and what models reported of their windows.
ALTER TABLE "sessions" DROP COLUMN "ended_agent_type";
ALTER TABLE "turns" DROP COLUMN "window_tokens";
