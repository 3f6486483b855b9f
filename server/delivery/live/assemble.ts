import { type ExecutionArgs, type ExecutionResult, GraphQLError } from 'graphql';
import { limits as defaults, type SocketLimits } from '../../core/limits.ts';
import { repeat } from '../../core/repeat.ts';
import type { CallerRequest } from '../../core/request.ts';
import type { Caller } from '../../core/work.ts';
import { boundAnswer } from '../../infra/limits/answerSize.ts';
import type { Log } from '../../infra/log.ts';
import type { Database } from '../../infra/prisma.ts';
import type { Authenticate } from '../../work/keys/authenticate.ts';
import type { Doorbell } from './doorbell.ts';
import { createProtocol } from './protocol.ts';
import { createSubscriptions, Results } from './results.ts';
import { createSocketServer, type SocketServer } from './sockets.ts';
import { type Pace, Streams, TooManyConnections } from './streams.ts';
import type { AppLive, SubscriberContext } from './subscribing.ts';

interface Parts {
  log: Log;
  doorbell: Doorbell;
  authenticate: Authenticate;
  limits?: Partial<SocketLimits> | undefined;
}

export interface StreamParts extends Parts {
  database: Pick<Database, 'pool'>;
  pace?: Pace;
}

/** Opens this process's streams and announces ended keys to all processes. */
export function openStreams({ database: { pool }, log, doorbell, authenticate, pace, limits }: StreamParts): Streams {
  authenticate.onRevoked((keyId) => doorbell.ring([{ about: 'key', keyId }]));
  doorbell.listen({
    heard: (hint) => {
      if (hint.about === 'key') authenticate.forget(hint.keyId);
    },
    missed: () => authenticate.forgetAll(),
  });
  return new Streams({
    pool,
    log,
    doorbell,
    watchKey: authenticate.watch,
    connectionsOfCaller: limits?.connections ?? defaults.sockets.connections,
    ...pace,
  });
}

const lookEveryMs = 2_000;

/** Looks whether the database went back, also while no stream is open. */
export const startLooking = (streams: Streams): { stop(): Promise<void> } =>
  repeat(0, async () => {
    await streams.look();
    return lookEveryMs;
  });

export interface LiveParts extends Parts {
  streams: Streams;
  createContext: (caller: Caller) => SubscriberContext;
  maskError: (error: unknown, request?: CallerRequest) => Error;
}

/** Assembles subscriptions over WebSocket and SSE for the app. */
export function assembleLive({
  streams,
  doorbell,
  log,
  authenticate,
  createContext,
  maskError,
  ...options
}: LiveParts): AppLive {
  const limits = { ...defaults.sockets, ...options.limits };
  const subscriptions = createSubscriptions({
    createContext,
    maskError,
    bound: (result, args) => boundAnswer(result, defaults.answer.bytes, args),
  });
  /** Each subscription has a connection of its own. */
  async function subscribeByHttp(args: ExecutionArgs): Promise<Results | ExecutionResult> {
    let leave: () => void;
    try {
      leave = streams.connect((args.contextValue as SubscriberContext).caller);
    } catch (error) {
      if (!(error instanceof TooManyConnections)) throw error;
      const { message, limit } = error;
      const extensions = { code: 'LIMIT_EXCEEDED', what: 'connections', limit, actual: limit + 1 };
      return { errors: [new GraphQLError(message, { extensions })] };
    }
    try {
      const results = await subscriptions.subscribe(args);
      if (results instanceof Results) results.onEnd(leave);
      else leave();
      return results;
    } catch (error) {
      leave();
      throw error;
    }
  }

  let server: SocketServer | undefined;
  return {
    plugin: { onSubscribe: ({ setSubscribeFn }) => setSubscribeFn((args) => subscribeByHttp(args) as never) },
    get groups() {
      return subscriptions.groups;
    },
    get openSockets() {
      return server?.size ?? 0;
    },
    sockets(engine) {
      const protocol = createProtocol({
        engine,
        subscriptions,
        limits,
        log,
        createContext,
        maskError,
        connect: (caller) => streams.connect(caller),
        watchKey: authenticate.watch,
      });
      return (server = createSocketServer({ log, limits, ...protocol }));
    },
    endStreams: () => streams.stop(),
    degraded: () => (doorbell.shared && !doorbell.hears ? ['redis'] : []),
  };
}
