import DataLoader from 'dataloader';
import type { Pool } from 'pg';
import { isAnswerTooLarge } from '../../core/databaseErrors.ts';
import { limits } from '../../core/limits.ts';
import type { Rights } from '../../core/rights.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { compile, type Page, type Reader, type Selection, WhenSmall } from '../../reads/compile.ts';
import { readPage } from '../../reads/read.ts';
import { type Tables, tablesOf } from '../../reads/tables.ts';
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

type Where = Readonly<Record<string, unknown>>;
interface Query extends Page, Selection {
  where?: Where;
}
interface Row {
  id: string;
}

export interface Reading {
  prisma: PrismaClient;
  pool: Pool;
  caller: Rights;
  held: HeldBytes;
}

/**
 * Prisma's client for one request, of which resolvers use the reads. Each is one statement, whose rows are those that the caller may
 * read. Rows with large columns are counted, and read one statement after the other.
 */
export function callerReads(reading: Reading): PrismaClient {
  const tables = tablesOf(reading.prisma);
  const models = new Map([...tables.keys()].map((model) => [model.charAt(0).toLowerCase() + model.slice(1), model]));
  const delegates = new Map<string, object>();
  return new Proxy(reading.prisma, {
    get(prisma, name) {
      const model = models.get(name as string);
      if (model === undefined) return undefined;
      let delegate = delegates.get(model);
      if (delegate === undefined) {
        const { fields } = Reflect.get(prisma, name) as { fields: unknown };
        delegates.set(model, (delegate = Object.assign(new ModelReads(reading, tables, model), { fields })));
      }
      return delegate;
    },
  });
}

/** The reads of one model. Its methods are those of Prisma's delegates. */
class ModelReads {
  readonly #loaders = new Map<string, DataLoader<unknown, Row | null>>();

  constructor(
    readonly reading: Reading,
    readonly tables: Tables,
    readonly model: string,
  ) {}

  async findMany({ select, include, ...page }: Query): Promise<Row[]> {
    const { pool, caller, held } = this.reading;
    const selection = withSmallContexts({ select, include });
    const reader = compile(this.tables, this.model, selection, { reader: caller }) as Reader<Row>;
    const read = (): Promise<Row[]> => readPage(pool, reader, page, caller, limits.held.ofPrisma);
    return isLarge(selection) ? boundedRead(held, undefined, read) : read();
  }

  async findFirst(query: Query): Promise<Row | null> {
    return (await this.findMany({ ...query, take: 1 }))[0] ?? null;
  }

  /** The look-ups by one column with equal selections that are made in one tick share a statement. */
  async findUnique({ where = {}, ...selection }: Query): Promise<Row | null> {
    const by = keyOf(where);
    const [[column, value], ...others] = Object.entries(by) as [[string, unknown], ...unknown[]];
    if (others.length > 0) return this.findFirst({ where: by, ...selection });
    const key = JSON.stringify([column, selection]);
    let loader = this.#loaders.get(key);
    if (loader === undefined) {
      const load = async (values: readonly unknown[]): Promise<(Row | null)[]> => {
        const rows = await this.findMany({
          ...selection,
          ...(selection.select && { select: { ...selection.select, [column]: true } }),
          where: { [column]: { in: values } },
        });
        const found = new Map(rows.map((row) => [Reflect.get(row, column) as unknown, row]));
        return values.map((each) => found.get(each) ?? null);
      };
      this.#loaders.set(key, (loader = new DataLoader(load, { cache: false })));
    }
    return loader.load(value);
  }

  async findUniqueOrThrow(query: Query): Promise<Row> {
    const row = await this.findUnique(query);
    if (row === null) throw new Error(`No ${this.model} that the caller may read`);
    return row;
  }
}

/** The columns of a key: one of several columns is an object. */
const keyOf = (where: Where): Where =>
  Object.assign(
    {},
    ...Object.entries(where).map(([name, value]) =>
      typeof value === 'object' && value !== null && !(value instanceof Date) ? value : { [name]: value },
    ),
  ) as Where;

/** Reads rows with large columns: after the request's other such reads, and counted. */
export const boundedRead = <Result>(
  held: HeldBytes,
  page: string | undefined,
  read: () => Promise<Result>,
): Promise<Result> => held.inOrder(() => counted(read(), held, page));

/** A second statement for the Contexts of a page takes a quarter more processor time than reading small ones with their rows. */
const smallContext = new WhenSmall(8 * 1024);

/** Leaves out large Contexts: their fields read them in parts, by the `id` of the row. */
export function withSmallContexts<Selecting extends Selection>(query: Selecting): Selecting {
  const { select } = query;
  if (select == null) return query;
  let changed: Record<string, unknown> | undefined;
  for (const [name, asked] of Object.entries(select)) {
    const small =
      name === 'context' && asked === true
        ? smallContext
        : typeof asked === 'object' && asked !== null
          ? withSmallContexts(asked)
          : asked;
    if (small !== asked)
      changed = { ...(changed ?? select), [name]: small, ...(small === smallContext && { id: true }) };
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
