import type { Prisma } from '../../generated/prisma/client.ts';
import { Conditions, Values } from '../../reads/where.ts';
import type { GraphQLContext } from './context.ts';

type Condition = Readonly<Record<string, unknown>>;

/** Which of these conditions each of the rows with these ids meets first: one statement. A row that meets none is left out. */
export async function matching<Name extends string>(
  { pool, tables }: Pick<GraphQLContext, 'pool' | 'tables'>,
  model: Prisma.ModelName,
  ids: readonly string[],
  conditions: Readonly<Record<Name, Condition>>,
): Promise<Map<string, Name>> {
  const table = tables.get(model)!;
  const values = new Values([ids]);
  const where = new Conditions(tables, values);
  const cases = Object.entries<Condition>(conditions).map(
    ([name, condition]) => `WHEN ${where.of(table, 't0', condition)} THEN ${values.add(name)}`,
  );
  const { rows } = await pool.query<{ id: string; name: Name | null }>(
    `SELECT t0.id, CASE ${cases.join(' ')} END AS name FROM ${table.sql} t0 WHERE t0.id = ANY ($1::uuid[])`,
    values.all,
  );
  return new Map(rows.flatMap(({ id, name }) => (name === null ? [] : [[id, name]])));
}
