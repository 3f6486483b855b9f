-- The words of what `search` finds, apart from the rows themselves: these change often, and each change would write an index of words again.
CREATE TABLE "search_entries" (
    "kind" TEXT NOT NULL,
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "sequence" INTEGER,
    "words" tsvector NOT NULL,

    CONSTRAINT "search_entries_pkey" PRIMARY KEY ("kind","id")
);
ALTER TABLE "search_entries" ADD CONSTRAINT "search_entries_kind" CHECK ("kind" IN ('SESSION', 'HANDOFF', 'MESSAGE'));

-- The bodies (RETURN) name what they call once and for all: indexes and restores use them under another search_path.
-- The words of a text in lower case, without punctuation; each CJK character is a word. 'simple': no stop words and no stemming, so that
-- names in code and all languages are found. The parser gets letters, digits and spaces only: it would keep paths and URLs whole.
CREATE FUNCTION search_text(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN regexp_replace(regexp_replace(lower(left($1, 20000)), '[^[:alnum:]]+', ' ', 'g'), '([\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])', ' \1 ', 'g');
CREATE FUNCTION search_words(text, "char") RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN setweight(to_tsvector('pg_catalog.simple', search_text(coalesce($1, ''))), $2);
-- All words, the last one as a prefix. Null without a word.
CREATE FUNCTION search_query(text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN to_tsquery('pg_catalog.simple', nullif(regexp_replace(trim(search_text($1)), ' +', ' & ', 'g'), '') || ':*');

CREATE FUNCTION search_words_of_agent(id text, name text, role text, description text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN search_words(id || ' ' || name, 'A') || search_words(role, 'B') || search_words(description, 'C');
CREATE FUNCTION search_words_of_session(title text, external_id text, summary text, end_reason text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN search_words(title, 'A') || search_words(external_id, 'A') || search_words(summary, 'C') || search_words(end_reason, 'B');
CREATE FUNCTION search_words_of_handoff(reason text, rejection_reason text, failure_reason text, cancel_reason text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN search_words(concat_ws(' ', reason, rejection_reason, failure_reason, cancel_reason), 'B');

CREATE FUNCTION search_entry_of_session() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO search_entries (kind, id, session_id, words)
  VALUES ('SESSION', NEW.id, NEW.id, search_words_of_session(NEW.title, NEW.external_id, NEW.summary, NEW.end_reason))
  ON CONFLICT (kind, id) DO UPDATE SET words = excluded.words;
  RETURN NULL;
END $body$;
CREATE TRIGGER "search_entry_of_new" AFTER INSERT ON "sessions" FOR EACH ROW EXECUTE FUNCTION search_entry_of_session();
CREATE TRIGGER "search_entry_of_changed" AFTER UPDATE OF title, external_id, summary, end_reason ON "sessions" FOR EACH ROW
  WHEN ((OLD.title, OLD.external_id, OLD.summary, OLD.end_reason) IS DISTINCT FROM (NEW.title, NEW.external_id, NEW.summary, NEW.end_reason))
  EXECUTE FUNCTION search_entry_of_session();

CREATE FUNCTION search_entry_of_handoff() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO search_entries (kind, id, session_id, words)
  VALUES ('HANDOFF', NEW.id, NEW.session_id, search_words_of_handoff(NEW.reason, NEW.rejection_reason, NEW.failure_reason, NEW.cancel_reason))
  ON CONFLICT (kind, id) DO UPDATE SET words = excluded.words;
  RETURN NULL;
END $body$;
CREATE TRIGGER "search_entry_of_new" AFTER INSERT ON "handoffs" FOR EACH ROW WHEN (NEW.reason IS NOT NULL) EXECUTE FUNCTION search_entry_of_handoff();
CREATE TRIGGER "search_entry_of_changed" AFTER UPDATE OF reason, rejection_reason, failure_reason, cancel_reason ON "handoffs" FOR EACH ROW
  WHEN ((OLD.reason, OLD.rejection_reason, OLD.failure_reason, OLD.cancel_reason) IS DISTINCT FROM (NEW.reason, NEW.rejection_reason, NEW.failure_reason, NEW.cancel_reason))
  EXECUTE FUNCTION search_entry_of_handoff();

-- HANDOFF messages say nothing that the Handoff does not.
CREATE FUNCTION search_entries_of_messages() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO search_entries (kind, id, session_id, sequence, words)
  SELECT 'MESSAGE', id, session_id, sequence, search_words(content, CASE WHEN role = 'USER' THEN 'C' ELSE 'D' END::"char") FROM fresh WHERE role <> 'HANDOFF';
  RETURN NULL;
END $body$;
CREATE TRIGGER "search_entries_of_new" AFTER INSERT ON "messages" REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION search_entries_of_messages();

CREATE FUNCTION search_entries_of_deleted() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  DELETE FROM search_entries e USING gone WHERE e.kind = TG_ARGV[0] AND e.id = gone.id;
  RETURN NULL;
END $body$;
CREATE TRIGGER "search_entries_of_deleted" AFTER DELETE ON "sessions" REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION search_entries_of_deleted('SESSION');
CREATE TRIGGER "search_entries_of_deleted" AFTER DELETE ON "handoffs" REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION search_entries_of_deleted('HANDOFF');
CREATE TRIGGER "search_entries_of_deleted" AFTER DELETE ON "messages" REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION search_entries_of_deleted('MESSAGE');

INSERT INTO search_entries (kind, id, session_id, words)
  SELECT 'SESSION', id, id, search_words_of_session(title, external_id, summary, end_reason) FROM sessions;
INSERT INTO search_entries (kind, id, session_id, words)
  SELECT 'HANDOFF', id, session_id, search_words_of_handoff(reason, rejection_reason, failure_reason, cancel_reason)
  FROM handoffs WHERE num_nonnulls(reason, rejection_reason, failure_reason, cancel_reason) > 0;
INSERT INTO search_entries (kind, id, session_id, sequence, words)
  SELECT 'MESSAGE', id, session_id, sequence, search_words(content, CASE WHEN role = 'USER' THEN 'C' ELSE 'D' END::"char") FROM messages WHERE role <> 'HANDOFF';

-- An index for each kind: a word that is frequent in messages costs nothing in a search for titles.
CREATE INDEX "search_entries_of_sessions" ON "search_entries" USING gin ("words") WHERE "kind" = 'SESSION';
CREATE INDEX "search_entries_of_handoffs" ON "search_entries" USING gin ("words") WHERE "kind" = 'HANDOFF';
CREATE INDEX "search_entries_of_messages" ON "search_entries" USING gin ("words") WHERE "kind" = 'MESSAGE';
CREATE INDEX "agents_words" ON "agents" USING gin (search_words_of_agent("id", "name", "role", "description"));
-- Of an agent with few Sessions the entries of these are read, whatever the words.
CREATE INDEX "search_entries_session_id_idx" ON "search_entries"("session_id");
