import type { Pool } from 'pg';

/** Number of newest Turns in which a branch is looked for. */
const lastTurns = 300;

/** What a prompt may name of a Session: its external id, and the branch of the newest Turn that states one. Null where there is none. */
export async function namesOf(pool: Pool, sessionId: string): Promise<{ branch: string | null; externalId: string | null }> {
  const { rows } = await pool.query<{ branch: string | null; externalId: string | null }>({
    name: 'names_of_session',
    text: `SELECT external_id AS "externalId", (
             SELECT workspace->>'branch' FROM (SELECT workspace, index FROM turns WHERE session_id = s.id ORDER BY index DESC LIMIT $2) t
             WHERE workspace->>'branch' IS NOT NULL ORDER BY index DESC LIMIT 1) AS branch
           FROM sessions s WHERE id = $1`,
    values: [sessionId, lastTurns],
  });
  return rows[0] ?? { branch: null, externalId: null };
}
