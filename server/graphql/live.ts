import { createHash } from 'node:crypto';
import {
  createSourceEventStream,
  type DocumentNode,
  execute,
  type ExecutionArgs,
  type ExecutionResult,
  getOperationAST,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { canonicalJson } from '../core/canonicalJson.ts';
import { askAgainMs } from '../core/databaseErrors.ts';
import type { Caller } from '../core/work.ts';
import type { GraphQLContext } from './context.ts';

/** The last thing that a reader is told whose source ended before its time. */
export interface Ended {
  code: string;
  message: string;
}

/** What a subscription field gives: also readable without promises, which cost as much for each event as sending it does. */
export interface Source extends AsyncIterator<object, undefined> {
  /** Undefined when there is nothing at this moment. */
  take(): object | undefined;
  /** Calls back once when it is time to `take` again. */
  wait(callback: () => void): void;
  readonly ended: boolean;
  readonly error: unknown;
}

export interface LiveOptions {
  createContext(caller: Caller): GraphQLContext;
  maskError(error: unknown): Error;
  /** What to tell a reader about an error of its source; undefined for one that is nobody's fault but ours. */
  endOf(error: unknown): Ended | undefined;
}

export interface Live {
  /** As graphql's own `subscribe`, but each distinct piece of work is done once. */
  subscribe(args: ExecutionArgs): Promise<Results | ExecutionResult>;
  /** How many groups share work, for tests. */
  readonly groups: number;
}

const keptResults = 16;
/** While an event is tried again there are no heartbeats: a stream that cannot go on is ended, and gone on with by its cursor. */
const triedFor = 10_000;

type Taker = { take: (result: ExecutionResult) => void; fail: (error: unknown) => void };

/** Those for whom an item becomes the same result: it is executed once, and turned into text once. */
class Group {
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

export function createLive({ createContext, maskError, endOf }: LiveOptions): Live {
  const groups = new Map<string, Group>();

  function join(args: ExecutionArgs, caller: Caller): { group: Group; leave: () => void } {
    const key = sharingKey(args, caller);
    const { schema, document, operationName, variableValues } = args;
    const run = async (item: object): Promise<ExecutionResult> => {
      // A context of its own: what it caches must not outlive the item.
      const result = await execute({ schema, document, operationName, variableValues, rootValue: item, contextValue: createContext(caller) });
      return masked(result);
    };
    const group = groups.get(key) ?? new Group(run);
    groups.set(key, group);
    group.members += 1;
    let left = false;
    return {
      group,
      leave() {
        if (left) return;
        left = true;
        group.members -= 1;
        if (group.members === 0) groups.delete(key);
      },
    };
  }

  const masked = (result: ExecutionResult): ExecutionResult =>
    result.errors === undefined ? result : { ...result, errors: result.errors.map((error) => withoutHttp(maskError(error))) };

  return {
    get groups() {
      return groups.size;
    },
    async subscribe(args) {
      const source = await createSourceEventStream(args);
      if (!(Symbol.asyncIterator in source)) return masked(source);
      const { group, leave } = join(args, (args.contextValue as GraphQLContext).caller);
      return new Results(source as unknown as Source, group, leave, endOf);
    },
  };
}

/** The results of one subscriber. */
export class Results implements AsyncIterableIterator<ExecutionResult> {
  #over = false;
  /** What is being tried again, and since when. */
  #tried: object | undefined;
  #since = 0;

  constructor(
    private readonly source: Source,
    private readonly group: Group,
    private readonly leave: () => void,
    private readonly endOf: LiveOptions['endOf'],
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<ExecutionResult, undefined>> {
    if (this.#over) return { done: true, value: undefined };
    try {
      const next = await this.source.next();
      if (next.done === true) return await this.return();
      const result = await this.#resultOf(next.value);
      // Its end came while the result was made, perhaps that of its key: then it is not the result that is told.
      return !this.#over && this.source.ended ? await this.next() : { done: false, value: result };
    } catch (error) {
      return { done: false, value: this.#last(error) };
    }
  }

  /**
   * Sends each result, the next one when `send` is done with the one before; resolves at the end. What is there already
   * goes out within the call that says that it is there.
   */
  deliver(send: (result: ExecutionResult) => Promise<void> | undefined): Promise<void> {
    const { source, group } = this;
    return new Promise((resolve, reject) => {
      let item: object | undefined;
      const fail = (error: unknown): void => {
        try {
          void Promise.resolve(send(this.#last(error))).then(resolve, reject);
        } catch (unexpected) {
          reject(unexpected instanceof Error ? unexpected : new Error(String(unexpected)));
        }
      };
      const take = (result: ExecutionResult): void => {
        try {
          if (source.ended || sent(result)) goOn();
        } catch (error) {
          fail(error);
        }
      };
      const taker = { take, fail };
      /** Whether the next one may follow at once. */
      const sent = (result: ExecutionResult): boolean => {
        if (this.#over) return true;
        if (isAway(result)) {
          if (this.#mayTryAgain(item!)) this.#later(item!, () => group.wait(item!, taker));
          else fail(notReadable);
          return false;
        }
        const taken = send(result);
        taken?.then(goOn, fail);
        return taken === undefined;
      };
      const goOn = (): void => {
        try {
          while (!this.#over) {
            item = source.take();
            if (item === undefined) {
              if (source.error != null) return fail(source.error);
              if (source.ended) break;
              return source.wait(goOn);
            }
            const found = group.found(item);
            if (found === undefined) return group.wait(item, taker);
            if (!sent(found)) return;
          }
          this.return().then(() => resolve(), fail);
        } catch (error) {
          fail(error);
        }
      };
      goOn();
    });
  }

  async return(): Promise<IteratorResult<ExecutionResult, undefined>> {
    this.#over = true;
    this.leave();
    await this.source.return?.();
    return { done: true, value: undefined };
  }

  #last(error: unknown): ExecutionResult {
    this.#over = true;
    this.leave();
    void this.source.return?.();
    if (error === notReadable) return { errors: [notReadable] };
    const end = this.endOf(error);
    if (end === undefined) throw error;
    return { errors: [new GraphQLError(end.message, { extensions: { code: end.code } })] };
  }

  async #resultOf(item: object): Promise<ExecutionResult> {
    for (;;) {
      const result = await new Promise<ExecutionResult>((take, fail) => this.group.wait(item, { take, fail }));
      if (this.#over || this.source.ended || !isAway(result)) return result;
      if (!this.#mayTryAgain(item)) throw notReadable;
      await new Promise<void>((resolve) => this.#later(item, resolve));
    }
  }

  #mayTryAgain(item: object): boolean {
    if (this.#tried !== item) {
      this.#tried = item;
      this.#since = performance.now();
    }
    return performance.now() - this.#since < triedFor;
  }

  /** An event is not lost to a database that is away: what belongs to it is read again until that is back. */
  #later(item: object, then: () => void): void {
    this.group.forget(item);
    setTimeout(then, askAgainMs).unref();
  }
}

const notReadable = new GraphQLError('What belongs to the next event cannot be read at the moment: connect again and go on after your cursor', {
  extensions: { code: 'UNAVAILABLE' },
});

const isAway = ({ errors }: ExecutionResult): boolean => errors?.some(({ extensions }) => extensions['code'] === 'UNAVAILABLE') === true;

/** What tells HTTP its status is nothing that a subscriber is to read. */
export function withoutHttp(error: Error): GraphQLError {
  const { http, ...extensions } = (error as GraphQLError).extensions;
  if (http === undefined) return error as GraphQLError;
  const { message, nodes, source, positions, path } = error as GraphQLError;
  return new GraphQLError(message, { nodes, source, positions, path, extensions });
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
