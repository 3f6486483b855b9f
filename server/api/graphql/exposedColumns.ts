import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import {
  type FieldNode,
  getNamedType,
  type GraphQLFieldResolver,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  isObjectType,
  Kind,
} from 'graphql';
import type { Path } from 'graphql/jsutils/Path.js';
import { WholeRow } from '../../reads/compile.ts';
import { encodeNodeId, isNodeType } from './nodeIds.ts';

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
 *
 * Pothos' guide to plugins documents `wrapResolve` and `pothosOptions`. It does not document the names in `extensions`
 * (`pothosExposedField`, `pothosPrismaRelationField`): without them this falls back to the planned resolver, which is slower.
 */
class ExposedColumns<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(planned: Resolve<Types>, config: PothosOutputFieldConfig<Types>): Resolve<Types> {
    const { parentType, name, kind, extensions, type } = config;
    // The prisma plugin plans fields of its own objects, and fields that give objects. No other value needs a path.
    if (kind !== 'PrismaObject' && name !== 'id' && isLeaf(type)) return planned;
    const resolve: Resolve<Types> = (row, args, context, info) =>
      planned(row, args, context, withOwnPath(context, info));
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
      const readMissing = (extensions?.['readMissing'] as Resolve<Types> | undefined) ?? resolve;
      return (row, args, context, info) => {
        const value: unknown = Reflect.get(row as object, column);
        return value === undefined ? readMissing(row, args, context, info) : value;
      };
    }
    const columns = columnsOf(config.pothosOptions);
    const relation = extensions?.['pothosPrismaRelationField'] as { name: string; isList: boolean } | undefined;
    const isOne = relation !== undefined && !relation.isList && Object.keys(config.args).length === 0;
    const answer = config.resolve as Resolve<Types> | undefined;
    return (row, args, context, info) => {
      const isThere =
        row instanceof WholeRow ||
        columns?.every((each) => Reflect.get(row as object, each) !== undefined) === true ||
        (isOne && needsNoPlan(info, Reflect.get(row as object, relation.name)));
      return (isThere && answer !== undefined ? answer : resolve)(row, args, context, info);
    };
  }
}

const exposed = new WeakMap<FieldNode, string[] | null>();

/** Whether everything that is selected below a relation is a column on the row that it holds. */
function needsNoPlan({ fieldNodes: [node, ...others], returnType }: GraphQLResolveInfo, held: unknown): boolean {
  if (node === undefined || others.length > 0 || held === undefined) return false;
  let columns = exposed.get(node);
  if (columns === undefined) exposed.set(node, (columns = exposedBelow(node, getNamedType(returnType))));
  return columns !== null && (held === null || columns.every((column) => Reflect.get(held, column) !== undefined));
}

/** The columns of the selected fields; null when another field or a fragment is among them. */
function exposedBelow({ selectionSet }: FieldNode, type: GraphQLNamedType): string[] | null {
  const fields = isObjectType(type) ? type.getFields() : {};
  const columns = selectionSet!.selections.map((selected) => {
    if (selected.kind !== Kind.FIELD) return null;
    if (selected.name.value === 'id' && isNodeType(type.name)) return 'id';
    const column: unknown = fields[selected.name.value]?.extensions['pothosExposedField'];
    return typeof column === 'string' ? column : null;
  });
  return columns.every((column) => column !== null) ? columns : null;
}

const isLeaf = <Types extends SchemaTypes>(type: PothosOutputFieldConfig<Types>['type']): boolean =>
  type.kind === 'List' ? isLeaf(type.type) : type.kind === 'Scalar' || type.kind === 'Enum';

/** The columns that a field selects, when it selects nothing else. */
function columnsOf(options: { select?: unknown }): string[] | null {
  const { select } = options;
  if (typeof select !== 'object' || select === null) return null;
  const columns = Object.entries(select);
  return columns.every(([, asked]) => asked === true) ? columns.map(([column]) => column) : null;
}

interface Place {
  path: Path;
  below: Map<string | number, Place>;
}
const places = new WeakMap<object, Place>();

/** The same path object for the same place of an answer: Pothos keys its plans on it, and compiled queries make new ones. */
function withOwnPath<Info extends { path: Path }>(context: object, info: Info): Info {
  let root = places.get(context);
  if (root === undefined) places.set(context, (root = { path: info.path, below: new Map() }));
  (info as { path: Path }).path = placeOf(root, info.path).path;
  return info;
}

function placeOf(root: Place, path: Path): Place {
  const parent = path.prev === undefined ? root : placeOf(root, path.prev);
  let place = parent.below.get(path.key);
  if (place === undefined) {
    place = {
      path: { prev: parent === root ? undefined : parent.path, key: path.key, typename: path.typename },
      below: new Map(),
    };
    parent.below.set(path.key, place);
  }
  return place;
}

const name = 'exposedColumns';
SchemaBuilder.registerPlugin(name, ExposedColumns);
export default name;
