import type { Pool } from 'pg';
import { NotFoundError } from '../core/errors.ts';
import { encodeId } from '../core/ids.ts';
import { readableSql } from '../core/readable.ts';
import type { Caller } from '../core/work.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';

/** @throws NotFoundError when the Session does not exist or the caller may not read it */
export async function demandReadableSession(pool: Pool, caller: Caller, sessionId: string): Promise<void> {
  const { rowCount } = await pool.query(`SELECT FROM sessions WHERE id = $1 AND ${readableSql(caller, 'sessions.id')}`, [sessionId]);
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
  const reported = [inputTokens, outputTokens, cacheCreationInputTokens, cacheReadInputTokens, model].some((value) => value !== null);
  return reported ? turn : null;
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cacheCreationInputTokens: 0, cacheReadInputTokens: 0, model: null };

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
  const found = await prisma.toolCall.findMany({ ...query, where: { id: { in: [...new Set(rows.map(({ id }) => id))] } } });
  const calls = new Map(found.map((call) => [call.id, call]));
  const visible = new Map<string, { id: string }[]>();
  for (const { snapshotId, id } of rows) visible.set(snapshotId, [...(visible.get(snapshotId) ?? []), calls.get(id)!]);
  return visible;
}
