-- What an agent's definition says, and when each collaboration should be used. All columns are null in earlier rows.
ALTER TABLE "agents" ADD COLUMN "definition" JSONB, ADD COLUMN "model" TEXT;
ALTER TABLE "agents" ADD CONSTRAINT "agents_definitions_are_objects" CHECK (jsonb_typeof("definition") = 'object');
ALTER TABLE "agent_collaborators" ADD COLUMN "carry" JSONB, ADD COLUMN "instructions" TEXT, ADD COLUMN "when" TEXT;
ALTER TABLE "agent_collaborators" ADD CONSTRAINT "agent_collaborators_carry_is_an_object" CHECK (jsonb_typeof("carry") = 'object');
