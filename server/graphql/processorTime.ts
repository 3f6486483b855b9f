import { getNamedType, GraphQLError, type GraphQLFieldResolver, type GraphQLSchema, isCompositeType, isObjectType } from 'graphql';
import { limits } from '../limits/limits.ts';

/**
 * Work of requests is done in turns of the event loop. A request that has much to do waits for its next turn with
 * `inTurn`, so that timers, sockets and other requests are served in between; requests that wait take turns one by one.
 *
 * The processor time of a turn is charged to the requests whose resolvers ran in it. No async_hooks: their price is paid
 * for every promise, and this one for every object.
 */

/** After this long a turn ends. What is begun may take longer: a prompt of the largest Context took 30 ms. */
const turnMs = 10;

/** Below this a piece pays by the clock: asking the system for its processor time is 3 % of a small list. */
const briefMs = 1;

/** The processor time that a request has left. */
export class ProcessorTime {
  #spentMs = 0;

  constructor(readonly limitMs: number = limits.processorMs) {}

  charge(ms: number): void {
    this.#spentMs += ms;
  }

  /** Why the request ends; null while it may go on. */
  get exceeded(): GraphQLError | null {
    if (this.#spentMs <= this.limitMs) return null;
    const [actual, limit] = [Math.ceil(this.#spentMs), this.limitMs];
    return new GraphQLError(
      `The request took ${actual} ms of processor time; the limit is ${limit}: ask for fewer records, or for less of each. What a mutation changed is kept`,
      { extensions: { code: 'LIMIT_EXCEEDED', what: 'processorMs', limit, actual, http: { spec: true, status: 400 } } },
    );
  }

  /** From here on this request pays, until another one enters or nothing is left to do in this turn. @throws GraphQLError LIMIT_EXCEEDED */
  enter(): void {
    const { exceeded } = this;
    if (exceeded !== null) throw exceeded;
    const now = performance.now();
    if (piece === undefined) {
      piece = { payer: this, since: now, began: now, cpu: process.cpuUsage(), shares: new Map() };
      // Microtasks are done before the tick that the last of them asks for.
      queueMicrotask(() => process.nextTick(endPiece));
    } else if (piece.payer !== this) {
      share(piece, now);
      piece.payer = this;
    }
    if (turnBegan === undefined) {
      turnBegan = now;
      setImmediate(() => (turnBegan = undefined));
    }
  }
}

/** What runs without a break: a callback of Node's and all microtasks after it. */
interface Piece {
  payer: ProcessorTime;
  since: number;
  began: number;
  cpu: NodeJS.CpuUsage;
  shares: Map<ProcessorTime, number>;
}
let piece: Piece | undefined;
let turnBegan: number | undefined;

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
  // While other processes have the processor the clock goes on, and nobody pays for that.
  const busy = now - ended.began < briefMs ? 1 : busyShare(ended.cpu, now - ended.began);
  for (const [payer, ms] of ended.shares) payer.charge(ms * busy);
}

function busyShare(since: NodeJS.CpuUsage, ms: number): number {
  const { user, system } = process.cpuUsage(since);
  return Math.min(1, (user + system) / 1_000 / ms);
}

const waiting = new Map<ProcessorTime, (() => void)[]>();

/**
 * Does the work in this turn of the event loop when that has just begun and nobody waits, else in a later one.
 * @throws GraphQLError LIMIT_EXCEEDED
 */
export function inTurn<Result>(time: ProcessorTime, work: () => Result): Result | Promise<Result> {
  const run = (): Result => {
    time.enter();
    return work();
  };
  if (waiting.size === 0 && !turnIsOver()) return run();
  return new Promise<void>((resolve) => {
    const own = waiting.get(time);
    if (own !== undefined) return void own.push(resolve);
    waiting.set(time, [resolve]);
    if (waiting.size === 1) setImmediate(beginTurn);
  }).then(run);
}

const turnIsOver = (): boolean => turnBegan !== undefined && performance.now() - turnBegan >= turnMs;

function beginTurn(): void {
  turnBegan = performance.now();
  callNext();
}

function callNext(): void {
  const [next] = waiting;
  if (next === undefined) return;
  const [time, calls] = next;
  waiting.delete(time);
  const call = calls.shift()!;
  if (calls.length > 0) waiting.set(time, calls);
  call();
  if (waiting.size > 0) queueMicrotask(() => process.nextTick(() => (turnIsOver() ? setImmediate(beginTurn) : callNext())));
}

interface Asking {
  processorTime?: ProcessorTime;
}

/** Charges the time of every field that gives objects to the request that asks for it. Scalars are paid by the object that they are of. */
export function metered(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      const resolve = field.resolve as GraphQLFieldResolver<unknown, Asking> | undefined;
      if (resolve === undefined || !isCompositeType(getNamedType(field.type))) continue;
      field.resolve = (parent: unknown, args: Record<string, unknown>, context: Asking, info) => {
        context.processorTime?.enter();
        return resolve(parent, args, context, info);
      };
    }
  }
  return schema;
}
