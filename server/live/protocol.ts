import { type ExecutionArgs, type ExecutionResult, getOperationAST, GraphQLError } from 'graphql';
import { CloseCode, type Context, handleProtocols, makeServer, type SubscribePayload } from 'graphql-ws';
import type { Engine } from '../app.ts';
import { UnauthenticatedError } from '../core/errors.ts';
import { Places } from '../core/places.ts';
import type { Caller } from '../core/work.ts';
import type { Log } from '../infra/log.ts';
import type { OpenSocket } from './sockets.ts';
import type { SocketLimits } from '../limits/limits.ts';
import type { GraphQLContext } from '../graphql/context.ts';
import { type Live, Results, withoutHttp } from './results.ts';

export interface SocketsOptions {
  engine: Engine;
  live: Live;
  limits: SocketLimits;
  log: Log;
  createContext(caller: Caller): GraphQLContext;
  maskError(error: unknown): Error;
  watchKey?: ((caller: Caller, onEnded: () => void) => () => void) | undefined;
}

interface Extra {
  socket: OpenSocket;
  caller: Caller | null;
  left: (() => void)[];
  /** It has ended: nothing may be taken for it any more, since nobody would give it back. */
  gone: boolean;
  /** The last request of each id, until its results begin. */
  opening: Map<string, SubscribePayload>;
  open: Map<string, Results>;
}

/** The protocol `graphql-transport-ws` on sockets that are open. */
export function createSockets(options: SocketsOptions) {
  const { live, limits, maskError, createContext } = options;
  const places = new Places(limits.sockets);

  const server = makeServer<Record<string, unknown>, Extra>({
    connectionInitWaitTimeout: limits.initMs,
    onConnect: connect,
    onSubscribe: subscribe,
    // The protocol's own way of sending results costs more than sending them: only what comes before and after is its.
    onOperation: ({ extra }, id, payload, _args, result) => {
      if (extra.opening.get(id) !== payload) return outdated(result, id, extra);
      extra.opening.delete(id);
      return result instanceof Results ? delivering(result, id, extra) : undefined;
    },
    // What the protocol caught itself is no more for others to read than what a resolver threw.
    onError: (_context, _id, _payload, errors) => errors.map((error) => withoutHttp(maskError(error))),
    subscribe: (args) => live.subscribe(args),
    execute: (args) => options.engine.execute(args),
  });

  async function connect({ connectionParams, extra }: Context<Record<string, unknown>, Extra>): Promise<boolean> {
    const authorization = connectionParams?.['authorization'];
    let caller: Caller;
    try {
      caller = await options.engine.identify(extra.socket.address, typeof authorization === 'string' ? authorization : undefined);
    } catch (error) {
      if (error instanceof UnauthenticatedError) return false;
      if (error instanceof GraphQLError && error.extensions['code'] === 'RATE_LIMITED') {
        extra.socket.close(1013, 'Too many connections came without a key that works: try again later');
        return false;
      }
      options.log.warn({ err: error }, 'a socket could not be let in; it will come again');
      extra.socket.close(1013, 'We cannot say who you are at the moment: try again');
      return false;
    }
    if (extra.gone) return false;
    const leave = places.take(caller);
    if (leave === null) {
      extra.socket.close(1013, `More than ${limits.sockets} sockets of one key: close others, then try again`);
      return false;
    }
    extra.left.push(leave);
    extra.caller = caller;
    const stop = options.watchKey?.(caller, () => extra.socket.close(CloseCode.Forbidden, 'Your key was revoked or has expired'));
    if (stop !== undefined) extra.left.push(stop);
    return true;
  }

  function subscribe(context: Context<Record<string, unknown>, Extra>, id: string, payload: SubscribePayload): ExecutionArgs | GraphQLError[] {
    const { extra } = context;
    if (Object.keys(context.subscriptions).length > limits.subscriptions) {
      const limit = limits.subscriptions;
      const extensions = { code: 'LIMIT_EXCEEDED', what: 'subscriptions', limit, actual: limit + 1 };
      return [new GraphQLError(`A socket may have ${limit} operations at once: complete one first, or open another socket`, { extensions })];
    }
    try {
      const args = prepare(payload, extra.caller!);
      extra.opening.set(id, payload);
      return args;
    } catch (error) {
      const errors: unknown[] = error instanceof AggregateError ? error.errors : [error];
      return errors.map((each) => withoutHttp(maskError(each)));
    }
  }

  /** Charges, measures and validates, as a request over HTTP is. @throws GraphQLError, or an AggregateError of several. */
  function prepare(payload: SubscribePayload, caller: Caller): ExecutionArgs {
    const { schema, parse, validate, params, context } = options.engine.ask(caller, { ...payload });
    const document = parse(params.query ?? '');
    const errors = validate(schema, document);
    if (errors.length > 0) throw new AggregateError(errors);
    const { operationName = null, variables = null } = params;
    if (getOperationAST(document, operationName) == null) {
      throw new GraphQLError('Say in operationName which operation of the document is meant', { extensions: { code: 'OPERATION_RESOLUTION_FAILURE' } });
    }
    return { schema, document, operationName, variableValues: variables, contextValue: Object.assign(context, createContext(caller)) };
  }

  return {
    handleProtocols,
    opened(socket: OpenSocket): void {
      const extra: Extra = { socket, caller: null, left: [], gone: false, opening: new Map(), open: new Map() };
      const closed = server.opened(
        {
          protocol: socket.protocol,
          send: (text) => socket.send(Buffer.from(text)),
          close: (code = 1000, reason = '') => socket.close(code, reason),
          onMessage: (listener) => socket.onMessage(listener),
        },
        extra,
      );
      socket.onClose((code, reason) => {
        extra.gone = true;
        for (const leave of extra.left) leave();
        extra.left = [];
        void closed(code, reason);
      });
    },
  };
}

const texts = new WeakMap<ExecutionResult, Buffer>();

/** The message that a result becomes, but for its end: made once for all who get it. */
function nextOf(result: ExecutionResult): Buffer {
  let found = texts.get(result);
  if (found === undefined) {
    found = Buffer.from(`{"type":"next","payload":${JSON.stringify(result)}`);
    texts.set(result, found);
  }
  return found;
}

/** A subscription that sends its results itself and yields none. */
function delivering(results: Results, id: string, { socket, open }: Extra): AsyncIterableIterator<never> {
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
      await results.deliver((result) => socket.send(nextOf(result), end)).finally(over);
      return { done: true, value: undefined };
    },
    async return() {
      over();
      await results.return();
      return { done: true, value: undefined };
    },
  };
}

/**
 * What was completed while it was still opening, and its id used again: its results are nobody's. The protocol may take
 * it for the newer one of its id all the same, so it must not end before the socket does, and what ends it ends that one.
 */
function outdated(result: unknown, id: string, { open, left }: Extra): AsyncIterableIterator<never> {
  if (result instanceof Results) void result.return();
  const done = { done: true as const, value: undefined };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => new Promise((resolve) => left.push(() => resolve(done))),
    async return() {
      await open.get(id)?.return();
      return done;
    },
  };
}
