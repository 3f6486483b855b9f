import { randomUUID } from 'node:crypto';
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
} from '@opentelemetry/sdk-trace-base';
import type { Pool } from 'pg';
import { encodeId } from '../../core/ids.ts';
import { observe, type Observed, type TracedRecord } from '../../core/observed.ts';
import { sessionSpan, type SpanId, spanOf } from '../../core/traceparent.ts';
import type { Logger } from '../../core/work.ts';
import { createExporter, resourceOf, type TraceExport } from './export.ts';
import { readRecords } from './read.ts';
import { ofHandoff, ofSession, ofTenure, type Span } from './spans.ts';

export interface TracesOptions {
  pool: Pool;
  log: Logger;
  exports: TraceExport;
  version: string;
}

export interface Traces {
  /** Sends what is left, for at most 1.5 s. */
  stop(): Promise<void>;
}

const readEveryMs = 500;
const batch = 100;
/** Records whose spans are not made yet; further ones are left out of traces while the database does not answer. */
const mostWaiting = 10_000;
const stopWithinMs = 1_500;

/** Gives a span the id that was computed for it; others get a random one. */
class Ids implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  next: SpanId | null = null;
  generateTraceId = (): string => this.next?.traceId ?? this.#random.generateTraceId();
  generateSpanId = (): string => this.next?.spanId ?? this.#random.generateSpanId();
}

/**
 * Makes the spans of what this process committed: Sessions, tenures and Handoffs are read after their end, apart from the request
 * that ended them; mutations are measured where they run. Ids are computed, so that the processes add to the same traces.
 */
export function createTraces({ pool, log, exports, version }: TracesOptions): Traces {
  const ids = new Ids();
  const provider = new BasicTracerProvider({
    resource: resourceOf({ 'service.name': 'baton', 'service.version': version, 'service.instance.id': randomUUID() }),
    idGenerator: ids,
    spanProcessors: [new BatchSpanProcessor(createExporter(exports, log))],
  });
  const tracer = provider.getTracer('baton', version);
  const waiting = new Map<string, { record: TracedRecord; sessionId: string }>();
  let timer: NodeJS.Timeout | undefined;
  let reading: Promise<void> | null = null;
  let stopped = false;

  const contextOf = ({ traceId, spanId }: SpanId, sampled: boolean): Context =>
    trace.setSpanContext(ROOT_CONTEXT, {
      traceId,
      spanId,
      traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
      isRemote: true,
    });

  const linkTo = ({ traceId, spanId }: SpanId): { traceId: string; spanId: string; traceFlags: TraceFlags } => ({
    traceId,
    spanId,
    traceFlags: TraceFlags.SAMPLED,
  });

  /** Starts a span with the id that was computed for it. */
  function start(
    { name, id, parent, start: startTime, attributes, links }: Span,
    context: Context,
  ): ReturnType<typeof tracer.startSpan> {
    ids.next = id;
    try {
      return tracer.startSpan(
        name,
        {
          root: parent === null,
          kind: SpanKind.INTERNAL,
          startTime,
          attributes,
          links: links.map(({ to, attributes: of }) => ({ context: linkTo(to), attributes: of })),
        },
        context,
      );
    } finally {
      ids.next = null;
    }
  }

  /** Whether the Session's trace is sampled: every process decides the same by its id. */
  function isSampled(sessionId: string): boolean {
    const at = new Date();
    const root = start(
      {
        name: 'session',
        id: sessionSpan(sessionId),
        parent: null,
        start: at,
        end: at,
        attributes: {},
        links: [],
        events: [],
      },
      ROOT_CONTEXT,
    );
    return (root.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0;
  }

  function send(span: Span): void {
    const made = start(span, span.parent === null ? ROOT_CONTEXT : contextOf(span.parent, true));
    for (const { name, at } of span.events) made.addEvent(name, at);
    if (span.failure !== undefined)
      made.setStatus({ code: SpanStatusCode.ERROR, ...(span.failure !== null && { message: span.failure }) });
    // The clock of PostgreSQL may step back.
    made.end(span.end < span.start ? span.start : span.end);
  }

  function ofMutation({ name, ms, error, answer, caller }: Observed['mutation']): void {
    const end = Date.now();
    const { traceparent = null, id } = caller.request ?? {};
    const from = traceparent === null ? null : spanOf(traceparent);
    const { sessionId } = (answer ?? {}) as { sessionId?: unknown };
    const links =
      typeof sessionId === 'string'
        ? [{ context: linkTo(sessionSpan(sessionId)), attributes: { 'baton.link': 'session' } }]
        : [];
    const attributes = {
      'graphql.operation.type': 'mutation',
      'graphql.operation.name': name,
      'baton.caller': caller.principal,
      ...(id !== undefined && { 'baton.request.id': id }),
      ...(typeof sessionId === 'string' && { 'gen_ai.conversation.id': encodeId('session', sessionId) }),
    };
    const span = tracer.startSpan(
      `mutation ${name}`,
      { kind: SpanKind.SERVER, startTime: end - ms, attributes, links },
      from === null ? ROOT_CONTEXT : contextOf(from, from.sampled),
    );
    if (error !== undefined) {
      const code = codeOf(error);
      span.setAttribute('error.type', code);
      // A refusal by a rule is the caller's error, as a status 4xx of HTTP.
      if (faults.has(code)) span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end(end);
  }

  async function readWaiting(): Promise<void> {
    const taken = [...waiting].slice(0, batch);
    const sampled = taken.filter(([, { sessionId }]) => isSampled(sessionId));
    const of = (record: TracedRecord): string[] =>
      sampled.filter(([, each]) => each.record === record).map(([id]) => id);
    const found = await readRecords(pool, { session: of('session'), tenure: of('tenure'), handoff: of('handoff') });
    for (const [id] of taken) waiting.delete(id);
    for (const span of [
      ...found.sessions.map(ofSession),
      ...found.tenures.map(ofTenure),
      ...found.handoffs.map(ofHandoff),
    ])
      send(span);
  }

  /** Reads until nothing waits, or until a failure: the records then wait for the next time. */
  async function readAll(): Promise<void> {
    try {
      while (waiting.size > 0) await readWaiting();
    } catch (error) {
      log.warn(
        { err: error },
        'Records could not be read for traces: it will be tried again, and nothing else is affected',
      );
    }
  }

  function schedule(): void {
    if (stopped || reading !== null || waiting.size === 0) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      reading = readAll().finally(() => {
        reading = null;
        schedule();
      });
    }, readEveryMs).unref();
  }

  const stopListening = observe(pool, {
    traced({ record, id, sessionId }) {
      if (waiting.size >= mostWaiting) return;
      waiting.set(id, { record, sessionId });
      schedule();
    },
    mutation: ofMutation,
  });

  return {
    async stop() {
      stopped = true;
      stopListening();
      clearTimeout(timer);
      let late: NodeJS.Timeout | undefined;
      const rest = async (): Promise<void> => {
        await reading;
        await readAll();
        await provider.shutdown();
      };
      await Promise.race([
        rest().catch((error: unknown) => log.warn({ err: error }, 'The last spans could not be sent')),
        new Promise((resolve) => (late = setTimeout(resolve, stopWithinMs))),
      ]);
      clearTimeout(late);
    },
  };
}

const faults = new Set(['INTERNAL_SERVER_ERROR', 'UNAVAILABLE']);

function codeOf(error: unknown): string {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' && /^[A-Z_]+$/.test(code) ? code : 'INTERNAL_SERVER_ERROR';
}
