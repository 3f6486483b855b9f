import type { ObjectRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import { limits } from '../../core/limits.ts';
import { compileCount } from '../../reads/compile.ts';
import { readCount, readPage } from '../../reads/read.ts';
import { builder, type Model, type ModelName, modelRef, type Types } from './builder.ts';
import { boundedRead } from './callerReads.ts';
import type { GraphQLContext } from './context.ts';
import { badArgument } from './input/badArgument.ts';
import { cutPage, encodeCursor, inOrder, type Order, pageOf, type PageArgs, type PageOfRows } from './page.ts';
import { namesOf } from './path.ts';
import { nodePaths, plannedReader } from './plannedReader.ts';
import { inTurn } from './processorTime.ts';

type MaybePromise<T> = T | Promise<T>;
export interface Row {
  id: string;
}

/** Without a promise for what is there: a list of Sessions has a page for each. */
const then = <A, B>(value: MaybePromise<A>, next: (value: A) => B): MaybePromise<B> =>
  value instanceof Promise ? value.then(next) : next(value);

/** A list whose rows and number are fetched when they are asked for, and only then. */
export interface Connection {
  cursor(row: Row): string;
  page(): MaybePromise<PageOfRows<Row>>;
  totalCount(): MaybePromise<number>;
}

export const pageArgs = builder.args((t) => ({
  first: t.int({
    description: 'Returns the first N items (0 to 100). Default: 50 when neither `first` nor `last` is given.',
  }),
  after: t.string({
    description:
      'Returns the items after this cursor. The cursor must come from this list in this order. Null: from the start.',
  }),
  last: t.int({ description: 'Returns the last N items (0 to 100), in the same order. Excludes `first`.' }),
  before: t.string({
    description:
      'Returns the items before this cursor. The cursor must come from this list in this order. Null: up to the end.',
  }),
}));

/** Of lists whose rows are numbered, the greatest number first. */
const numberArgs = builder.args((t) => ({
  from: t.int({
    description:
      'Returns the items with this number or a greater one, as `before` would: `last: 50, from: 101` returns 101 to 150. Excludes `before`.',
  }),
}));

/** @throws BAD_USER_INPUT with `before`, or for a number below 1. */
function fromNumber(from: number, args: PageArgs, column: string, order: Order): PageArgs {
  if (args.before != null) throw badArgument('from and before exclude each other: give one', ['from']);
  if (from < 1) throw badArgument(`from is ${from}: give 1 or more`, ['from']);
  return { ...args, before: encodeCursor(order, { [column]: from - 1 }) };
}

export const PageInfo = builder.objectRef<{ list: Connection; page: PageOfRows<Row> }>('PageInfo').implement({
  access: 'inherit',
  description: 'Position of a page in its list.',
  fields: (t) => ({
    hasNextPage: t.boolean({
      description: 'Whether the list has items after this page. Always true with `before`.',
      resolve: ({ page }) => page.hasNextPage,
    }),
    hasPreviousPage: t.boolean({
      description: 'Whether the list has items before this page. Always true with `after`.',
      resolve: ({ page }) => page.hasPreviousPage,
    }),
    startCursor: t.string({
      nullable: true,
      description: 'Cursor of the first item, for `before`; null when the page is empty.',
      resolve: ({ list, page }) => (page.rows[0] === undefined ? null : list.cursor(page.rows[0])),
    }),
    endCursor: t.string({
      nullable: true,
      description: 'Cursor of the last item, for `after`; null when the page is empty.',
      resolve: ({ list, page }) => {
        const last = page.rows.at(-1);
        return last === undefined ? null : list.cursor(last);
      },
    }),
  }),
});

const refs = new Map<string, ObjectRef<Types, Connection>>();

/** `XConnection`, made at its first use. */
export function connectionRef(model: ModelName): ObjectRef<Types, Connection> {
  return refs.get(model) ?? connectionOf(model, modelRef(model));
}

/** The same for rows that no single table holds. */
export function connectionOf(model: string, node: ObjectRef<Types, Row>): ObjectRef<Types, Connection> {
  const plural = `${model.replace(/y$/, 'ie')}s`;
  const Edge = builder.objectRef<{ list: Connection; row: Row }>(`${model}Edge`).implement({
    access: 'inherit',
    description: `An item of a list of ${plural}, with its cursor.`,
    fields: (t) => ({
      cursor: t.string({
        description: 'Position of this item in this list and order, for `after` and `before`. Opaque.',
        resolve: ({ list, row }) => list.cursor(row),
      }),
      node: t.field({ type: node, description: `The ${model}.`, resolve: ({ row }) => row }),
    }),
  });
  const ref = builder.objectRef<Connection>(`${model}Connection`).implement({
    access: 'inherit',
    description: `A page of a list of ${plural}.`,
    fields: (t) => ({
      edges: t.field({
        type: [Edge],
        listSize: 'page',
        description: 'The items of this page, each with its cursor.',
        resolve: (list) => then(list.page(), ({ rows }) => rows.map((row) => ({ list, row }))),
      }),
      nodes: t.field({
        type: [node],
        listSize: 'page',
        description: 'The items of this page.',
        resolve: (list) => then(list.page(), ({ rows }) => rows),
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'Position of this page in the list.',
        resolve: (list) => then(list.page(), (page) => ({ list, page })),
      }),
      totalCount: t.int({
        cost: 10,
        description: 'Number of items in the whole list. Computed only when selected; slow in long lists.',
        resolve: (list) => list.totalCount(),
      }),
    }),
  });
  refs.set(model, ref);
  return ref;
}

const cursorColumns = (order: Order): Record<string, true> =>
  Object.fromEntries(['id', ...Object.keys(order.columns)].map((column) => [column, true as const]));

export interface RootPage<M extends ModelName> {
  args: PageArgs;
  order: Order;
  /** Filters that no row meets two of: each finds its rows by its own index, where an OR would read past everybody else's. */
  oneOf: Model<M>['Where'][];
}

/** A page of all rows that a filter leaves: a statement for each alternative, with everything asked for below it; as many for totalCount. */
export function rootPage<M extends ModelName>(
  model: M,
  { args, order, oneOf }: RootPage<M>,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
): Connection {
  const { where: position, ...page } = pageOf<object, object>(args, order);
  const { pool, tables, caller, held } = context;
  const find = async (): Promise<PageOfRows<Row>> => {
    const { reader, isLarge } = plannedReader(model, cursorColumns(order), context, info);
    const read = (where: object): Promise<Row[]> =>
      readPage(pool, reader, { ...page, where, position }, caller, limits.held.ofPrisma);
    const found = await Promise.all(
      oneOf.map((where) => (isLarge ? boundedRead(held, namesOf(info).join('.'), () => read(where)) : read(where))),
    );
    // Only here: rows below each other's pages are loaded together when their pages are read in one turn.
    return inTurn(context.processorTime, () =>
      cutPage(found.length === 1 ? found[0]! : inOrder(found.flat(), order, args), args),
    );
  };
  let found: Promise<PageOfRows<Row>> | undefined;
  const count = (where: object): Promise<number> => readCount(pool, compileCount(tables, model, where, caller));
  return {
    cursor: (row) => encodeCursor(order, row),
    page: () => (found ??= find()),
    totalCount: async () => (await Promise.all(oneOf.map(count))).reduce((sum, each) => sum + each, 0),
  };
}

interface Selecting {
  (query: object, path: { getType: () => string; paths: { name: string }[][] }): { select?: object };
}

interface RelatedPage {
  model: ModelName;
  order: Order;
  description: string;
  /** A column whose field reads it when it is missing (`readMissing`). */
  without?: string;
  /** The column that numbers the rows of a parent: pages can begin at a number. */
  numbered?: string;
  /** Only these rows of the relation. */
  where?: object;
}

/** A page of a row's relation, as options of `t.field`: it travels in the statement of its parents. */
export function relatedPage<P extends ModelName>(
  relation: Model<P>['ListRelations'] & string,
  { model, order, description, without, numbered, where }: RelatedPage,
) {
  const argsOf = (given: PageArgs & { from?: number | null }): PageArgs =>
    numbered === undefined || given.from == null ? given : fromNumber(given.from, given, numbered, order);
  const select = (given: PageArgs, _context: object, nested: Selecting, selected: () => ReadonlySet<string>) => {
    const args = argsOf(given);
    const fields = selected();
    const rows = [...fields].some((field) => field !== 'totalCount' && field !== '__typename');
    const beyond = pageOf<object, object>(args, order);
    const page = where === undefined ? beyond : { ...beyond, where: { AND: [where, beyond.where] } };
    return {
      select: {
        ...(rows && {
          [relation]: withColumns(
            nested(page, { getType: () => model, paths: nodePaths.map((path) => path.map((name) => ({ name }))) }),
            cursorColumns(order),
            without,
          ),
        }),
        ...(fields.has('totalCount') && { _count: { select: { [relation]: where === undefined ? true : { where } } } }),
      },
    };
  };
  return {
    type: connectionRef(model),
    description,
    args: numbered === undefined ? pageArgs : { ...pageArgs, ...numberArgs },
    // What `select` would be, but for the paths: a page is found below both `nodes` and `edges`.
    // Pothos' guide does not document this name.
    extensions: { pothosPrismaSelect: select, isPage: true },
    resolve: (parent: object, given: PageArgs): Connection => {
      const args = argsOf(given);
      return {
        cursor: (row) => encodeCursor(order, row),
        page: () => cutPage(Reflect.get(parent, relation) as Row[], args),
        totalCount: () => (parent as { _count: Record<string, number> })._count[relation]!,
      };
    },
  };
}

const withColumns = (query: { select?: object }, columns: object, without?: string): object => ({
  ...query,
  select: { ...columns, ...query.select, ...(without !== undefined && { [without]: false }) },
});

/** The query of a relation without columns whose fields read them when they are missing (`readMissing`). */
export const withoutColumns = <Query>(query: Query, ...columns: string[]): Query => ({
  ...query,
  select: {
    id: true,
    ...(query as { select?: object }).select,
    ...Object.fromEntries(columns.map((column) => [column, false])),
  },
});
