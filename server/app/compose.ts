import { GraphQLError } from 'graphql';
import { downloadRoute, type DownloadOptions } from '../api/exports/downloadRoute.ts';
import { compiledQueries } from '../api/graphql/compiled.ts';
import { contexts } from '../api/graphql/context.ts';
import { createMaskError } from '../api/graphql/errors/maskError.ts';
import { validationErrors } from '../api/graphql/errors/validationErrors.ts';
import { replicaReads } from '../api/graphql/replicaReads.ts';
import { schema } from '../api/graphql/schema.ts';
import { transcriptRoute, type UploadLimits } from '../api/log/transcriptRoute.ts';
import { mcpRoute } from '../api/mcp/mcpRoute.ts';
import { importRoute } from '../api/registry/importRoute.ts';
import { wentBack } from '../core/history.ts';
import type { SocketLimits } from '../core/limits.ts';
import { batonItself } from '../core/work.ts';
import { startArchiving } from '../delivery/exports/archive.ts';
import { createEventBodies } from '../delivery/exports/eventBodies.ts';
import { startEventLog } from '../delivery/exports/eventLog.ts';
import { createRecords } from '../delivery/exports/records.ts';
import { assembleLive, openStreams, startLooking } from '../delivery/live/assemble.ts';
import { createDoorbell } from '../delivery/live/redisDoorbell.ts';
import { shareRates } from '../delivery/live/sharedRates.ts';
import type { Pace, Streams } from '../delivery/live/streams.ts';
import type { AppLive } from '../delivery/live/subscribing.ts';
import { createMetrics } from '../delivery/metrics/metrics.ts';
import { startDelivering } from '../delivery/webhooks/deliver.ts';
import { createSender } from '../delivery/webhooks/send.ts';
import { isLoopback, type Env } from '../infra/env.ts';
import { createRates, ratesPerMinute } from '../infra/limits/rates.ts';
import type { Log } from '../infra/log.ts';
import { commandLine, packageVersion } from '../core/place.ts';
import type { Database } from '../infra/prisma.ts';
import { createReplica, type ReplicaPace } from '../infra/replica.ts';
import { StartError } from '../core/startError.ts';
import { cursorsOf, databaseId } from '../work/events/cursors.ts';
import { startSweeping } from '../work/handoffs/sweep.ts';
import { startPruning } from '../work/keeping/startPruning.ts';
import { createAuthenticate, hasHadKeys, type Authenticate } from '../work/keys/authenticate.ts';
import { startFolding } from '../work/learning/foldPaths.ts';
import { nativeTranscript } from '../work/log/native/nativeTranscript.ts';
import { startAssigning } from '../work/queue/assign.ts';
import { buildApp, type App, type AppOptions } from './app.ts';

/** What differs from a server as it is shipped. */
export interface Variations extends Partial<
  Omit<AppOptions, 'env' | 'database' | 'log' | 'createContext' | 'maskError'>
> {
  /** How often keys are looked at again. */
  recheckMs?: number | undefined;
  pace?: Pace | undefined;
  limits?: Partial<SocketLimits> | undefined;
  uploads?: Partial<UploadLimits> | undefined;
  processorMs?: number | undefined;
  replicaPace?: Partial<ReplicaPace>;
  /** False: without metrics, to compare. */
  measured?: boolean;
}

export interface Baton {
  app: App;
  authenticate: Authenticate;
  streams: Streams;
  live: AppLive;
  /** The app as well, but not the database. */
  stop(): Promise<void>;
}

/** All parts of Baton put together over one database, for the server's process and for tests. Listens only after `app.start()`. */
export async function compose(
  env: Env,
  database: Database,
  log: Log,
  { recheckMs, pace, limits, uploads, processorMs, replicaPace, measured = true, ...variations }: Variations = {},
): Promise<Baton> {
  const { prisma, pool } = database;
  const open = env.adminKey === undefined && !(await hasHadKeys(pool));
  if (open && !isLoopback(env.host)) {
    throw new StartError(
      `HOST is ${env.host}, which other machines can reach, and no keys exist: set BATON_ADMIN_KEY (at least 32 characters), or create a key with ${commandLine('key')}`,
    );
  }
  const authenticate = createAuthenticate({
    pool,
    log,
    adminKey: env.adminKey,
    open,
    ...(recheckMs !== undefined && { recheckMs }),
  });
  const { rates = createRates({ rateOf: ratesPerMinute(env.ratePerMinute) }) } = variations;
  const doorbell = createDoorbell({ urls: env.redisUrls, databaseId: await databaseId(pool), log });
  const stopSharing = shareRates(rates, doorbell);
  const streams = openStreams({
    database,
    log,
    doorbell,
    authenticate,
    limits,
    pace: { heartbeatMs: env.heartbeatMs, ...pace },
  });
  const createContext = contexts({
    prisma,
    pool,
    env,
    log,
    streams,
    keyRevoked: authenticate.revoked,
    rates,
    processorMs,
    url: () => env.url ?? app.url,
  });
  const suggesting = { suggestions: variations.persisted?.only !== true };
  const asking = { createContext, maskError: createMaskError(log, suggesting) };
  const live = assembleLive({ streams, doorbell, log, authenticate, limits, ...asking });
  const { archiveFolder: folder, webhookKey } = env;
  const heard = (wake: () => void): (() => void) =>
    doorbell.listen({ heard: ({ about }) => (about === 'all' ? wake() : undefined), missed: wake });
  const transcript: DownloadOptions['transcript'] = (caller, id, as, given) =>
    nativeTranscript({ pool, caller }, id, {
      as,
      folder: given.get('folder'),
      maxTokens: given.get('maxTokens'),
      agent: given.get('agent'),
    });
  const records = createRecords({ schema, createContext: () => createContext(batonItself('archive')) });
  const bodies = createEventBodies({
    schema,
    createContext: () => createContext(batonItself('webhook')),
    cursorOf: async (number, eventId) => (await cursorsOf(pool)).encode({ stream: 'all', number }, eventId),
    failed(error, event) {
      const masked = asking.maskError(error);
      if (masked instanceof GraphQLError && masked.extensions['code'] === 'UNAVAILABLE') throw masked;
      log.error({ err: masked, event }, 'An event could not be read');
    },
  });
  const replica =
    env.replicaUrl === undefined
      ? undefined
      : createReplica(env.replicaUrl, pool, log, { ...replicaPace, prepared: env.prepared });
  const positioned = (): Promise<void> => streams.positioned();
  const metrics = measured
    ? createMetrics({
        pool,
        replicaPool: replica?.pool,
        isPersisted: (text) => variations.persisted?.has(text) === true,
        live: () => ({
          sockets: live.openSockets,
          streams: streams.size,
          lag: streams.lag,
          redis: doorbell.shared ? doorbell.hears : null,
          replica: replica?.state,
        }),
      })
    : undefined;
  // Loaded only for this: its packages take memory and time to start.
  const traces =
    env.traces === null
      ? undefined
      : (await import('../delivery/traces/traces.ts')).createTraces({
          pool,
          log,
          exports: env.traces,
          version: packageVersion(),
        });
  const app = buildApp({
    env,
    database,
    schema,
    log,
    authenticate,
    rates,
    ...asking,
    live,
    degraded: () => [
      ...(replica === undefined || replica.state.follows ? [] : ['replica']),
      ...(wentBack(pool) ? ['history'] : []),
    ],
    metrics,
    plugins: [
      ...(metrics === undefined ? [] : [metrics.plugin]),
      validationErrors(suggesting),
      compiledQueries(),
      ...(replica === undefined ? [] : [replicaReads(replica, database)]),
    ],
    routes: [
      transcriptRoute({ ...asking, uploads, allowedOrigins: env.allowedOrigins }),
      importRoute({ ...asking, allowedOrigins: env.allowedOrigins }),
      mcpRoute({ ...asking, streams, allowedOrigins: env.allowedOrigins, version: packageVersion() }),
      downloadRoute({ schema, ...asking, transcript }),
    ],
    background: [
      () => startSweeping({ pool, log, announcer: streams }),
      () => startAssigning({ pool, log, announcer: streams }),
      () => startFolding({ pool, log }),
      () => startLooking(streams),
      ...(env.keepDays === undefined ? [] : [() => startPruning({ pool, log, days: env.keepDays! })]),
      ...(folder === undefined ? [] : [() => startArchiving({ folder, pool, log, positioned, records, ...asking })]),
      ...(env.eventLog === undefined
        ? []
        : [() => startEventLog({ file: env.eventLog!, bytes: env.eventLogBytes, pool, log, positioned, bodies })]),
      ...(webhookKey === undefined
        ? []
        : [
            () =>
              startDelivering({
                pool,
                log,
                announcer: streams,
                positioned,
                heard,
                bodies,
                sender: createSender({ allow: env.webhookAllow }),
                key: webhookKey,
                userAgent: `Baton/${packageVersion()}`,
              }),
          ]),
    ],
    ...variations,
  });
  const stop = async (): Promise<void> => {
    try {
      await app.stop();
    } finally {
      authenticate.close();
      stopSharing();
      metrics?.stop();
      await replica?.close();
      await traces?.stop();
      await doorbell.close();
    }
  };
  return { app, authenticate, streams, live, stop };
}
