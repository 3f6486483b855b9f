import type { Pool } from 'pg';
import { readableEntrySql, readableSql } from '../core/readable.ts';
import type { Caller } from '../core/work.ts';
import { type Kind, kinds, type Named } from './terms.ts';

export interface Found extends Named {
  /** Greater is better. */
  rank: number;
  /** Greatest UUID among the ranked records: later pages rank no newer ones. Null when only Agents were found. */
  newest: string | null;
}

export interface Search {
  query: string;
  /** Records that the query names; with any, words are not looked for. */
  named: readonly Named[];
  types: readonly Kind[];
  caller: Pick<Caller, 'role' | 'agentId'>;
  /** All Sessions that the caller may read; null: too many to list, or all. */
  sessionIds: readonly string[] | null;
  after: Found | null;
  /** Finds only what belongs to this Session; null: anywhere. */
  sessionId: string | null;
}

/** So many matches of each type are ranked, the newest ones. */
export const ranked = 1_000;

/** Characters of a text that are indexed: the function search_text has the number too. */
const indexed = 20_000;

/** The values of a call's arguments as text, without their names. */
const argumentsText = `left((SELECT string_agg(value #>> '{}', ' ') FROM jsonb_path_query(t.arguments, 'strict $.**') value WHERE jsonb_typeof(value) NOT IN ('object', 'array')), ${indexed})`;

// Ranks are integers, so that a cursor holds them exactly.
const rankOf = (words: string, query: string): string => `(ts_rank(${words}, ${query}, 1) * 1e8)::int`;

/** The matches of one type with their ranks, as a table expression. */
type Part = (search: Search, place: (value: unknown) => string) => string;

const entries =
  (kind: Kind, readable: (search: Search) => string): Part =>
  (search, place) => {
    const query = `search_query(${place(search.query)})`;
    const conditions = [
      `t.kind = '${kind}'`,
      ...(search.sessionId === null ? [] : [`t.session_id = ${place(search.sessionId)}::uuid`]),
      ...(search.sessionIds === null ? [] : [`t.session_id = ANY (${place(search.sessionIds)}::uuid[])`]),
      `t.words @@ ${query}`,
      ...(search.after?.newest == null ? [] : [`t.id <= ${place(search.after.newest)}::uuid`]),
      readable(search),
    ];
    return `SELECT '${kind}' AS kind, id::text, ${rankOf('words', query)} AS rank
      FROM (SELECT t.id, t.words FROM search_entries t WHERE ${conditions.join(' AND ')} ORDER BY t.id DESC LIMIT ${ranked}) f`;
  };

// The condition's `t` is the Handoff. No agent's id holds a dot.
const readableHandoff = (caller: Search['caller']): string =>
  readableEntrySql(caller, 'handoffs').replaceAll('t.', 'h.');

const wordsOfAgent = 'search_words_of_agent(id, name, role, description)';
const ofWords: Record<Kind, Part> = {
  SESSION: entries('SESSION', ({ caller }) => readableSql(caller, 't.session_id')),
  AGENT: ({ query }, place) => {
    const asked = `search_query(${place(query)})`;
    return `SELECT 'AGENT' AS kind, id, ${rankOf('words', asked)} AS rank
      FROM (SELECT id, ${wordsOfAgent} AS words FROM agents WHERE ${wordsOfAgent} @@ ${asked} ORDER BY registered_at DESC, id LIMIT ${ranked}) f`;
  },
  HANDOFF: entries(
    'HANDOFF',
    ({ caller }) => `EXISTS (SELECT FROM handoffs h WHERE h.id = t.id AND ${readableHandoff(caller)})`,
  ),
  MESSAGE: entries('MESSAGE', ({ caller }) => readableEntrySql(caller, 'messages')),
  // Not indexed: calls are most of what is recorded, and one Session's are read fast enough. Texts without a word's letters are left out before they are cut into words.
  TOOL_CALL: ({ query, sessionId, caller, after }, place) => {
    const asked = `search_query(${place(query)})`;
    const letters = `ARRAY(SELECT '%' || word || '%' FROM regexp_split_to_table(trim(search_text(${place(query)})), ' +') word)`;
    const upTo = after?.newest == null ? '' : ` AND t.id <= ${place(after.newest)}::uuid`;
    return `SELECT 'TOOL_CALL' AS kind, id::text, ${rankOf('words', asked)} AS rank
      FROM (SELECT t.id, w.words FROM tool_calls t
        CROSS JOIN LATERAL (SELECT ${argumentsText} AS arguments, left(t.result, ${indexed}) AS result, left(t.error, ${indexed}) AS error OFFSET 0) c
        CROSS JOIN LATERAL (SELECT CASE WHEN lower(concat_ws(' ', t.name, c.arguments, c.result, c.error)) LIKE ALL (${letters})
          THEN search_words(t.name, 'B') || search_words(c.arguments, 'C') || search_words(c.result, 'D') || search_words(c.error, 'D') END AS words OFFSET 0) w
        WHERE t.session_id = ${place(sessionId)}::uuid AND w.words @@ ${asked} AND ${readableEntrySql(caller, 'tool_calls')}${upTo}
        ORDER BY t.index DESC LIMIT ${ranked}) f`;
  },
};

const tables: Record<
  Kind,
  { table: string; type: string; session: string; readable: (caller: Search['caller']) => string }
> = {
  SESSION: { table: 'sessions', type: 'uuid', session: 't.id', readable: (caller) => readableSql(caller, 't.id') },
  AGENT: { table: 'agents', type: 'text', session: 'NULL', readable: () => 'true' },
  HANDOFF: {
    table: 'handoffs',
    type: 'uuid',
    session: 't.session_id',
    readable: (caller) => readableEntrySql(caller, 'handoffs'),
  },
  MESSAGE: {
    table: 'messages',
    type: 'uuid',
    session: 't.session_id',
    readable: (caller) => readableEntrySql(caller, 'messages'),
  },
  TOOL_CALL: {
    table: 'tool_calls',
    type: 'uuid',
    session: 't.session_id',
    readable: (caller) => readableEntrySql(caller, 'tool_calls'),
  },
};

/** The named records, the first one best. */
const ofNames =
  (kind: Kind): Part =>
  ({ named, caller, sessionId }, place) => {
    const { table, type, session, readable } = tables[kind];
    const inSession = sessionId === null ? '' : ` AND ${session} = ${place(sessionId)}::uuid`;
    const ids = named.filter((each) => each.kind === kind).map(({ id }) => id);
    const order = place(named.map(({ id }) => id));
    return `SELECT '${kind}' AS kind, t.id::text, 1000 - array_position(${order}::text[], t.id::text) AS rank FROM ${table} t WHERE t.id = ANY (${place(ids)}::${type}[]) AND ${readable(caller)}${inSession}`;
  };

function matches(search: Search): { sql: string; values: unknown[]; place: (value: unknown) => string } {
  const values: unknown[] = [];
  const place = (value: unknown): string => `$${values.push(value)}`;
  const parts = search.types.map((kind) => (search.named.length > 0 ? ofNames(kind) : ofWords[kind])(search, place));
  return { sql: parts.map((part) => `(${part})`).join('\nUNION ALL\n'), values, place };
}

/** At most `take` results from `after` on, best first. In one statement, which is planned for its words: it has no name. */
export async function findMatches(pool: Pool, search: Search, take: number): Promise<Found[]> {
  if (search.types.length === 0) return [];
  const { sql, values, place } = matches(search);
  const { after } = search;
  const key = `array_position(ARRAY['${kinds.join("', '")}'], kind)`;
  const beyond =
    after === null ? 'true' : afterSql(key, [after.rank, kinds.indexOf(after.kind) + 1, after.id].map(place));
  const { rows } = await pool.query<Found>(
    `WITH found AS (${sql})
     SELECT kind, id, rank, (SELECT max(id COLLATE "C") FROM found WHERE kind <> 'AGENT') AS newest
     FROM found WHERE ${beyond} ORDER BY rank DESC, ${key}, id COLLATE "C" DESC LIMIT ${place(take)}::int`,
    values,
  );
  return after === null ? rows : rows.map((row) => ({ ...row, newest: after.newest ?? row.newest }));
}

const afterSql = (key: string, [rank, kind, id]: string[]): string =>
  `(rank < ${rank}::int OR (rank = ${rank}::int AND (${key} > ${kind}::int OR (${key} = ${kind}::int AND id COLLATE "C" < ${id}::text))))`;

/** How many results there are. */
export async function countMatches(pool: Pool, search: Search): Promise<number> {
  if (search.types.length === 0) return 0;
  const { sql, values } = matches({ ...search, after: null });
  const { rows } = await pool.query<{ count: number }>(`SELECT count(*)::int AS count FROM (${sql}) f`, values);
  return rows[0]!.count;
}

const textsOf: Record<Kind, (ids: string) => string> = {
  SESSION: (ids) =>
    `SELECT 'SESSION ' || id AS key, json_build_object('title', title, 'externalId', external_id, 'endReason', end_reason, 'summary', left(summary, ${indexed})) AS texts FROM sessions WHERE id = ANY (${ids}::uuid[])`,
  AGENT: (ids) =>
    `SELECT 'AGENT ' || id AS key, json_build_object('name', name, 'id', id, 'role', role, 'description', left(description, ${indexed})) AS texts FROM agents WHERE id = ANY (${ids}::text[])`,
  HANDOFF: (ids) =>
    `SELECT 'HANDOFF ' || id AS key, json_build_object('reason', reason, 'rejectionReason', rejection_reason, 'failureReason', failure_reason, 'cancelReason', cancel_reason) AS texts FROM handoffs WHERE id = ANY (${ids}::uuid[])`,
  MESSAGE: (ids) =>
    `SELECT 'MESSAGE ' || id AS key, json_build_object('content', left(content, ${indexed})) AS texts FROM messages WHERE id = ANY (${ids}::uuid[])`,
  TOOL_CALL: (ids) =>
    `SELECT 'TOOL_CALL ' || id AS key, json_build_object('name', name, 'arguments', ${argumentsText}, 'result', left(result, ${indexed}), 'error', left(error, ${indexed})) AS texts FROM tool_calls t WHERE id = ANY (${ids}::uuid[])`,
};

/** The searched texts of results that were found for this caller, by `keyOf`, in one statement. */
export async function textsOfResults(
  pool: Pool,
  results: readonly Named[],
): Promise<Map<string, Record<string, string | null>>> {
  const values: string[][] = [];
  const parts = kinds.flatMap((kind) => {
    const ids = results.filter((result) => result.kind === kind).map(({ id }) => id);
    return ids.length === 0 ? [] : [textsOf[kind](`$${values.push(ids)}`)];
  });
  if (parts.length === 0) return new Map();
  const { rows } = await pool.query<{ key: string; texts: Record<string, string | null> }>(
    parts.join('\nUNION ALL\n'),
    values,
  );
  return new Map(rows.map(({ key, texts }) => [key, texts]));
}

export const keyOf = ({ kind, id }: Named): string => `${kind} ${id}`;
