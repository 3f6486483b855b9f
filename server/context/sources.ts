import { statement, type Statement } from '../core/changes.ts';
import { fromColumns } from '../core/rows.ts';
import type { RecentMessage } from './context.ts';
import { visibleCtes, type VisibleCounts } from './visible.ts';

type Said = Required<Pick<RecentMessage, 'role' | 'content' | 'sequence'>>;
type MainMessage = Required<RecentMessage>;

/** What a Context is built from: the log of one Session, already bounded. */
export interface Sources {
  title: string;
  turns: number;
  tools: { name: string; calls: number; errors: number; lastResult: string | null; lastCallId: string }[];
  files: string[];
  tasks: { content: string; status: 'PENDING' | 'IN_PROGRESS' | 'DONE' }[];
  decisions: string[];
  /** The last of the log but results of tools, oldest first. */
  recent: Said[];
  /** The first and the last message of a user; null when none has spoken. */
  firstUser: MainMessage | null;
  lastUser: MainMessage | null;
  /** The last assistant message of the source's tenure, else of the log, which `recent` may not reach; null when no agent has spoken. */
  lastAssistant: (MainMessage & { agentId: string | null }) | null;
  /** The last calls that have a result, oldest first, of the last turn that made any. */
  lastCalls: { id: string; name: string; arguments: string | null; outcome: string; outcomeShortened: boolean; failed: boolean }[];
  /** How many there are in all, whatever was read. */
  totals: { messages: number; decisions: number; files: number; tools: number; lastCalls: number; unansweredCalls: number };
  /** Who hands off now: the holder, or who held the Session before a target that never took it over; null when nobody did. */
  sourceAgentId: string | null;
  /** Who took the Session over, in order; the newest when there were many. */
  chain: string[];
  /** The last turn of an agent, and its calls. */
  lastTurnId: string | null;
  lastTurnCallIds: string[];
  /** SHA-256 of what the last turn of an agent said and did; null without one. */
  lastAgentTurnHash: string | null;
  visible: VisibleCounts;
}

/** Sizes that are read; what is larger is shortened, what is more is left out, oldest first. */
export const bounds = {
  toolResultCharacters: 300,
  messageCharacters: 2_000,
  /** The request and the last words have more room. */
  mainMessageCharacters: 16_000,
  argumentCharacters: 1_000,
  outcomeCharacters: 2_000,
  messages: 20,
  lastCalls: 20,
  chain: 50,
  decisions: 100,
  files: 500,
  tools: 100,
};

/** A column that keeps its beginning and its end where it is long, and says how much is missing. */
const abridged = (column: string, characters: number): string => {
  const [begin, end] = [Math.ceil(characters * 0.7), Math.floor(characters * 0.3)];
  return `CASE WHEN length(${column}) <= ${characters} THEN ${column}
    ELSE left(${column}, ${begin}) || ' [… ' || length(${column}) - ${begin + end} || ' characters …] ' || right(${column}, ${end}) END`;
};
const mainMessage = `sequence, role, ${abridged('content', bounds.mainMessageCharacters)} AS content, length(content) > ${bounds.mainMessageCharacters} AS shortened`;

// One statement, whatever the Session holds. Results of tools are read with their calls, not as messages. A file's place is its last successful write; a call without an
// error counts as successful.
const readSourcesStatement = statement(`
WITH s AS MATERIALIZED (SELECT id, title, turn_count, visible_from, visible_calls_from, agent_id, last_agent_session_id, last_handoff_id FROM sessions WHERE id = $1),
source AS MATERIALIZED (
  SELECT CASE WHEN h.status = 'INITIATED' THEN h.source_agent_id ELSE s.agent_id END AS id,
    CASE WHEN h.status = 'INITIATED' THEN h.source_agent_session_id ELSE s.last_agent_session_id END AS tenure
  FROM s LEFT JOIN handoffs h ON h.id = s.last_handoff_id),
calls AS MATERIALIZED (
  SELECT id, index, turn_id, name, error IS NOT NULL AS failed, coalesce(error, result) IS NOT NULL AS answered, files_modified
  FROM tool_calls WHERE session_id = $1),
files AS MATERIALIZED (
  SELECT file, max(index) AS last FROM calls, unnest(files_modified) AS file WHERE NOT failed AND files_modified <> '{}' GROUP BY file),
tools AS MATERIALIZED (
  SELECT name, count(*)::int AS calls, count(*) FILTER (WHERE failed)::int AS errors, max(index) AS last FROM calls GROUP BY name),
last_calls AS MATERIALIZED (SELECT * FROM calls WHERE turn_id = (SELECT turn_id FROM calls ORDER BY index DESC LIMIT 1)),
last_agent_turn AS (SELECT id FROM turns WHERE session_id = $1 AND agent_session_id IS NOT NULL ORDER BY index DESC LIMIT 1),
recent AS (
  SELECT sequence, role, left(content, ${bounds.messageCharacters + 1}) AS content FROM messages
  WHERE session_id = $1 AND role NOT IN ('HANDOFF', 'TOOL') ORDER BY sequence DESC LIMIT ${bounds.messages}),
${visibleCtes({ from: '(SELECT visible_from FROM s)', callsFrom: '(SELECT visible_calls_from FROM s)', tenure: '(SELECT tenure FROM source)' })}
SELECT
  (SELECT title FROM s) AS title,
  (SELECT turn_count FROM s) AS turns,
  (SELECT coalesce(json_agg(json_build_object('name', u.name, 'calls', u.calls, 'errors', u.errors, 'lastResult',
      left(coalesce(c.error, c.result), ${bounds.toolResultCharacters + 1}), 'lastCallId', c.id) ORDER BY u.calls DESC, u.name), '[]')
    FROM (SELECT * FROM tools ORDER BY last DESC LIMIT ${bounds.tools}) u JOIN tool_calls c ON c.session_id = $1 AND c.index = u.last) AS tools,
  (SELECT coalesce(json_agg(file ORDER BY last DESC, file), '[]') FROM (SELECT * FROM files ORDER BY last DESC, file LIMIT ${bounds.files}) f) AS files,
  (SELECT coalesce(json_agg(json_build_object('content', content, 'status', status) ORDER BY position), '[]') FROM tasks WHERE session_id = $1) AS tasks,
  (SELECT coalesce(json_agg(text ORDER BY recorded_at, id), '[]') FROM (
    SELECT text, recorded_at, id FROM decisions WHERE session_id = $1 ORDER BY recorded_at DESC, id DESC LIMIT ${bounds.decisions}) d) AS decisions,
  (SELECT coalesce(json_agg(recent ORDER BY sequence), '[]') FROM recent) AS recent,
  (SELECT row_to_json(r) FROM (SELECT ${mainMessage} FROM messages WHERE session_id = $1 AND role = 'USER' ORDER BY sequence LIMIT 1) r) AS first_user,
  (SELECT row_to_json(r) FROM (SELECT ${mainMessage} FROM messages WHERE session_id = $1 AND role = 'USER' ORDER BY sequence DESC LIMIT 1) r) AS last_user,
  (SELECT row_to_json(r) FROM (
    SELECT ${mainMessage}, (SELECT agent_id FROM agent_sessions WHERE id = m.agent_session_id) AS "agentId" FROM messages m
    WHERE m.session_id = $1 AND m.sequence = coalesce(
      (SELECT o.sequence FROM messages o WHERE o.session_id = $1 AND o.agent_session_id = (SELECT tenure FROM source) AND o.role = 'ASSISTANT' ORDER BY sequence DESC LIMIT 1),
      (SELECT max(o.sequence) FROM messages o WHERE o.session_id = $1 AND o.role = 'ASSISTANT'))) r) AS last_assistant,
  (SELECT coalesce(json_agg(json_build_object('id', c.id, 'name', c.name, 'arguments', left(c.arguments::text, ${bounds.argumentCharacters + 1}),
      'outcome', ${abridged('coalesce(c.error, c.result)', bounds.outcomeCharacters)},
      'outcomeShortened', length(coalesce(c.error, c.result)) > ${bounds.outcomeCharacters}, 'failed', l.failed) ORDER BY l.index), '[]')
    FROM (SELECT * FROM last_calls WHERE answered ORDER BY index DESC LIMIT ${bounds.lastCalls}) l JOIN tool_calls c ON c.id = l.id) AS last_calls,
  json_build_object('messages', (SELECT count(*) FROM messages WHERE session_id = $1 AND role <> 'HANDOFF'),
    'decisions', (SELECT count(*) FROM decisions WHERE session_id = $1), 'files', (SELECT count(*) FROM files),
    'tools', (SELECT count(*) FROM tools), 'lastCalls', (SELECT count(*) FROM last_calls WHERE answered),
    'unansweredCalls', (SELECT count(*) FROM last_calls WHERE NOT answered)) AS totals,
  (SELECT id FROM source) AS source_agent_id,
  (SELECT coalesce(json_agg(agent_id ORDER BY started_at, id), '[]') FROM (
    SELECT agent_id, started_at, id FROM agent_sessions WHERE session_id = $1 AND activated_at IS NOT NULL
    ORDER BY started_at DESC, id DESC LIMIT ${bounds.chain}) t) AS chain,
  (SELECT id FROM last_agent_turn) AS last_turn_id,
  (SELECT coalesce(json_agg(id ORDER BY index), '[]') FROM tool_calls WHERE turn_id = (SELECT id FROM last_agent_turn)) AS last_turn_call_ids,
  (SELECT encode(sha256(convert_to(
      coalesce((SELECT string_agg(role || ' ' || content, E'\\n' ORDER BY sequence) FROM messages WHERE turn_id = l.id), '') || E'\\n' ||
      coalesce((SELECT string_agg(name || ' ' || coalesce(arguments::text, '') || ' ' || coalesce(error, result, ''), E'\\n' ORDER BY index) FROM tool_calls WHERE turn_id = l.id), ''),
      'UTF8')), 'hex') FROM last_agent_turn l) AS last_agent_turn_hash,
  (SELECT row_to_json(visible) FROM visible) AS visible
`);

/** Whatever runs a prepared statement: a transaction, or the pool. */
export interface Reader {
  query(prepared: Statement, values: unknown[]): Promise<object[]>;
}

/** The one read of this folder. Null when there is no such Session. */
export async function readSources(reader: Reader, sessionId: string): Promise<Sources | null> {
  const [row] = (await reader.query(readSourcesStatement, [sessionId])) as { title: string | null }[];
  if (row === undefined || row.title === null) return null;
  return fromColumns<Sources>(row);
}
