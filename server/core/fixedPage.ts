import type { Pool, QueryArrayConfig } from 'pg';
import { statement } from './changes.ts';

/** Where a page begins, and its direction. */
export interface Bounds {
  direction: 'asc' | 'desc';
  /** The ordering values of the row before the page; null for the first page. */
  beyond: readonly unknown[] | null;
  size: number;
}

/** A row with the statement's whole selection, relations included. Times are ISO 8601 texts. What the statement does not read is undefined. */
export class FixedRow {
  id!: string;
}

/** Takes one literal: spreads, or several sources, took 60 µs more for 20 rows. */
export const fixedRow = <Values extends FixedRow>(values: Values): FixedRow => Object.assign(new FixedRow(), values);

/** Page sizes are rounded up to one of these, and the rows then cut: PostgreSQL plans a page well only when LIMIT is a literal. */
const sizes = [11, 21, 51, 101];

/** The condition, order and limit of a page, for building a list's statement. */
export interface PageSql {
  where: string;
  orderBy: (row: string) => string;
  limit: number;
}

/** A condition of a list; `$1` in it stands for the value. */
export type Filter = readonly [condition: string, ...value: [string] | []] | null;

/** A statement of a list. Each of its rows is one JSON array, which `rowOf` converts. */
export interface FixedForm {
  /** What it reads, as a selection of Prisma's. */
  select: object;
  /** Whether it reads a large column. */
  isLarge: boolean;
  sql: (page: PageSql) => string;
  rowOf: (values: never) => FixedRow;
}

/** A list that prepared statements read faster than Prisma. */
export interface FixedList {
  /** The narrowest first. */
  forms: readonly FixedForm[];
  /** The columns of its order. */
  columns: readonly string[];
  /** A statement for each: no row meets two of them. */
  filters: readonly Filter[];
}

/**
 * Reads a page with a prepared statement. One array for each row: for 20 rows with 19 columns it takes a third of the processor time
 * that the driver takes for a value for each column (60 instead of 200 µs), and PostgreSQL a tenth more (170 instead of 153 µs).
 */
export async function readFixedPage(
  pool: Pool,
  { direction, beyond, size }: Bounds,
  {
    form: { sql, rowOf },
    columns,
    filter,
    mostBytes,
  }: { form: FixedForm; columns: readonly string[]; filter: Filter; mostBytes?: number | undefined },
): Promise<FixedRow[]> {
  const [condition, ...given] = filter ?? [null];
  const values: unknown[] = [...given, ...(beyond ?? [])];
  const conditions = [
    ...(condition === null ? [] : [condition]),
    ...(beyond === null
      ? []
      : [
          `(${columns.join(', ')}) ${direction === 'asc' ? '>' : '<'} (${beyond.map((_, index) => `$${given.length + index + 1}`).join(', ')})`,
        ]),
  ];
  const text = sql({
    where: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`,
    orderBy: (row) => `ORDER BY ${columns.map((column) => `${row}.${column} ${direction}`).join(', ')}`,
    limit: sizes.find((each) => each >= size) ?? size,
  });
  const query = {
    ...named(`${text} LIMIT $${values.length + 1}`),
    values: [...values, size],
    rowMode: 'array',
    mostBytes,
  };
  const { rows } = await pool.query<[unknown]>(query as QueryArrayConfig);
  return rows.map(([row]) => rowOf(row as never));
}

const statements = new Map<string, ReturnType<typeof statement>>();
function named(text: string): ReturnType<typeof statement> {
  const known = statements.get(text) ?? statement(text);
  statements.set(text, known);
  return known;
}

/** The ISO 8601 text of a time in JSON of PostgreSQL. One in UTC (the default zone) only needs its milliseconds: parsing each was 10 % of a list's time. */
export function isoOf<T extends string | null>(time: T): T;
export function isoOf(time: string | null): string | null {
  if (time === null) return null;
  if (!time.endsWith('+00:00') || time[10] !== 'T') return new Date(time).toISOString();
  const bare = time.slice(0, -6);
  return `${(bare.length === 19 ? `${bare}.` : bare).padEnd(23, '0')}Z`;
}
