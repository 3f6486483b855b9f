import type { AppLive } from '../app.ts';
import type { CallerRequest } from '../core/request.ts';
import { repeat } from '../core/repeat.ts';
import type { Caller } from '../core/work.ts';
import type { GraphQLContext } from '../graphql/context.ts';
import type { Log } from '../infra/log.ts';
import type { Database } from '../infra/prisma.ts';
import type { Authenticate } from '../keys/authenticate.ts';
import { boundAnswer } from '../limits/answerSize.ts';
import { limits as defaults, type SocketLimits } from '../limits/limits.ts';
import type { Doorbell } from './doorbell.ts';
import { createProtocol } from './protocol.ts';
import { createSubscriptions } from './results.ts';
import { createSocketServer, type SocketServer } from './sockets.ts';
import { type Pace, Streams } from './streams.ts';

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
  const { sockets, subscriptions } = { ...defaults.sockets, ...limits };
  return new Streams({
    pool,
    log,
    doorbell,
    watchKey: authenticate.watch,
    limitOfCaller: sockets * subscriptions,
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
  createContext: (caller: Caller) => GraphQLContext;
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
  let server: SocketServer | undefined;
  return {
    plugin: { onSubscribe: ({ setSubscribeFn }) => setSubscribeFn((args) => subscriptions.subscribe(args) as never) },
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
        watchKey: authenticate.watch,
      });
      return (server = createSocketServer({ log, limits, ...protocol }));
    },
    endStreams: () => streams.stop(),
    degraded: () => (doorbell.shared && !doorbell.hears ? ['redis'] : []),
  };
}
