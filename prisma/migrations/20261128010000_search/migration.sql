-- `search` finds words without their accents, the parts of names in code, and the calls of tools in all Sessions.

-- As the extension unaccent, which not every PostgreSQL has: without marks, and letters that have no mark as two or another one.
CREATE FUNCTION search_folded(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN octet_length($1) = length($1) THEN $1 ELSE
    replace(replace(replace(translate(regexp_replace(normalize(lower($1), NFKD), '[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u064b-\u065f\u0670]+', '', 'g'),
      'øđłħŧıς', 'odlhtiσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe') END;
CREATE OR REPLACE FUNCTION search_text(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN regexp_replace(regexp_replace(lower(search_folded(left($1, 20000))), '[^[:alnum:]]+', ' ', 'g'), '([\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])', ' \1 ', 'g');

-- The parts of the names that change from small to capital letters: `refreshToken`, `HTTPServer`. Longer ones are no names.
CREATE FUNCTION search_parts(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (SELECT regexp_replace(regexp_replace(string_agg(name[1], ' '), '([[:lower:][:digit:]])([[:upper:]])', '\1 \2', 'g'), '([[:upper:]])([[:upper:]][[:lower:]])', '\1 \2', 'g')
    FROM regexp_matches(left($1, 20000), '[[:alnum:]]*(?:[[:lower:][:digit:]][[:upper:]]|[[:upper:]]{2}[[:lower:]])[[:alnum:]]*', 'g') name WHERE length(name[1]) <= 80);
CREATE OR REPLACE FUNCTION search_words(text, "char") RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN setweight(to_tsvector('pg_catalog.simple', search_text(coalesce($1, ''))) || to_tsvector('pg_catalog.simple', search_text(coalesce(search_parts($1), ''))), $2);

-- The values of arguments, without their names.
CREATE FUNCTION search_words_of_call(name text, arguments jsonb, result text, error text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN search_words(name, 'B') || search_words((SELECT string_agg(value #>> '{}', ' ') FROM jsonb_path_query(arguments, 'strict $.**') value WHERE jsonb_typeof(value) NOT IN ('object', 'array')), 'C')
    || search_words(result, 'D') || search_words(error, 'D');

CREATE FUNCTION search_entries_of_calls() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO search_entries (kind, id, session_id, sequence, words)
  SELECT 'TOOL_CALL', id, session_id, sequence, search_words_of_call(name, arguments, result, error) FROM fresh
  ON CONFLICT (kind, id) DO UPDATE SET words = excluded.words;
  RETURN NULL;
END $body$;
CREATE TRIGGER "search_entries_of_new" AFTER INSERT ON "tool_calls" REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION search_entries_of_calls();
-- A result may come after its call.
CREATE TRIGGER "search_entries_of_changed" AFTER UPDATE ON "tool_calls" REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION search_entries_of_calls();
CREATE TRIGGER "search_entries_of_deleted" AFTER DELETE ON "tool_calls" REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION search_entries_of_deleted('TOOL_CALL');

ALTER TABLE "search_entries" DROP CONSTRAINT "search_entries_kind",
  ADD CONSTRAINT "search_entries_kind" CHECK ("kind" IN ('SESSION', 'HANDOFF', 'MESSAGE', 'TOOL_CALL'));

-- What is stored already. The indexes are built again: that takes less time than each row in turn.
DROP INDEX "search_entries_of_sessions", "search_entries_of_handoffs", "search_entries_of_messages", "agents_words";
UPDATE search_entries e SET words = search_words_of_session(t.title, t.external_id, t.summary, t.end_reason) FROM sessions t WHERE e.kind = 'SESSION' AND t.id = e.id;
UPDATE search_entries e SET words = search_words_of_handoff(t.reason, t.rejection_reason, t.failure_reason, t.cancel_reason) FROM handoffs t WHERE e.kind = 'HANDOFF' AND t.id = e.id;
UPDATE search_entries e SET words = search_words(t.content, CASE WHEN t.role = 'USER' THEN 'C' ELSE 'D' END::"char") FROM messages t WHERE e.kind = 'MESSAGE' AND t.id = e.id;
INSERT INTO search_entries (kind, id, session_id, sequence, words)
SELECT 'TOOL_CALL', id, session_id, sequence, search_words_of_call(name, arguments, result, error) FROM tool_calls;
CREATE INDEX "search_entries_of_sessions" ON "search_entries" USING gin ("words") WHERE "kind" = 'SESSION';
CREATE INDEX "search_entries_of_handoffs" ON "search_entries" USING gin ("words") WHERE "kind" = 'HANDOFF';
CREATE INDEX "search_entries_of_messages" ON "search_entries" USING gin ("words") WHERE "kind" = 'MESSAGE';
CREATE INDEX "search_entries_of_calls" ON "search_entries" USING gin ("words") WHERE "kind" = 'TOOL_CALL';
CREATE INDEX "agents_words" ON "agents" USING gin (search_words_of_agent("id", "name", "role", "description"));
