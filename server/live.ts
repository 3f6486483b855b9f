import type { Plugin } from 'graphql-yoga';
import type { AppLive } from './app.ts';
import type { Doorbell } from './core/doorbell.ts';
import type { Caller } from './core/work.ts';
import { StreamEnded } from './events/stream.ts';
import { Streams } from './events/streams.ts';
import type { GraphQLContext } from './graphql/context.ts';
import { createLive, type LiveOptions } from './graphql/live.ts';
import { createSockets } from './graphql/sockets.ts';
import type { Database } from './infra/prisma.ts';
import type { Log } from './infra/log.ts';
import { createSocketServer, type SocketServer } from './infra/socketServer.ts';
import type { Authenticate } from './keys/authenticate.ts';
import { boundAnswer } from './limits/answerSize.ts';
import { limits as numbers, type SocketLimits } from './limits/limits.ts';

export interface Pace {
  heartbeatMs?: number;
  pollMs?: number;
  safetyMs?: number;
  idleStampMs?: number;
}

export interface StreamParts {
  database: Pick<Database, 'pool'>;
  log: Log;
  doorbell: Doorbell;
  authenticate: Authenticate;
  pace?: Pace;
  limits?: Partial<SocketLimits> | undefined;
}

/** The streams of a process, which commits are announced to; and the ends of keys, which all processes are told of. */
export function openStreams({ database: { pool }, log, doorbell, authenticate, pace, limits }: StreamParts): Streams {
  authenticate.onRevoked((keyId) => doorbell.ring([{ about: 'key', keyId }]));
  doorbell.listen({
    heard: (hint) => {
      if (hint.about === 'key') authenticate.forget(hint.keyId);
    },
    missed: () => authenticate.forgetAll(),
  });
  const { sockets, subscriptions } = { ...numbers.sockets, ...limits };
  return new Streams({ pool, log, doorbell, watchKey: authenticate.watch, mostOfCaller: sockets * subscriptions, ...pace });
}

export interface LiveParts {
  streams: Streams;
  doorbell: Doorbell;
  log: Log;
  authenticate: Authenticate;
  createContext: (caller: Caller) => GraphQLContext;
  maskError: (error: unknown) => Error;
  limits?: Partial<SocketLimits> | undefined;
}

/** Subscriptions over WebSocket and SSE, as the app runs them. */
export function assembleLive({ streams, doorbell, log, authenticate, createContext, maskError, ...options }: LiveParts): AppLive {
  const limits = { ...numbers.sockets, ...options.limits };
  const live = createLive({ createContext, maskError, bound: (result, asked) => boundAnswer(result, numbers.answer.bytes, asked), endOf });
  const plugin: Plugin = {
    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn((args) => live.subscribe(args) as never);
    },
  };
  let server: SocketServer | undefined;
  return {
    plugin,
    get groups() {
      return live.groups;
    },
    get openSockets() {
      return server?.size ?? 0;
    },
    sockets(engine) {
      const protocol = createSockets({
        engine,
        live,
        limits,
        log,
        createContext,
        maskError,
        watchKey: authenticate.watch,
      });
      return (server = createSocketServer({ log, limits, handleProtocols: protocol.handleProtocols, opened: protocol.opened }));
    },
    endStreams: () => streams.stop(),
    degraded: () => (doorbell.shared && !doorbell.hears ? ['redis'] : []),
  };
}

const endOf: LiveOptions['endOf'] = (error) => {
  if (!(error instanceof StreamEnded)) return undefined;
  return { code: error.why === 'key' ? 'UNAUTHENTICATED' : 'UNAVAILABLE', message: error.message };
};
