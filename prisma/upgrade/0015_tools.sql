-- Tools that people define; those generated from a collaboration are its row in agent_collaborators.
-- CreateTable
CREATE TABLE "handoff_tools" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "target_agent_id" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "variables" JSONB NOT NULL,
    "instructions" TEXT,
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

-- CreateIndex
CREATE INDEX "handoff_tools_name_id_idx" ON "handoff_tools"("name", "id");

-- CreateIndex
CREATE INDEX "handoff_tools_target_agent_id_idx" ON "handoff_tools"("target_agent_id");

-- CreateIndex
CREATE INDEX "handoff_tool_offers_agent_id_idx" ON "handoff_tool_offers"("agent_id");

-- AddForeignKey
ALTER TABLE "handoff_tools" ADD CONSTRAINT "handoff_tools_target_agent_id_fkey" FOREIGN KEY ("target_agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "handoff_tool_offers" ADD CONSTRAINT "handoff_tool_offers_tool_id_fkey" FOREIGN KEY ("tool_id") REFERENCES "handoff_tools"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "handoff_tool_offers" ADD CONSTRAINT "handoff_tool_offers_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "handoff_tools"
  ADD CONSTRAINT "handoff_tools_name_is_a_function_name" CHECK ("name" ~ '^[a-zA-Z0-9_-]{1,64}$'),
  ADD CONSTRAINT "handoff_tools_variables_are_a_list" CHECK (jsonb_typeof("variables") = 'array');

-- A generated tool has no row of its own: its id, a UUIDv8, is computed, and found by this index.
CREATE INDEX "agent_collaborators_tool" ON "agent_collaborators" ((overlay(overlay(md5("agent_id" || ' ' || "collaborator_id") PLACING '8' FROM 13) PLACING '8' FROM 17)::uuid));

-- A handoff tool that is called again with the same call id gives its first answer.
CREATE INDEX "tool_calls_session_id_call_id_idx" ON "tool_calls"("session_id", "call_id");
