import type { Pool } from 'pg';
import { readableEntrySql } from '../core/readable.ts';
import type { Caller } from '../core/work.ts';

/** Number of newest Turns in which a branch is looked for. */
const lastTurns = 300;

/** The branch of the newest Turn that states one and that the caller may read; null when none does. */
export async function branchOf(pool: Pool, caller: Caller, sessionId: string): Promise<string | null> {
  const { rows } = await pool.query<{ branch: string }>({
    text: `SELECT workspace->>'branch' AS branch FROM (SELECT id, session_id, workspace, index FROM turns WHERE session_id = $1 ORDER BY index DESC LIMIT $2) t
           WHERE workspace->>'branch' IS NOT NULL AND ${readableEntrySql(caller, 'turns')} ORDER BY index DESC LIMIT 1`,
    values: [sessionId, lastTurns],
  });
  return rows[0]?.branch ?? null;
}
