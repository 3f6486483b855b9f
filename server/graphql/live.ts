import { createSourceEventStream, execute, type ExecutionArgs, type ExecutionResult, GraphQLError } from 'graphql';
import { askAgainMs } from '../core/databaseErrors.ts';
import type { Caller } from '../core/work.ts';
import type { GraphQLContext } from './context.ts';
import { Group, sharingKey } from './sharing.ts';

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
  /** A result as it may be sent: one that is too large is refused. */
  bound(result: ExecutionResult, asked: ExecutionArgs): ExecutionResult | Promise<ExecutionResult>;
  /** What to tell a reader about an error of its source; undefined for one that is nobody's fault but ours. */
  endOf(error: unknown): Ended | undefined;
}

export interface Live {
  /** As graphql's own `subscribe`, but each distinct piece of work is done once. */
  subscribe(args: ExecutionArgs): Promise<Results | ExecutionResult>;
  /** How many groups share work, for tests. */
  readonly groups: number;
}

/** While an event is tried again there are no heartbeats: a stream that cannot go on is ended, and gone on with by its cursor. */
const triedFor = 10_000;

export function createLive({ createContext, maskError, bound, endOf }: LiveOptions): Live {
  const groups = new Map<string, Group>();

  function join(args: ExecutionArgs, caller: Caller): { group: Group; leave: () => void } {
    const key = sharingKey(args, caller);
    const { schema, document, operationName, variableValues } = args;
    const run = async (item: object): Promise<ExecutionResult> => {
      // A context of its own: what it caches must not outlive the item.
      const result = await execute({ schema, document, operationName, variableValues, rootValue: item, contextValue: createContext(caller) });
      return masked(await bound(result, args));
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
