import { createHash } from 'node:crypto';
import { type DocumentNode, type ExecutionArgs, type ExecutionResult, getOperationAST, Kind, type OperationDefinitionNode, visit } from 'graphql';
import { canonicalJson } from '../core/canonicalJson.ts';
import type { Caller } from '../core/work.ts';

const keptResults = 16;

/** Who waits for a result, and is told of it or of why there is none. */
interface Taker {
  take: (result: ExecutionResult) => void;
  fail: (error: unknown) => void;
}

/** Those for whom an item becomes the same result: it is executed once, and turned into text once. */
export class Group {
  readonly #results = new Map<object, ExecutionResult | Taker[]>();
  members = 0;

  constructor(private readonly execute: (item: object) => Promise<ExecutionResult>) {}

  /** A result that is there already. */
  found(item: object): ExecutionResult | undefined {
    const found = this.#results.get(item);
    return Array.isArray(found) ? undefined : found;
  }

  /** Calls back once the result is there: one promise for all who wait, since one for each costs as much as sending does. */
  wait(item: object, taker: Taker): void {
    const found = this.#results.get(item);
    if (Array.isArray(found)) found.push(taker);
    else if (found !== undefined) taker.take(found);
    else this.#begin(item, [taker]);
  }

  forget(item: object): void {
    this.#results.delete(item);
  }

  #begin(item: object, takers: Taker[]): void {
    // Alone there is nobody to keep it for. Who is too late for what is kept does the work again.
    const shared = this.members > 1;
    if (shared) this.#results.set(item, takers);
    if (this.#results.size > keptResults) this.#results.delete(this.#results.keys().next().value!);
    this.execute(item).then(
      (result) => {
        if (this.#results.get(item) === takers) this.#results.set(item, result);
        for (const { take } of takers) take(result);
      },
      (error: unknown) => {
        if (this.#results.get(item) === takers) this.#results.delete(item);
        for (const { fail } of takers) fail(error);
      },
    );
  }
}

/**
 * Work is shared by those who sent the same document, with equal variables wherever the answer could show them, and may
 * read the same: authorisation depends on the role and the agent of a key, and on nothing else of it. Variables in the arguments of the
 * root field alone (`after`, `where`) choose the stream and what of it is delivered; its answers do not depend on them.
 */
export function sharingKey({ document, operationName, variableValues }: ExecutionArgs, { role, agentId }: Caller): string {
  const visible = visibleVariables(document, operationName);
  const variables = Object.entries(variableValues ?? {}).filter(([name]) => visible.has(name));
  const hash = createHash('sha256').update(canonicalJson([role, agentId, operationName ?? null, Object.fromEntries(variables)]));
  return hash.update(document.loc?.source.body ?? JSON.stringify(document)).digest('base64');
}

const visibleOf = new WeakMap<OperationDefinitionNode, ReadonlySet<string>>();

function visibleVariables(document: DocumentNode, operationName: string | null | undefined): ReadonlySet<string> {
  const operation = getOperationAST(document, operationName)!;
  const known = visibleOf.get(operation);
  if (known !== undefined) return known;
  const names = new Set<string>();
  const collect = { Variable: (node: { name: { value: string } }) => void names.add(node.name.value) };
  for (const selection of operation.selectionSet.selections) {
    visit(selection.kind === Kind.FIELD ? { ...selection, arguments: [] } : selection, collect);
  }
  for (const definition of document.definitions) if (definition.kind === Kind.FRAGMENT_DEFINITION) visit(definition, collect);
  visibleOf.set(operation, names);
  return names;
}
