import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
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
import { canonicalJson } from '../../core/canonicalJson.ts';
import { retryDelayMs } from '../../core/databaseErrors.ts';
import { Payer, takeTurn } from '../../core/loopTurns.ts';
import type { CallerRequest } from '../../core/request.ts';
import type { Caller } from '../../core/work.ts';
import { variableFaults } from '../../infra/limits/variableFaults.ts';
import type { Item } from './hub.ts';
import { type Stream, StreamEnded } from './stream.ts';
import type { SubscriberContext } from './subscribing.ts';

export interface SubscribeOptions {
  createContext(caller: Caller): SubscriberContext;
  maskError(error: unknown, request?: CallerRequest): Error;
  /** Replaces a result above the size limit by an error. */
  bound(result: ExecutionResult, args: ExecutionArgs): ExecutionResult | Promise<ExecutionResult>;
}

export interface Subscriptions {
  /** Like graphql's `subscribe`, but executes each item once for all subscribers with the same result. */
  subscribe(args: ExecutionArgs): Promise<Results | ExecutionResult>;
  /** The number of groups, for tests. */
  readonly groups: number;
}

export function createSubscriptions({ createContext, maskError, bound }: SubscribeOptions): Subscriptions {
  const groups = new Map<string, Group>();

  const masked = (result: ExecutionResult, request?: CallerRequest): ExecutionResult =>
    result.errors === undefined
      ? result
      : { ...result, errors: result.errors.map((error) => withoutHttp(maskError(error, request))) };

  function groupOf(args: ExecutionArgs, { request: _first, ...caller }: Caller): Group {
    const key = sharingKey(args, caller);
    const { schema, document, operationName, variableValues } = args;
    const payer = new Payer();
    const run = async (item: Item): Promise<ExecutionResult> => {
      // A subscriber that missed many events gets them in several turns of the event loop.
      await takeTurn(payer);
      // A new context: its caches must not outlive the item.
      const contextValue = createContext(caller);
      const result = await execute({ schema, document, operationName, variableValues, rootValue: item, contextValue });
      const { exceeded } = contextValue.held;
      return masked(exceeded === null ? await bound(result, args) : { errors: [exceeded] });
    };
    const group = groups.get(key) ?? new Group(run, () => groups.delete(key));
    groups.set(key, group);
    group.members += 1;
    return group;
  }

  return {
    get groups() {
      return groups.size;
    },
    async subscribe(args) {
      const { caller } = args.contextValue as SubscriberContext;
      const faults = variableFaults(args);
      if (faults.length > 0) return masked({ errors: faults }, caller.request);
      const source = await createSourceEventStream(args);
      if (!(Symbol.asyncIterator in source)) return masked(source, caller.request);
      // Every subscription field returns a Stream.
      return new Results(source as unknown as Stream, groupOf(args, caller));
    },
  };
}

/** After this time the stream ends, because no heartbeats are sent meanwhile and the client can resume after its cursor. */
const retryForMs = 10_000;

/** The results of one subscriber. WebSocket and SSE both pull them by `next`, one at a time. */
export class Results implements AsyncIterableIterator<ExecutionResult> {
  #over = false;
  #ended = (): void => undefined;

  constructor(
    private readonly stream: Stream,
    private readonly group: Group,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  onEnd(listener: () => void): void {
    this.#ended = listener;
  }

  async next(): Promise<IteratorResult<ExecutionResult, undefined>> {
    const { stream, group } = this;
    try {
      while (!this.#over) {
        const item = stream.take();
        if (item === undefined) {
          if (stream.error !== null) throw stream.error;
          if (stream.ended) break;
          await stream.wait();
          continue;
        }
        const known = group.result(item);
        let result = known instanceof Promise ? await known : known;
        if (isAway(result)) result = await this.#readAgain(item);
        // Drops the result if the stream ended during execution, for instance because the key was revoked.
        if (!stream.ended) return { done: false, value: result };
      }
    } catch (error) {
      return this.#last(error);
    }
    return this.return();
  }

  async return(): Promise<IteratorResult<ExecutionResult, undefined>> {
    this.#end();
    return { done: true, value: undefined };
  }

  #end(): void {
    if (!this.#over) {
      this.group.leave();
      this.#ended();
    }
    this.#over = true;
    void this.stream.return();
  }

  #last(error: unknown): IteratorResult<ExecutionResult, undefined> {
    this.#end();
    if (error instanceof StreamEnded) error = new GraphQLError(error.message, { extensions: { ...error.extensions } });
    else if (error !== notReadable) throw error;
    return { done: false, value: { errors: [error as GraphQLError] } };
  }

  /** Executes the item again until the database is back, so that no event is lost. */
  async #readAgain(item: Item): Promise<ExecutionResult> {
    const since = performance.now();
    for (;;) {
      await delay(retryDelayMs, undefined, { ref: false });
      const result = await this.group.result(item);
      if (!isAway(result) || this.stream.ended) return result;
      if (performance.now() - since >= retryForMs) throw notReadable;
    }
  }
}

const notReadable = new GraphQLError(
  'The records of the next event cannot be read now: reconnect and continue after your cursor',
  {
    extensions: { code: 'UNAVAILABLE' },
  },
);

const isAway = ({ errors }: ExecutionResult): boolean =>
  errors?.some(({ extensions }) => extensions['code'] === 'UNAVAILABLE') === true;

const keptResults = 16;

/** Subscribers that get equal results: each item is executed and serialized once. */
class Group {
  readonly #results = new Map<Item, ExecutionResult | Promise<ExecutionResult>>();
  members = 0;

  constructor(
    private readonly execute: (item: Item) => Promise<ExecutionResult>,
    private readonly empty: () => void,
  ) {}

  leave(): void {
    this.members -= 1;
    if (this.members === 0) this.empty();
  }

  /** Not a promise for a cached result: one promise per subscriber costs a large part of the sending time. */
  result(item: Item): ExecutionResult | Promise<ExecutionResult> {
    const known = this.#results.get(item);
    if (known !== undefined) return known;
    const running = this.execute(item);
    // Caches only when others share the result. A late subscriber executes again.
    if (this.members === 1) return running;
    this.#results.set(item, running);
    if (this.#results.size > keptResults) this.#results.delete(this.#results.keys().next().value!);
    const settle = (result?: ExecutionResult): void => {
      if (this.#results.get(item) !== running) return;
      if (result === undefined || isAway(result)) this.#results.delete(item);
      else this.#results.set(item, result);
    };
    running.then(settle, () => settle());
    return running;
  }
}

/**
 * Subscribers share results when their documents, the variables used below the root field, and their keys' role and agent
 * are equal: authorization depends on nothing else. The root field's arguments (`after`, `where`) only select events.
 */
export function sharingKey(
  { document, operationName, variableValues }: ExecutionArgs,
  { role, agentId }: Caller,
): string {
  const visible = visibleVariables(document, operationName);
  const variables = Object.entries(variableValues ?? {}).filter(([name]) => visible.has(name));
  const hash = createHash('sha256').update(
    canonicalJson([role, agentId, operationName ?? null, Object.fromEntries(variables)]),
  );
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
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) visit(definition, collect);
  visibleOf.set(operation, names);
  return names;
}

/** Drops `extensions.http`. */
export function withoutHttp(error: Error): GraphQLError {
  const { http, ...extensions } = (error as GraphQLError).extensions;
  if (http === undefined) return error as GraphQLError;
  const { message, nodes, source, positions, path } = error as GraphQLError;
  return new GraphQLError(message, { nodes, source, positions, path, extensions });
}
