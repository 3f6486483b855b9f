import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- where Pothos looks for plugins
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      exposedColumns: ExposedColumns<Types>;
    }
  }
}

/**
 * A column that is on the row is the answer. Without this the prisma plugin looks up, for each scalar of each row,
 * which plan loaded it: the largest cost of a list. It stands before that plugin, and so outside it.
 */
class ExposedColumns<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { kind, extensions }: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    const column: unknown = extensions?.['pothosExposedField'];
    if (kind !== 'PrismaObject' || typeof column !== 'string') return resolve;
    return (row, args, context, info) => {
      const value: unknown = Reflect.get(row as object, column);
      return value === undefined ? resolve(row, args, context, info) : value;
    };
  }
}

const name = 'exposedColumns';
SchemaBuilder.registerPlugin(name, ExposedColumns);
export default name;
