import type { Pool } from 'pg';
import { readable } from '../../../core/rights.ts';
import type { Caller } from '../../../core/work.ts';
import type { LogCall, LogEntry, LogMessage } from './items.ts';

export interface Reader {
  pool: Pool;
  caller: Caller;
}

interface Place {
  id: string;
  kind: 'message' | 'call';
  sequence: number;
  bytes: number;
}

/** The newest part of a Session's log that a caller may read and that fits: places in the log's order, without the texts. */
export interface LogPart {
  title: string;
  createdAt: Date;
  updatedAt: Date;
  messageCount: number;
  toolCallCount: number;
  /** Number of the first Message after the last cut of the agent's window. */
  visibleFrom: number;
  /** The folder that a Turn last stated; null without one. */
  folder: string | null;
  entries: Place[];
  /** Whether older readable entries did not fit. */
  isCut: boolean;
}

/** A line of a transcript has some 300 bytes besides its text. */
const bytesOfLine = 300;
/** The entries that are looked at. As many do not fit: each takes `bytesOfLine` of at most 4 MB. */
const maxEntries = 15_000;

/** Null when the Session does not exist or the caller may not read it. A text counts as at most `longest` bytes. */
export async function readPart(
  { pool, caller }: Reader,
  sessionId: string,
  { bytes, longest }: { bytes: number; longest: number },
): Promise<LogPart | null> {
  const { rows } = await pool.query<Omit<LogPart, 'entries' | 'isCut'> & { visibleCallsFrom: number }>(
    `SELECT title, created_at AS "createdAt", updated_at AS "updatedAt", message_count AS "messageCount", tool_call_count AS "toolCallCount",
       visible_from AS "visibleFrom", visible_calls_from AS "visibleCallsFrom",
       (SELECT workspace ->> 'folder' FROM turns t WHERE session_id = s.id AND workspace ->> 'folder' IS NOT NULL AND ${readable(caller, 'Turn', 't')} ORDER BY index DESC LIMIT 1) AS folder
     FROM sessions s WHERE id = $1 AND ${readable(caller, 'Session', 's')}`,
    [sessionId],
  );
  const [session] = rows;
  if (session === undefined) return null;
  const { rows: entries } = await pool.query<Place & { isOver: boolean }>(
    `SELECT id, kind, sequence, bytes::float8 AS bytes, total > $4 AS "isOver" FROM (
       SELECT *, sum(${bytesOfLine} + least(bytes, $5)) OVER (ORDER BY sequence DESC, index DESC) AS total FROM (
         (SELECT id, 'message' AS kind, sequence, 0 AS index, octet_length(content) AS bytes
          FROM messages t WHERE session_id = $1 AND sequence >= $2 AND ${readable(caller, 'Message', 't')} ORDER BY sequence DESC LIMIT ${maxEntries})
         UNION ALL
         (SELECT id, 'call', sequence, index, coalesce(octet_length(arguments::text), 0) + coalesce(octet_length(coalesce(error, result)), 0)
          FROM tool_calls t WHERE session_id = $1 AND index >= $3 AND ${readable(caller, 'ToolCall', 't')} ORDER BY index DESC LIMIT ${maxEntries})) entries) summed
     ORDER BY total DESC`,
    [sessionId, session.visibleFrom, session.visibleCallsFrom, bytes, longest],
  );
  const fitting = entries.filter(({ isOver }) => !isOver);
  return { ...session, entries: fitting, isCut: fitting.length < entries.length };
}

/** Texts in memory at a time. */
const partBytes = 1024 * 1024;

/** The entries with their texts, a part at a time. */
export async function* readEntries(
  { pool }: Pick<Reader, 'pool'>,
  entries: readonly Place[],
): AsyncGenerator<LogEntry> {
  for (let from = 0, to = 0; from < entries.length; from = to) {
    for (let bytes = 0; to < entries.length && (to === from || bytes + entries[to]!.bytes <= partBytes); to += 1)
      bytes += entries[to]!.bytes;
    const part = entries.slice(from, to);
    const found = new Map<string, LogEntry>();
    const idsOf = (kind: Place['kind']): string[] => part.flatMap((entry) => (entry.kind === kind ? [entry.id] : []));
    for (const { id, ...entry } of (
      await pool.query<LogMessage & { id: string }>({ ...findMessages, values: [idsOf('message')] })
    ).rows)
      found.set(id, entry);
    for (const { id, ...entry } of (
      await pool.query<LogCall & { id: string }>({ ...findCalls, values: [idsOf('call')] })
    ).rows)
      found.set(id, entry);
    for (const { id } of part) if (found.has(id)) yield found.get(id)!;
  }
}

const findMessages = {
  name: 'native_messages',
  text: `SELECT m.id, 'message' AS kind, m.sequence, m.role, m.content, m.created_at AS at, a.agent_id AS "agentId"
         FROM messages m LEFT JOIN agent_sessions a ON a.id = m.agent_session_id WHERE m.id = ANY ($1::uuid[])`,
};
const findCalls = {
  name: 'native_calls',
  text: `SELECT c.id, 'call' AS kind, c.index, c.call_id AS "callId", c.name, c.arguments, c.result, c.error, a.agent_id AS "agentId",
           CASE WHEN c.message_id IS NOT NULL THEN c.sequence END AS message
         FROM tool_calls c JOIN turns t ON t.id = c.turn_id LEFT JOIN agent_sessions a ON a.id = t.agent_session_id WHERE c.id = ANY ($1::uuid[])`,
};
