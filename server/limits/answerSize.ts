import { setImmediate } from 'node:timers/promises';
import { type DocumentNode, type ExecutionResult, getOperationAST, GraphQLError, OperationTypeNode, visit } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { limitExceeded } from './errors.ts';
import { limits } from './limits.ts';

interface Asked {
  document: DocumentNode;
  operationName?: string | null | undefined;
}

interface Payer {
  charge(ms: number): void;
  readonly exceeded: GraphQLError | null;
}
interface Paying {
  processorTime?: Payer;
}

/** A turn of the event loop that measures an answer ends after this many milliseconds. */
const turnMs = 10;

/**
 * Refuses answers that are too large before a transport makes text of them: the same over HTTP and over sockets. The
 * request pays for the time that it takes to measure its answer, and others are served meanwhile.
 */
export function answerSizePlugin(most: number = limits.answer.bytes): Plugin {
  return {
    onExecute({ args }) {
      return {
        onExecuteDone({ result, setResult }) {
          if (Symbol.asyncIterator in result) return;
          const bound = boundAnswer(result, most, args, (args.contextValue as Paying).processorTime);
          if (bound instanceof Promise) return bound.then(setResult);
        },
      };
    },
  };
}

/** Measures in turns of the event loop. The text of a 10 MB answer takes 15 to 35 ms of processor time and is made in a turn of its own. */
async function boundInTurns(result: ExecutionResult, most: number, asked: Asked, time?: Payer): Promise<ExecutionResult> {
  const work = bounding(result, most, asked);
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

/** The result, or what takes its place when it is too large. Only what may be too large is measured. */
export const boundAnswer = (result: ExecutionResult, most: number, asked: Asked, time?: Payer): ExecutionResult | Promise<ExecutionResult> =>
  atMost(result) <= most ? result : boundInTurns(result, most, asked, time);

/** A step measures one entry of a list. */
function* bounding(result: ExecutionResult, most: number, asked: Asked): Generator<void, ExecutionResult> {
  const pages: Pages = new Map();
  const bytes = yield* measure(result, [], pageKeys(asked.document), pages);
  return bytes <= most ? result : { errors: [refusal(bytes, most, pages, asked)], ...(result.extensions && { extensions: result.extensions }) };
}

function refusal(bytes: number, most: number, pages: Pages, { document, operationName }: Asked): GraphQLError {
  const fits = fitting(bytes, most, pages);
  const done = getOperationAST(document, operationName)?.operation === OperationTypeNode.MUTATION ? ' The changes of the mutation are kept.' : '';
  const todo = fits === null ? 'select fewer fields, or fewer records' : `ask for ${fits.entries} entries of '${fits.path}' instead of ${fits.of}`;
  const { message, extensions } = limitExceeded('answerBytes', most, bytes, `The answer has ${bytes} bytes; the limit is ${most}: ${todo}.${done}`);
  return new GraphQLError(message, { extensions: { ...extensions, ...(fits && { fits: { path: fits.path, entries: fits.entries } }) } });
}

/** For each paged field, by its path: the bytes of each entry, for each list that was answered for it. */
type Pages = Map<string, number[][]>;

/** The largest page that keeps the answer within `most`: of the outermost field where one entry fits. Null when there is none. */
function fitting(bytes: number, most: number, pages: Pages): { path: string; entries: number; of: number } | null {
  const outermostFirst = [...pages].sort(([a], [b]) => a.split('.').length - b.split('.').length);
  for (const [path, lists] of outermostFirst) {
    const of = Math.max(...lists.map(({ length }) => length));
    const rest = bytes - lists.reduce((total, list) => total + sum(list), 0);
    let [entries, over] = [0, of];
    while (over - entries > 1) {
      const tried = Math.floor((entries + over) / 2);
      // A page may begin at either end of a list.
      const cut = lists.reduce((total, list) => total + Math.max(sum(list.slice(0, tried)), sum(list.slice(-tried))), 0);
      if (rest + cut <= most) entries = tried;
      else over = tried;
    }
    if (entries > 0) return { path, entries, of };
  }
  return null;
}

const sum = (list: readonly number[]): number => list.reduce((total, bytes) => total + bytes, 0);

/** The names under which the answer holds entries of a page. */
function pageKeys(document: DocumentNode): Set<string> {
  const keys = new Set<string>();
  visit(document, {
    Field({ name, alias }) {
      if (name.value === 'nodes' || name.value === 'edges') keys.add((alias ?? name).value);
    },
  });
  return keys;
}

/** The bytes of a value as JSON in UTF-8. */
function* measure(value: unknown, path: readonly string[], keys: ReadonlySet<string>, pages: Pages): Generator<void, number> {
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
    // `nodes` and `edges` of one list get shorter together.
    page = page === undefined ? entries : entries.map((entry, index) => entry + (page![index] ?? 0));
  }
  if (page !== undefined) {
    const of = path.slice(path[0] === 'data' ? 1 : 0).join('.') || 'nodes';
    pages.set(of, [...(pages.get(of) ?? []), page]);
  }
  return Math.max(2, bytes);
}

/** The bytes of each entry, with the comma or bracket that follows it. */
function* entriesOf(list: unknown[], path: readonly string[], keys: ReadonlySet<string>, pages: Pages): Generator<void, number[]> {
  const entries: number[] = [];
  for (const entry of list) {
    entries.push(1 + (isShown(entry) ? yield* measure(entry, path, keys, pages) : 4));
    yield;
  }
  return entries;
}

/** No value has more bytes than this. Much quicker than to measure it, and nearly every answer is far below the limit. */
function atMost(value: unknown): number {
  // A control character becomes six.
  if (typeof value === 'string') return 6 * value.length + 2;
  if (typeof value !== 'object' || value === null) return 25;
  if (hasOwnForm(value)) return atMost(value.toJSON());
  let bytes = 2;
  if (Array.isArray(value)) for (const entry of value) bytes += atMost(entry) + 1;
  else for (const key in value) bytes += 6 * key.length + 4 + atMost(Reflect.get(value, key));
  return bytes;
}

const hasOwnForm = (value: object): value is { toJSON(): unknown } => typeof Reflect.get(value, 'toJSON') === 'function';

const isShown = (value: unknown): boolean => value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
