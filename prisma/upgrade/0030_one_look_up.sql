-- The guard against gaps, with one look-up for each Session of a statement instead of one a row. A connection that planned the
-- look-up while the table was empty kept an index of the Session alone: each row then read all rows of its Session, 1.3 s for 500 tool
-- calls after 8,000. Only the unique index has the order that this look-up asks for. It keeps repeats out, so numbers that fill their
-- range, after a row that exists, have no gap. The inboxes keep theirs: few rows of one Agent come at once, and pruning changed it.
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
          SELECT FROM (SELECT f.%3$I AS owner, min(f.%4$I) AS first, max(f.%4$I) AS last, count(f.%4$I) AS n FROM fresh f GROUP BY f.%3$I) g
          WHERE g.first < 1 OR g.last - g.first + 1 <> g.n
            OR (g.first > 1 AND (SELECT t.%4$I FROM %2$I t WHERE (t.%3$I, t.%4$I) >= (g.owner, g.first - 1)
              ORDER BY t.%3$I, t.%4$I LIMIT 1) IS DISTINCT FROM g.first - 1)
        ) THEN
          RAISE EXCEPTION 'a number was skipped in %2$s' USING ERRCODE = 'check_violation', CONSTRAINT = '%1$s';
        END IF;
        RETURN NULL;
      END $body$
    $template$, numbered[1] || '_gapless', numbered[1], numbered[2], numbered[3]);
  END LOOP;
END $gapless$;
