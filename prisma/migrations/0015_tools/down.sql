-- Lost are the handoff tools that people defined.
DROP INDEX "tool_calls_session_id_call_id_idx";
DROP INDEX "agent_collaborators_tool";
DROP TABLE "handoff_tool_offers";
DROP TABLE "handoff_tools";
