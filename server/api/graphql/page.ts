import { isAgentId } from '../../core/ids.ts';
import { column } from '../../core/rows.ts';
import { badArgument } from './input/badArgument.ts';

/**
 * Keyset pagination: a page costs the same at any depth. Prisma's own `cursor` reads all rows before it.
 */

const defaultSize = 50;
export const maxSize = 100;

type Value = string | number | Date;
type Kind = 'time' | 'integer' | 'uuid' | 'slug' | 'name';
type Direction = 'asc' | 'desc';

/** The order of a list. Its columns are non-null and together unique; all have one direction, so that one index serves them. */
export interface Order {
  /** Stored in cursors: a cursor of another order is refused. */
  readonly name: string;
  readonly columns: Readonly<Record<string, Kind>>;
  readonly direction: Direction;
}

/** Default: descending. */
export const directionOf = (direction: 'ASC' | 'DESC' | null | undefined): Direction =>
  direction === 'ASC' ? 'asc' : 'desc';

export interface PageArgs {
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}

export interface Page<Where = object, OrderBy = object> {
  /** Combined with the list's own filter by AND. */
  where: Where;
  orderBy: OrderBy[];
  /** Page size plus one, to see whether there is another page. */
  take: number;
}

/** A page's condition for a raw SQL statement, and its values, which follow `given` others. @throws BAD_USER_INPUT as `pageOf` does. */
export function sqlPage(
  args: PageArgs,
  order: Order,
  given: number,
): { where: string; orderBy: string; take: number; values: Value[] } {
  const { take } = pageOf(args, order);
  const columns = Object.keys(order.columns).map(column);
  const direction = args.last != null ? opposite(order.direction) : order.direction;
  const values: Value[] = [];
  const beyond = (cursor: string | null | undefined, name: 'after' | 'before', side: Direction): string[] => {
    if (cursor == null) return [];
    const places = positionOf(order, cursor, name).map((value) => `$${given + values.push(value)}`);
    return [`(${columns.join(', ')}) ${side === 'asc' ? '>' : '<'} (${places.join(', ')})`];
  };
  const conditions = [
    ...beyond(args.after, 'after', order.direction),
    ...beyond(args.before, 'before', opposite(order.direction)),
  ];
  return {
    where: ['true', ...conditions].join(' AND '),
    orderBy: columns.map((name) => `${name} ${direction}`).join(', '),
    take,
    values,
  };
}

/** @throws BAD_USER_INPUT for a size out of range or a cursor that is not of this order. */
export function pageOf<Where, OrderBy>(args: PageArgs, order: Order): Page<Where, OrderBy> {
  const backward = args.last != null;
  if (backward && args.first != null) throw badArgument('first and last exclude each other: give one', ['last']);
  const size = sizeOf(args, backward ? 'last' : 'first');
  const beyond = [
    ...(args.after == null ? [] : [beyondCursor(order, positionOf(order, args.after, 'after'), order.direction)]),
    ...(args.before == null
      ? []
      : [beyondCursor(order, positionOf(order, args.before, 'before'), opposite(order.direction))]),
  ];
  const direction = backward ? opposite(order.direction) : order.direction;
  return {
    where: { AND: beyond } as Where,
    orderBy: Object.keys(order.columns).map((column) => ({ [column]: direction }) as OrderBy),
    take: size + 1,
  };
}

/** Merges the rows of several queries for the same page: sorts them as one query would. */
export function inOrder<Row extends object>(rows: Row[], order: Order, args: PageArgs): Row[] {
  const ascending = (order.direction === 'asc') !== (args.last != null);
  const compare = (a: Row, b: Row): number => {
    for (const column of Object.keys(order.columns)) {
      const [x, y] = [Reflect.get(a, column) as Value, Reflect.get(b, column) as Value];
      if (x < y) return -1;
      if (x > y) return 1;
    }
    return 0;
  };
  return rows.sort((a, b) => (ascending ? compare(a, b) : compare(b, a)));
}

export interface PageOfRows<Row> {
  rows: Row[];
  hasNextPage: boolean;
  hasPreviousPage: boolean;
}

/** Cuts the rows that the query of `pageOf` found to the page, in the list's order. */
export function cutPage<Row>(found: readonly Row[], args: PageArgs): PageOfRows<Row> {
  const backward = args.last != null;
  const size = sizeOf(args, backward ? 'last' : 'first');
  const more = found.length > size;
  const rows = found.slice(0, size);
  return backward
    ? { rows: rows.reverse(), hasNextPage: args.before != null, hasPreviousPage: more }
    : { rows, hasNextPage: more, hasPreviousPage: args.after != null };
}

function sizeOf(args: PageArgs, name: 'first' | 'last'): number {
  const size = args[name] ?? defaultSize;
  if (size >= 0 && size <= maxSize) return size;
  throw badArgument(`${name} is ${size}: give 0 to ${maxSize}`, [name]);
}

const opposite = (direction: Direction): Direction => (direction === 'asc' ? 'desc' : 'asc');

/**
 * Filters the rows after a position. The bound on the first column is a separate condition: otherwise PostgreSQL scans the
 * index from its start and filters the rows before the position.
 */
function beyondCursor(order: Order, position: readonly Value[], direction: Direction): object {
  const [first, ...rest] = Object.keys(order.columns);
  const strictly = direction === 'asc' ? 'gt' : 'lt';
  const past = (column: string, index: number) => ({ [column]: { [strictly]: position[index] } });
  const [tieBreak] = rest;
  if (tieBreak === undefined) return past(first!, 0);
  return { [first!]: { [`${strictly}e`]: position[0] }, OR: [past(first!, 0), past(tieBreak, 1)] };
}

/** A cursor holds the order and the row's values of its columns. Times are in milliseconds, the precision of their columns. */
export function encodeCursor(order: Order, row: object): string {
  const values = Object.keys(order.columns).map((column) => {
    const value = Reflect.get(row, column) as Value;
    return value instanceof Date
      ? value.getTime()
      : order.columns[column] === 'time'
        ? Date.parse(String(value))
        : value;
  });
  return Buffer.from(JSON.stringify([orderName(order), ...values])).toString('base64url');
}

const orderName = ({ name, direction }: Order): string => `${name} ${direction}`;

function positionOf(order: Order, cursor: string, argument: 'after' | 'before'): Value[] {
  const [name, ...values] = parseCursor(cursor);
  const position = Object.values(order.columns).map((kind, index) => valueOf(kind, values[index]));
  const isValid = name === orderName(order) && values.length === position.length && encodes(cursor, [name, ...values]);
  if (!isValid || position.includes(null)) {
    throw badArgument(`${argument} is not a cursor of this list in this order: send one that it returned`, [argument]);
  }
  return position as Value[];
}

function parseCursor(cursor: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

const encodes = (cursor: string, parts: unknown[]): boolean =>
  Buffer.from(JSON.stringify(parts)).toString('base64url') === cursor;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const longestName = 200;
const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

function valueOf(kind: Kind, value: unknown): Value | null {
  if (kind === 'uuid') return typeof value === 'string' && uuid.test(value) ? value : null;
  if (kind === 'name') return typeof value === 'string' && value.length <= longestName ? value : null;
  if (kind === 'slug') return typeof value === 'string' && isAgentId(value) ? value : null;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) return null;
  if (kind === 'time') return value <= lastInstant ? new Date(value) : null;
  return value < 2 ** 31 ? value : null;
}
