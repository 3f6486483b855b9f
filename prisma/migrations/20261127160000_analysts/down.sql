-- Lost is nothing: the columns are computed from others.
DROP INDEX "events_at_id_idx", "events_type_at_id_idx", "events_agent_id_at_id_idx", "events_actor_principal_at_id_idx";
DROP INDEX "sessions_open_at_limit", "sessions_open_of_agent", "stage_entries_outcome_idx", "stage_entries_stage_idx", "handoffs_reasons", "handoffs_actor_principal_initiated_at_id_idx";
DROP TRIGGER "handoff_times_of" ON "handoffs";
DROP FUNCTION handoff_times_of();
DROP TRIGGER "handoff_sent_back" ON "handoffs";
DROP FUNCTION handoff_sent_back();
DROP FUNCTION handoff_sends_back(uuid, text);
ALTER TABLE "handoffs" DROP COLUMN "sent_back", DROP COLUMN "waited_ms", DROP COLUMN "lasted_ms";
