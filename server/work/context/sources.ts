import { statement, type Statement } from '../../core/changes.ts';
import { turnSince } from '../../core/rights.ts';
import { fromColumns } from '../../core/rows.ts';
import type { WorkingTree } from '../../core/workspace.ts';
import type { RecentMessage } from './context.ts';
import type { RecordedLog, RecordedReport, Workspace } from './derive/log.ts';
import { visibleCtes, type VisibleCounts } from './visible.ts';

type RecordedText = Required<Pick<RecentMessage, 'role' | 'content' | 'sequence'>> & { ofProgram?: boolean };
type MainMessage = RecordedText & { shortened: boolean };
/** `answerTo`: the question of the agent that it answers. */
type ByUser = MainMessage & { recordedBy: string | null; answerTo?: string | null };

/** The bounded part of one Session's log from which a Context is built. */
export interface Sources {
  title: string;
  turns: number;
  tools: {
    name: string;
    calls: number;
    errors: number;
    lastResult: string | null;
    lastCallId: string;
    lastSequence?: number;
  }[];
  files: string[];
  /** Of them those that were also written before the first of `calls`. */
  filesBefore?: string[];
  tasks: { content: string; status: 'PENDING' | 'IN_PROGRESS' | 'DONE'; sequence?: number }[];
  /** For a limited reader: whether the present list of tasks is from before what it reads. */
  tasksFromBefore?: boolean;
  decisions: string[];
  /** Newest messages of agents and programs, oldest first. `ofProgram`: a program's words to its agent. */
  recent: RecordedText[];
  /** First and last messages of users, oldest first. */
  byUsers: ByUser[];
  /** The question of the agent that waits for a person. */
  asked?: { question: string; options: string[] | null } | null;
  /** The agent's summary when its context window was last truncated; null without a truncation. */
  compaction: MainMessage | null;
  /** The last assistant message of the source's tenure, else of the log, even if `recent` does not include it; null if the log has none. */
  lastAssistant: (MainMessage & { agentId: string | null }) | null;
  /** Newest answered calls of the last turn that has calls, oldest first. */
  lastCalls: {
    id: string;
    callId?: string;
    /** Number of the last Message before it. */
    sequence?: number;
    name: string;
    arguments: string | null;
    outcome: string;
    outcomeShortened: boolean;
    failed: boolean;
  }[];
  /** Newest calls that may have run a command or changed files, oldest first; long arguments and results lack their middle. */
  calls: RecordedLog['calls'];
  /** Newest calls that showed files in few bytes, oldest first, without errors. */
  reads: RecordedLog['calls'];
  /** Newest calls that looked at files or at the web, oldest first, each with the beginning of its answer. */
  looks?: RecordedLog['calls'];
  /** Newest answered calls of sub-agents, oldest first. */
  reports?: RecordedReport[];
  workspaces: RecordedLog['workspaces'];
  /** Numbers of the newest messages that record that a person stopped the agent. */
  stops?: number[];
  /** As it was recorded last; null when it was not. */
  workingTree?: WorkingTree | null;
  /** Totals in the log, independent of the bounds. */
  totals: {
    messages: number;
    userMessages: number;
    decisions: number;
    files: number;
    tools: number;
    calls: number;
    lastCalls: number;
    unansweredCalls: number;
  };
  /** Source of a Handoff made now: the holder, or the source of a pending Handoff; null for an unassigned Session. */
  sourceAgentId: string | null;
  /** Agents that took the Session over, in order, without returns; at most the newest `bounds.chain`. */
  chain: string[];
  /**
   * Reasons of the Handoffs that moved the Session so far, and why they were declined, oldest first; at most the newest `bounds.reasons`.
   * Empty for a limited reader.
   */
  reasons?: { from: string | null; to: string; reason: string | null; declined?: string | null }[];
  /** Last turn of an agent, and its calls. */
  lastTurnId: string | null;
  lastTurnCallIds: string[];
  /** SHA-256 of the messages and calls of the last turn of an agent; null without one. */
  lastAgentTurnHash: string | null;
  visible: VisibleCounts;
}

/** Limits of the read: larger texts are shortened, and the oldest entries beyond a count are left out. */
export const bounds = {
  toolResultCharacters: 300,
  messageCharacters: 6_000,
  /** Short: messages of programs to their agents rarely concern the next agent. */
  systemMessageCharacters: 500,
  /** For the requests and the last message. */
  mainMessageCharacters: 16_000,
  compactionCharacters: 32_000,
  /** A shorter message after a cut window is no summary. */
  leastCompaction: 200,
  argumentCharacters: 1_000,
  outcomeCharacters: 2_000,
  messages: 2_000,
  notices: 50,
  stops: 20,
  stopBytes: 1_000,
  /** Bytes of the newest messages that are read, by author. */
  agentBytes: 400_000,
  userBytes: 1_600_000,
  firstByUsers: 10,
  lastCalls: 20,
  workspaces: 50,
  factCalls: 300,
  reads: 150,
  looks: 150,
  lookCharacters: 1_000,
  reports: 20,
  reportCharacters: 6_000,
  /** A longer file was read for its code. */
  readBytes: 2_000,
  factCharacters: 4_000,
  chain: 50,
  reasons: 10,
  decisions: 100,
  files: 500,
  tools: 100,
};

/** SQL that keeps both ends of a long column and states how much is missing. */
const abridged = (column: string, characters: number): string => {
  const [begin, end] = [Math.ceil(characters * 0.7), Math.floor(characters * 0.3)];
  return `CASE WHEN length(${column}) <= ${characters} THEN ${column}
    ELSE left(${column}, ${begin}) || ' [… ' || length(${column}) - ${begin + end} || ' characters …] ' || right(${column}, ${end}) END`;
};
/** A reminder that the program repeats in the results of its tools. */
const reminder = "'\\s*<system-reminder>.*?</system-reminder>\\s*'";
const withoutReminders = (column: string): string =>
  `CASE WHEN position('<system-reminder>' IN ${column}) > 0 THEN regexp_replace(${column}, ${reminder}, '', 'g') ELSE ${column} END`;

// Bytes first: PostgreSQL knows them without reading a long text.
const cut = (column: string): string =>
  `CASE WHEN octet_length(${column}) <= ${bounds.factCharacters} OR length(${column}) <= ${bounds.factCharacters} THEN ${column} ELSE left(${column}, ${bounds.factCharacters / 2}) || E'\\n…\\n' || right(${column}, ${bounds.factCharacters / 2}) END`;
const cutText = (json: string): string => `to_jsonb(left(${json} #>> '{}', ${bounds.factCharacters}))`;
/** SQL that shortens each text in a call's arguments, so that names and paths next to a long patch stay. */
const cutArguments = (column: string): string => `CASE
  WHEN pg_column_compression(${column}) IS NULL AND pg_column_size(${column}) <= ${bounds.factCharacters / 2} THEN ${column}
  WHEN length(${column}::text) <= ${bounds.factCharacters} THEN ${column}
  WHEN jsonb_typeof(${column}) = 'string' THEN ${cutText(column)}
  WHEN jsonb_typeof(${column}) = 'object' THEN (SELECT jsonb_object_agg(key, CASE
      WHEN length(value::text) <= ${bounds.factCharacters} THEN value
      WHEN jsonb_typeof(value) = 'string' THEN ${cutText('value')}
      WHEN jsonb_typeof(value) = 'array' THEN (SELECT jsonb_agg(${cutText('part')}) FROM (SELECT part FROM jsonb_array_elements(value) AS parts (part) LIMIT 20) p)
    END) FROM (SELECT key, value FROM jsonb_each(${column}) LIMIT 50) f)
  END`;

/** Tools that neither run a command nor change files. */
const readers =
  'Read,NotebookRead,Grep,Glob,LS,WebSearch,WebFetch,ToolSearch,Task,Agent,Skill,TodoWrite,TodoRead,TaskCreate,TaskUpdate,TaskList,TaskGet,update_plan,view_image';
/** Readers that look at files or at the web. */
const lookers = 'Read,NotebookRead,Grep,Glob,LS,WebSearch,WebFetch,view_image';
/** Readers whose results show files. */
const showers = 'Read,NotebookRead,Grep,read,read_file,view,grep,grep_search,search_file_content';
export const isShower = (toolName: string): boolean => showers.split(',').includes(toolName);
export const isReader = (toolName: string): boolean => readers.split(',').includes(toolName);

/** `subagentTool` as a pattern of PostgreSQL. */
const subagents = '^task$|agent|investigator|researcher';

const message = (characters: number, role = 'role'): string =>
  `sequence, ${role}, ${abridged('content', characters)} AS content, length(content) > ${characters} AS shortened`;
const mainMessage = (role: string): string => message(bounds.mainMessageCharacters, `'${role}' AS role`);
/** A log of nothing but a sub-agent's work: the agent that asked stands for people, and the sub-agent's words are the agent's. */
const ofSubagent = (role: 'SYSTEM' | 'TOOL'): string =>
  `(SELECT is_subagents FROM counts) AND role = '${role}' AND kind = 'SUBTASK'`;

/** A program's words to its agent. An operator's message belongs to no AgentSession. */
const ofProgram = `(role = 'SYSTEM' AND (agent_session_id IS NOT NULL OR kind <> 'TEXT'))`;
/** The newest messages whose sizes add up to at most `bytes`. A message counts as at most `characters`. */
const newest = (condition: string, characters: number, bytes: number): string =>
  `SELECT sequence FROM (SELECT sequence, sum(least(octet_length(content), ${characters}) + 50) OVER (ORDER BY sequence DESC) AS size
    FROM (SELECT sequence, content FROM messages WHERE session_id = $1 AND ${condition} ORDER BY sequence DESC LIMIT ${bounds.messages}) n) sized WHERE size <= ${bytes}`;

// One statement for the whole read. Results of tools are read with their calls, not as messages. The position of a
// file is its last successful write; a call without an error counts as successful.
function sourcesSql(limited: boolean): Statement {
  const since = (alias = '') => (limited ? ` AND ${alias}sequence >= $2` : '');
  // A call, task or decision has the number of the last message before it.
  const after = (alias = '') => (limited ? ` AND ${alias}sequence >= $2 - 1` : '');
  return statement(`
WITH s AS MATERIALIZED (SELECT id, title, workspace, working_tree, turn_count, visible_from, visible_calls_from, agent_id, last_agent_session_id, last_handoff_id FROM sessions WHERE id = $1),
source AS MATERIALIZED (
  SELECT CASE WHEN h.status = 'INITIATED' THEN h.source_agent_id ELSE s.agent_id END AS id,
    CASE WHEN h.status = 'INITIATED' THEN h.source_agent_session_id ELSE s.last_agent_session_id END AS tenure
  FROM s LEFT JOIN handoffs h ON h.id = s.last_handoff_id),
calls AS MATERIALIZED (
  SELECT id, index, turn_id, name, error IS NOT NULL AS failed, coalesce(error, result) IS NOT NULL AS answered,
    error IS NULL AND octet_length(result) <= ${bounds.readBytes} AS brief, files_modified
  FROM tool_calls WHERE session_id = $1${after()}),
files AS MATERIALIZED (
  SELECT file, max(index) AS last, min(index) AS first FROM calls, unnest(files_modified) AS file WHERE NOT failed AND files_modified <> '{}' GROUP BY file),
fact_calls AS MATERIALIZED (SELECT index FROM calls WHERE name <> ALL('{${readers}}') ORDER BY index DESC LIMIT ${bounds.factCalls}),
tools AS MATERIALIZED (
  SELECT name, count(*)::int AS calls, count(*) FILTER (WHERE failed)::int AS errors, max(index) AS last FROM calls GROUP BY name),
last_calls AS MATERIALIZED (SELECT * FROM calls WHERE turn_id = (SELECT turn_id FROM calls ORDER BY index DESC LIMIT 1)),
counts AS MATERIALIZED (
  SELECT count(*) FILTER (WHERE role <> 'HANDOFF') AS said, count(*) FILTER (WHERE role = 'USER') AS by_users,
    NOT EXISTS (SELECT FROM messages WHERE session_id = $1 AND role IN ('USER', 'ASSISTANT')) AS is_subagents FROM messages WHERE session_id = $1${since()}),
last_agent_turn AS (SELECT id FROM turns WHERE session_id = $1 AND agent_session_id IS NOT NULL ORDER BY index DESC LIMIT 1),
-- When a handoff is declined or fails, its source gets the Session back: a return, which is not part of the chain.
tenures AS (
  SELECT t.agent_id, t.started_at, t.id, coalesce(began.source_agent_id = t.agent_id
      AND NOT EXISTS (SELECT FROM handoffs h WHERE h.target_agent_session_id = t.id), false) AS returned
  FROM (SELECT *, lag(id) OVER (ORDER BY started_at, id) AS before, lag(state) OVER (ORDER BY started_at, id) AS ended FROM agent_sessions WHERE session_id = $1) t
    LEFT JOIN handoffs began ON began.target_agent_session_id = t.before AND t.ended IN ('DECLINED', 'FAILED')
  WHERE t.activated_at IS NOT NULL),
compaction AS MATERIALIZED (
  SELECT sequence FROM messages WHERE session_id = $1${since()} AND role = 'SYSTEM' AND (starts_with(content, 'This session is being continued from a previous conversation')
    OR (length(content) >= ${bounds.leastCompaction} AND sequence IN (SELECT sequence_end + 1 FROM context_snapshots WHERE session_id = $1 AND type = 'TRUNCATION')))
  ORDER BY sequence DESC LIMIT 1),
said AS (
  SELECT sequence, role, false AS "ofProgram", left(content, ${bounds.messageCharacters + 1}) AS content FROM messages WHERE session_id = $1 AND sequence IN (${newest(
    `role IN ('ASSISTANT', 'SYSTEM') AND NOT ${ofProgram} AND kind <> 'ERROR' AND sequence IS DISTINCT FROM (SELECT sequence FROM compaction)${since()}`,
    bounds.messageCharacters,
    bounds.agentBytes,
  )})
  UNION ALL SELECT sequence, 'ASSISTANT', false, left(content, ${bounds.messageCharacters + 1}) FROM messages WHERE session_id = $1 AND sequence IN (${newest(
    `${ofSubagent('TOOL')}${since()}`,
    bounds.messageCharacters,
    bounds.agentBytes,
  )})
  UNION ALL (SELECT sequence, role, true, left(content, ${bounds.messageCharacters + 1}) FROM messages
    WHERE session_id = $1${since()} AND ${ofProgram} AND kind = 'SUBTASK' AND NOT (SELECT is_subagents FROM counts) ORDER BY sequence DESC LIMIT ${bounds.notices})),
asked AS MATERIALIZED (SELECT text, options, decision, decided_at FROM approvals WHERE session_id = $1 AND kind = 'QUESTION'),
by_users AS (
  SELECT sequence FROM (SELECT sequence FROM messages WHERE session_id = $1${since()} AND role = 'USER' ORDER BY sequence LIMIT ${bounds.firstByUsers}) f
  UNION ${newest(`role = 'USER'${since()}`, bounds.mainMessageCharacters, bounds.userBytes)}
  UNION SELECT sequence FROM (SELECT sequence FROM messages WHERE session_id = $1 AND ${ofSubagent('SYSTEM')}${since()} ORDER BY sequence LIMIT ${bounds.firstByUsers}) a
  UNION ${newest(`${ofSubagent('SYSTEM')}${since()}`, bounds.mainMessageCharacters, bounds.userBytes)}),
${visibleCtes({ from: '(SELECT visible_from FROM s)', callsFrom: '(SELECT visible_calls_from FROM s)', tenure: '(SELECT tenure FROM source)' })}
SELECT
  (SELECT title FROM s) AS title,
  (SELECT turn_count FROM s) AS turns,
  (SELECT workspace FROM s) AS workspace,
  (SELECT working_tree FROM s${limited ? " WHERE (working_tree ->> 'sequence')::int >= $2" : ''}) AS working_tree,
  (SELECT coalesce(json_agg(json_build_object('name', u.name, 'calls', u.calls, 'errors', u.errors, 'lastResult',
      left(${withoutReminders('coalesce(c.error, c.result)')}, ${bounds.toolResultCharacters + 1}), 'lastCallId', c.id, 'lastSequence', c.sequence) ORDER BY u.calls DESC, u.name), '[]')
    FROM (SELECT * FROM tools ORDER BY last DESC LIMIT ${bounds.tools}) u JOIN tool_calls c ON c.session_id = $1 AND c.index = u.last) AS tools,
  (SELECT coalesce(json_agg(file ORDER BY last DESC, file), '[]') FROM (SELECT * FROM files ORDER BY last DESC, file LIMIT ${bounds.files}) f) AS files,
  (SELECT coalesce(json_agg(file), '[]') FROM files WHERE first < (SELECT min(index) FROM fact_calls)) AS files_before,
  (SELECT coalesce(json_agg(json_build_object('content', content, 'status', status, 'sequence', sequence) ORDER BY position), '[]') FROM tasks WHERE session_id = $1${after()}) AS tasks,${limited ? '\n  EXISTS (SELECT FROM tasks WHERE session_id = $1 AND sequence < $2 - 1) AS tasks_from_before,' : ''}
  (SELECT coalesce(json_agg(text ORDER BY recorded_at, id), '[]') FROM (
    SELECT text, recorded_at, id FROM decisions WHERE session_id = $1${after()} ORDER BY recorded_at DESC, id DESC LIMIT ${bounds.decisions}) d) AS decisions,
  (SELECT coalesce(json_agg(said ORDER BY sequence), '[]') FROM said) AS recent,
  (SELECT coalesce(json_agg(r ORDER BY sequence), '[]') FROM (
    SELECT ${mainMessage('USER')}, CASE WHEN recorded_role = 'AGENT' THEN coalesce((SELECT agent_id FROM agent_sessions WHERE id = m.agent_session_id), recorded_by) END AS "recordedBy",
      (SELECT text FROM asked WHERE decision = 'ANSWERED' AND decided_at = m.created_at LIMIT 1) AS "answerTo"
    FROM messages m WHERE session_id = $1 AND sequence IN (SELECT sequence FROM by_users)) r) AS by_users,
  (SELECT json_build_object('question', text, 'options', options) FROM asked WHERE decision IS NULL) AS asked,
  (SELECT row_to_json(r) FROM (SELECT ${message(bounds.compactionCharacters)} FROM messages WHERE session_id = $1 AND sequence = (SELECT sequence FROM compaction)) r) AS compaction,
  (SELECT row_to_json(r) FROM (
    SELECT ${mainMessage('ASSISTANT')}, (SELECT agent_id FROM agent_sessions WHERE id = m.agent_session_id) AS "agentId" FROM messages m
    WHERE m.session_id = $1 AND m.sequence = coalesce(
      (SELECT o.sequence FROM messages o WHERE o.session_id = $1 AND o.agent_session_id = (SELECT tenure FROM source) AND o.role = 'ASSISTANT' AND o.kind <> 'ERROR'${since('o.')} ORDER BY sequence DESC LIMIT 1),
      (SELECT max(o.sequence) FROM messages o WHERE o.session_id = $1 AND o.role = 'ASSISTANT' AND o.kind <> 'ERROR'${since('o.')}),
      (SELECT max(sequence) FROM messages WHERE session_id = $1 AND ${ofSubagent('TOOL')}${since()}))) r) AS last_assistant,
  (SELECT coalesce(json_agg(json_build_object('id', c.id, 'callId', c.call_id, 'sequence', c.sequence, 'name', c.name, 'arguments', left(c.arguments::text, ${bounds.argumentCharacters + 1}),
      'outcome', ${abridged('o.outcome', bounds.outcomeCharacters)},
      'outcomeShortened', length(coalesce(c.error, c.result)) > least(length(o.outcome), ${bounds.outcomeCharacters}), 'failed', l.failed) ORDER BY l.index), '[]')
    FROM (SELECT * FROM last_calls WHERE answered ORDER BY index DESC LIMIT ${bounds.lastCalls}) l JOIN tool_calls c ON c.id = l.id,
      LATERAL (SELECT ${withoutReminders('coalesce(c.error, c.result)')} AS outcome OFFSET 0) o) AS last_calls,
  (SELECT coalesce(json_agg(r ORDER BY r.index), '[]') FROM (
    SELECT c.index, c.call_id AS "callId", (SELECT index FROM turns WHERE id = c.turn_id) AS turn, c.sequence, c.name,
      ${cutArguments('c.arguments')} AS arguments, ${cut('c.result')} AS result, ${cut('c.error')} AS error, c.files_modified AS "filesModified"
    FROM fact_calls f
      JOIN tool_calls c ON c.session_id = $1 AND c.index = f.index) r) AS calls,
  (SELECT coalesce(json_agg(r ORDER BY r.index), '[]') FROM (
    SELECT c.index, c.call_id AS "callId", (SELECT index FROM turns WHERE id = c.turn_id) AS turn, c.sequence, c.name,
      ${cutArguments('c.arguments')} AS arguments, ${cut('c.result')} AS result, NULL AS error, c.files_modified AS "filesModified"
    FROM (SELECT index FROM calls WHERE name = ANY('{${showers}}') AND brief ORDER BY index DESC LIMIT ${bounds.reads}) f
      JOIN tool_calls c ON c.session_id = $1 AND c.index = f.index) r) AS reads,
  (SELECT coalesce(json_agg(r ORDER BY r.index), '[]') FROM (
    SELECT c.index, c.call_id AS "callId", 0 AS turn, c.sequence, c.name, ${cutArguments('c.arguments')} AS arguments,
      left(c.result, ${bounds.lookCharacters}) AS result, left(c.error, ${bounds.lookCharacters}) AS error, c.files_modified AS "filesModified"
    FROM (SELECT index FROM calls WHERE name = ANY('{${lookers}}') ORDER BY index DESC LIMIT ${bounds.looks}) f
      JOIN tool_calls c ON c.session_id = $1 AND c.index = f.index) r) AS looks,
  (SELECT coalesce(json_agg(json_build_object('id', c.id, 'callId', c.call_id, 'sequence', c.sequence, 'name', c.name, 'arguments', ${cutArguments('c.arguments')},
      'outcome', ${abridged('o.outcome', bounds.reportCharacters)}, 'cut', length(o.outcome) > ${bounds.reportCharacters}, 'failed', r.failed) ORDER BY r.index), '[]')
    FROM (SELECT * FROM calls WHERE name IN (SELECT name FROM tools WHERE name ~* '${subagents}') AND answered ORDER BY index DESC LIMIT ${bounds.reports}) r JOIN tool_calls c ON c.id = r.id,
      LATERAL (SELECT ${withoutReminders('coalesce(c.error, c.result)')} AS outcome OFFSET 0) o) AS reports,
  (SELECT coalesce(json_agg(json_build_object('turn', index, 'folder', workspace -> 'folder', 'branch', workspace -> 'branch', 'commit', workspace -> 'commit', 'sandbox', workspace -> 'sandbox') ORDER BY index), '[]')
    FROM (SELECT index, workspace FROM turns t WHERE session_id = $1 AND workspace IS NOT NULL${limited ? ` AND ${turnSince('t.id', '$2')}` : ''} ORDER BY index DESC LIMIT ${bounds.workspaces}) w) AS workspaces,
  (SELECT coalesce(json_agg(sequence ORDER BY sequence), '[]') FROM (
    SELECT sequence FROM messages WHERE session_id = $1${since()} AND role = 'SYSTEM' AND kind = 'STATUS' AND octet_length(content) < ${bounds.stopBytes}
      AND (starts_with(content, '[Request interrupted by user') OR starts_with(content, '<turn_aborted')) ORDER BY sequence DESC LIMIT ${bounds.stops}) st) AS stops,
  json_build_object('messages', (SELECT said FROM counts), 'userMessages', (SELECT by_users FROM counts),
    'decisions', (SELECT count(*) FROM decisions WHERE session_id = $1${after()}), 'files', (SELECT count(*) FROM files),
    'tools', (SELECT count(*) FROM tools), 'calls', (SELECT count(*) FROM calls), 'lastCalls', (SELECT count(*) FROM last_calls WHERE answered),
    'unansweredCalls', (SELECT count(*) FROM last_calls WHERE NOT answered)) AS totals,
  (SELECT id FROM source) AS source_agent_id,
  (SELECT coalesce(json_agg(agent_id ORDER BY started_at, id), '[]') FROM (
    SELECT agent_id, started_at, id FROM tenures WHERE NOT returned ORDER BY started_at DESC, id DESC LIMIT ${bounds.chain}) t) AS chain,
  (SELECT coalesce(json_agg(json_build_object('from', source_agent_id, 'to', target_agent_id, 'reason', left(nullif(reason, ''), 300),
    'declined', lower(status::text) || ': ' || left(declined, 300)) ORDER BY depth, initiated_at), '[]') FROM (
    SELECT source_agent_id, target_agent_id, reason, status, coalesce(rejection_reason, failure_reason) AS declined, depth, initiated_at FROM handoffs
    WHERE session_id = $1 AND target_agent_session_id IS NOT NULL AND (reason <> '' OR rejection_reason IS NOT NULL OR failure_reason IS NOT NULL)${limited ? ' AND false' : ''} ORDER BY initiated_at DESC LIMIT ${bounds.reasons}) h) AS reasons,
  (SELECT id FROM last_agent_turn) AS last_turn_id,
  (SELECT coalesce(json_agg(id ORDER BY index), '[]') FROM tool_calls WHERE turn_id = (SELECT id FROM last_agent_turn)) AS last_turn_call_ids,
  (SELECT encode(sha256(convert_to(
      coalesce((SELECT string_agg(role || ' ' || content, E'\\n' ORDER BY sequence) FROM messages WHERE turn_id = l.id), '') || E'\\n' ||
      coalesce((SELECT string_agg(name || ' ' || coalesce(arguments::text, '') || ' ' || coalesce(error, result, ''), E'\\n' ORDER BY index) FROM tool_calls WHERE turn_id = l.id), ''),
      'UTF8')), 'hex') FROM last_agent_turn l) AS last_agent_turn_hash,
  (SELECT row_to_json(visible) FROM visible) AS visible
`);
}
const readSourcesStatement = sourcesSql(false);
const readSourcesSince = sourcesSql(true);

/** Runs a prepared statement: a transaction or the pool. */
export interface Reader {
  query(prepared: Statement, values: unknown[]): Promise<object[]>;
}

/** Reads the sources of a Context, of the log from a number on or of all of it; null when the Session does not exist. */
export async function readSources(
  reader: Reader,
  sessionId: string,
  from: number | null = null,
): Promise<Sources | null> {
  const [row] = (await (from === null
    ? reader.query(readSourcesStatement, [sessionId])
    : reader.query(readSourcesSince, [sessionId, from]))) as { title: string | null }[];
  if (row === undefined || row.title === null) return null;
  const { workspace, ...sources } = fromColumns<Sources & { workspace: Workspace | null }>(row);
  // Turns know better.
  return workspace === null ? sources : { ...sources, workspaces: [{ ...workspace, turn: 0 }, ...sources.workspaces] };
}
