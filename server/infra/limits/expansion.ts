import {
  type DefinitionNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** Size of a document after its fragments are expanded, which validation, planning and execution walk. */
export interface Expansion {
  /** Fields, fragment spreads and inline fragments, each counted once for every place where it stands after expansion. */
  selections: number;
  /** Pairs of fields with the same response name in the same place: validation compares the two fields of each pair. */
  comparisons: number;
  /** Whether a fragment spreads itself, directly or through others. */
  cyclic: boolean;
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** Linear in the document or in `maxSelections`, whichever is more. Counts no comparisons above `maxSelections`. */
export function expansionOf({ definitions }: DocumentNode, maxSelections: number): Expansion {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION && !fragments.has(definition.name.value))
      fragments.set(definition.name.value, definition);
  }
  const counting = new Counting(fragments);
  const counts = definitions.map((definition) => {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) return counting.fragment(definition.name.value);
    return definition.kind === Kind.OPERATION_DEFINITION ? counting.of(definition.selectionSet) : 0;
  });
  // A spread fragment is counted where it is spread. Unused fragments are validated too, so they count as roots.
  const isRoot = (definition: DefinitionNode): boolean =>
    definition.kind === Kind.OPERATION_DEFINITION ||
    (definition.kind === Kind.FRAGMENT_DEFINITION && !counting.spread.has(definition.name.value));
  const roots = definitions.filter(isRoot) as OperationDefinitionNode[];
  const selections = definitions.reduce(
    (sum, definition, index) => (isRoot(definition) ? sum + counts[index]! : sum),
    0,
  );
  const { cyclic } = counting;
  return {
    selections,
    cyclic,
    comparisons:
      cyclic || selections > maxSelections
        ? 0
        : roots.reduce((sum, { selectionSet }) => sum + comparisonsIn([selectionSet], fragments), 0),
  };
}

class Counting {
  cyclic = false;
  readonly spread = new Set<string>();
  readonly #counted = new Map<string, number>();
  readonly #open = new Set<string>();

  constructor(private readonly fragments: Fragments) {}

  of({ selections }: SelectionSetNode): number {
    let count = 0;
    for (const selection of selections) {
      count += 1;
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        this.spread.add(selection.name.value);
        count += this.fragment(selection.name.value);
      } else if (selection.selectionSet !== undefined) count += this.of(selection.selectionSet);
    }
    return count;
  }

  fragment(name: string): number {
    const known = this.#counted.get(name);
    if (known !== undefined) return known;
    const fragment = this.fragments.get(name);
    if (fragment === undefined) return 0;
    if (this.#open.has(name)) {
      this.cyclic = true;
      return 0;
    }
    this.#open.add(name);
    const count = this.of(fragment.selectionSet);
    this.#open.delete(name);
    this.#counted.set(name, count);
    return count;
  }
}

/** Counts comparisons in selection sets that the executor merges. A fragment spread there several times counts once. */
function comparisonsIn(sets: readonly SelectionSetNode[], fragments: Fragments): number {
  const groups = new Map<string, FieldNode[]>();
  const visited = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        const group = groups.get(name);
        if (group === undefined) groups.set(name, [selection]);
        else group.push(selection);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
      else if (!visited.has(selection.name.value)) {
        visited.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment !== undefined) collect(fragment.selectionSet);
      }
    }
  };
  for (const set of sets) collect(set);
  let count = 0;
  for (const group of groups.values()) {
    count += (group.length * (group.length - 1)) / 2;
    const below = group.flatMap(({ selectionSet }) => selectionSet ?? []);
    if (below.length > 0) count += comparisonsIn(below, fragments);
  }
  return count;
}
