import { queryFromInfo } from '@pothos/plugin-prisma';
import { getLoaderMapping, type Mappings } from '@pothos/selection-mapper';
import {
  type FieldNode,
  getDirectiveValues,
  getNamedType,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  isObjectType,
  Kind,
  type SelectionNode,
  visit,
} from 'graphql';
import type { Path } from 'graphql/jsutils/Path.js';
import { kindOf } from '../../core/rights.ts';
import { compile, type Reader, type Selection } from '../../reads/compile.ts';
import type { ModelName } from './builder.ts';
import { isLarge, withSmallContexts } from './callerReads.ts';
import type { GraphQLContext } from './context.ts';

export const nodePaths = [['nodes'], ['edges', 'node']];

export interface PlannedReader {
  reader: Reader<{ id: string }>;
  /** Whether it reads a large column. */
  isLarge: boolean;
}

interface Known {
  /** The variables on which the selection depends. */
  variables: readonly string[];
  readers: Map<string, PlannedReader>;
}
const known = new WeakMap<FieldNode, Known>();
/** Readers of one field, of documents whose selections depend on variables. */
const mostReaders = 20;

/**
 * The statement for all that is selected below a list, as Pothos plans it. Kept with the document for each value of the variables
 * in the selection: planning takes as long as reading.
 */
export function plannedReader(
  model: ModelName,
  columns: Record<string, true>,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
): PlannedReader {
  const [node, ...others] = info.fieldNodes;
  if (others.length > 0) return plan(model, columns, context, info).reader;
  let of = known.get(node!);
  if (of === undefined) known.set(node!, (of = { variables: variablesBelow(node!, info), readers: new Map() }));
  const key = JSON.stringify([kindOf(context.caller), ...of.variables.map((name) => info.variableValues[name])]);
  const found = of.readers.get(key);
  if (found !== undefined) return found;
  const { reader, isWhole } = plan(model, columns, context, info);
  if (isWhole) {
    if (of.readers.size >= mostReaders) of.readers.clear();
    of.readers.set(key, reader);
  }
  return reader;
}

function plan(
  model: ModelName,
  columns: Record<string, true>,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
): { reader: PlannedReader; isWhole: boolean } {
  const query = withSmallContexts(
    queryFromInfo({ context, info, typeName: model, paths: nodePaths, select: columns }) as Selection,
  );
  const isWhole = loadsAll(context, info);
  const reader = compile(context.tables, model, query, { reader: context.caller, isWhole }) as Reader<{ id: string }>;
  return { reader: { reader, isLarge: isLarge(query) }, isWhole };
}

function variablesBelow(node: FieldNode, { fragments }: GraphQLResolveInfo): string[] {
  const names = new Set<string>();
  const add = { Variable: ({ name }: { name: { value: string } }) => void names.add(name.value) };
  for (const part of [node.selectionSet!, ...Object.values(fragments)]) visit(part, add);
  return [...names];
}

type Find = (type: string, path: readonly string[]) => Mappings[string] | null | undefined;

/**
 * Whether the plan loads all that is selected. It does not when one relation is selected twice with different arguments: Pothos
 * loads the second by a statement of its own, and has to be asked for each row which one it is.
 */
function loadsAll(context: object, info: GraphQLResolveInfo): boolean {
  const find: Find = (type, path) => {
    const end = path.reduce<Path>((prev, key) => ({ prev, key, typename: undefined }), info.path);
    return getLoaderMapping(context, end, type);
  };
  const type = getNamedType(info.returnType);
  return info.fieldNodes.every((node) => isLoaded(type, node.selectionSet!.selections, [], find, info));
}

function isLoaded(
  type: GraphQLNamedType,
  selections: readonly SelectionNode[],
  path: readonly string[],
  find: Find,
  info: GraphQLResolveInfo,
): boolean {
  if (!isObjectType(type)) return false;
  return selections.every((selected): boolean => {
    if (!isIncluded(selected, info)) return true;
    if (selected.kind !== Kind.FIELD) {
      const fragment = selected.kind === Kind.INLINE_FRAGMENT ? selected : info.fragments[selected.name.value]!;
      const isOfType = fragment.typeCondition === undefined || fragment.typeCondition.name.value === type.name;
      return isOfType && isLoaded(type, fragment.selectionSet.selections, path, find, info);
    }
    const field = type.getFields()[selected.name.value];
    if (field === undefined) return true;
    const below = [...path, (selected.alias ?? selected.name).value];
    const isPlanned = Boolean(field.extensions['pothosPrismaSelect']);
    const mapping = isPlanned ? find(type.name, below) : undefined;
    if (isPlanned && mapping == null) return false;
    if (selected.selectionSet === undefined) return true;
    const ofField = getNamedType(field.type);
    const nested: Find = (name, at) => mapping!.nested[`${name}@${at.join('.')}`];
    return isPlanned
      ? isLoaded(ofField, selected.selectionSet.selections, [], nested, info)
      : isLoaded(ofField, selected.selectionSet.selections, below, find, info);
  });
}

const isIncluded = (selected: SelectionNode, { variableValues }: GraphQLResolveInfo): boolean =>
  getDirectiveValues(GraphQLSkipDirective, selected, variableValues)?.['if'] !== true &&
  getDirectiveValues(GraphQLIncludeDirective, selected, variableValues)?.['if'] !== false;
