-- Lost are the handoff tools that people defined.
DROP INDEX "agent_collaborators_tool";
DROP TABLE "handoff_tool_offers";
DROP TABLE "handoff_tools";
