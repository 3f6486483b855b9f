import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import { statement } from '../../core/changes.ts';
import type { Pages } from '../../core/fittingPage.ts';
import { limits } from '../../core/limits.ts';
import type { GraphQLContext } from './context.ts';
import { namesOf } from './path.ts';

type Path = GraphQLResolveInfo['path'];
interface Key {
  id: string;
  path: Path;
}

/**
 * Reads a column of many rows, text or JSON, each once per request: PostgreSQL sends the sizes first, so that a request over its limit
 * ends before the values are read, and then the values in parts, so that other requests run in between. Small values come
 * with their sizes.
 */
export function largeColumn<Value = string>(
  table: string,
  column: string,
  text = column,
): (row: { id: string }, args: object, context: GraphQLContext, info: GraphQLResolveInfo) => Promise<Value | null> {
  const loaders = new WeakMap<object, DataLoader<Key, Value | null, string>>();
  const { partBytes } = limits.held;
  const sizes = statement(
    `SELECT id, bytes, CASE WHEN sum(bytes) OVER () <= ${partBytes} THEN ${column} END AS value FROM (SELECT id, ${column}, octet_length(${text}) AS bytes FROM ${table} WHERE id = ANY($1::uuid[])) t`,
  );
  const values = statement(`SELECT id, ${column} AS value FROM ${table} WHERE id = ANY($1::uuid[])`);

  async function load({ pool, held }: GraphQLContext, keys: readonly Key[]): Promise<(Value | null)[]> {
    const { rows: all } = await pool.query<{ id: string; bytes: number | null; value: Value | null }>({
      ...sizes,
      values: [keys.map(({ id }) => id)],
    });
    const rows = all.filter((row): row is { id: string; bytes: number; value: Value | null } => row.bytes !== null);
    const bytesOf = new Map(rows.map(({ id, bytes }) => [id, bytes]));
    held.add(
      rows.reduce((sum, { bytes }) => sum + bytes, 0),
      () => pagesOf(keys, bytesOf),
    );
    const found = new Map<string, Value>();
    for (const { id, value } of rows) if (value !== null) found.set(id, value);
    if (found.size < rows.length) {
      for (const ids of parts(rows, partBytes)) {
        for (const { id, value } of (await pool.query<{ id: string; value: Value }>({ ...values, values: [ids] })).rows)
          found.set(id, value);
      }
    }
    return keys.map(({ id }) => found.get(id) ?? null);
  }

  return ({ id }, _args, context, { path }) => {
    let loader = loaders.get(context);
    if (loader === undefined)
      loaders.set(context, (loader = new DataLoader((keys) => load(context, keys), { cacheKeyFn: (key) => key.id })));
    return loader.load({ id, path });
  };
}

function* parts(rows: readonly { id: string; bytes: number }[], partBytes: number): Generator<string[]> {
  let ids: string[] = [];
  let sum = 0;
  for (const { id, bytes } of rows) {
    if (sum > 0 && sum + bytes > partBytes) {
      yield ids;
      [ids, sum] = [[], 0];
    }
    ids.push(id);
    sum += bytes;
  }
  if (ids.length > 0) yield ids;
}

/** Bytes of the entries of all pages on the way to these rows. */
function pagesOf(keys: readonly Key[], bytesOf: ReadonlyMap<string, number>): Pages {
  const entries = new Map<string, Map<string, number[]>>();
  for (const { id, path } of keys) {
    for (let at: Path | undefined = path; at !== undefined; at = at.prev) {
      const { key: index, prev: list } = at;
      if (typeof index !== 'number' || (list?.key !== 'nodes' && list?.key !== 'edges')) continue;
      const page = list.prev === undefined ? list : list.prev;
      const name = namesOf({ path: page }).join('.');
      const lists = entries.get(name) ?? new Map<string, number[]>();
      entries.set(name, lists);
      const place = placeOf(page);
      const sizes = lists.get(place) ?? [];
      lists.set(place, sizes);
      for (let missing = sizes.length; missing <= index; missing += 1) sizes.push(0);
      sizes[index]! += bytesOf.get(id) ?? 0;
    }
  }
  return new Map([...entries].map(([name, lists]) => [name, [...lists.values()]]));
}

const placeOf = (path: Path): string => (path.prev === undefined ? '' : `${placeOf(path.prev)}.`) + path.key;
