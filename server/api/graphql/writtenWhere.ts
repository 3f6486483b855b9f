import type { Prisma } from '../../generated/prisma/client.ts';
import { Conditions, Values } from '../../reads/where.ts';
import type { GraphQLContext } from './context.ts';

interface Written {
  /** The values of all conditions so far. */
  values: unknown[];
  /** SQL of a condition of Prisma's `where` for the row of a table. */
  where: (model: Prisma.ModelName, row: string, condition: object) => string;
}

/** Conditions of Prisma's `where` in a statement that someone writes. */
export function writtenWhere({ tables }: Pick<GraphQLContext, 'tables'>): Written {
  const values = new Values();
  const conditions = new Conditions(tables, values);
  return {
    values: values.all,
    where: (model, row, condition) =>
      conditions.of(tables.get(model)!, row, condition as Readonly<Record<string, unknown>>),
  };
}
