import { statement, type Statement } from '../core/changes.ts';
import type { RecentMessage } from './context.ts';

/** What a Context is built from: the log of one Session, already bounded. */
export interface Sources {
  title: string;
  turns: number;
  tools: { name: string; calls: number; errors: number; lastResult: string | null }[];
  files: string[];
  tasks: { content: string; status: 'PENDING' | 'IN_PROGRESS' | 'DONE' }[];
  decisions: string[];
  /** The last of the log, oldest first. */
  recent: (RecentMessage & { sequence: number })[];
  /** The last assistant message of the log, which `recent` may not reach; null when no agent has spoken. */
  lastAssistant: (RecentMessage & { sequence: number }) | null;
  lastTurnId: string | null;
  lastTurnCallIds: string[];
  /** SHA-256 of what the last turn of an agent said and did; null without one. */
  lastAgentTurnHash: string | null;
  visible: { user: number; assistant: number; system: number; tool: number; handoff: number; bytes: number };
}

/** Sizes that are read; what is larger is shortened, what is more is left out, oldest first. */
export const bounds = {
  toolResultCharacters: 300,
  messageCharacters: 2_000,
  messages: 20,
  decisions: 100,
  files: 500,
  tools: 100,
};

// One statement, whatever the Session holds. A file's place is its last successful write; a call without an
// error counts as successful.
const readSourcesStatement = statement(`
WITH s AS MATERIALIZED (SELECT id, title, turn_count, visible_from FROM sessions WHERE id = $1),
calls AS MATERIALIZED (SELECT index, name, error IS NOT NULL AS failed, files_modified FROM tool_calls WHERE session_id = $1),
tools AS (
  SELECT name, count(*)::int AS calls, count(*) FILTER (WHERE failed)::int AS errors, max(index) AS last
  FROM calls GROUP BY name ORDER BY max(index) DESC LIMIT ${bounds.tools}),
last_turn AS (SELECT id FROM turns WHERE session_id = $1 ORDER BY index DESC LIMIT 1),
last_agent_turn AS (SELECT id FROM turns WHERE session_id = $1 AND agent_session_id IS NOT NULL ORDER BY index DESC LIMIT 1),
said AS (SELECT sequence, role, left(content, ${bounds.messageCharacters + 1}) AS content FROM messages WHERE session_id = $1 AND role <> 'HANDOFF')
SELECT
  (SELECT title FROM s) AS title,
  (SELECT turn_count FROM s) AS turns,
  (SELECT coalesce(json_agg(json_build_object('name', u.name, 'calls', u.calls, 'errors', u.errors, 'lastResult',
      left(coalesce(c.error, c.result), ${bounds.toolResultCharacters + 1})) ORDER BY u.calls DESC, u.name), '[]')
    FROM tools u JOIN tool_calls c ON c.session_id = $1 AND c.index = u.last) AS tools,
  (SELECT coalesce(json_agg(file ORDER BY last DESC, file), '[]') FROM (
    SELECT file, max(index) AS last FROM calls, unnest(files_modified) AS file WHERE NOT failed
    GROUP BY file ORDER BY max(index) DESC, file LIMIT ${bounds.files}) f) AS files,
  (SELECT coalesce(json_agg(json_build_object('content', content, 'status', status) ORDER BY position), '[]') FROM tasks WHERE session_id = $1) AS tasks,
  (SELECT coalesce(json_agg(text ORDER BY recorded_at, id), '[]') FROM (
    SELECT text, recorded_at, id FROM decisions WHERE session_id = $1 ORDER BY recorded_at DESC, id DESC LIMIT ${bounds.decisions}) d) AS decisions,
  (SELECT coalesce(json_agg(r ORDER BY sequence), '[]') FROM (SELECT * FROM said ORDER BY sequence DESC LIMIT ${bounds.messages}) r) AS recent,
  (SELECT row_to_json(r) FROM (SELECT * FROM said WHERE role = 'ASSISTANT' ORDER BY sequence DESC LIMIT 1) r) AS last_assistant,
  (SELECT id FROM last_turn) AS last_turn_id,
  (SELECT coalesce(json_agg(id ORDER BY index), '[]') FROM tool_calls WHERE turn_id = (SELECT id FROM last_turn)) AS last_turn_call_ids,
  (SELECT encode(sha256(convert_to(
      coalesce((SELECT string_agg(role || ' ' || content, E'\\n' ORDER BY sequence) FROM messages WHERE turn_id = l.id), '') || E'\\n' ||
      coalesce((SELECT string_agg(name || ' ' || coalesce(arguments::text, '') || ' ' || coalesce(error, result, ''), E'\\n' ORDER BY index) FROM tool_calls WHERE turn_id = l.id), ''),
      'UTF8')), 'hex') FROM last_agent_turn l) AS last_agent_turn_hash,
  (SELECT json_build_object('user', count(*) FILTER (WHERE role = 'USER'), 'assistant', count(*) FILTER (WHERE role = 'ASSISTANT'),
      'system', count(*) FILTER (WHERE role = 'SYSTEM'), 'tool', count(*) FILTER (WHERE role = 'TOOL'),
      'handoff', count(*) FILTER (WHERE role = 'HANDOFF'), 'bytes', coalesce(sum(octet_length(content)), 0))
    FROM messages WHERE session_id = $1 AND sequence >= (SELECT visible_from FROM s)) AS visible
`);

interface Row {
  title: string;
  turns: number;
  tools: Sources['tools'];
  files: string[];
  tasks: Sources['tasks'];
  decisions: string[];
  recent: Sources['recent'];
  last_assistant: Sources['lastAssistant'];
  last_turn_id: string | null;
  last_turn_call_ids: string[];
  last_agent_turn_hash: string | null;
  visible: Sources['visible'];
}

/** Whatever runs a prepared statement: a transaction, or the pool. */
export interface Reader {
  query(prepared: Statement, values: unknown[]): Promise<object[]>;
}

/** The one read of this folder. Null when there is no such Session. */
export async function readSources(reader: Reader, sessionId: string): Promise<Sources | null> {
  const [row] = (await reader.query(readSourcesStatement, [sessionId])) as Row[];
  if (row === undefined || row.title === null) return null;
  return {
    title: row.title,
    turns: row.turns,
    tools: row.tools,
    files: row.files,
    tasks: row.tasks,
    decisions: row.decisions,
    recent: row.recent,
    lastAssistant: row.last_assistant,
    lastTurnId: row.last_turn_id,
    lastTurnCallIds: row.last_turn_call_ids,
    lastAgentTurnHash: row.last_agent_turn_hash,
    visible: row.visible,
  };
}
