-- Lost are the models and definitions of agents, and when, how and with what their collaborations are used.
ALTER TABLE "agent_collaborators" DROP COLUMN "carry", DROP COLUMN "instructions", DROP COLUMN "when";
ALTER TABLE "agents" DROP COLUMN "definition", DROP COLUMN "model";
