import type { Pool } from 'pg';
import { statement } from '../../core/changes.ts';
import { besidePrefix, type Place, type Queries, type Search } from './query.ts';
import type { Kind } from './terms.ts';

export const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Entries with the words beside a prefix that are read to look for the prefix in them. */
const fewEntries = 1_000;

/**
 * SQL of a page of a type without titles, whose order is that of the ids. It reads the newest twentieth of the entries; where that has too
 * few matches, it reads all matches by the index of words. PostgreSQL knows how many entries have a word, not how old they are: with a
 * limit it would scan all entries backwards for a word that only old ones have. So only the newest part is read with a limit.
 *
 * The index of words collects all entries of a prefix before it compares them with other words: among 10 million entries a rare word and
 * a short prefix took 660 ms. Where few entries have the other words, the prefix is looked for in these: 40 ms.
 */
export function pageOfNewest(
  kind: Kind,
  { exact, any }: Queries,
  { after, newestFrom, terms }: Search,
  {
    take,
    place,
    sessions,
    others,
  }: { take: number; place: Place; sessions: readonly string[]; others: readonly string[] },
): string {
  // With a position, its own entry may be read again.
  const most = after === null ? take : take + 1;
  const inKind = [`t.kind = '${kind}'`, ...(after?.newest == null ? [] : [`t.id <= ${place(after.newest)}::uuid`])];
  const fromAfter = (rank: number): string[] => {
    if (after?.rank !== rank) return [];
    return [
      isUuid.test(after.id) ? `t.id <= ${place(after.id)}::uuid` : `t.id::text COLLATE "C" <= ${place(after.id)}::text`,
    ];
  };
  const page = (entries: string, conditions: readonly string[]): string =>
    `SELECT t.id FROM ${entries} t WHERE ${[...conditions, ...others].join(' AND ')} ORDER BY t.id DESC LIMIT ${most}`;
  /** The CTEs that end in one with a page of matches. `few`: a CTE with all entries that may match, and whether it has them. */
  const read = (
    { name, matches, rank, isRoom }: { name: string; matches: string; rank: number; isRoom: string },
    few: { entries: string; isWhole: string } | null = null,
  ): string => {
    const conditions = [...inKind, ...fromAfter(rank), ...sessions, matches];
    const isMany = few === null ? [] : [`NOT ${few.isWhole}`];
    const missing = `(SELECT count(*) FROM ${name}_newest) < ${most}`;
    const newest =
      newestFrom === null || sessions.length > 0
        ? 'SELECT NULL::uuid AS id WHERE false'
        : page('search_entries', [...conditions, `t.id > ${place(newestFrom)}::uuid`, isRoom, ...isMany]);
    const columns = 't.kind, t.id, t.session_id, t.sequence';
    const ofFew =
      few === null ? '' : `SELECT ${columns} FROM ${few.entries} t WHERE ${few.isWhole} AND ${matches} UNION ALL `;
    return `${name}_newest AS MATERIALIZED (${newest}),
      ${name}_matches AS MATERIALIZED (${ofFew}SELECT ${columns} FROM search_entries t WHERE ${[...conditions, ...isMany].join(' AND ')}),
      ${name} AS MATERIALIZED (SELECT id FROM ${name}_newest WHERE NOT ${missing} UNION ALL (${page(`${name}_matches`, [missing, isRoom])}))`;
  };
  const exactPage = read({
    name: 'exact',
    rank: 2,
    matches: `t.words @@ ${exact}`,
    isRoom: `${after === null || after.rank >= 2}`,
  });
  const ofExact = `SELECT '${kind}' AS kind, id::text, 2 AS rank FROM exact`;
  if (exact === any) return `WITH ${exactPage} ${ofExact}`;
  const isRoom = `(SELECT count(*) FROM exact) < ${most}`;
  const beside = besidePrefix(terms, place);
  const few =
    beside === null
      ? ''
      : `few AS MATERIALIZED (SELECT t.* FROM search_entries t WHERE ${[...inKind, ...fromAfter(1), ...sessions, `t.words @@ ${beside}`, isRoom].join(' AND ')} LIMIT ${fewEntries + 1}),`;
  const prefixPage = read(
    { name: 'prefixes', rank: 1, matches: `t.words @@ ${any} AND NOT t.words @@ ${exact}`, isRoom },
    beside === null ? null : { entries: 'few', isWhole: `(SELECT count(*) FROM few) <= ${fewEntries}` },
  );
  return `WITH ${exactPage}, ${few} ${prefixPage}
    ${ofExact} UNION ALL SELECT '${kind}' AS kind, id::text, 1 AS rank FROM prefixes`;
}

/** For `Search.newestFrom`. */
export async function newestTwentieth(pool: Pool): Promise<string | null> {
  const { rows } = await pool.query<{ id: string }>(newestTwentiethStatement);
  return rows[0]?.id ?? null;
}
const newestTwentiethStatement =
  statement(`SELECT bounds[array_upper(bounds, 1) - greatest(array_length(bounds, 1) / 20, 1)] AS id
  FROM (SELECT histogram_bounds::text::uuid[] AS bounds FROM pg_stats WHERE schemaname = current_schema() AND tablename = 'search_entries' AND attname = 'id') s`);
