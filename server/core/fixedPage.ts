import pg, { type Pool } from 'pg';
import { statement } from './changes.ts';

/** Where a page of a list begins, and in which direction it goes on. */
export interface Bounds {
  direction: 'asc' | 'desc';
  /** The values of the ordering columns of the row before it; null for the first page. */
  beyond: readonly unknown[] | null;
  /** The number of rows to read. */
  size: number;
}

/** A row with all that its statement's selection names, relations included. Times are texts in ISO 8601. */
export class FixedRow {
  id!: string;
}

/** The statements read a page of one of these sizes, since PostgreSQL plans one well only when the size stands in it. */
const sizes = [11, 21, 51, 101];

/** The condition, order and length of a page, as the statements of a list are put together with them. */
export interface PageSql {
  where: string;
  orderBy: (row: string) => string;
  limit: number;
}

/** A condition of a list; `$1` in it stands for the value. */
export type Filter = readonly [condition: string, ...value: [string] | []] | null;

/** Reads a page by a prepared statement: `sql` writes it, `rowOf` reads a row of it. */
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

// A Date for each time, made and written again, is a tenth of a list. In UTC, which sessions use unless an operator set another
// zone, a text only changes its form.
const timestamptz = 1184;
const inUtc = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3}))?\+00$/;
function isoOf(text: string): string {
  const [, day, time, fraction = ''] = inUtc.exec(text) ?? [];
  return day === undefined ? (pg.types.getTypeParser(timestamptz) as (text: string) => Date)(text).toISOString() : `${day}T${time}.${fraction.padEnd(3, '0')}Z`;
}
const types = {
  getTypeParser: (type: number, format?: 'text') => (type === timestamptz ? isoOf : (pg.types.getTypeParser(type, format) as unknown)),
} as pg.CustomTypesConfig;
