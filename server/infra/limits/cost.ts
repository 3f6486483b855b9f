import {
  getNamedType,
  getNullableType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';

/**
 * Counts of an operation, made before validation: the operation may be invalid, cyclic or hostile. Each fragment is measured
 * once, so that the time is linear in the document.
 *
 * The cost estimates the records that are read: 1 for each object, times the page size or the declared `listSize` at every
 * level of lists. Scalars cost 0, except those that take more processor time than a record. The cost is no upper bound: some
 * lists may be longer than their `listSize`. Fields under `@skip` and `@include` are counted.
 * A mutation costs 1 and what its payload selects; its writes are limited by the key's rate (`rates.ts`).
 */
export interface Measured {
  depth: number;
  aliases: number;
  rootFields: number;
  cost: number;
  introspectionDepth: number;
  introspectionCost: number;
  /** Whether the counts depend on the variables. */
  byVariables: boolean;
}

const introspectionList = 5;
const largestPage = 100;
const pageOfDefault = 50;

/** Cost of a field without its selection. `bench/cost.ts` measures the time per point of each field. */
export type Cost = number | SharedCost;
/** Fields of a record that are read together: counted once per record. */
interface SharedCost {
  readonly together: string;
  readonly cost: number;
}
/** Number of rows of a field: declared, or given by the arguments `first` and `last`, or by the length of `ids`. */
export type Rows = number | 'first' | 'ids';

// Set by `api/graphql/declared.ts`.
export const costOfField = (field: Field | undefined): Cost | undefined =>
  field?.extensions['cost'] as Cost | undefined;
const rowsOfField = (field: Field): Rows | undefined => field.extensions['rows'] as Rows | undefined;

type Field = GraphQLField<unknown, unknown>;

export const isConnection = (type: GraphQLNamedType | undefined): boolean =>
  isObjectType(type) && 'pageInfo' in type.getFields();

interface Part {
  fields: number;
  depth: number;
  aliases: number;
  cost: number;
  /** Costs counted once per record. */
  shared: readonly SharedCost[];
  /** For a page: whether the selection reads its rows, and the cost of each row's selection. */
  page: boolean;
  perRow: number;
  introspectionDepth: number;
  introspectionCost: number;
}
const nothing: Part = {
  fields: 0,
  depth: 0,
  aliases: 0,
  cost: 0,
  shared: [],
  page: false,
  perRow: 0,
  introspectionDepth: 0,
  introspectionCost: 0,
};

const both = (a: Part, b: Part): Part => ({
  fields: a.fields + b.fields,
  depth: Math.max(a.depth, b.depth),
  aliases: a.aliases + b.aliases,
  cost: a.cost + b.cost,
  shared: a.shared.length === 0 ? b.shared : [...a.shared, ...b.shared.filter((one) => !names(a.shared, one))],
  page: a.page || b.page,
  perRow: a.perRow + b.perRow,
  introspectionDepth: Math.max(a.introspectionDepth, b.introspectionDepth),
  introspectionCost: a.introspectionCost + b.introspectionCost,
});

const names = (all: readonly SharedCost[], { together }: SharedCost): boolean =>
  all.some((one) => one.together === together);

const withShared = (part: Part): Part =>
  part.shared.length === 0 ? part : { ...part, cost: part.shared.reduce((sum, { cost }) => sum + cost, part.cost) };

type Variables = Readonly<Record<string, unknown>>;

export function measure(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): Measured {
  const measuring = new Measuring(schema, document, operation, variables);
  const { fields, depth, aliases, cost, introspectionDepth, introspectionCost } = measuring.selections(
    operation.selectionSet,
    schema.getRootType(operation.operation) ?? undefined,
  );
  return {
    depth,
    aliases,
    rootFields: fields,
    cost,
    introspectionDepth,
    introspectionCost,
    byVariables: measuring.byVariables,
  };
}

class Measuring {
  byVariables = false;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #measured = new Map<string, Part>();
  readonly #defaults = new Map<string, ValueNode>();

  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    private readonly variables: Variables,
  ) {
    for (const definition of document.definitions) {
      // Validation refuses a second fragment of the same name.
      if (definition.kind === Kind.FRAGMENT_DEFINITION && !this.#fragments.has(definition.name.value)) {
        this.#fragments.set(definition.name.value, definition);
      }
    }
    for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
      if (defaultValue !== undefined) this.#defaults.set(variable.name.value, defaultValue);
    }
  }

  selections({ selections }: SelectionSetNode, parent: GraphQLNamedType | undefined): Part {
    let sum = nothing;
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) sum = both(sum, this.#field(selection, parent));
      else if (selection.kind === Kind.FRAGMENT_SPREAD) sum = both(sum, this.#fragment(selection.name.value));
      else
        sum = both(
          sum,
          this.selections(selection.selectionSet, this.#named(selection.typeCondition?.name.value) ?? parent),
        );
    }
    return sum;
  }

  #fragment(name: string): Part {
    const known = this.#measured.get(name);
    if (known !== undefined) return known;
    const fragment = this.#fragments.get(name);
    if (fragment === undefined) return nothing;
    // Ends fragment cycles, which validation refuses.
    this.#measured.set(name, nothing);
    const part = this.selections(fragment.selectionSet, this.#named(fragment.typeCondition.name.value));
    this.#measured.set(name, part);
    return part;
  }

  #field(node: FieldNode, parent: GraphQLNamedType | undefined): Part {
    const name = node.name.value;
    const aliases = node.alias === undefined ? 0 : 1;
    if (name === '__typename') return { ...nothing, aliases, depth: 1 };
    // Checks the parent type too: any type may have a field of this name.
    if (parent !== undefined && parent === this.schema.getQueryType() && (name === '__schema' || name === '__type')) {
      const type = this.schema.getType(name === '__schema' ? '__Schema' : '__Type');
      const below = node.selectionSet === undefined ? nothing : this.selections(node.selectionSet, type);
      return {
        ...nothing,
        fields: 1,
        aliases: aliases + below.aliases,
        introspectionDepth: below.depth + 1,
        introspectionCost: below.cost + 1,
      };
    }
    const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
    const type = field && getNamedType(field.type);
    const below = node.selectionSet === undefined ? nothing : withShared(this.selections(node.selectionSet, type));
    const part: Part = { ...nothing, fields: 1, aliases: aliases + below.aliases, depth: below.depth + 1 };
    const declared = costOfField(field);
    if (isConnection(parent))
      return typeof declared === 'number' ? { ...part, cost: declared } : { ...part, page: true, perRow: below.cost };
    if (typeof declared === 'object') return { ...part, shared: [declared], cost: below.cost };
    const own = declared ?? (type === undefined || (isCompositeType(type) && !isPlaceInList(parent, name)) ? 1 : 0);
    // A list of scalars costs as much as one scalar.
    if (type !== undefined && !isCompositeType(type)) return { ...part, cost: own };
    const size = field === undefined ? 1 : this.#rows(node, field, parent);
    if (isConnection(type)) return { ...part, cost: own + below.cost + size * ((below.page ? 1 : 0) + below.perRow) };
    return { ...part, cost: size * (own + below.cost) };
  }

  #rows(node: FieldNode, field: Field, parent: GraphQLNamedType | undefined): number {
    const rows = rowsOfField(field);
    const isList = isListType(getNullableType(field.type));
    if (rows === 'first' && (isList || isConnection(getNamedType(field.type)))) return this.#pageSize(node);
    // Also of an object whose lists are counted by their `listSize`.
    if (!isList) return 1;
    if (parent?.name.startsWith('__') === true) return node.name.value === 'types' ? 1 : introspectionList;
    if (rows === 'ids') return this.#length(node, 'ids');
    return typeof rows === 'number' ? rows : largestPage;
  }

  #pageSize(node: FieldNode): number {
    const sizes = ['first', 'last'].map((name) => this.#value(node, name)).filter((size) => size != null);
    if (sizes.length === 0) return pageOfDefault;
    return Math.max(
      ...sizes.map((size) => (typeof size === 'number' && size >= 0 && size <= largestPage ? size : largestPage)),
    );
  }

  #length(node: FieldNode, argument: string): number {
    const value = this.#value(node, argument);
    return Array.isArray(value) ? value.length : 1;
  }

  /** The unvalidated value of an argument: a number, a list of the right length, or anything else. */
  #value(node: FieldNode, name: string): unknown {
    const value = node.arguments?.find((argument) => argument.name.value === name)?.value;
    if (value?.kind !== Kind.VARIABLE) return plain(value);
    this.byVariables = true;
    const given = Object.hasOwn(this.variables, value.name.value) ? this.variables[value.name.value] : undefined;
    return given === undefined ? plain(this.#defaults.get(value.name.value)) : given;
  }

  #named(name: string | undefined): GraphQLNamedType | undefined {
    return name === undefined ? undefined : this.schema.getType(name);
  }
}

function plain(value: ValueNode | undefined): unknown {
  if (value === undefined || value.kind === Kind.NULL) return null;
  if (value.kind === Kind.INT) return Number(value.value);
  return value.kind === Kind.LIST ? value.values : value.kind;
}

/** Whether this is `node` of an edge, which is counted with its page. */
const isPlaceInList = (parent: GraphQLNamedType | undefined, name: string): boolean =>
  isObjectType(parent) && name === 'node' && 'cursor' in parent.getFields();
