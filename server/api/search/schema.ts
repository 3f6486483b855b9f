import { createHash } from 'node:crypto';
import { resolveNodes } from '@pothos/plugin-relay';
import type { GraphQLResolveInfo } from 'graphql';
import { z } from 'zod';
import { limits } from '../../core/limits.ts';
import { countMatches, findMatches, keyOf, meantBy, ranked, textsOfResults } from '../../work/search/find.ts';
import { type Match, matchIn } from '../../work/search/match.ts';
import { isUuid, newestTwentieth } from '../../work/search/newest.ts';
import type { Found, Search } from '../../work/search/query.ts';
import { isKind, type Kind, kinds, type Named, namedIn, termsOf } from '../../work/search/terms.ts';
import { wordsIn } from '../../work/search/words.ts';
import { everybody } from '../access/roles.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { type Connection, PageInfo, type Row } from '../graphql/connection.ts';
import type { GraphQLContext } from '../graphql/context.ts';
import { badArgument } from '../graphql/input/badArgument.ts';
import { decodeArgs, faultless, idOf, oneOf, optional, showAs, text } from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';
import { findSessionIds } from '../graphql/lists/readableLists.ts';
import { cutPage, pageOf, type PageOfRows } from '../graphql/page.ts';

const SearchType = builder.enumType('SearchType', {
  description: 'Types of records that `search` finds.',
  values: {
    SESSION: { description: 'Sessions, by title, external id, summary and reason of their end.' },
    AGENT: { description: 'Agents, by id, name, role and description.' },
    HANDOFF: { description: 'Handoffs, by their reasons.' },
    MESSAGE: { description: 'Messages, by the first 20,000 characters of their text.' },
    TOOL_CALL: {
      description: 'ToolCalls, by name, and the first 20,000 characters each of their arguments, result and error.',
    },
  },
});

const typeNames = {
  SESSION: 'Session',
  AGENT: 'Agent',
  HANDOFF: 'Handoff',
  MESSAGE: 'Message',
  TOOL_CALL: 'ToolCall',
} as const satisfies Record<Kind, string>;

const SearchResult = builder.unionType('SearchResult', {
  description: 'A record that `search` found.',
  types: [modelRef('Session'), modelRef('Agent'), modelRef('Handoff'), modelRef('Message'), modelRef('ToolCall')],
});

const TextRange = builder.objectRef<Match['marks'][number]>('TextRange').implement({
  access: 'inherit',
  description: 'A part of a text, in UTF-16 code units, as JavaScript counts them.',
  fields: (t) => ({
    start: t.exposeInt('start', { description: 'Place of its first code unit, from 0 on.' }),
    end: t.exposeInt('end', { description: 'Place after its last code unit.' }),
  }),
});

const SearchMatch = builder.objectRef<Match>('SearchMatch').implement({
  access: 'inherit',
  description: 'The part of a record that matches best.',
  fields: (t) => ({
    field: t.exposeString('field', {
      description: 'Name of the field that the text is from, such as `title`, `reason`, `content` or `result`.',
    }),
    text: t.exposeString('text', {
      description:
        "About 160 characters of the field, plain text; '…' where it was cut, a space for each run of white space.",
    }),
    marks: t.field({
      type: [TextRange],
      listSize: 5,
      description: 'Words of the query in `text`, in order.',
      resolve: ({ marks }) => marks,
    }),
  }),
});

interface Results extends Connection {
  page(): Promise<PageOfRows<Found>>;
  match(row: Found): Promise<Match | null>;
  isLowerBound(): Promise<boolean>;
}

/** The selected fields of these records, in their order: one statement for each type. */
const load = (context: GraphQLContext, info: GraphQLResolveInfo, rows: readonly Named[]): Promise<unknown[]> =>
  resolveNodes(
    builder,
    context,
    info,
    rows.map(({ kind, id }) => ({ typename: typeNames[kind], id })),
  );

const Edge = builder.objectRef<{ list: Results; row: Found }>('SearchResultEdge').implement({
  access: 'inherit',
  description: 'A result of a search, with its cursor.',
  fields: (t) => ({
    cursor: t.string({
      description: 'Position of this result, for `after`. Opaque.',
      resolve: ({ list, row }) => list.cursor(row),
    }),
    node: t.field({
      type: SearchResult,
      description: 'The record.',
      resolve: async ({ row }, _args, context, info) => (await load(context, info, [row]))[0] as never,
    }),
    match: t.field({
      type: SearchMatch,
      nullable: true,
      cost: 2,
      description:
        'The words of the query in the record; null when the query is an id, or when no single field shows a word.',
      resolve: ({ list, row }) => list.match(row),
    }),
  }),
});

const SearchResultConnection = builder.objectRef<Results>('SearchResultConnection').implement({
  access: 'inherit',
  description: 'A page of the results of a search, best first.',
  fields: (t) => ({
    edges: t.field({
      type: [Edge],
      listSize: 'page',
      description: 'The results of this page, each with its cursor and match.',
      resolve: async (list) => (await list.page()).rows.map((row) => ({ list, row })),
    }),
    nodes: t.field({
      type: [SearchResult],
      listSize: 'page',
      description: 'The records of this page.',
      resolve: async (list, _args, context, info) => (await load(context, info, (await list.page()).rows)) as never,
    }),
    pageInfo: t.field({
      type: PageInfo,
      description: 'Position of this page in the list.',
      resolve: async (list) => ({ list, page: await list.page() }),
    }),
    totalCount: t.int({
      cost: 50,
      description: `Number of the results: at most ${ranked.toLocaleString('en')} of each type (\`totalCountIsLowerBound\`). Computed only when selected.`,
      resolve: (list) => list.totalCount(),
    }),
    totalCountIsLowerBound: t.boolean({
      cost: 50,
      description: 'False: `totalCount` is exact. True: there may be more results.',
      resolve: (list) => list.isLowerBound(),
    }),
  }),
});

const { characters, words: maxWords } = limits.search;
const tooManyWords = (query: string): string | null => {
  const { length } = wordsIn(query);
  return length <= maxWords || namedIn(query).length > 0
    ? null
    : `has ${length} words; the limit is ${maxWords}: use fewer`;
};

const searchArgs = z.object({
  query: text({ characters })
    .check(faultless(tooManyWords))
    .describe(
      `Words in any order, all of which a record has to contain; the last one may be the beginning of a word. "Words in quotation marks" follow each other. -word and -"some words" leave records out. agent:, project: and tool: with an id or name ("in quotation marks" with spaces) limit what is found: agent: to its Sessions, Handoffs, Messages and ToolCalls, tool: to ToolCalls. Needs a word or a phrase. Or ids, such as session_..., or the URL of a page of the dashboard. At most ${characters} characters and ${maxWords} words.`,
    ),
  types: optional(showAs(z.array(oneOf(SearchType)), { items: oneOf(SearchType) })).describe(
    'Types to find. Null: all types.',
  ),
  sessionId: optional(idOf('session')).describe(
    'Finds this Session and its Handoffs, Messages and ToolCalls only, and no Agents. Null: anywhere.',
  ),
  first: optional(z.number()).describe('Returns the first N items (0 to 100). Default: 50.'),
  after: optional(z.string()).describe(
    'Returns the items after this cursor. The cursor must come from this search. Null: from the start.',
  ),
});

builder.queryField('search', (t) =>
  t.field({
    access: everybody,
    type: SearchResultConnection,
    cost: 50,
    description: `Finds records by their words or ids among those that the caller may read: first those with every word as it is, of these titles and names first, then those in which the last word begins one; newest first. Of Sessions and Agents the newest ${ranked.toLocaleString('en')} matches are found. Pages after the first leave out records that are newer than the first page.`,
    args: argsOf(searchArgs),
    resolve: async (_root, args, context): Promise<Results> => {
      const { query, types, sessionId, first, after } = decodeArgs(searchArgs, args);
      const asked = kinds.filter(
        (kind) => (types === null || types.includes(kind)) && !(kind === 'AGENT' && sessionId !== null),
      );
      const mark = markOf(query, asked, sessionId);
      const { take } = pageOf({ first }, { name: 'search', columns: {}, direction: 'desc' });
      const position = after === null ? null : positionOf(after, mark);
      const { caller, pool } = context;
      const [named, terms] = [namedIn(query), await meantBy(pool, termsOf(query))];
      const search: Search = {
        newestFrom: named.length > 0 ? null : await newestTwentieth(pool),
        terms,
        named,
        types: asked,
        caller,
        sessionIds: await findSessionIds(context),
        after: position,
        sessionId,
      };
      let found: Promise<PageOfRows<Found>> | undefined;
      let texts: ReturnType<typeof textsOfResults> | undefined;
      const page = (): Promise<PageOfRows<Found>> =>
        (found ??= findMatches(pool, search, take).then((rows) => cutPage(rows, { first, after })));
      let count: ReturnType<typeof countMatches> | undefined;
      const counted = (): ReturnType<typeof countMatches> => (count ??= countMatches(pool, search));
      return {
        page,
        cursor: (row: Row) => cursorOf(row as Found, mark),
        totalCount: async () => (await counted()).count,
        isLowerBound: async () => (await counted()).isLowerBound,
        match: async (row) => {
          if (named.length > 0) return null;
          const all = await (texts ??= page().then(({ rows }) => textsOfResults(pool, rows)));
          return matchIn(all.get(keyOf(row)) ?? {}, wordsIn([...terms.phrases, terms.words].join(' ')));
        },
      };
    },
  }),
);

/** A cursor is good for the same words, types and Session. */
const markOf = (query: string, types: readonly Kind[], sessionId: string | null): string =>
  createHash('sha256')
    .update(JSON.stringify([query, types, ...(sessionId === null ? [] : [sessionId])]))
    .digest('base64url')
    .slice(0, 8);

const cursorOf = ({ rank, kind, id, newest }: Found, mark: string): string =>
  Buffer.from(JSON.stringify(['search', mark, rank, kind, id, newest])).toString('base64url');

const cursorShape = z.tuple([
  z.literal('search'),
  z.string(),
  z.int32(),
  z.custom<Kind>(isKind),
  z.string().max(60),
  z.string().regex(isUuid).nullable(),
]);

function positionOf(cursor: string, mark: string): Found {
  const { data } = cursorShape.safeParse(parsed(cursor));
  if (data === undefined || data[1] !== mark)
    throw badArgument('after is not a cursor of this search: send one that it returned', ['after']);
  const [, , rank, kind, id, newest] = data;
  const position = { rank, kind, id, newest };
  if (cursorOf(position, mark) !== cursor)
    throw badArgument('after is not a cursor of this search: send one that it returned', ['after']);
  return position;
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return null;
  }
}
