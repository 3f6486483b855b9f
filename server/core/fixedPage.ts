import pg, { type Pool } from 'pg';
import { statement } from './changes.ts';

/** Where a page begins, and its direction. */
export interface Bounds {
  direction: 'asc' | 'desc';
  /** The ordering values of the row before the page; null for the first page. */
  beyond: readonly unknown[] | null;
  size: number;
}

/** A row with the statement's whole selection, relations included. Times are ISO 8601 texts. */
export class FixedRow {
  id!: string;
}

/** Page sizes are rounded up to one of these: PostgreSQL plans a page well only when LIMIT is a literal. */
const sizes = [11, 21, 51, 101];

/** The condition, order and limit of a page, for building a list's statement. */
export interface PageSql {
  where: string;
  orderBy: (row: string) => string;
  limit: number;
}

/** A condition of a list; `$1` in it stands for the value. */
export type Filter = readonly [condition: string, ...value: [string] | []] | null;

/** Reads a page with a prepared statement that `sql` builds; `rowOf` converts each row. */
export async function readFixedPage(
  pool: Pool,
  { direction, beyond, size }: Bounds,
  { columns, filter, sql, rowOf }: { columns: readonly string[]; filter: Filter; sql: (page: PageSql) => string; rowOf: (values: never) => FixedRow },
): Promise<FixedRow[]> {
  const [condition, ...given] = filter ?? [null];
  const values: unknown[] = [...given, ...(beyond ?? [])];
  const conditions = [
    ...(condition === null ? [] : [condition]),
    ...(beyond === null ? [] : [`(${columns.join(', ')}) ${direction === 'asc' ? '>' : '<'} (${beyond.map((_, index) => `$${given.length + index + 1}`).join(', ')})`]),
  ];
  const text = sql({
    where: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`,
    orderBy: (row) => `ORDER BY ${columns.map((column) => `${row}.${column} ${direction}`).join(', ')}`,
    limit: sizes.find((each) => each >= size) ?? size,
  });
  const { rows } = await pool.query<unknown[]>({ ...named(text), values, types, rowMode: 'array' });
  return rows.slice(0, size).map((row) => rowOf(row as never));
}

const statements = new Map<string, ReturnType<typeof statement>>();
function named(text: string): ReturnType<typeof statement> {
  const known = statements.get(text) ?? statement(text);
  statements.set(text, known);
  return known;
}

// Parsing and formatting a Date for each time costs 10% of a list's time. A UTC text (the default zone) only needs
// reformatting.
const timestamptz = 1184;
const inUtc = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3}))?\+00$/;
function isoOf(text: string): string {
  const [, day, time, fraction = ''] = inUtc.exec(text) ?? [];
  return day === undefined ? (pg.types.getTypeParser(timestamptz) as (text: string) => Date)(text).toISOString() : `${day}T${time}.${fraction.padEnd(3, '0')}Z`;
}
const types = {
  getTypeParser: (type: number, format?: 'text') => (type === timestamptz ? isoOf : (pg.types.getTypeParser(type, format) as unknown)),
} as pg.CustomTypesConfig;
