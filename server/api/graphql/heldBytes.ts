import { GraphQLError } from 'graphql';
import { adviceOf, type FittingPage, fittingPage, type Pages } from '../../core/fittingPage.ts';
import { limits } from '../../core/limits.ts';

/** The bytes of large values that one request reads, all of which it keeps until it ends. */
export class HeldBytes {
  #bytes = 0;
  #exceeded: GraphQLError | null = null;
  #thrown: GraphQLError | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(readonly limit: number = limits.held.bytes) {}

  /** LIMIT_EXCEEDED when the request is over its limit; otherwise null. */
  get exceeded(): GraphQLError | null {
    return this.#exceeded;
  }

  /** Counts what was read, or what is about to be read. @throws GraphQLError LIMIT_EXCEEDED */
  add(bytes: number, pages: () => Pages): void {
    this.#bytes += bytes;
    if (this.#bytes > this.limit) throw this.exceed(this.#bytes, fittingPage(this.#bytes, this.limit, pages()));
  }

  /** Returns the error to throw. It has a path, so that the executor makes no further error for each field that fails. */
  exceed(bytes: number, fits: FittingPage | null, limit = this.limit): GraphQLError {
    this.#exceeded ??= new GraphQLError(
      `The request reads at least ${bytes} bytes of messages, tool results and Contexts; the limit is ${limit}: ${adviceOf(fits)}. What a mutation changed is kept`,
      {
        extensions: {
          ...{
            code: 'LIMIT_EXCEEDED',
            what: 'heldBytes',
            limit,
            actual: bytes,
            http: { spec: true, status: 400 },
          },
          ...(fits && { fits: { path: fits.path, entries: fits.entries } }),
        },
      },
    );
    const { message, extensions } = this.#exceeded;
    return (this.#thrown ??= new GraphQLError(message, { path: [], extensions }));
  }

  /** Runs the reads of a request one after the other, so that each is counted before the next one begins. */
  inOrder<Result>(read: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(() => {
      if (this.#thrown !== null) throw this.#thrown;
      return read();
    });
    this.#last = Promise.allSettled([result]);
    return result;
  }
}
