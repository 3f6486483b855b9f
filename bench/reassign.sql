-- The baseline for `reassignSession`: the same operation as one set-based PL/pgSQL function, written for speed. It takes the
-- same locks in the same order, makes the same checks, reads the same log and writes the same rows. It reads the calls and
-- workspaces from which Baton derives checks, failed attempts and the workspace, but derives nothing from them.
CREATE FUNCTION bench_reassign(the_session uuid, the_target text) RETURNS uuid LANGUAGE plpgsql AS $body$
DECLARE
  s sessions; holder agents; target agents; tenure agent_sessions; last_handoff handoffs; log record;
  now timestamptz; variables jsonb; carried jsonb;
  handoff uuid := uuidv7(); new_tenure uuid := uuidv7(); snapshot uuid := uuidv7(); initiated uuid := uuidv7(); reassigned uuid := uuidv7();
BEGIN
  SELECT * INTO s FROM sessions WHERE id = the_session FOR NO KEY UPDATE;
  IF NOT FOUND THEN RAISE 'NOT_FOUND'; END IF;
  now := clock_timestamp();
  PERFORM FROM (SELECT id FROM agents WHERE id IN (s.agent_id, the_target) ORDER BY id FOR NO KEY UPDATE) locked;
  SELECT * INTO holder FROM agents WHERE id = s.agent_id;
  SELECT * INTO target FROM agents WHERE id = the_target;
  SELECT * INTO tenure FROM agent_sessions WHERE id = s.last_agent_session_id;
  SELECT * INTO last_handoff FROM handoffs WHERE id = s.last_handoff_id;
  IF s.status NOT IN ('RUNNING', 'PAUSED') THEN RAISE 'INVALID_STATE'; END IF;
  IF target.id IS NULL THEN RAISE 'NOT_FOUND'; END IF;
  IF target.id = holder.id THEN RAISE 'ALREADY_ASSIGNED'; END IF;
  IF target.administrative_status <> 'AVAILABLE' OR target.archived_at IS NOT NULL THEN RAISE 'AGENT_UNAVAILABLE'; END IF;
  IF target.current_load >= target.max_capacity THEN RAISE 'AGENT_AT_CAPACITY'; END IF;
  IF last_handoff.status IN ('INITIATED', 'ACCEPTED') THEN RAISE 'the benchmark closes handoffs between its rounds'; END IF;

  WITH calls AS MATERIALIZED (
    SELECT id, index, turn_id, name, arguments, result, error, error IS NOT NULL AS failed, files_modified FROM tool_calls WHERE session_id = s.id),
  files AS MATERIALIZED (SELECT file, max(index) AS last FROM calls, unnest(files_modified) file WHERE NOT failed GROUP BY file),
  tools AS MATERIALIZED (SELECT name, count(*) AS calls, count(*) FILTER (WHERE failed) AS errors, max(index) AS last FROM calls GROUP BY name ORDER BY max(index) DESC LIMIT 100),
  last_turn AS MATERIALIZED (SELECT id FROM turns WHERE session_id = s.id ORDER BY index DESC LIMIT 1),
  last_calls AS MATERIALIZED (SELECT * FROM calls WHERE turn_id = (SELECT turn_id FROM calls ORDER BY index DESC LIMIT 1)),
  by_users AS MATERIALIZED (
    SELECT sequence, role, left(content, 16000) AS content, length(content) > 16000 AS shortened FROM messages WHERE session_id = s.id AND sequence IN (
      SELECT sequence FROM (SELECT sequence FROM messages WHERE session_id = s.id AND role = 'USER' ORDER BY sequence LIMIT 10) f
      UNION SELECT sequence FROM (SELECT sequence FROM messages WHERE session_id = s.id AND role = 'USER' ORDER BY sequence DESC LIMIT 90) l)),
  said AS MATERIALIZED (
    SELECT sequence, role, left(content, 4000) AS content, shortened OR length(content) > 4000 AS shortened FROM by_users
    UNION ALL
    SELECT sequence, role, content, shortened FROM (
      SELECT sequence, role, left(content, 2000) AS content, length(content) > 2000 AS shortened, sum(least(length(content), 2000)) OVER (ORDER BY sequence DESC) AS used
      FROM messages WHERE session_id = s.id AND role IN ('ASSISTANT', 'SYSTEM') ORDER BY sequence DESC LIMIT 40) m WHERE used <= 24000),
  facts AS MATERIALIZED (
    SELECT c.index, c.call_id, (SELECT index FROM turns WHERE id = c.turn_id) AS turn, c.sequence, c.name, c.arguments, left(c.result, 4000) AS result, left(c.error, 4000) AS error, c.files_modified
    FROM (SELECT index FROM calls WHERE name <> ALL('{Read,Grep,Glob,LS,WebSearch,WebFetch,Task,TodoWrite}') ORDER BY index DESC LIMIT 300) f JOIN tool_calls c ON c.session_id = s.id AND c.index = f.index),
  main AS MATERIALIZED (
    (SELECT 'first' AS which, sequence, content, NULL AS agent FROM messages WHERE session_id = s.id AND role = 'USER' ORDER BY sequence LIMIT 1)
    UNION ALL (SELECT 'last', sequence, content, NULL FROM messages WHERE session_id = s.id AND role = 'USER' ORDER BY sequence DESC LIMIT 1)
    UNION ALL (SELECT 'answer', sequence, content, (SELECT agent_id FROM agent_sessions WHERE id = m.agent_session_id) FROM messages m WHERE session_id = s.id AND sequence = coalesce(
      (SELECT max(sequence) FROM messages WHERE agent_session_id = tenure.id AND role = 'ASSISTANT'), (SELECT max(sequence) FROM messages WHERE session_id = s.id AND role = 'ASSISTANT')))),
  pieces AS MATERIALIZED (
    SELECT which, jsonb_build_object('sequence', sequence, 'content', left(content, 16000), 'shortened', length(content) > 16000, 'agentId', agent) AS piece FROM main),
  counted AS MATERIALIZED (
    SELECT count(*) FILTER (WHERE role = 'USER') AS users, count(*) FILTER (WHERE role = 'ASSISTANT') AS assistants, count(*) FILTER (WHERE role = 'SYSTEM') AS systems,
      count(*) FILTER (WHERE role = 'TOOL') AS tools, count(*) FILTER (WHERE role = 'HANDOFF') AS handoffs, count(*) FILTER (WHERE role <> 'HANDOFF') AS talk,
      coalesce(sum(octet_length(content)), 0) AS bytes
    FROM messages WHERE session_id = s.id AND sequence >= s.visible_from)
  SELECT counted.*,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('toolName', t.name, 'callCount', t.calls, 'errorCount', t.errors, 'lastResult', CASE WHEN length(coalesce(c.error, c.result)) > 300
        THEN left(coalesce(c.error, c.result), 299) || '…' ELSE coalesce(c.error, c.result) END)
        || CASE WHEN length(coalesce(c.error, c.result)) > 300 THEN jsonb_build_object('lastCallId', c.id) ELSE '{}' END ORDER BY t.calls DESC, t.name), '[]')
      FROM tools t JOIN calls c ON c.index = t.last) AS tool_summaries,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('toolCallId', id, 'toolName', name, 'arguments', left(arguments::text, 1000), 'outcome', left(coalesce(error, result), 2000), 'failed', failed,
        'shortened', length(arguments::text) > 1000 OR length(coalesce(error, result)) > 2000) ORDER BY index), '[]')
      FROM (SELECT * FROM last_calls WHERE coalesce(error, result) IS NOT NULL ORDER BY index DESC LIMIT 20) l) AS last_tool_calls,
    (SELECT coalesce(array_agg(file ORDER BY last DESC, file), '{}') FROM (SELECT * FROM files ORDER BY last DESC, file LIMIT 500) f) AS files,
    (SELECT count(*) FROM files) AS file_count,
    (SELECT coalesce(array_agg(content ORDER BY position), '{}') FROM tasks WHERE session_id = s.id AND status <> 'DONE') AS pending,
    (SELECT coalesce(array_agg(text ORDER BY recorded_at, id), '{}') FROM (SELECT * FROM decisions WHERE session_id = s.id ORDER BY recorded_at DESC, id DESC LIMIT 100) d) AS decisions,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('role', role, 'content', content, 'sequence', sequence, 'shortened', shortened) ORDER BY sequence), '[]') FROM said) AS recent,
    (SELECT count(*) FROM (SELECT sequence FROM said UNION SELECT sequence FROM main) d) AS carried_messages,
    (SELECT piece FROM pieces WHERE which = 'first') AS original_request,
    (SELECT l.piece FROM pieces f, pieces l WHERE f.which = 'first' AND l.which = 'last' AND l.piece <> f.piece) AS latest_request,
    (SELECT piece FROM pieces WHERE which = 'answer') AS last_message,
    (SELECT coalesce(json_agg(facts ORDER BY index), '[]') FROM facts) AS facts,
    (SELECT coalesce(json_agg(workspace ORDER BY index), '[]') FROM (SELECT index, workspace FROM turns WHERE session_id = s.id AND workspace IS NOT NULL ORDER BY index DESC LIMIT 50) w) AS workspaces,
    (SELECT count(*) FROM calls) AS call_count, (SELECT count(*) FROM calls WHERE failed) AS failed_count,
    (SELECT id FROM last_turn) AS last_turn_id,
    ARRAY(SELECT id FROM calls WHERE turn_id = (SELECT id FROM last_turn) ORDER BY index) AS last_turn_calls,
    (SELECT coalesce(jsonb_agg(agent_id ORDER BY started_at, id), '[]') FROM (
      SELECT * FROM agent_sessions WHERE session_id = s.id AND activated_at IS NOT NULL ORDER BY started_at DESC, id DESC LIMIT 50) c) AS chain,
    EXISTS (SELECT FROM agent_sessions WHERE session_id = s.id AND agent_id = target.id AND activated_at IS NOT NULL) AS circular,
    encode(sha256(convert_to((SELECT string_agg(role || ' ' || content, E'\n' ORDER BY sequence) FROM messages WHERE turn_id = (SELECT id FROM last_turn)), 'UTF8')), 'hex') AS turn_hash
  INTO log FROM counted;

  SELECT coalesce(jsonb_agg(jsonb_build_object('name', name, 'value', value, 'setBy', set_by) ORDER BY name COLLATE "C"), '[]') INTO variables FROM (
    SELECT key AS name, entry.value -> 'value' AS value, entry.value ->> 'setBy' AS set_by FROM jsonb_each(s.context_variables) entry
    UNION ALL VALUES ('_handoff_chain', log.chain || to_jsonb(target.id), 'baton'), ('_handoff_depth', to_jsonb(s.handoff_count + 1), 'baton'), ('_handoff_from', to_jsonb(holder.id), 'baton'),
      ('_handoff_reason', 'null'::jsonb, 'baton'), ('_handoff_to', to_jsonb(target.id), 'baton')) v;
  carried := jsonb_build_object('summary', format('"%s": %s turns so far, %s tool calls (%s failed). %s files changed, last %s. %s tasks left, next: %s. Last decision: %s.',
      s.title, s.turn_count, log.call_count, log.failed_count, log.file_count, log.files[1], cardinality(log.pending), btrim(left(log.pending[1], 200)),
      btrim(left(log.decisions[cardinality(log.decisions)], 300))),
    'originalRequest', log.original_request, 'latestRequest', log.latest_request, 'lastMessage', log.last_message, 'lastToolCalls', log.last_tool_calls, 'toolSummaries', log.tool_summaries,
    'filesModified', to_jsonb(log.files), 'pendingTasks', to_jsonb(log.pending), 'decisions', to_jsonb(log.decisions), 'recentMessages', log.recent, 'contextVariables', variables,
    'instructions', target.instructions, 'summaryComposed', true, 'checks', '[]'::jsonb, 'failedAttempts', '[]'::jsonb, 'openQuestions', '[]'::jsonb, 'workspace', null,
    'leftOut', jsonb_build_object('tasks', 0, 'decisions', 0, 'files', log.file_count - cardinality(log.files), 'tools', 0, 'calls', 0, 'unansweredCalls', 0,
      'messages', log.talk - log.carried_messages, 'shortened', 0));

  WITH new_handoff AS (
    INSERT INTO handoffs (id, session_id, status, via, summary, context, depth, circular, operator_epoch, token_estimate, redaction_count, content_hash, source_agent_id,
      source_agent_type, target_agent_id, target_agent_type, source_agent_session_id, target_agent_session_id, prior_turn_id, snapshot_id, previous_handoff_id, actor_principal, actor_role,
      initiated_at, deadline_at)
    VALUES (handoff, s.id, 'INITIATED', 'OPERATOR', carried ->> 'summary', carried - 'summary', s.handoff_count + 1, log.circular, s.operator_epoch + 1,
      ceil(octet_length(carried::text) / 4.0), regexp_count(carried::text, '\[redacted: [a-z0-9][a-z0-9. ]{0,40}\]'),
      encode(sha256(convert_to(jsonb_build_array(NULL, log.files, log.pending, log.decisions, s.context_variables, log.turn_hash)::text, 'UTF8')), 'hex'), holder.id, holder.type, target.id,
      target.type, tenure.id, new_tenure, log.last_turn_id, snapshot, s.last_handoff_id, 'operator', 'OPERATOR', now, now + interval '30 minutes')),
  handoff_calls AS (INSERT INTO handoff_tool_calls (handoff_id, tool_call_id, position) SELECT handoff, id, number - 1 FROM unnest(log.last_turn_calls) WITH ORDINALITY c (id, number)),
  routed AS (
    INSERT INTO messages (id, session_id, sequence, role, content, agent_session_id, handoff_id, created_at)
    VALUES (uuidv7(), s.id, s.message_count + 1, 'HANDOFF', 'Routed to ' || target.id, tenure.id, handoff, now)),
  ended AS (
    UPDATE agent_sessions SET state = 'HANDED_OFF', end_sequence = s.message_count + 1, ended_at = now, terminated_by_handoff_id = handoff WHERE id = tenure.id RETURNING session_id),
  begun AS (
    INSERT INTO agent_sessions (id, session_id, agent_id, state, start_sequence, started_at) SELECT new_tenure, session_id, target.id, 'PENDING', s.message_count + 2, now FROM ended),
  snapshots AS (
    INSERT INTO context_snapshots (id, session_id, agent_session_id, type, sequence_start, sequence_end, user_count, assistant_count, system_count, tool_count, handoff_count, call_start, call_end,
      token_estimate, captured_at)
    VALUES (snapshot, s.id, tenure.id, 'HANDOFF_INITIATED', s.visible_from, s.message_count, log.users, log.assistants, log.systems, log.tools, log.handoffs, s.visible_calls_from,
        s.tool_call_count, ceil(log.bytes / 4.0), now),
      (uuidv7(), s.id, new_tenure, 'SESSION_START', s.visible_from, s.message_count + 1, log.users, log.assistants, log.systems, log.tools, log.handoffs + 1, s.visible_calls_from,
        s.tool_call_count, ceil((log.bytes + octet_length('Routed to ' || target.id)) / 4.0), now)),
  loads AS (
    UPDATE agents SET current_load = current_load + CASE id WHEN target.id THEN 1 ELSE -1 END, total_assigned = total_assigned + CASE id WHEN target.id THEN 1 ELSE 0 END,
      inbox_sequence = inbox_sequence + 2 WHERE id IN (holder.id, target.id)),
  facts AS (
    INSERT INTO events (id, type, at, session_id, session_sequence, session_status, handoff_id, agent_id, holder_id, actor_principal, actor_role)
    VALUES (initiated, 'HANDOFF_INITIATED', now, s.id, s.event_count + 1, s.status, handoff, holder.id, holder.id, 'operator', 'OPERATOR'),
      (reassigned, 'SESSION_REASSIGNED', now, s.id, s.event_count + 2, s.status, handoff, target.id, target.id, 'operator', 'OPERATOR')),
  told AS (
    INSERT INTO inbox_entries (agent_id, sequence, event_id)
    VALUES (target.id, target.inbox_sequence + 1, initiated), (holder.id, holder.inbox_sequence + 1, initiated),
      (target.id, target.inbox_sequence + 2, reassigned), (holder.id, holder.inbox_sequence + 2, reassigned))
  UPDATE sessions SET agent_id = target.id, previous_agent_type = holder.type, version = version + 1, operator_epoch = operator_epoch + 1, message_count = message_count + 1,
    handoff_count = handoff_count + 1, event_count = event_count + 2, last_agent_session_id = new_tenure, last_handoff_id = handoff, last_reassigned_at = now, updated_at = now, last_activity_at = now
  WHERE id = s.id;
  RETURN handoff;
END $body$;
