-- What analysts filter and sum Handoffs by. Milliseconds until the acceptance, or until the end without one; until the end.
ALTER TABLE "handoffs" ADD COLUMN "sent_back" BOOLEAN NOT NULL DEFAULT false, ADD COLUMN "waited_ms" DOUBLE PRECISION, ADD COLUMN "lasted_ms" DOUBLE PRECISION;

-- Outside of pipelines a Handoff sends work back when it goes to the Agent whose accepted Handoff began the source's tenure.
CREATE FUNCTION handoff_sends_back(source_tenure uuid, target text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM handoffs WHERE target_agent_session_id = source_tenure AND accepted_at IS NOT NULL AND source_agent_id = target) $$;
CREATE FUNCTION handoff_sent_back() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.sent_back := handoff_sends_back(NEW.source_agent_session_id, NEW.target_agent_id);
  RETURN NEW;
END $$;
CREATE TRIGGER "handoff_sent_back" BEFORE INSERT ON "handoffs" FOR EACH ROW
  WHEN (NEW.left_entry_id IS NULL AND NEW.source_agent_session_id IS NOT NULL) EXECUTE FUNCTION handoff_sent_back();

CREATE FUNCTION handoff_times_of() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.waited_ms := extract(epoch FROM coalesce(NEW.accepted_at, NEW.closed_at) - NEW.initiated_at) * 1000;
  NEW.lasted_ms := extract(epoch FROM NEW.closed_at - NEW.initiated_at) * 1000;
  RETURN NEW;
END $$;
CREATE TRIGGER "handoff_times_of" BEFORE INSERT OR UPDATE OF "accepted_at", "closed_at" ON "handoffs" FOR EACH ROW EXECUTE FUNCTION handoff_times_of();

UPDATE handoffs h SET accepted_at = h.accepted_at, sent_back = CASE WHEN h.left_entry_id IS NULL THEN handoff_sends_back(h.source_agent_session_id, h.target_agent_id)
  ELSE (SELECT e.sent_back FROM stage_entries e WHERE e.id = h.left_entry_id) END;

CREATE INDEX "handoffs_sent_back" ON "handoffs" ("initiated_at", "id") WHERE "sent_back";
CREATE INDEX "handoffs_waited_ms_idx" ON "handoffs" ("waited_ms");
CREATE INDEX "handoffs_lasted_ms_idx" ON "handoffs" ("lasted_ms");
CREATE INDEX "handoffs_actor_principal_initiated_at_id_idx" ON "handoffs" ("actor_principal", "initiated_at", "id");
CREATE INDEX "handoffs_reasons" ON "handoffs" USING gin ("reason" gin_trgm_ops, "rejection_reason" gin_trgm_ops, "failure_reason" gin_trgm_ops, "cancel_reason" gin_trgm_ops);
CREATE INDEX "stage_entries_stage_idx" ON "stage_entries" ("stage");
CREATE INDEX "stage_entries_outcome_idx" ON "stage_entries" ("outcome");

-- Open Sessions that may be stuck: see server/sessions/stuck.ts.
CREATE INDEX "sessions_open_of_agent" ON "sessions" ("agent_id") WHERE "status" IN ('RUNNING', 'PAUSED');
CREATE INDEX "sessions_open_at_limit" ON "sessions" ("id") WHERE "status" IN ('RUNNING', 'PAUSED') AND "handoff_count" >= "max_handoffs";

-- The list of the Events of all Sessions.
CREATE INDEX "events_at_id_idx" ON "events" ("at", "id");
CREATE INDEX "events_type_at_id_idx" ON "events" ("type", "at", "id");
CREATE INDEX "events_agent_id_at_id_idx" ON "events" ("agent_id", "at", "id");
CREATE INDEX "events_actor_principal_at_id_idx" ON "events" ("actor_principal", "at", "id");
