import type { Pool } from 'pg';
import { statement } from '../../core/changes.ts';

// Reads each queue up to the last of the entries in question.
const findPositions = statement(`
WITH asked AS (
  SELECT id, wanted, effective_at FROM queue_entries WHERE id = ANY ($1::uuid[]) AND NOT suspended AND NOT escalated),
ends AS (
  SELECT DISTINCT ON (wanted) wanted, effective_at, id FROM asked ORDER BY wanted, effective_at DESC, id DESC),
ranked AS (
  SELECT e.id, row_number() OVER (PARTITION BY e.wanted ORDER BY e.effective_at, e.id)::int AS position
  FROM ends JOIN queue_entries e ON e.wanted = ends.wanted AND (e.effective_at, e.id) <= (ends.effective_at, ends.id) AND NOT e.suspended AND NOT e.escalated)
SELECT id, position FROM ranked WHERE id IN (SELECT id FROM asked)`);

/** The places of these entries among those that wait for the same Agent, from 1 on. Suspended and escalated entries have none. */
export async function positionsOf(pool: Pool, ids: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ id: string; position: number }>({ ...findPositions, values: [ids] });
  return new Map(rows.map(({ id, position }) => [id, position]));
}
