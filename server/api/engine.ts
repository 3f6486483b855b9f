import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import {
  execute as executeByGraphql,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
} from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { limits, type QueryLimits } from '../core/limits.ts';
import { Payer, takeTurn } from '../core/loopTurns.ts';
import type { CallerRequest } from '../core/request.ts';
import type { Caller } from '../core/work.ts';
import type { SocketOperations } from '../delivery/live/subscribing.ts';
import { bodyOf, BrokenOff, readText } from '../infra/http/body.ts';
import { withRequestId } from '../infra/http/named.ts';
import {
  answerOf,
  type Enveloped,
  executeParams,
  isJson,
  isPlainPost,
  type PlainParams,
  objectIn,
  readParams,
  type TextAnswer,
  toFetchRequest,
} from '../infra/http/plainPost.ts';
import { streamedResults } from '../infra/http/streamedResults.ts';
import { jsonOnly, maskingErrors } from '../infra/http/yogaPlugins.ts';
import { answerSizePlugin } from '../infra/limits/answerSize.ts';
import { checkVariables } from '../infra/limits/checkVariables.ts';
import { heavyReadsPlugin } from '../infra/limits/heavyReads.ts';
import type { PersistedOperations } from '../infra/limits/persisted.ts';
import { Charge, documentCaches, limitsPlugin, type Params, readRequest } from '../infra/limits/plugin.ts';
import type { Rates } from '../infra/limits/rates.ts';
import { variableFaults } from '../infra/limits/variableFaults.ts';

/**
 * Executes a document that this server wrote itself, with the caller's rights and the limits of every request. Its errors are
 * masked. Never rejects.
 */
export type Ask = (caller: Caller, query: string, variables: Record<string, unknown>) => Promise<ExecutionResult>;

export interface EngineOptions {
  schema: GraphQLSchema;
  createContext: (caller: Caller) => object;
  maskError: (error: unknown, request?: CallerRequest) => Error;
  rates: Rates;
  persisted: PersistedOperations;
  query?: Partial<QueryLimits>;
  heavyReads?: Parameters<typeof heavyReadsPlugin>[0];
  plugins?: Plugin[];
  live?: { plugin: Plugin };
}

const longBody = 100_000;

/** A caller, and what its request is charged. */
interface Paying {
  caller: Caller;
  charge: Charge;
}

export interface Engine {
  ask: Ask;
  ofSockets: SocketOperations;
  /** Answers a request to `/graphql`. Null when the client disconnected. */
  answer(request: IncomingMessage, by: Paying, origin: string): Promise<Response | TextAnswer | null>;
  /** Waits until it is the caller's turn in the event loop; undefined when it is. */
  turnOf(caller: Caller): Promise<void> | undefined;
}

/**
 * Executes by `graphql` in the place of Yoga's executor (@graphql-tools/executor 2.1), which takes every value with a member
 * `then` for a promise, stored JSON and the alias `then` included, and fails. Must come before every plugin that wraps the
 * execute function.
 */
const plainExecution: Plugin = {
  onExecute: ({ setExecuteFn }) =>
    setExecuteFn((args: ExecutionArgs) => {
      const result = executeByGraphql(args);
      // Nothing was executed: a variable is missing, or no operation has the name.
      return 'errors' in result && !('data' in result) ? refused(result.errors!) : result;
    }),
};

/** Refuses variables of wrong types before anything is executed. The last plugin: what the others do with a result is done with this one. */
const refusedVariables: Plugin = {
  onExecute({ args, setResultAndStopExecution }) {
    const faults = variableFaults(args);
    if (faults.length > 0) setResultAndStopExecution(refused(faults));
  },
};

function refused(errors: readonly GraphQLError[]): ExecutionResult {
  for (const { extensions } of errors) extensions['http'] = { status: 400 };
  return { errors };
}

/** Executes GraphQL for every transport, with the limits, the rates and the masked errors of each. */
export function createEngine({
  schema,
  createContext,
  maskError,
  rates,
  persisted,
  ...options
}: EngineOptions): Engine {
  const yoga = createYoga<Paying>({
    schema,
    context: ({ caller }) => createContext(caller),
    // The door allows origins, on all routes.
    cors: false,
    graphiql: false,
    landingPage: false,
    logging: false,
    maxRequestBodySize: limits.body.json,
    parserAndValidationCache: documentCaches(),
    maskedErrors: { maskError: (error) => maskError(error) },
    plugins: [
      plainExecution,
      streamedResults,
      jsonOnly,
      ...(options.live === undefined ? [] : [options.live.plugin]),
      limitsPlugin({ schema, persisted, queryLimits: { ...limits.query, ...options.query } }),
      ...(options.plugins ?? []),
      heavyReadsPlugin(options.heavyReads),
      answerSizePlugin(),
      maskingErrors(maskError),
      refusedVariables,
    ],
  });
  // A key that is no longer known counts as one that was quiet.
  const payers = new LRUCache<string, Payer>({ max: 10_000, memoMethod: () => new Payer() });
  const turnOf = (caller: Caller): Promise<void> | undefined => takeTurn(payers.memo(caller.principal));

  /** Executes plain queries and mutations without Yoga's HTTP layer, which answers all other requests. */
  async function answer(request: IncomingMessage, by: Paying, origin: string): Promise<Response | TextAnswer> {
    const reads = request.method === 'POST' && isJson(request.headers['content-type']);
    const body = reads ? await readText(bodyOf(request), limits.body.json) : null;
    await turnOf(by.caller);
    const sent = body !== null && isPlainPost(request, limits.body.json) ? objectIn(body) : null;
    // Parsing a long body takes a turn of the event loop, as each step after it does.
    const turn = async (): Promise<void> => void (body!.length > longBody && (await setImmediate()));
    if (sent !== null) await turn();
    const params = sent && readParams(sent, (request) => readRequest(persisted, request));
    if (params === null) return yoga.handleRequest(toFetchRequest(request, body, origin, yoga.fetchAPI), by);
    await turn();
    return answerOf(withRequestId(await execute(by, params), by.caller.request), request);
  }

  function execute(by: Paying, params: PlainParams): Promise<ExecutionResult> {
    // Yoga refuses mutations unless the method of `request` is POST.
    const enveloped = yoga.getEnveloped({ ...by, params, request: { method: 'POST' } }) as unknown as Enveloped;
    return executeParams(enveloped, params, (error) => maskError(error, by.caller.request));
  }

  return {
    turnOf,
    async ask(caller, query, variables) {
      const fault = checkVariables(variables);
      return fault === null
        ? execute({ caller, charge: new Charge(rates, caller) }, { query, variables })
        : { errors: [fault] };
    },
    answer: (request, by, origin) =>
      answer(request, by, origin).catch((error: unknown) => {
        if (error instanceof BrokenOff) return null;
        throw error;
      }),
    ofSockets: {
      ask(caller, request) {
        const charge = new Charge(rates, caller);
        const params: Params = charge.during(() => readRequest(persisted, request));
        const context = { caller, charge, params };
        const { schema, parse, validate } = yoga.getEnveloped(context) as Pick<
          ReturnType<SocketOperations['ask']>,
          'schema' | 'parse' | 'validate'
        >;
        return { params, context, schema, validate, parse: (source) => charge.during(() => parse(source)) };
      },
      execute: (args) => yoga.getEnveloped(args.contextValue as object).execute(args) as Promise<ExecutionResult>,
    },
  };
}
