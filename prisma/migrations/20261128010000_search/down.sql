DROP TRIGGER "search_entries_of_new" ON "tool_calls";
DROP TRIGGER "search_entries_of_changed" ON "tool_calls";
DROP TRIGGER "search_entries_of_deleted" ON "tool_calls";
DROP FUNCTION search_entries_of_calls();
DROP INDEX "search_entries_of_calls";
DELETE FROM search_entries WHERE kind = 'TOOL_CALL';
ALTER TABLE "search_entries" DROP CONSTRAINT "search_entries_kind",
  ADD CONSTRAINT "search_entries_kind" CHECK ("kind" IN ('SESSION', 'HANDOFF', 'MESSAGE'));
CREATE OR REPLACE FUNCTION search_words(text, "char") RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN setweight(to_tsvector('pg_catalog.simple', search_text(coalesce($1, ''))), $2);
CREATE OR REPLACE FUNCTION search_text(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN regexp_replace(regexp_replace(lower(left($1, 20000)), '[^[:alnum:]]+', ' ', 'g'), '([\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])', ' \1 ', 'g');
DROP FUNCTION search_words_of_call(text, jsonb, text, text);
DROP FUNCTION search_parts(text);
DROP FUNCTION search_folded(text);
-- The words as they were before.
DROP INDEX "search_entries_of_sessions", "search_entries_of_handoffs", "search_entries_of_messages", "agents_words";
UPDATE search_entries e SET words = search_words_of_session(t.title, t.external_id, t.summary, t.end_reason) FROM sessions t WHERE e.kind = 'SESSION' AND t.id = e.id;
UPDATE search_entries e SET words = search_words_of_handoff(t.reason, t.rejection_reason, t.failure_reason, t.cancel_reason) FROM handoffs t WHERE e.kind = 'HANDOFF' AND t.id = e.id;
UPDATE search_entries e SET words = search_words(t.content, CASE WHEN t.role = 'USER' THEN 'C' ELSE 'D' END::"char") FROM messages t WHERE e.kind = 'MESSAGE' AND t.id = e.id;
CREATE INDEX "search_entries_of_sessions" ON "search_entries" USING gin ("words") WHERE "kind" = 'SESSION';
CREATE INDEX "search_entries_of_handoffs" ON "search_entries" USING gin ("words") WHERE "kind" = 'HANDOFF';
CREATE INDEX "search_entries_of_messages" ON "search_entries" USING gin ("words") WHERE "kind" = 'MESSAGE';
CREATE INDEX "agents_words" ON "agents" USING gin (search_words_of_agent("id", "name", "role", "description"));
