import { createHash } from 'node:crypto';
import { escapeIdentifier, type Pool } from 'pg';

export interface TableHashes {
  /** One hash per table, over all of its rows. */
  tables: Record<string, string>;
  total: string;
}

/** Written shortly after the commit, or by open streams. */
const later = [
  ...['event_positions', 'unpositioned_events', 'agent_presence', 'agent_connections', 'server_processes'],
  ...['handoff_path_changes', 'handoff_path_counts', 'handoff_path_times', 'event_followers', 'pruning'],
];

/** Hashes of all tables, read in one snapshot: equal hashes before and after mean that nothing changed. Without `late`, not of those that are written later. */
export async function hashAllTables(pool: Pool, { late = false } = {}): Promise<TableHashes> {
  const { rows: names } = await pool.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() AND tablename <> ALL ($1) ORDER BY 1`,
    [['_prisma_migrations', ...(late ? [] : later)]],
  );
  const parts = names.map(
    ({ name }, index) =>
      `SELECT ${index} AS n, md5(coalesce(string_agg(h, '' ORDER BY h), '')) AS hash FROM (SELECT md5(t::text) COLLATE "C" AS h FROM ${escapeIdentifier(name)} t) r`,
  );
  const { rows } = await pool.query<{ n: number; hash: string }>(`${parts.join(' UNION ALL ')} ORDER BY n`);
  const tables = Object.fromEntries(rows.map(({ n, hash }) => [names[n]?.name ?? '', hash]));
  return { tables, total: createHash('sha256').update(JSON.stringify(tables)).digest('hex') };
}
