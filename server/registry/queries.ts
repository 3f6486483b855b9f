import type { Pool } from 'pg';

/** Number of newest Turns in which a branch is looked for. */
const lastTurns = 300;

/** The branch of the newest Turn that states one; null when none does. */
export async function branchOf(pool: Pool, sessionId: string): Promise<string | null> {
  const { rows } = await pool.query<{ branch: string }>({
    name: 'branch_of_session',
    text: `SELECT workspace->>'branch' AS branch FROM (SELECT workspace, index FROM turns WHERE session_id = $1 ORDER BY index DESC LIMIT $2) t
           WHERE workspace->>'branch' IS NOT NULL ORDER BY index DESC LIMIT 1`,
    values: [sessionId, lastTurns],
  });
  return rows[0]?.branch ?? null;
}
