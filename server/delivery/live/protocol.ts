import { type ExecutionArgs, type ExecutionResult, getOperationAST, GraphQLError } from 'graphql';
import { CloseCode, type Context, handleProtocols, makeServer, type SubscribePayload } from 'graphql-ws';
import { UnauthenticatedError } from '../../core/errors.ts';
import type { SocketLimits } from '../../core/limits.ts';
import { type CallerRequest, requestOf } from '../../core/request.ts';
import { warnOften } from '../../core/warnOften.ts';
import type { Caller } from '../../core/work.ts';
import { named, withRequestId } from '../../infra/http/named.ts';
import type { Log } from '../../infra/log.ts';
import { Results, type Subscriptions, withoutHttp } from './results.ts';
import type { OpenSocket } from './sockets.ts';
import { TooManyConnections } from './streams.ts';
import type { SocketEngine, SubscriberContext } from './subscribing.ts';

export interface ProtocolOptions {
  engine: SocketEngine;
  subscriptions: Subscriptions;
  limits: SocketLimits;
  log: Log;
  createContext(caller: Caller): SubscriberContext;
  maskError(error: unknown, request?: CallerRequest): Error;
  /** @throws TooManyConnections */
  connect(caller: Caller): () => void;
  watchKey(caller: Caller, onEnded: () => void): () => void;
}

interface Extra {
  socket: OpenSocket;
  caller: Caller | null;
  /** Runs when the socket has closed. */
  leave: (() => void)[];
  /** After the close, acquire nothing: it would never be released. */
  closed: boolean;
  /** The last request of each id until its results begin. */
  opening: Map<string, SubscribePayload>;
  open: Map<string, Results>;
}

/** The protocol `graphql-transport-ws` on open sockets. */
export function createProtocol({
  engine,
  subscriptions,
  limits,
  log,
  createContext,
  maskError,
  connect: enter,
  watchKey,
}: ProtocolOptions) {
  /** The request of each `subscribe` message. */
  const requests = new WeakMap<SubscribePayload, CallerRequest>();

  const server = makeServer<Record<string, unknown>, Extra>({
    connectionInitWaitTimeout: limits.initMs,
    onConnect: connect,
    onSubscribe: subscribe,
    // `delivering` sends the results: graphql-ws would serialize each result again per subscriber, which costs more than
    // sending it.
    onOperation: ({ extra }, id, payload, _args, result) => {
      if (extra.opening.get(id) !== payload) return outdated(result, id, extra);
      extra.opening.delete(id);
      return result instanceof Results ? delivering(result, id, extra, requests.get(payload)) : undefined;
    },
    // Masks errors raised by graphql-ws too.
    onError: (_context, _id, payload, errors) =>
      errors.map((error) => named(withoutHttp(maskError(error, requests.get(payload))), requests.get(payload))),
    onNext: (_context, _id, payload, _args, result) => withRequestId(result, requests.get(payload)),
    subscribe: (args) => subscriptions.subscribe(args),
    execute: (args) => engine.execute(args),
  });

  async function connect({ connectionParams, extra }: Context<Record<string, unknown>, Extra>): Promise<boolean> {
    let caller: Caller;
    try {
      caller = await engine.identify(extra.socket.address, authorizationIn(connectionParams));
    } catch (error) {
      if (error instanceof UnauthenticatedError) return false;
      if (error instanceof GraphQLError && error.extensions['code'] === 'RATE_LIMITED') {
        extra.socket.close(1013, 'Too many connections came without a valid key: try again later');
        return false;
      }
      warnOften(log, { err: error }, 'a socket could not be let in; it will come again');
      extra.socket.close(1013, 'The key cannot be checked now: try again');
      return false;
    }
    if (extra.closed) return false;
    try {
      extra.leave.push(enter(caller));
    } catch (error) {
      if (!(error instanceof TooManyConnections)) throw error;
      extra.socket.close(1013, error.message);
      return false;
    }
    extra.caller = caller;
    extra.leave.push(
      watchKey(caller, () => extra.socket.close(CloseCode.Forbidden, 'Your key was revoked or has expired')),
    );
    return true;
  }

  function subscribe(
    context: Context<Record<string, unknown>, Extra>,
    id: string,
    payload: SubscribePayload,
  ): ExecutionArgs | GraphQLError[] {
    const { extra } = context;
    if (Object.keys(context.subscriptions).length > limits.subscriptions) {
      const limit = limits.subscriptions;
      const extensions = { code: 'LIMIT_EXCEEDED', what: 'subscriptions', limit, actual: limit + 1 };
      return [
        new GraphQLError(`A socket may have ${limit} operations at once: complete one first, or open another socket`, {
          extensions,
        }),
      ];
    }
    // Over a socket a `traceparent` comes with each operation: it has no headers.
    const request = requestOf(null, payload.extensions?.['traceparent']);
    requests.set(payload, request);
    try {
      const args = prepare(payload, { ...extra.caller!, request });
      extra.opening.set(id, payload);
      return args;
    } catch (error) {
      const errors: unknown[] = error instanceof AggregateError ? error.errors : [error];
      return errors.map((each) => withoutHttp(maskError(each, request)));
    }
  }

  /** Checks the cost, parses and validates, as for a request over HTTP. @throws GraphQLError, or an AggregateError of several. */
  function prepare(payload: SubscribePayload, caller: Caller): ExecutionArgs {
    const { schema, parse, validate, params, context } = engine.ask(caller, { ...payload });
    const document = parse(params.query ?? '');
    const errors = validate(schema, document);
    if (errors.length > 0) throw new AggregateError(errors);
    const { operationName = null, variables = null } = params;
    if (getOperationAST(document, operationName) == null) {
      throw new GraphQLError('operationName must name one operation of the document', {
        extensions: { code: 'OPERATION_RESOLUTION_FAILURE' },
      });
    }
    return {
      schema,
      document,
      operationName,
      variableValues: variables,
      contextValue: Object.assign(context, createContext(caller)),
    };
  }

  return {
    handleProtocols,
    opened(socket: OpenSocket): void {
      const extra: Extra = { socket, caller: null, leave: [], closed: false, opening: new Map(), open: new Map() };
      const closed = server.opened(
        {
          protocol: socket.protocol,
          send: (text) => socket.send(Buffer.from(text)),
          close: (code = 1000, reason = '') => socket.close(code, reason),
          onMessage: (listener) =>
            socket.onMessage((text) =>
              listener(text).catch((error: unknown) => {
                // graphql-ws throws for the types that only a server sends.
                if (!/^Unexpected message of type \w+ received$/.test((error as Error).message)) throw error;
                socket.close(CloseCode.BadRequest, (error as Error).message);
              }),
            ),
        },
        extra,
      );
      socket.onClose((code, reason) => {
        extra.closed = true;
        for (const leave of extra.leave.splice(0)) leave();
        void closed(code, reason);
      });
    },
  };
}

/** The credentials of a socket, under `authorization` in any case. Several are joined, as HTTP headers are, so that none is accepted. */
function authorizationIn(params: Record<string, unknown> | undefined): string | undefined {
  const values = Object.entries(params ?? {}).flatMap(([name, value]) =>
    name.toLowerCase() === 'authorization' ? [value] : [],
  );
  return values.length > 0 && values.every((value) => typeof value === 'string') ? values.join(', ') : undefined;
}

const texts = new WeakMap<ExecutionResult, Buffer>();

/** A result's message without its id, serialized once for all recipients. */
function textOf(result: ExecutionResult): Buffer {
  let text = texts.get(result);
  if (text === undefined) {
    text = Buffer.from(`{"type":"next","payload":${JSON.stringify(result)}`);
    texts.set(result, text);
  }
  return text;
}

const done = { done: true as const, value: undefined };

/** A subscription that sends its results itself and yields none. */
function delivering(
  results: Results,
  id: string,
  { socket, open }: Extra,
  request: CallerRequest | undefined,
): AsyncIterableIterator<never> {
  const end = Buffer.from(`,"id":${JSON.stringify(id)}}`);
  open.set(id, results);
  const over = (): void => {
    if (open.get(id) === results) open.delete(id);
  };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      try {
        for await (const result of results) {
          const full = socket.send(Buffer.concat([textOf(withRequestId(result, request)), end]));
          if (full !== undefined) await full;
        }
      } finally {
        over();
      }
      return done;
    },
    async return() {
      over();
      await results.return();
      return done;
    },
  };
}

/**
 * The id was completed and reused while this operation was opening: discards its results. graphql-ws may mistake this
 * operation for the newer one, so it stays open until the socket closes, and ending it ends the newer one.
 */
function outdated(result: unknown, id: string, { open, leave }: Extra): AsyncIterableIterator<never> {
  if (result instanceof Results) void result.return();
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => new Promise((resolve) => leave.push(() => resolve(done))),
    async return() {
      await open.get(id)?.return();
      return done;
    },
  };
}
