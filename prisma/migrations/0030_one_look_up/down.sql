DO $gapless$
DECLARE
  numbered text[];
BEGIN
  FOREACH numbered SLICE 1 IN ARRAY ARRAY[
    ['messages', 'session_id', 'sequence'],
    ['turns', 'session_id', 'index'],
    ['tool_calls', 'session_id', 'index'],
    ['handoffs', 'session_id', 'depth'],
    ['events', 'session_id', 'session_sequence']
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
