import type { Pool, QueryArrayConfig } from 'pg';
import { statement } from '../core/changes.ts';
import type { Rights } from '../core/rights.ts';
import type { Compiled, Page, Reader } from './compile.ts';

/** Reads a page: one statement. `mostBytes`: it ends with `AnswerTooLarge` when its answer is larger. */
export async function readPage<Row>(
  pool: Pool,
  reader: Reader<Row>,
  page: Page,
  caller: Rights,
  mostBytes?: number,
): Promise<Row[]> {
  const rows = await read(pool, reader.page(page, caller), mostBytes);
  return rows.map(([json]) => reader.rowOf(json));
}

/** Reads the number that `compileCount` counts: one statement. */
export async function readCount(pool: Pool, compiled: Compiled): Promise<number> {
  const [row] = await read(pool, compiled);
  return row![0] as number;
}

async function read(pool: Pool, { text, values, onePlan }: Compiled, mostBytes?: number): Promise<[unknown][]> {
  const query = { ...(onePlan ? named(text) : { text }), values, rowMode: 'array', mostBytes };
  return (await pool.query<[unknown]>(query as unknown as QueryArrayConfig)).rows;
}

/** Each connection keeps each named statement. Further ones are parsed and planned each time. */
const mostNames = 1_000;
const names = new Map<string, string>();

function named(text: string): { text: string; name?: string } {
  const known = names.get(text);
  if (known !== undefined) return { name: known, text };
  if (names.size >= mostNames) return { text };
  const { name } = statement(text);
  names.set(text, name);
  return { name, text };
}
