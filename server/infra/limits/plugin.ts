import { getOperationAST, GraphQLError, type GraphQLSchema, OperationTypeNode, type DocumentNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { limits, type QueryLimits } from '../../core/limits.ts';
import type { Caller } from '../../core/work.ts';
import { checkOperation, parseWithin } from './checkOperation.ts';
import { checkVariables } from './checkVariables.ts';
import { badRequest } from './errors.ts';
import type { PersistedOperations } from './persisted.ts';
import type { Kind, Rates } from './rates.ts';

/** A request whose members have the right types. */
export interface Params {
  query?: string;
  operationName?: string | null;
  variables?: Record<string, unknown> | null;
}

/** The initial context that each transport passes; sockets pass it to `getEnveloped`. */
export interface InitialContext {
  charge?: Charge;
  params?: Params;
  processorTime?: { readonly exceeded: GraphQLError | null };
  held?: { readonly exceeded: GraphQLError | null };
}

/** Charges a request once. The transport calls `settle` after the request was answered or refused. */
export class Charge {
  #made = false;

  constructor(
    private readonly rates: Rates,
    private readonly caller: Caller,
  ) {}

  /** @throws GraphQLError RATE_LIMITED */
  take(kind: Kind): void {
    this.#made = true;
    this.rates.take(this.caller, kind);
  }

  /** Charges a mutation by its size: large texts take longer to search. The request need not have the further writes left. */
  takeWrite(bytes: number): void {
    this.take('write');
    const more = Math.floor(bytes / limits.writeBytes);
    if (more > 0) this.rates.takeMore(this.caller, 'write', more);
  }

  /** Charges more for a request that exceeded a limit while it was executed. Others waited for it. */
  exceeded(): void {
    this.rates.takeMore(this.caller, 'read', limits.rate.readsOfExceeding - 1);
  }

  /** @throws what `work` throws, or RATE_LIMITED */
  during<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      this.settle();
      throw error;
    }
  }

  /** Charges a read when nothing was charged before. @throws GraphQLError RATE_LIMITED */
  settle(): void {
    if (!this.#made) this.take('read');
  }
}

export interface LimitsOptions {
  schema: GraphQLSchema;
  persisted: PersistedOperations;
  queryLimits?: QueryLimits;
}

/**
 * Checks a request of any transport and puts in the document that it names.
 * @throws GraphQLError
 */
export function readRequest(
  persisted: PersistedOperations,
  { documentId, ...request }: Record<string, unknown>,
): Record<string, unknown> {
  if (request['operationName'] != null && typeof request['operationName'] !== 'string')
    throw badRequest('operationName is not a string: name an operation of the document');
  const fault = checkVariables(request['variables']);
  if (fault !== null) throw fault;
  const query = persisted.documentOf({ ...request, documentId });
  return query === undefined ? request : { ...request, query };
}

/** The single errors of what `parse` throws: an AggregateError when several limits are exceeded. */
export const errorsIn = (error: unknown): readonly unknown[] =>
  error instanceof AggregateError ? (error.errors as unknown[]) : [error];

const costs = new WeakMap<object, number>();

/** Cost of the operation with this context; undefined when it was not measured. */
export const costOf = (context: object): number | undefined => costs.get(context);

/**
 * Applies the limits of operations: parses, charges, measures, then validates. A syntax error is charged by `Charge.settle`.
 * Sockets get the same plugin through `getEnveloped({ charge, params })`.
 */
export function limitsPlugin({ schema, persisted, queryLimits = limits.query }: LimitsOptions): Plugin {
  return {
    onRequestParse({ requestParser, setRequestParser }) {
      if (requestParser === undefined) return;
      setRequestParser(async (request) => {
        try {
          return await requestParser(request);
        } catch (error) {
          if (error instanceof SyntaxError) throw badRequest('variables or extensions are not JSON: send objects');
          // Yoga answers 200 to malformed JSON when only application/json is accepted; GraphQL over HTTP requires 400.
          throw error instanceof GraphQLError && error.extensions['code'] === 'BAD_REQUEST'
            ? badRequest(error.message)
            : error;
        }
      });
    },
    onParams({ params, setParams, request }) {
      // Yoga refuses these.
      if (typeof params !== 'object' || params === null) return;
      const documentId = request.method === 'GET' ? new URL(request.url).searchParams.get('documentId') : undefined;
      setParams(
        readRequest(persisted, { ...(documentId != null && { documentId }), ...(params as Record<string, unknown>) }),
      );
    },
    onParse({ context, setParseFn }) {
      const { charge, params } = context as InitialContext;
      setParseFn(parseWithin);
      return ({ result }) => {
        const document = isDocument(result) ? result : null;
        if (document === null) return;
        if (kindOf(document, params?.operationName) === 'write') charge?.takeWrite(sizeOf(params));
        else charge?.take('read');
        const { errors, cost } = checkOperation(
          schema,
          document,
          params?.operationName,
          params?.variables,
          queryLimits,
        );
        if (errors.length > 0) throw new AggregateError(errors);
        costs.set(context, cost);
      };
    },
    onExecute({ args }) {
      const requested = costOf(args.contextValue);
      return {
        onExecuteDone({ result, setResult }) {
          if (Symbol.asyncIterator in result) return;
          const { processorTime, held, charge } = args.contextValue as InitialContext;
          const exceeded = held?.exceeded ?? processorTime?.exceeded;
          if (exceeded != null) {
            charge?.exceeded();
            // Returns one error instead of one per field.
            return setResult({ errors: [exceeded] });
          }
          if (requested === undefined) return;
          result.extensions = { ...result.extensions, cost: { requested, limit: queryLimits.cost } };
        },
      };
    },
  };
}

const isDocument = (parsed: unknown): parsed is DocumentNode =>
  typeof parsed === 'object' && parsed !== null && 'definitions' in parsed;

const sizeOf = ({ query = '', variables }: Params = {}): number =>
  query.length + (variables == null ? 0 : JSON.stringify(variables).length);

/** An operation that cannot be executed is charged as a read. */
const kindOf = (document: DocumentNode, operationName: string | null | undefined): Kind =>
  getOperationAST(document, operationName)?.operation === OperationTypeNode.MUTATION ? 'write' : 'read';

/** For Yoga's `parserAndValidationCache`: documents of 200,000 characters in all, less than 100 MB of syntax trees. */
export function documentCaches() {
  const cache = <T extends object>() =>
    new LRUCache<string, T>({
      maxSize: 200_000,
      maxEntrySize: 20_000,
      sizeCalculation: (_value, text) => text.length + 100,
    });
  return { documentCache: cache<DocumentNode>(), errorCache: cache<Error>() };
}
