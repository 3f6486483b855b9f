import type { Pool } from 'pg';
import { readableEntrySql } from '../core/readable.ts';
import type { Caller } from '../core/work.ts';

/** Number of newest Turns in which a branch is looked for. */
const lastTurns = 300;

/** What a prompt may name of a Session: its external id, and the branch of the newest Turn that states one and that the caller may read. Null where there is none. */
export async function namesOf(
  pool: Pool,
  caller: Caller,
  sessionId: string,
): Promise<{ branch: string | null; externalId: string | null }> {
  const { rows } = await pool.query<{ branch: string | null; externalId: string | null }>({
    text: `SELECT external_id AS "externalId", (
             SELECT t.workspace->>'branch' FROM (SELECT id, session_id, workspace, index FROM turns WHERE session_id = s.id ORDER BY index DESC LIMIT $2) t
             WHERE t.workspace->>'branch' IS NOT NULL AND ${readableEntrySql(caller, 't')} ORDER BY t.index DESC LIMIT 1) AS branch
           FROM sessions s WHERE id = $1`,
    values: [sessionId, lastTurns],
  });
  return rows[0] ?? { branch: null, externalId: null };
}
