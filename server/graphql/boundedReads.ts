import { isAnswerTooLarge } from '../core/databaseErrors.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { limits } from '../limits/limits.ts';
import { causeOf } from './errors/away.ts';
import type { HeldBytes } from './heldBytes.ts';

/** Columns of up to 64 KB and more, of any table. */
const largeColumns = new Set([
  'arguments',
  'content',
  'context',
  'contextVariables',
  'error',
  'instructions',
  'metadata',
  'payload',
  'result',
  'stages',
  'summary',
  'transitions',
]);
const reads = new Set<string | symbol>([
  'findFirst',
  'findFirstOrThrow',
  'findMany',
  'findUnique',
  'findUniqueOrThrow',
]);

/** `page`: the path of the list that the rows are a page of. */
type Read = (query: object, page?: string) => Promise<unknown>;

/**
 * A client for one request, which counts the bytes of large columns that it reads. Such statements run one after the other.
 * All other calls are those of the client itself.
 */
export function boundedReads(prisma: PrismaClient, held: HeldBytes): PrismaClient {
  const delegates = new Map<string | symbol, object>();
  return new Proxy(prisma, {
    get(target, name) {
      const known = delegates.get(name);
      if (known !== undefined) return known;
      const found: unknown = Reflect.get(target, name);
      if (typeof name !== 'string' || /^[$_]/.test(name) || typeof found !== 'object' || found === null) return found;
      const delegate = boundedDelegate(found, held);
      delegates.set(name, delegate);
      return delegate;
    },
  });
}

const boundedDelegate = (delegate: object, held: HeldBytes): object =>
  new Proxy(delegate, {
    get(target, name) {
      if (!reads.has(name)) return Reflect.get(target, name) as unknown;
      const read: Read = (query) => (Reflect.get(target, methodOf(name, query)) as Read)(query);
      return ((asked, page) => {
        const query = withoutContexts(asked, String(name).startsWith('findMany'));
        return isLarge(query) ? boundedRead(held, page, () => read(query), batchOf(name, query)) : read(query);
      }) satisfies Read;
    },
  });

/** Reads rows with large columns: after the request's other such reads, and counted. */
export const boundedRead = <Result>(
  held: HeldBytes,
  page: string | undefined,
  read: () => Promise<Result>,
  together: string | null = null,
): Promise<Result> => held.inOrder(() => counted(read(), held, page), together);

const columnsOf = (query: object): string[] => Object.keys((query as { where?: object }).where ?? {});

/**
 * Prisma reads the look-ups by several columns with equal selections that are made in one tick, of all requests, in one transaction:
 * one after the other, compiled again each time, and all fail with one. It reads `findFirst` alone.
 */
const methodOf = (name: string | symbol, query: object): string | symbol =>
  columnsOf(query).length > 1 ? String(name).replace('findUnique', 'findFirst') : name;

/** Prisma sends one statement for the look-ups by one column with equal selections that are made in one tick. */
function batchOf(name: string | symbol, query: object): string | null {
  const columns = columnsOf(query);
  return String(name).startsWith('findUnique') && columns.length === 1
    ? JSON.stringify([columns, { ...query, where: null }])
    : null;
}

/**
 * Leaves out the Contexts of rows that may be many: their fields read them in parts. Prisma parses, writes and parses again
 * what is JSON, of all rows of a statement in one turn of the event loop.
 */
export function withoutContexts<Query extends object>(query: Query, areMany: boolean): Query {
  const { select } = query as { select?: Record<string, unknown> | null };
  if (select == null) return query;
  let changed: Record<string, unknown> | undefined;
  for (const [name, asked] of Object.entries(select)) {
    const without =
      areMany && name === 'context'
        ? false
        : typeof asked === 'object' && asked !== null
          ? withoutContexts(asked, true)
          : asked;
    if (without !== asked) changed = { ...(changed ?? select), id: true, [name]: without };
  }
  return changed === undefined ? query : { ...query, select: changed };
}

/** Whether a query reads a large column, or all columns. */
export function isLarge(query: object): boolean {
  const { select } = query as { select?: Record<string, unknown> | null };
  if (select == null) return true;
  return Object.entries(select).some(([name, asked]) =>
    typeof asked === 'object' && asked !== null
      ? name !== '_count' && isLarge(asked)
      : asked === true && largeColumns.has(name),
  );
}

/** A page is read with one row more, which shows whether there is another page. */
async function counted<Result>(reading: Promise<Result>, held: HeldBytes, page = ''): Promise<Result> {
  const result = await reading.catch((error: unknown) => {
    const cause = causeOf(error);
    if (!isAnswerTooLarge(cause)) throw error;
    const { limit: most = limits.held.ofPrisma, bytes = most, rows = 0 } = cause;
    const limit = Math.min(held.limit, most);
    const entries = Math.floor((rows * limit) / bytes) - 1;
    throw held.exceed(bytes, page === '' || entries <= 0 ? null : { path: page, entries, of: null }, limit);
  });
  const sizes = (Array.isArray(result) ? result : [result]).map(bytesOf);
  held.add(
    sizes.reduce((sum, bytes) => sum + bytes, 0),
    () => new Map(page === '' ? [] : [[page, [sizes.slice(0, -1)]]]),
  );
  return result;
}

const shortText = 100;

/** Bytes of the texts in a value. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return value.length < shortText ? value.length : Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = 0;
  if (Array.isArray(value)) for (const entry of value) bytes += bytesOf(entry);
  else for (const name in value) bytes += bytesOf(Reflect.get(value, name));
  return bytes;
}
