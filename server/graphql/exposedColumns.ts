import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import { encodeNodeId, isNodeType } from './nodeIds.ts';
import { plainSelection } from './plainSelection.ts';

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- where Pothos looks for plugins
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      exposedColumns: ExposedColumns<Types>;
    }
  }
}

type Resolve<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>;

/**
 * What is on the row is the answer. Without this the prisma plugin looks up, for each field of each row, which plan
 * loaded it: the largest cost of a list. It stands before that plugin, and so outside it.
 */
class ExposedColumns<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(resolve: Resolve<Types>, config: PothosOutputFieldConfig<Types>): Resolve<Types> {
    const { parentType, name, kind, extensions } = config;
    if (name === 'id' && kind === 'Object' && isNodeType(parentType)) {
      // The relay plugin's own is asynchronous, and a promise for each row costs more than its id.
      return (row, args, context, info) => {
        const id: unknown = Reflect.get(row as object, 'id');
        return typeof id === 'string' ? encodeNodeId(parentType, id) : resolve(row, args, context, info);
      };
    }
    if (kind !== 'PrismaObject') return resolve;
    const column: unknown = extensions?.['pothosExposedField'];
    if (typeof column === 'string') {
      return (row, args, context, info) => {
        const value: unknown = Reflect.get(row as object, column);
        return value === undefined ? resolve(row, args, context, info) : value;
      };
    }
    const relation = extensions?.['pothosPrismaRelationField'] as { name: string; isList: boolean } | undefined;
    if (relation === undefined || relation.isList || Object.keys(config.args).length > 0) return resolve;
    return (row, args, context, info) => {
      const found: unknown = Reflect.get(row as object, relation.name);
      // The plugin looks up plans level by level: below what is answered here nothing may need one.
      const plain = found !== undefined && plainSelection(info.returnType, info.fieldNodes, info) !== null;
      return plain ? found : resolve(row, args, context, info);
    };
  }
}

const name = 'exposedColumns';
SchemaBuilder.registerPlugin(name, ExposedColumns);
export default name;
