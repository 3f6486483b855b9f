import { getOperationAST, type DocumentNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Pool } from 'pg';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { DomainError } from '../../core/errors.ts';
import { observe } from '../../core/observed.ts';
import { gaugesOf } from './gauges.ts';

/** What is known of the replica. */
interface ReplicaState {
  follows: boolean;
  lagSeconds: number;
  lagBytes: number;
}

export interface MetricsOptions {
  pool: Pool;
  replicaPool?: Pool | undefined;
  /** Whether this text is a persisted operation, whose name may be a label. */
  isPersisted: (text: string) => boolean;
  /** The present state of this process. */
  live: () => {
    sockets: number;
    streams: number;
    lag: number;
    redis: boolean | null;
    replica?: ReplicaState | undefined;
  };
  /** How often the database is read at most, in milliseconds. */
  everyMs?: number;
}

export interface Metrics {
  /** Measures the operations of all transports. */
  plugin: Plugin;
  readonly contentType: string;
  /** The text that Prometheus reads. */
  read(): Promise<string>;
  stop(): void;
}

/** Mutations that try to make a Handoff. */
const attempts = new Set([
  'initiateHandoff',
  'reassignSession',
  'executeHandoffTool',
  'executeHandoffs',
  'advancePipeline',
]);

const quick = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const human = [1, 5, 15, 60, 300, 900, 1_800, 3_600, 14_400, 86_400];

/** The metrics of one server. Labels have a bounded number of values. */
export function createMetrics({ pool, replicaPool, isPersisted, live, everyMs }: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter<L>({ name: `baton_${name}`, help, labelNames, registers });
  const histogram = <L extends string>(name: string, help: string, buckets: number[], ...labelNames: L[]) =>
    new Histogram<L>({ name: `baton_${name}`, help, labelNames, buckets, registers });
  const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge<L>({ name: `baton_${name}`, help, labelNames, registers });

  const handoffAttempts = counter(
    'handoff_attempts_total',
    'Mutations that try to make a Handoff: done, refused by a rule (code), or failed.',
    'mutation',
    'result',
    'code',
  );
  const handoffs = counter(
    'handoffs_total',
    'Handoffs that reached a status by a command of this process.',
    'status',
    'via',
  );
  const accepting = histogram('handoff_accept_seconds', 'Time from the start of a Handoff to its acceptance.', human);
  const completing = histogram(
    'handoff_complete_seconds',
    'Time from the acceptance of a Handoff to its completion.',
    human,
  );
  const reassigning = histogram(
    'reassign_seconds',
    'Time of a reassignSession that was done, with or without a Handoff.',
    quick,
    'handoff',
  );
  const operations = histogram(
    'operation_seconds',
    'Time of queries and mutations; operation is the name of a persisted one, else other.',
    quick,
    'operation',
    'type',
    'result',
  );
  const statements = histogram('statement_seconds', 'Time of SQL statements, waits for locks included.', quick);
  const failures = counter(
    'background_failures_total',
    'Failed writes of the archive and the event log, failed webhook requests, and failures to prune. All are tried again.',
    'part',
  );
  for (const part of ['archive', 'event_log', 'webhook', 'keeping']) failures.inc({ part }, 0);
  const goneBack = counter(
    'history_went_back_total',
    'Times that this process saw that the database went back to an earlier moment: by a look (server), by a cursor of a client (cursor), by the archive or the event log.',
    'witness',
  );
  for (const witness of ['server', 'cursor', 'archive', 'event_log']) goneBack.inc({ witness }, 0);
  const prunedSessions = counter('pruned_sessions_total', 'Finished Sessions that this process pruned.');
  const prunedEvents = counter('pruned_events_total', 'Events of the Sessions that this process pruned.');

  const queueLength = gauge('queue_sessions', 'Sessions that wait for an agent of this role and type.', 'role', 'type');
  const queueAge = gauge(
    'queue_age_seconds',
    'Time that the longest waiting Session waits for an agent of this role and type.',
    'role',
    'type',
  );
  const toDecide = gauge('approvals_waiting', 'Handoffs and questions that wait for a person.', 'kind');
  const decideAge = gauge('approvals_age_seconds', 'Time that the oldest of them waits; without one no value.', 'kind');
  const load = gauge('agent_load', 'Sessions that agents of this type hold.', 'type');
  const capacity = gauge('agent_capacity', 'Places of AVAILABLE agents of this type.', 'type');
  const open = gauge('handoffs_open', 'Handoffs that are INITIATED or ACCEPTED.', 'status');
  const ofDatabase = {
    escalated: gauge('queue_escalated_sessions', 'Sessions that wait until an operator chooses an agent.'),
    overdue: gauge('handoffs_overdue', 'INITIATED Handoffs past their deadline: the sweep closes them within seconds.'),
    unpositioned: gauge(
      'events_unpositioned',
      'Committed events without a position in the order of all events, up to 10000.',
    ),
    deliveriesDue: gauge('webhook_deliveries_due', 'Deliveries of webhooks that are due.'),
    deliveryAge: gauge('webhook_due_seconds', 'Time since the oldest due delivery was due.'),
    oldestFinished: gauge(
      'oldest_finished_session_seconds',
      'Time since the Session that finished first of those that are there was finished; 0 without one.',
    ),
    webhooksDisabled: gauge('webhooks_disabled', 'Disabled webhooks.'),
  };
  const databaseUp = gauge('database_up', '1 when PostgreSQL answered the last read of these metrics, else 0.');
  const redisUp = gauge(
    'redis_up',
    '1 when hints of other processes arrive through Redis, else 0; without REDIS_URL no value.',
  );
  const ofReplica = {
    follows: gauge(
      'replica_up',
      '1 when queries may read the replica, 0 when it is away or behind; without DATABASE_REPLICA_URL no value.',
    ),
    lagSeconds: gauge(
      'replica_lag_seconds',
      'For how long the oldest change is known that the replica lacks, to the second.',
    ),
    lagBytes: gauge('replica_lag_bytes', 'Bytes of write-ahead log that the replica lacks.'),
  };
  const queries = counter('queries_total', 'Queries by the server that they read, with DATABASE_REPLICA_URL.', 'from');
  const sockets = gauge('sockets', 'Open WebSockets.');
  const streams = gauge('streams', 'Open subscriptions.');
  const lag = gauge('stream_lag_events', 'Events that the slowest subscription of this process is behind.');
  const connections = gauge('pool_connections', 'Connections to PostgreSQL.', 'state');
  const waiting = gauge('pool_waiting', 'Commands and reads that wait for a connection to PostgreSQL.');

  const gauges = gaugesOf(pool, everyMs);
  let hasDefaults = false;

  const listeners: Parameters<typeof observe>[1] = {
    handoff({ status, via, initiatedAt, acceptedAt, at }) {
      handoffs.inc({ status, via });
      if (status === 'ACCEPTED') accepting.observe(secondsBetween(initiatedAt, at));
      if (status === 'COMPLETED' && acceptedAt !== null) completing.observe(secondsBetween(acceptedAt, at));
    },
    mutation({ name, input, ms, error }) {
      if (!attempts.has(name)) return;
      const { result, code } = outcomeOf(error);
      handoffAttempts.inc({ mutation: name, result, code });
      if (name === 'reassignSession' && result === 'done')
        reassigning.observe({ handoff: String((input as { skipHandoff?: boolean }).skipHandoff !== true) }, ms / 1_000);
    },
    statement: ({ ms }) => statements.observe(ms / 1_000),
    query: ({ from }) => queries.inc({ from }),
    failure: ({ part }) => failures.inc({ part }),
    wentBack: ({ witness }) => goneBack.inc({ witness }),
    pruned({ sessions, events }) {
      prunedSessions.inc(sessions);
      prunedEvents.inc(events);
    },
  };
  const stops = [pool, replicaPool].map((each) => (each === undefined ? undefined : observe(each, listeners)));

  async function readDatabase(): Promise<void> {
    const read = await gauges();
    databaseUp.set(read === null ? 0 : 1);
    for (const metric of [queueLength, queueAge, toDecide, decideAge, load, capacity, open]) metric.reset();
    // Old counts would hide that the database is away.
    if (read === null) return Object.values(ofDatabase).forEach((metric) => metric.remove());
    for (const { role, type, length, age } of read.queues) {
      queueLength.set({ role, type }, length);
      queueAge.set({ role, type }, age);
    }
    for (const kind of ['HANDOFF', 'QUESTION']) toDecide.set({ kind }, 0);
    for (const { kind, count, age } of read.approvals) {
      toDecide.set({ kind }, count);
      decideAge.set({ kind }, age);
    }
    for (const { type, load: held, capacity: places } of read.agents) {
      load.set({ type }, held);
      capacity.set({ type }, places);
    }
    open.set({ status: 'INITIATED' }, read.initiated);
    open.set({ status: 'ACCEPTED' }, read.accepted);
    for (const [name, metric] of Object.entries(ofDatabase)) metric.set(read[name as keyof typeof ofDatabase]);
  }

  function readProcess(): void {
    const now = live();
    sockets.set(now.sockets);
    streams.set(now.streams);
    lag.set(now.lag);
    if (now.redis === null) redisUp.remove();
    else redisUp.set(now.redis ? 1 : 0);
    for (const [name, metric] of Object.entries(ofReplica)) {
      if (now.replica === undefined) metric.remove();
      else metric.set(Number(now.replica[name as keyof typeof ofReplica]));
    }
    connections.set({ state: 'idle' }, pool.idleCount);
    connections.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
    waiting.set(pool.waitingCount);
  }

  return {
    plugin: measuring((labels, ms) => operations.observe(labels, ms / 1_000), isPersisted),
    contentType: registry.contentType,
    async read() {
      // Measuring the event loop takes processor time, so it begins with the first read.
      if (!hasDefaults) collectDefaultMetrics({ register: registry });
      hasDefaults = true;
      await readDatabase();
      readProcess();
      return registry.metrics();
    },
    stop: () => stops.forEach((end) => end?.()),
  };
}

/** The clocks of PostgreSQL may step back. */
const secondsBetween = (from: Date, to: Date): number => Math.max(0, (to.getTime() - from.getTime()) / 1_000);

const refusals = new Set(['FORBIDDEN', 'UNAUTHENTICATED']);

function outcomeOf(error: unknown): { result: 'done' | 'refused' | 'failed'; code: string } {
  if (error === undefined) return { result: 'done', code: '' };
  if (error instanceof DomainError) return { result: 'refused', code: error.code };
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  if (typeof code === 'string' && refusals.has(code)) return { result: 'refused', code };
  return { result: 'failed', code: code === 'UNAVAILABLE' ? code : 'INTERNAL_SERVER_ERROR' };
}

interface OperationLabels {
  operation: string;
  type: string;
  result: 'ok' | 'error';
}

function measuring(
  measured: (labels: OperationLabels, ms: number) => void,
  isPersisted: (text: string) => boolean,
): Plugin {
  // The server keeps a document that it has parsed, so each text is looked up once.
  const known = new WeakMap<DocumentNode, boolean>();
  return {
    onExecute({ args }) {
      const started = performance.now();
      const document = args.document as DocumentNode;
      const { params } = args.contextValue as { params?: { query?: string } };
      let persisted = known.get(document);
      if (persisted === undefined) known.set(document, (persisted = isPersisted(params?.query ?? '')));
      const operation = getOperationAST(document, args.operationName as string | undefined);
      return {
        onExecuteDone({ result }) {
          if (Symbol.asyncIterator in result) return;
          const labels = {
            operation: (persisted ? operation?.name?.value : undefined) ?? 'other',
            type: operation?.operation ?? 'query',
          };
          measured({ ...labels, result: result.errors === undefined ? 'ok' : 'error' }, performance.now() - started);
        },
      };
    },
  };
}
