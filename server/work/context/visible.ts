/** The visible part of a Session's log: everything since its last truncation. */
export interface VisibleCounts {
  user: number;
  assistant: number;
  system: number;
  tool: number;
  handoff: number;
  /** UTF-8 bytes of the visible Messages and ToolCalls. */
  bytes: number;
  /** Tokens in the window after the last visible Turn of the tenure, as its model reported them; null without a report. */
  reported: number | null;
  /** Bytes after that Turn. */
  bytesSince: number;
}

// A result may be in the log twice, with its call and as a TOOL Message; it counts once.
const bytesOf = (messages: string, calls: string, since: string): string => `
  coalesce((SELECT sum(size) FROM ${messages} WHERE role <> 'TOOL' ${since}), 0) + coalesce((SELECT sum(asked) FROM ${calls} WHERE true ${since}), 0)
  + greatest((SELECT sum(size) FROM ${messages} WHERE role = 'TOOL' ${since}), (SELECT sum(answered) FROM ${calls} WHERE true ${since}), 0)`;

/**
 * CTEs that end in `visible`, one row: what the agent of a tenure sees of the Session $1. The parameters are SQL
 * expressions. Ignores the report of a Turn whose Messages and ToolCalls were truncated.
 */
export const visibleCtes = ({
  from,
  callsFrom,
  tenure,
}: {
  from: string;
  callsFrom: string;
  tenure: string;
}): string => `
last_report AS MATERIALIZED (
  SELECT t.window_tokens AS tokens, m.last AS message, c.last AS call
  FROM (SELECT id, window_tokens FROM turns WHERE agent_session_id = ${tenure} AND window_tokens IS NOT NULL ORDER BY index DESC LIMIT 1) t,
    LATERAL (SELECT coalesce(max(sequence), 0) AS last FROM messages WHERE turn_id = t.id) m,
    LATERAL (SELECT coalesce(max(index), 0) AS last FROM tool_calls WHERE turn_id = t.id) c
  WHERE m.last >= ${from} OR c.last >= ${callsFrom}),
seen AS MATERIALIZED (
  SELECT role, octet_length(content) AS size, sequence > coalesce((SELECT message FROM last_report), 0) AS since
  FROM messages WHERE session_id = $1 AND sequence >= ${from}),
seen_calls AS MATERIALIZED (
  SELECT octet_length(name) + coalesce(octet_length(arguments::text), 0) AS asked, coalesce(octet_length(coalesce(error, result)), 0) AS answered,
    index > coalesce((SELECT call FROM last_report), 0) AS since
  FROM tool_calls WHERE session_id = $1 AND index >= ${callsFrom}),
visible AS (
  SELECT count(*) FILTER (WHERE role = 'USER')::int AS user, count(*) FILTER (WHERE role = 'ASSISTANT')::int AS assistant,
    count(*) FILTER (WHERE role = 'SYSTEM')::int AS system, count(*) FILTER (WHERE role = 'TOOL')::int AS tool,
    count(*) FILTER (WHERE role = 'HANDOFF')::int AS handoff,
    (${bytesOf('seen', 'seen_calls', '')})::float8 AS bytes,
    (SELECT tokens FROM last_report) AS reported,
    (${bytesOf('seen', 'seen_calls', 'AND since')})::float8 AS "bytesSince"
  FROM seen)`;
