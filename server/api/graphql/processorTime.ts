import { performance } from 'node:perf_hooks';
import {
  getNamedType,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  isCompositeType,
  isObjectType,
} from 'graphql';
import { limits } from '../../core/limits.ts';
import { countTurn, Payer, takeTurn } from '../../core/loopTurns.ts';

/**
 * Requests run in turns of the event loop. A long request waits for its next turn with `inTurn`, so that timers, sockets and
 * other requests run in between.
 *
 * The processor time of a turn is charged to the requests whose resolvers ran in it. Measured without async_hooks: they cost
 * time for every promise, this costs time only for every object.
 */

/** A shorter piece is charged by the wall clock. */
const briefMs = 1;
/** Asking for the processor time was 7 % of a list's time when each turn asked. Longer pieces ask too. */
const markEveryMs = 100;

/** The processor time of one request, and its limit. */
export class ProcessorTime extends Payer {
  #spentMs = 0;

  constructor(readonly limitMs: number = limits.processorMs) {
    super();
  }

  charge(ms: number): void {
    this.#spentMs += ms;
  }

  /** LIMIT_EXCEEDED when the request is over its limit; otherwise null. */
  get exceeded(): GraphQLError | null {
    if (this.#spentMs <= this.limitMs) return null;
    const [actual, limit] = [Math.ceil(this.#spentMs), this.limitMs];
    return new GraphQLError(
      `The request took ${actual} ms of processor time; the limit is ${limit}: ask for fewer records, or for less of each. What a mutation changed is kept`,
      { extensions: { code: 'LIMIT_EXCEEDED', what: 'processorMs', limit, actual, http: { spec: true, status: 400 } } },
    );
  }

  /** Charges this request from now until another request enters or the turn ends. @throws GraphQLError LIMIT_EXCEEDED */
  enter(): void {
    const { exceeded } = this;
    if (exceeded !== null) throw exceeded;
    const now = performance.now();
    if (piece === undefined) {
      if (now - mark.at >= markEveryMs) mark = markAt(now);
      piece = { payer: this, since: now, began: now, shares: new Map() };
      // A tick that a microtask schedules runs after all microtasks.
      queueMicrotask(() => process.nextTick(endPiece));
    } else if (piece.payer !== this) {
      share(piece, now);
      piece.payer = this;
    }
    countTurn(now);
  }
}

/** One callback of Node's event loop and all microtasks after it. */
interface Piece {
  payer: ProcessorTime;
  since: number;
  began: number;
  shares: Map<ProcessorTime, number>;
}
let piece: Piece | undefined;

/** Times in milliseconds: the clock, the time in which the event loop did not wait, and the processor time of the process. */
interface Mark {
  at: number;
  active: number;
  cpu: number;
}
let mark: Mark = { at: -Infinity, active: 0, cpu: 0 };

function markAt(now: number): Mark {
  const { user, system } = process.cpuUsage();
  return { at: now, active: performance.eventLoopUtilization().active, cpu: (user + system) / 1_000 };
}

function share(of: Piece, now: number): void {
  of.shares.set(of.payer, (of.shares.get(of.payer) ?? 0) + now - of.since);
  of.since = now;
}

function endPiece(): void {
  if (piece === undefined) return;
  const now = performance.now();
  const ended = piece;
  piece = undefined;
  share(ended, now);
  // Scale wall time to processor time: while other processes use the processor, no request is charged.
  const busy = now - ended.began < briefMs ? 1 : busyShare(now);
  for (const [payer, ms] of ended.shares) payer.charge(ms * busy);
}

/** The part of the time since the last mark in which this process had a processor. Sets the next mark. */
function busyShare(now: number): number {
  const before = mark;
  mark = markAt(now);
  return Math.min(1, (mark.cpu - before.cpu) / (mark.active - before.active));
}

/**
 * Runs the work now when this turn has time left and no request waits; otherwise in a later turn.
 * @throws GraphQLError LIMIT_EXCEEDED
 */
export function inTurn<Result>(time: ProcessorTime, work: () => Result): Result | Promise<Result> {
  const run = (): Result => {
    time.enter();
    return work();
  };
  const turn = takeTurn(time);
  return turn === undefined ? run() : turn.then(run);
}

interface RequestContext {
  processorTime?: ProcessorTime;
}

/** Charges the time of every field that returns objects to its request. The time of scalars is charged with their object. */
export function metered(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      const resolve = field.resolve as GraphQLFieldResolver<unknown, RequestContext> | undefined;
      if (resolve === undefined || !isCompositeType(getNamedType(field.type))) continue;
      field.resolve = (parent: unknown, args: Record<string, unknown>, context: RequestContext, info) => {
        context.processorTime?.enter();
        return resolve(parent, args, context, info);
      };
    }
  }
  return schema;
}
