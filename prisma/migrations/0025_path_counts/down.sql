-- Loses the counts of Handoffs whose Sessions were deleted; all others are counted again on the way up.
DROP FUNCTION recount_handoff_paths();
DELETE FROM "handoff_path_counts";
DELETE FROM "handoff_path_times";
