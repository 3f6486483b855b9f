import type pg from 'pg';

/**
 * Tables whose rows stay behind. Migrations give each database rows of its own, or servers write them again: the identity, with the key
 * that signs cursors; the lease of the process that sends webhooks; processes, and the connections of agents to them.
 */
export const leftBehind: readonly string[] = [
  '_prisma_migrations',
  'database_identity',
  'webhook_worker',
  'server_processes',
  'agent_connections',
];

export interface TableShape {
  name: string;
  /** Without generated columns. */
  columns: string[];
}

/** Every table of the schema but those of `leftBehind`, by name. */
export async function readShapes(client: pg.Client): Promise<TableShape[]> {
  const { rows } = await client.query<TableShape>(
    `SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> ALL ($1)
     GROUP BY c.relname ORDER BY c.relname`,
    [leftBehind],
  );
  return rows;
}

/** `agents (id, type)`, for COPY. */
export const copied = (client: pg.Client, { name, columns }: TableShape): string =>
  `${client.escapeIdentifier(name)} (${columns.map((column) => client.escapeIdentifier(column)).join(', ')})`;

/** Makes PostgreSQL write equal values as equal text, whatever the server or the role sets. */
export const plainText = `SET LOCAL client_encoding = 'UTF8'; SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO, MDY'; SET LOCAL intervalstyle = 'postgres';
  SET LOCAL extra_float_digits = 1; SET LOCAL bytea_output = 'hex'`;
