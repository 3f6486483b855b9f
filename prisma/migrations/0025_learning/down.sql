-- Loses the counts of Handoffs whose Sessions were deleted; all others are counted again on the way up.
DROP TRIGGER "handoff_path_of_tenure" ON "agent_sessions";
DROP TRIGGER "handoff_path_of_changed" ON "handoffs";
DROP TRIGGER "handoff_path_of_new" ON "handoffs";
DROP FUNCTION recount_handoff_paths();
DROP FUNCTION handoff_path_of_tenure();
DROP FUNCTION handoff_path_of_changed();
DROP FUNCTION handoff_path_of_new();
DROP FUNCTION handoff_times(text, text, timestamptz, timestamptz);
DROP FUNCTION handoff_day(timestamptz);
DROP INDEX "handoffs_source_agent_id_target_agent_id_initiated_at_id_idx";
DROP TABLE "handoff_path_times";
DROP TABLE "handoff_path_changes";
DROP TABLE "handoff_path_counts";
