import type { Pool } from 'pg';
import { readable } from '../../core/rights.ts';
import type { Caller } from '../../core/work.ts';

/** Number of newest Turns in which a branch is looked for. */
const lastTurns = 300;

/** Returns the Session's external id and the branch of the newest Turn that the caller may read and that has one; null for what is not set. */
export async function namesOf(
  pool: Pool,
  caller: Caller,
  sessionId: string,
): Promise<{ branch: string | null; externalId: string | null }> {
  const { rows } = await pool.query<{ branch: string | null; externalId: string | null }>({
    text: `SELECT external_id AS "externalId", (
             SELECT t.workspace->>'branch' FROM (SELECT id, session_id, workspace, index FROM turns WHERE session_id = s.id ORDER BY index DESC LIMIT $2) t
             WHERE t.workspace->>'branch' IS NOT NULL AND ${readable(caller, 'Turn', 't')} ORDER BY t.index DESC LIMIT 1) AS branch
           FROM sessions s WHERE id = $1`,
    values: [sessionId, lastTurns],
  });
  return rows[0] ?? { branch: null, externalId: null };
}
