import { getNamedType, isObjectType, Kind, OperationTypeNode, type DocumentNode, type FieldNode, type GraphQLObjectType, type GraphQLOutputType, type GraphQLResolveInfo, type GraphQLSchema, type SelectionSetNode } from 'graphql';

/** A `select` of Prisma's that has nothing but columns, and rows that these point to. */
export interface Select {
  [name: string]: true | { select: Select };
}

type Document = Pick<GraphQLResolveInfo, 'fragments'>;
const known = new WeakMap<FieldNode, Select | 'no'>();

/**
 * What a field of this type asks for below it, when that is columns and rows that they point to, without arguments or
 * directives; null when there is more to it, which the prisma plugin then plans. Found once for each document: a server
 * is asked the same few, and planning one costs as much as running it.
 */
export function plainSelection(returned: GraphQLOutputType, nodes: readonly FieldNode[], document: Document): Select | null {
  const type = getNamedType(returned);
  if (!isObjectType(type)) return null;
  return merged(
    nodes.map((node) => {
      const found = known.get(node) ?? ofFields(type, fieldsBelow(type, node.selectionSet, document), document) ?? 'no';
      known.set(node, found);
      return found === 'no' ? null : found;
    }),
  );
}

const lists = new WeakMap<FieldNode, Select | 'no'>();

/** The same for the entries of a connection, under `nodes` and under `edges`. */
export function plainEntries(entry: GraphQLOutputType, { fieldNodes, returnType, ...document }: GraphQLResolveInfo): Select | null {
  return merged(
    fieldNodes.map((node) => {
      const found = lists.get(node) ?? entriesBelow(entry, getNamedType(returnType) as GraphQLObjectType, node, document) ?? 'no';
      lists.set(node, found);
      return found === 'no' ? null : found;
    }),
  );
}

function entriesBelow(entry: GraphQLOutputType, connection: GraphQLObjectType, node: FieldNode, document: Document): Select | null {
  const below = fieldsBelow(connection, node.selectionSet, document);
  if (below === null) return null;
  const entries = below.flatMap((field) => {
    if (field.name.value === 'nodes') return [field];
    if (field.name.value !== 'edges') return [];
    const edge = getNamedType(connection.getFields()['edges']!.type) as GraphQLObjectType;
    return fieldsBelow(edge, field.selectionSet, document)?.filter(({ name }) => name.value === 'node') ?? [null];
  });
  return entries.includes(null) ? null : plainSelection(entry, entries as FieldNode[], document);
}

function ofFields(type: GraphQLObjectType, fields: FieldNode[] | null, document: Document): Select | null {
  if (fields === null) return null;
  return merged(
    fields.map((node): Select | null => {
      const { value: name } = node.name;
      if (name === '__typename') return {};
      if (name === 'id') return { id: true };
      const field = type.getFields()[name];
      const column = field?.extensions['pothosExposedField'] as string | undefined;
      if (column !== undefined) return { [column]: true };
      const relation = field?.extensions['pothosPrismaRelationField'] as { name: string; isList: boolean } | undefined;
      if (field === undefined || relation === undefined || relation.isList || field.args.length > 0) return null;
      const below = plainSelection(field.type, [node], document);
      return below === null ? null : { [relation.name]: { select: { id: true, ...below } } };
    }),
  );
}

/** The fields of a selection, those of its fragments among them; null when a directive or another type is involved. */
function fieldsBelow(type: GraphQLObjectType, selectionSet: SelectionSetNode | undefined, document: Document): FieldNode[] | null {
  const fields: FieldNode[] = [];
  for (const selection of selectionSet?.selections ?? []) {
    if ((selection.directives?.length ?? 0) > 0) return null;
    if (selection.kind === Kind.FIELD) {
      fields.push(selection);
      continue;
    }
    const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : document.fragments[selection.name.value];
    const condition = fragment?.typeCondition?.name.value ?? type.name;
    const below = fragment === undefined || condition !== type.name ? null : fieldsBelow(type, fragment.selectionSet, document);
    if (below === null) return null;
    fields.push(...below);
  }
  return fields;
}

function merged(selects: (Select | null)[]): Select | null {
  if (selects.length === 1) return selects[0]!;
  const all: Select = {};
  for (const select of selects) {
    if (select === null) return null;
    for (const [name, asked] of Object.entries(select)) {
      const before = all[name];
      all[name] = asked === true || before === undefined || before === true ? asked : { select: merged([before.select, asked.select])! };
    }
  }
  return all;
}

/** Whether a document is one query, and that for nothing but lists whose entries are plain. */
export function isPlainQuery(schema: GraphQLSchema, { definitions }: DocumentNode): boolean {
  const [operation, ...others] = definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  if (operation?.operation !== OperationTypeNode.QUERY || others.length > 0) return false;
  const fragments = Object.fromEntries(definitions.flatMap((definition) => (definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition]] : [])));
  const query = schema.getQueryType()!;
  const lists = fieldsBelow(query, operation.selectionSet, { fragments });
  return (
    lists?.every((node) => {
      const type = getNamedType(query.getFields()[node.name.value]?.type);
      const entries = isObjectType(type) ? type.getFields()['nodes'] : undefined;
      return entries !== undefined && entriesBelow(entries.type, type as GraphQLObjectType, node, { fragments }) !== null;
    }) === true
  );
}
