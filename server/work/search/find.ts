import type { Pool } from 'pg';
import { statement } from '../../core/changes.ts';
import { readable, readsSession } from '../../core/rights.ts';
import { pageOfNewest } from './newest.ts';
import { type Found, type Place, queriesOf, type Queries, type Search } from './query.ts';
import { type Kind, kinds, type Named, type Terms } from './terms.ts';

/** Matches of Sessions and of Agents that are ranked by title and name, the newest ones; and the most that a count says of any type. */
export const ranked = 1_000;

/** Characters of a text that are indexed: the function search_text has the number too. */
const indexed = 20_000;

/** The values of a call's arguments as text, without their names. */
const argumentsText = `left((SELECT string_agg(value #>> '{}', ' ') FROM jsonb_path_query(t.arguments, 'strict $.**') value WHERE jsonb_typeof(value) NOT IN ('object', 'array')), ${indexed})`;

// Projects are found by a loose scan of their index, whatever the number of sessions.
const readMeant = statement(`
WITH RECURSIVE p AS (
  (SELECT project AS name FROM sessions WHERE project IS NOT NULL AND cardinality($2::text[]) > 0 ORDER BY project LIMIT 1)
  UNION ALL SELECT (SELECT project FROM sessions WHERE project > p.name ORDER BY project LIMIT 1) FROM p WHERE p.name IS NOT NULL)
SELECT
  ARRAY(SELECT id FROM agents WHERE ARRAY[lower(id), lower(search_folded(name))] && ARRAY(SELECT lower(search_folded(unnest($1::text[]))))) AS agents,
  ARRAY(SELECT name FROM p WHERE lower(search_folded(name)) = ANY (ARRAY(SELECT lower(search_folded(unnest($2::text[])))))) AS projects`);

/** The terms with the agents and projects that their prefixes mean: by id or name, case and accents aside. */
export async function meantBy(pool: Pool, terms: Terms): Promise<Terms> {
  if (terms.agents.length + terms.projects.length === 0) return terms;
  const { rows } = await pool.query<Pick<Terms, 'agents' | 'projects'>>({
    ...readMeant,
    values: [terms.agents, terms.projects],
  });
  const [{ agents, projects }] = rows as [Pick<Terms, 'agents' | 'projects'>];
  // What means nothing still limits what is found.
  return {
    ...terms,
    agents: terms.agents.length === 0 ? [] : [...agents, ...terms.agents],
    projects: terms.projects.length === 0 ? [] : [...projects, ...terms.projects],
  };
}

/**
 * SQL of a table with the matches of one type and their ranks. `most`: results of a page, which may begin at `after`; without it up to
 * `ranked` matches are found, to be counted.
 */
type Part = (search: Search, place: Place, most: number | null) => string;

/** For a type with titles or names, and for a count: the newest matches of every word as it is, then those of a prefix where there is room. */
const bestOf = (kind: Kind, { exact, any }: Queries, read: (matches: string, limit: string) => string): string => {
  const prefixes = `UNION ALL (SELECT '${kind}' AS kind, id::text, 1 AS rank FROM (${read(`words @@ ${any} AND NOT words @@ ${exact}`, `(SELECT ${ranked} - count(*) FROM exact)`)}) p)`;
  return `WITH exact AS MATERIALIZED (${read(`words @@ ${exact}`, `${ranked}`)})
    (SELECT '${kind}' AS kind, id::text, CASE WHEN ts_filter(words, '{a}') @@ ${exact} THEN 3 ELSE 2 END AS rank FROM exact) ${exact === any ? '' : prefixes}`;
};

const nothing = (kind: Kind): string => `SELECT '${kind}' AS kind, NULL::text AS id, 0 AS rank WHERE false`;

const entries =
  (kind: Kind, ofAgent: (agents: string) => string, readable: (search: Search) => string): Part =>
  (search, place, most) => {
    const { terms, after } = search;
    // PostgreSQL refuses a parameter that no statement uses, so that what finds nothing places none.
    const queries = terms.tools.length > 0 && kind !== 'TOOL_CALL' ? null : queriesOf(terms, place);
    if (queries === null) return nothing(kind);
    const sessions = [
      ...(search.sessionId === null ? [] : [`t.session_id = ${place(search.sessionId)}::uuid`]),
      ...(search.sessionIds === null ? [] : [`t.session_id = ANY (${place(search.sessionIds)}::uuid[])`]),
    ];
    const others = [
      ...(terms.agents.length === 0 ? [] : [ofAgent(`ANY (${place(terms.agents)}::text[])`)]),
      ...(terms.projects.length === 0
        ? []
        : [
            `EXISTS (SELECT FROM sessions g WHERE g.id = t.session_id AND g.project = ANY (${place(terms.projects)}::text[]))`,
          ]),
      ...(terms.tools.length === 0
        ? []
        : [
            `EXISTS (SELECT FROM tool_calls g WHERE g.id = t.id AND lower(g.name) = ANY (${place(terms.tools.map((tool) => tool.toLowerCase()))}::text[]))`,
          ]),
      readable(search),
    ];
    if (most !== null && kind !== 'SESSION')
      return pageOfNewest(kind, queries, search, { take: most, place, sessions, others });
    const conditions = [
      `t.kind = '${kind}'`,
      ...(after?.newest == null ? [] : [`t.id <= ${place(after.newest)}::uuid`]),
      ...sessions,
      ...others,
    ];
    return bestOf(
      kind,
      queries,
      (matches, limit) =>
        `SELECT t.id, t.words FROM search_entries t WHERE t.${matches.replaceAll(' NOT words', ' NOT t.words')} AND ${conditions.join(' AND ')} ORDER BY t.id DESC LIMIT ${limit}`,
    );
  };

const wordsOfAgent = 'search_words_of_agent(id, name, role, description)';
const ofWords: Record<Kind, Part> = {
  SESSION: entries(
    'SESSION',
    (agents) => `EXISTS (SELECT FROM agent_sessions g WHERE g.session_id = t.session_id AND g.agent_id = ${agents})`,
    ({ caller }) => readsSession(caller, 't.session_id'),
  ),
  AGENT: ({ terms }, place) => {
    const queries = terms.tools.length + terms.projects.length > 0 ? null : queriesOf(terms, place);
    if (queries === null) return nothing('AGENT');
    const named = terms.agents.length === 0 ? '' : ` AND id = ANY (${place(terms.agents)}::text[])`;
    return bestOf(
      'AGENT',
      queries,
      (matches, limit) =>
        `SELECT id, ${wordsOfAgent} AS words FROM agents WHERE ${matches.replaceAll(/\bwords @@/g, `${wordsOfAgent} @@`)}${named} ORDER BY registered_at DESC, id LIMIT ${limit}`,
    );
  },
  HANDOFF: entries(
    'HANDOFF',
    (agents) =>
      `EXISTS (SELECT FROM handoffs g WHERE g.id = t.id AND (g.source_agent_id = ${agents} OR g.target_agent_id = ${agents}))`,
    ({ caller }) => `EXISTS (SELECT FROM handoffs h WHERE h.id = t.id AND ${readable(caller, 'Handoff', 'h')})`,
  ),
  MESSAGE: entries(
    'MESSAGE',
    (agents) =>
      `EXISTS (SELECT FROM messages g JOIN agent_sessions a ON a.id = g.agent_session_id WHERE g.id = t.id AND a.agent_id = ${agents})`,
    ({ caller }) => readable(caller, 'Message', 't'),
  ),
  TOOL_CALL: entries(
    'TOOL_CALL',
    (agents) =>
      `EXISTS (SELECT FROM tool_calls g JOIN turns u ON u.id = g.turn_id JOIN agent_sessions a ON a.id = u.agent_session_id WHERE g.id = t.id AND a.agent_id = ${agents})`,
    ({ caller }) => readable(caller, 'ToolCall', 't'),
  ),
};

const tables: Record<
  Kind,
  { table: string; type: string; session: string; readable: (caller: Search['caller']) => string }
> = {
  SESSION: { table: 'sessions', type: 'uuid', session: 't.id', readable: (caller) => readable(caller, 'Session', 't') },
  AGENT: { table: 'agents', type: 'text', session: 'NULL', readable: () => 'true' },
  HANDOFF: {
    table: 'handoffs',
    type: 'uuid',
    session: 't.session_id',
    readable: (caller) => readable(caller, 'Handoff', 't'),
  },
  MESSAGE: {
    table: 'messages',
    type: 'uuid',
    session: 't.session_id',
    readable: (caller) => readable(caller, 'Message', 't'),
  },
  TOOL_CALL: {
    table: 'tool_calls',
    type: 'uuid',
    session: 't.session_id',
    readable: (caller) => readable(caller, 'ToolCall', 't'),
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

function matches(
  search: Search,
  most: number | null,
): { sql: string; values: unknown[]; place: (value: unknown) => string } {
  const values: unknown[] = [];
  const place = (value: unknown): string => `$${values.push(value)}`;
  const parts = search.types.map((kind) =>
    (search.named.length > 0 ? ofNames(kind) : ofWords[kind])(search, place, most),
  );
  return { sql: parts.map((part) => `(${part})`).join('\nUNION ALL\n'), values, place };
}

const newestOfAll = `SELECT e.id::text FROM unnest(ARRAY['${kinds.join("', '")}']) k(kind) CROSS JOIN LATERAL
  (SELECT id FROM search_entries WHERE kind = k.kind ORDER BY id DESC LIMIT 1) e ORDER BY e.id DESC LIMIT 1`;

/** At most `take` results from `after` on, best first. In one statement, which is planned for its words: it has no name. */
export async function findMatches(pool: Pool, search: Search, take: number): Promise<Found[]> {
  if (search.types.length === 0) return [];
  const { sql, values, place } = matches(search, take);
  const { after } = search;
  const key = `array_position(ARRAY['${kinds.join("', '")}'], kind)`;
  const beyond =
    after === null ? 'true' : afterSql(key, [after.rank, after.id, kinds.indexOf(after.kind) + 1].map(place));
  const { rows } = await pool.query<Found>(
    `WITH found AS (${sql})
     SELECT kind, id, rank, (${newestOfAll}) AS newest
     FROM found WHERE ${beyond} ORDER BY rank DESC, id COLLATE "C" DESC, ${key} LIMIT ${place(take)}::int`,
    values,
  );
  return after === null ? rows : rows.map((row) => ({ ...row, newest: after.newest ?? row.newest }));
}

const afterSql = (key: string, [rank, id, kind]: string[]): string =>
  `(rank < ${rank}::int OR (rank = ${rank}::int AND (id COLLATE "C" < ${id}::text OR (id = ${id}::text AND ${key} > ${kind}::int))))`;

/** How many results there are, and whether there may be more: the newest of each type are counted. */
export async function countMatches(pool: Pool, search: Search): Promise<{ count: number; isLowerBound: boolean }> {
  if (search.types.length === 0) return { count: 0, isLowerBound: false };
  const { sql, values } = matches({ ...search, after: null }, null);
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM (${sql}) f GROUP BY kind`,
    values,
  );
  return {
    count: rows.reduce((sum, { count }) => sum + count, 0),
    isLowerBound: rows.some(({ count }) => count >= ranked),
  };
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
