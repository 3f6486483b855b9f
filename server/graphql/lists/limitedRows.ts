import { readable } from '../../core/rights.ts';
import type { GraphQLContext } from '../context.ts';
import type { sqlPage } from '../page.ts';

type ReaderContext = Pick<GraphQLContext, 'caller' | 'pool'>;

/** A table whose rows an agent may read in part (rule: carry), and the column with the parent of a list. */
export interface LimitedTable {
  table: 'handoffs' | 'messages' | 'turns';
  parent: 'session_id' | 'agent_session_id' | 'source_agent_id';
}

const models = { handoffs: 'Handoff', messages: 'Message', turns: 'Turn' } as const;
const idType = (parent: LimitedTable['parent']): string => (parent === 'source_agent_id' ? 'text' : 'uuid');

/** The ids of the rows on a page of each parent that the agent may read, with their parents: one statement. */
export async function readablePages(
  { caller, pool }: ReaderContext,
  { table, parent }: LimitedTable,
  parents: readonly string[],
  page: (given: number) => ReturnType<typeof sqlPage>,
): Promise<Map<string, string>> {
  const { where, orderBy, take, values } = page(1);
  const { rows } = await pool.query<{ id: string; parent: string }>(
    `SELECT r.id, p.id AS parent FROM unnest($1::${idType(parent)}[]) p (id)
    CROSS JOIN LATERAL (SELECT t.id FROM ${table} t WHERE t.${parent} = p.id AND ${readable(caller, models[table], 't')} AND ${where} ORDER BY ${orderBy} LIMIT ${take}) r`,
    [parents, ...values],
  );
  return new Map(rows.map((row) => [row.id, row.parent]));
}

/** The number of rows of each parent that the agent may read: one statement. */
export async function countReadable(
  { caller, pool }: ReaderContext,
  { table, parent }: LimitedTable,
  parents: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ parent: string; count: number }>(
    `SELECT t.${parent} AS parent, count(*)::int FROM ${table} t WHERE t.${parent} = ANY ($1::${idType(parent)}[]) AND ${readable(caller, models[table], 't')} GROUP BY 1`,
    [parents],
  );
  return new Map(rows.map((row) => [row.parent, row.count]));
}
