-- CreateIndex
CREATE INDEX "sessions_agent_id_updated_at_id_idx" ON "sessions"("agent_id", "updated_at", "id");

-- The guard against gaps as before, but it looks up its row by the unique index whenever it is planned. PostgreSQL reads small
-- tables as a whole, also to hash them for an EXISTS, and a connection keeps the plan that it made when a table was small: then
-- every row that is numbered costs a read of the table, 7 of the 10 ms of a reassign after a thousand of them.
DO $gapless$
DECLARE
  numbered text[];
BEGIN
  FOREACH numbered SLICE 1 IN ARRAY ARRAY[
    ['messages', 'session_id', 'sequence'],
    ['turns', 'session_id', 'index'],
    ['tool_calls', 'session_id', 'index'],
    ['handoffs', 'session_id', 'depth'],
    ['events', 'session_id', 'session_sequence'],
    ['inbox_entries', 'agent_id', 'sequence']
  ] LOOP
    EXECUTE format($template$
      CREATE OR REPLACE FUNCTION %1$I() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $body$
      BEGIN
        IF EXISTS (
          SELECT FROM fresh f WHERE f.%4$I < 1
            OR (f.%4$I > 1 AND (SELECT t.%4$I FROM %2$I t WHERE t.%3$I = f.%3$I AND t.%4$I = f.%4$I - 1) IS NULL)
        ) THEN
          RAISE EXCEPTION 'a number was skipped in %2$s' USING ERRCODE = 'check_violation', CONSTRAINT = '%1$s';
        END IF;
        RETURN NULL;
      END $body$
    $template$, numbered[1] || '_gapless', numbered[1], numbered[2], numbered[3]);
  END LOOP;
END $gapless$;
