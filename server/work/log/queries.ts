import type { Pool } from 'pg';
import { NotFoundError } from '../../core/errors.ts';
import { encodeId } from '../../core/ids.ts';
import { readable } from '../../core/rights.ts';
import type { Caller } from '../../core/work.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';

/** @throws NotFoundError when the Session does not exist or the caller may not read it */
export async function demandReadableSession(pool: Pool, caller: Caller, sessionId: string): Promise<void> {
  const { rowCount } = await pool.query(
    `SELECT FROM sessions WHERE id = $1 AND ${readable(caller, 'Session', 'sessions')}`,
    [sessionId],
  );
  if (rowCount === 0) throw new NotFoundError('session', encodeId('session', sessionId));
}

/** Tokens as models reported them, of one Turn or summed. */
export interface Usage {
  inputTokens: number | null;
  outputTokens: number | null;
  cacheCreationInputTokens: number | null;
  cacheReadInputTokens: number | null;
  model: string | null;
}

/** Usage of a Turn; null without a report. */
export function reportedUsage(turn: Usage): Usage | null {
  const { inputTokens, outputTokens, cacheCreationInputTokens, cacheReadInputTokens, model } = turn;
  const reported = [inputTokens, outputTokens, cacheCreationInputTokens, cacheReadInputTokens, model].some(
    (value) => value !== null,
  );
  return reported ? turn : null;
}

export const noUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheCreationInputTokens: 0,
  cacheReadInputTokens: 0,
  model: null,
};

/** Tokens of all Turns, for each Session that has any. */
export async function usageOfSessions(pool: Pool, sessionIds: readonly string[]): Promise<Map<string, Usage>> {
  const { rows } = await pool.query<Usage & { id: string }>({
    name: 'usage_of_sessions',
    text: `SELECT session_id AS id, coalesce(sum(input_tokens), 0)::float8 AS "inputTokens", coalesce(sum(output_tokens), 0)::float8 AS "outputTokens",
             coalesce(sum(cache_creation_input_tokens), 0)::float8 AS "cacheCreationInputTokens",
             coalesce(sum(cache_read_input_tokens), 0)::float8 AS "cacheReadInputTokens",
             CASE WHEN count(DISTINCT model) = 1 THEN max(model) END AS model
           FROM turns WHERE session_id = ANY($1::uuid[]) GROUP BY session_id`,
    values: [sessionIds],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Adds a row that the caller may read to the rows of its parent. */
function add(rows: Map<string, { id: string }[]>, parent: string, row: { id: string } | undefined): void {
  if (row !== undefined) rows.set(parent, [...(rows.get(parent) ?? []), row]);
}

/** The newest `limit` ToolCalls in each snapshot, newest first, with the columns and relations of `query`. */
export async function visibleToolCalls(
  { pool, prisma }: { pool: Pool; prisma: PrismaClient },
  snapshotIds: readonly string[],
  limit: number,
  query: object,
): Promise<Map<string, { id: string }[]>> {
  const { rows } = await pool.query<{ snapshotId: string; id: string }>({
    name: 'visible_tool_calls',
    text: `SELECT s.id AS "snapshotId", c.id FROM context_snapshots s CROSS JOIN LATERAL (
             SELECT id, index FROM tool_calls WHERE session_id = s.session_id AND index BETWEEN s.call_start AND s.call_end
             ORDER BY index DESC LIMIT $2) c
           WHERE s.id = ANY($1::uuid[]) ORDER BY s.id, c.index DESC`,
    values: [snapshotIds, limit],
  });
  const found = await prisma.toolCall.findMany({
    ...query,
    where: { id: { in: [...new Set(rows.map(({ id }) => id))] } },
  });
  const calls = new Map(found.map((call) => [call.id, call]));
  const visible = new Map<string, { id: string }[]>();
  for (const { snapshotId, id } of rows) add(visible, snapshotId, calls.get(id));
  return visible;
}

/** The first `limit` ToolCalls with an index greater than `after` between each Message and the next, with the columns and relations of `query`. */
export async function callsAfterMessages(
  { pool, prisma }: { pool: Pool; prisma: PrismaClient },
  messageIds: readonly string[],
  { first, after }: { first: number; after: number },
  query: object,
): Promise<Map<string, { id: string }[]>> {
  const { rows } = await pool.query<{ messageId: string; id: string }>({
    name: 'calls_after_messages',
    // Calls before the first Message are shown after it.
    text: `SELECT m.id AS "messageId", c.id FROM messages m CROSS JOIN LATERAL (
             SELECT id, index FROM tool_calls
             WHERE session_id = m.session_id AND sequence BETWEEN CASE m.sequence WHEN 1 THEN 0 ELSE m.sequence END AND m.sequence AND index > $3
             ORDER BY index LIMIT $2) c
           WHERE m.id = ANY($1::uuid[]) ORDER BY m.id, c.index`,
    values: [messageIds, first, after],
  });
  const found = await prisma.toolCall.findMany({ ...query, where: { id: { in: rows.map(({ id }) => id) } } });
  const calls = new Map(found.map((call) => [call.id, call]));
  const following = new Map<string, { id: string }[]>();
  for (const { messageId, id } of rows) add(following, messageId, calls.get(id));
  return following;
}

/** The greatest number of Events that one gap between two Messages returns. */
export const eventsInGap = 50;

/**
 * The newest Events between each Message and the next that the log shows: changes of status, moves that have no entry of their own, and what people decide. The
 * index `events_in_log` has the same condition. Ids grow with time, so they say what was recorded first.
 */
export async function eventsAfterMessages(
  { pool, prisma }: { pool: Pool; prisma: PrismaClient },
  messageIds: readonly string[],
  query: object,
): Promise<Map<string, { id: string }[]>> {
  const { rows } = await pool.query<{ messageId: string; id: string }>({
    name: 'events_after_messages',
    // Events before the first Message are shown after it.
    text: `SELECT m.id AS "messageId", f.id FROM messages m LEFT JOIN messages n ON n.session_id = m.session_id AND n.sequence = m.sequence + 1
           CROSS JOIN LATERAL (
             SELECT e.id FROM events e
             WHERE e.session_id = m.session_id AND (m.sequence = 1 OR e.id > m.id) AND (n.id IS NULL OR e.id < n.id)
               AND (e.type IN ('SESSION_STATUS_CHANGED', 'SESSION_RETURNED', 'SESSION_UNASSIGNED', 'SESSION_QUEUED', 'SESSION_STUCK', 'HANDOFF_TIMED_OUT', 'HANDOFF_PROPOSED_FOR_APPROVAL', 'HANDOFF_APPROVED', 'HANDOFF_DECLINED', 'QUESTION_ASKED', 'QUESTION_ANSWERED') OR e.type = 'SESSION_REASSIGNED' AND e.handoff_id IS NULL)
             ORDER BY e.id DESC LIMIT ${eventsInGap}) f
           WHERE m.id = ANY($1::uuid[]) ORDER BY m.id, f.id`,
    values: [messageIds],
  });
  const found = await prisma.event.findMany({ ...query, where: { id: { in: rows.map(({ id }) => id) } } });
  const events = new Map(found.map((event) => [event.id, event]));
  const following = new Map<string, { id: string }[]>();
  for (const { messageId, id } of rows) add(following, messageId, events.get(id));
  return following;
}

export interface CallLine {
  status: 'PENDING' | 'SUCCEEDED' | 'FAILED';
  argument: string | null;
}

// jsonb does not keep the order of keys, so that the arguments that say most are known by their names.
const sayMost = [
  'command',
  'cmd',
  'file_path',
  'path',
  'notebook_path',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
  'input',
  'action',
  'reason',
];

/** What a line about each call says of its arguments and outcome. Neither is read as a whole into this process. */
export async function linesOfCalls(pool: Pool, ids: readonly string[]): Promise<Map<string, CallLine>> {
  const { rows } = await pool.query<CallLine & { id: string }>({
    name: 'lines_of_calls',
    text: `SELECT c.id, CASE WHEN error IS NOT NULL THEN 'FAILED' WHEN result IS NOT NULL THEN 'SUCCEEDED' ELSE 'PENDING' END AS status,
             nullif(left(trim(regexp_replace(left(a.text, 2000), '[[:space:]]+', ' ', 'g')), 300), '') AS argument
           FROM tool_calls c LEFT JOIN LATERAL (
             SELECT CASE WHEN jsonb_typeof(value) = 'array' THEN (SELECT string_agg(item, ' ') FROM jsonb_array_elements_text(value) item) ELSE value #>> '{}' END AS text
             FROM jsonb_each(CASE WHEN jsonb_typeof(arguments) = 'object' THEN arguments ELSE jsonb_build_object('', arguments) END)
             WHERE value <> 'null'::jsonb
             ORDER BY array_position($2::text[], key), jsonb_typeof(value) <> 'string', key LIMIT 1) a ON true
           WHERE c.id = ANY($1::uuid[])`,
    values: [ids, sayMost],
  });
  return new Map(rows.map(({ id, ...line }) => [id, line]));
}
