import { setImmediate } from 'node:timers/promises';
import {
  type DocumentNode,
  type ExecutionResult,
  getOperationAST,
  GraphQLError,
  OperationTypeNode,
  visit,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { adviceOf, fittingPage, type Pages, sum } from '../../core/fittingPage.ts';
import { limits } from '../../core/limits.ts';
import { limitExceeded } from './errors.ts';

interface Operation {
  document: DocumentNode;
  operationName?: string | null | undefined;
}

interface Meter {
  charge(ms: number): void;
  readonly exceeded: GraphQLError | null;
}
interface MeteredContext {
  processorTime?: Meter;
  charge?: { exceeded(): void };
}

/** A turn of the event loop that measures an answer ends after this many milliseconds. */
const turnMs = 10;

/**
 * Refuses answers that are too large before a transport serializes them, over HTTP and sockets. The time of measuring is
 * charged to the request; other requests run in between.
 */
export function answerSizePlugin(limit: number = limits.answer.bytes): Plugin {
  return {
    onExecute({ args }) {
      return {
        onExecuteDone({ result, setResult }) {
          if (Symbol.asyncIterator in result) return;
          const { processorTime, charge } = args.contextValue as MeteredContext;
          const bound = boundAnswer(result, limit, args, processorTime);
          if (bound === result) return;
          return Promise.resolve(bound).then((answer) => {
            if (answer !== result) charge?.exceeded();
            setResult(answer);
          });
        },
      };
    },
  };
}

/** Measures in turns of the event loop. The text of a 10 MB answer takes 15 to 35 ms of processor time and is made in a turn of its own. */
async function boundInTurns(
  result: ExecutionResult,
  limit: number,
  operation: Operation,
  time?: Meter,
): Promise<ExecutionResult> {
  const work = bounding(result, limit, operation);
  for (;;) {
    await setImmediate();
    const began = process.cpuUsage();
    const end = performance.now() + turnMs;
    let step = work.next();
    while (step.done !== true && performance.now() < end) step = work.next();
    const { user, system } = process.cpuUsage(began);
    time?.charge((user + system) / 1_000);
    if (time?.exceeded != null) return { errors: [time.exceeded] };
    if (step.done === true) return setImmediate(step.value);
  }
}

/** Returns the result, or an error when it is too large. Measures only results that may be too large. */
export const boundAnswer = (
  result: ExecutionResult,
  limit: number,
  operation: Operation,
  time?: Meter,
): ExecutionResult | Promise<ExecutionResult> =>
  atMost(result) <= limit ? result : boundInTurns(result, limit, operation, time);

/** Each step measures one entry of a list. */
function* bounding(result: ExecutionResult, limit: number, operation: Operation): Generator<void, ExecutionResult> {
  const pages: Pages = new Map();
  const bytes = yield* measure(result, [], pageKeys(operation.document), pages);
  return bytes <= limit
    ? result
    : {
        errors: [refusal(bytes, limit, pages, operation)],
        ...(result.extensions && { extensions: result.extensions }),
      };
}

function refusal(bytes: number, limit: number, pages: Pages, { document, operationName }: Operation): GraphQLError {
  const fits = fittingPage(bytes, limit, pages);
  const done =
    getOperationAST(document, operationName)?.operation === OperationTypeNode.MUTATION
      ? ' The changes of the mutation are kept.'
      : '';
  const { message, extensions } = limitExceeded(
    'answerBytes',
    limit,
    bytes,
    `The answer has ${bytes} bytes; the limit is ${limit}: ${adviceOf(fits)}.${done}`,
  );
  return new GraphQLError(message, {
    extensions: { ...extensions, ...(fits && { fits: { path: fits.path, entries: fits.entries } }) },
  });
}

/** Response names of `nodes` and `edges`. */
function pageKeys(document: DocumentNode): Set<string> {
  const keys = new Set<string>();
  visit(document, {
    Field({ name, alias }) {
      if (name.value === 'nodes' || name.value === 'edges') keys.add((alias ?? name).value);
    },
  });
  return keys;
}

/** Bytes of a value as JSON in UTF-8. */
function* measure(
  value: unknown,
  path: readonly string[],
  keys: ReadonlySet<string>,
  pages: Pages,
): Generator<void, number> {
  if (typeof value === 'string') return Buffer.byteLength(JSON.stringify(value));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value).length;
  if (hasOwnForm(value)) return yield* measure(value.toJSON(), path, keys, pages);
  if (Array.isArray(value)) return Math.max(2, 1 + sum(yield* entriesOf(value, path, keys, pages)));
  let bytes = 1;
  let page: number[] | undefined;
  for (const [key, each] of Object.entries(value)) {
    if (!isShown(each)) continue;
    const below = [...path, key];
    bytes += Buffer.byteLength(JSON.stringify(key)) + 2;
    if (!Array.isArray(each) || !keys.has(key)) {
      bytes += yield* measure(each, below, keys, pages);
      continue;
    }
    const entries = yield* entriesOf(each, below, keys, pages);
    bytes += Math.max(2, 1 + sum(entries));
    // A smaller page shortens `nodes` and `edges` together.
    page = page === undefined ? entries : entries.map((entry, index) => entry + (page![index] ?? 0));
  }
  if (page !== undefined) {
    const of = path.slice(path[0] === 'data' ? 1 : 0).join('.') || 'nodes';
    pages.set(of, [...(pages.get(of) ?? []), page]);
  }
  return Math.max(2, bytes);
}

/** Bytes of each entry with the comma or bracket after it. */
function* entriesOf(
  list: unknown[],
  path: readonly string[],
  keys: ReadonlySet<string>,
  pages: Pages,
): Generator<void, number[]> {
  const entries: number[] = [];
  for (const entry of list) {
    entries.push(1 + (isShown(entry) ? yield* measure(entry, path, keys, pages) : 4));
    yield;
  }
  return entries;
}

/** An upper bound of the bytes. Much faster than measuring, and enough for nearly all answers. */
function atMost(value: unknown): number {
  // A control character takes six bytes in JSON.
  if (typeof value === 'string') return 6 * value.length + 2;
  if (typeof value !== 'object' || value === null) return 25;
  if (hasOwnForm(value)) return atMost(value.toJSON());
  let bytes = 2;
  if (Array.isArray(value)) for (const entry of value) bytes += atMost(entry) + 1;
  else for (const key in value) bytes += 6 * key.length + 4 + atMost(Reflect.get(value, key));
  return bytes;
}

const hasOwnForm = (value: object): value is { toJSON(): unknown } =>
  typeof Reflect.get(value, 'toJSON') === 'function';

const isShown = (value: unknown): boolean =>
  value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
