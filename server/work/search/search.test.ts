import fc from 'fast-check';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { adminKey, secretFor } from '../../../test/keyring.ts';
import { startApp } from '../../../test/server.ts';
import { toolCall, world } from '../../../test/world.ts';
import { encodeId, newId } from '../../core/ids.ts';
import { updateAgent } from '../agents/updateAgent.ts';
import { acceptHandoff, rejectHandoff } from '../handoffs/changeHandoff.ts';
import { completeSession } from '../sessions/changeSession.ts';
import { updateSession } from '../sessions/updateSession.ts';
import { wordsIn } from './words.ts';

const database = await testDatabase();
const { pool } = database;
const { url } = await startApp(database, { variables: { BATON_ADMIN_KEY: adminKey } });
const { agent, session, initiate, turn, run } = world(pool);
const admin = client(url, { key: adminKey });

interface Page {
  edges: {
    cursor: string;
    node: { __typename: string; id: string };
    match: { field: string; text: string; marks: { start: number; end: number }[] } | null;
  }[];
  nodes: { id: string }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
  totalCount: number;
}
const searching = `query ($query: String!, $types: [SearchType!], $first: Int, $after: String) {
  search(query: $query, types: $types, first: $first, after: $after) {
    edges { cursor node { __typename ... on Session { id } ... on Agent { id } ... on Handoff { id } ... on Message { id } } match { field text marks { start end } } }
    nodes { ... on Session { id } ... on Agent { id } ... on Handoff { id } ... on Message { id } }
    pageInfo { hasNextPage endCursor } totalCount
  }
}`;

async function search(
  query: string,
  more: { types?: string[]; first?: number; after?: string | null } = {},
  as = admin,
): Promise<Page> {
  const { data, errors } = await as.post<{ search: Page }>(searching, { query, ...more });
  expect(errors).toBeUndefined();
  return data.search;
}
const found = async (query: string, types?: string[], as = admin): Promise<string[]> =>
  (await search(query, types && { types }, as)).nodes.map(({ id }) => id);

const ids = { session: '', handoff: '', message: '' };

beforeAll(async () => {
  await agent('ada', { maxCapacity: 1_000 });
  await agent('bob', { maxCapacity: 1_000 });
  await agent('payments-expert', { role: 'reviewer' });
  await run(updateAgent, { id: 'payments-expert', name: 'Pia', description: 'Knows ledgers and invoices.' });
  await run(updateAgent, { id: 'ada', collaborators: ['bob'] });
  const sessionId = await session('ada', {
    title: 'Login fails after the refresh token expires',
    externalId: 'SHOP-4711',
  });
  await turn(sessionId, {
    agentId: null,
    messages: [
      { role: 'USER', content: 'Please mend server/auth/refreshToken.ts: Äpfel and 登录错误 break it.' },
      { role: 'ASSISTANT', content: 'The clock of the gateway was skewed.' },
    ],
  });
  const { handoffId } = await initiate(sessionId, 'bob', { reason: 'Needs a second pair of eyes' });
  await run(rejectHandoff, { handoffId, reason: 'The migration is missing' });
  const { rows } = await pool.query<{ id: string }>(`SELECT id FROM messages WHERE role = 'USER'`);
  Object.assign(ids, {
    session: encodeId('session', sessionId),
    handoff: encodeId('handoff', handoffId),
    message: encodeId('message', rows[0]!.id),
  });
});

describe('search finds', () => {
  test.each([
    ['a session by words of its title in any order', 'expires token login', () => ids.session],
    ['the last word by its beginning', 'login tok', () => ids.session],
    ['a session by its external id', 'SHOP-4711', () => ids.session],
    ['an agent by its id', 'payments-expert', () => 'payments-expert'],
    ['an agent by its name', 'pia', () => 'payments-expert'],
    ['an agent by its description', 'invoices', () => 'payments-expert'],
    ['a handoff by its reason', 'second pair', () => ids.handoff],
    ['a handoff by the reason of its rejection', 'migration missing', () => ids.handoff],
    ['a message by its text', 'please mend', () => ids.message],
    ['a name in a path, whatever its case', 'AUTH refreshtoken', () => ids.message],
    ['a word with an umlaut', 'äpfel', () => ids.message],
    ['a word without its accents', 'apfel', () => ids.message],
    ['a part of a name in code', 'mend token', () => ids.message],
    ['characters of a text without spaces', '登录', () => ids.message],
  ])('%s', async (_what, query, wanted) => {
    expect((await found(query))[0]).toBe(wanted());
  });

  test.each([
    ['no record that lacks a word', 'login invoices'],
    ['no record by the beginning of a word that is not the last', 'refr token login'],
    ['nothing without a word', ' .-“ '],
    ['nothing for an empty query', ''],
  ])('%s', async (_what, query) => {
    expect(await search(query)).toMatchObject({ nodes: [], totalCount: 0 });
  });

  it('records by id and by the URL of a page, without words', async () => {
    expect(await found(ids.handoff)).toEqual([ids.handoff]);
    expect(await found(`http://localhost:4000/sessions/${ids.session}?message=${ids.message}`)).toEqual([
      ids.message,
      ids.session,
    ]);
    expect(await found('http://localhost:4000/agents/ada')).toEqual(['ada']);
    expect(await found(encodeId('session', newId()))).toEqual([]);
    expect((await search(ids.session)).edges).toMatchObject([{ node: { __typename: 'Session' }, match: null }]);
  });

  it('only the types that are asked for', async () => {
    expect(await found('token', ['SESSION'])).toEqual([ids.session]);
    expect(await found('refresh', ['HANDOFF', 'AGENT'])).toEqual([]);
    expect(await found(ids.session, ['MESSAGE'])).toEqual([]);
    expect(await found('token', [])).toEqual([]);
  });

  it('a title before a message that says the same', async () => {
    const sessionId = await session('ada', { title: 'Quarterly totals' });
    await turn(sessionId, { messages: [{ role: 'ASSISTANT', content: 'Quarterly totals' }] });
    const { edges } = await search('quarterly totals');
    expect(edges.map(({ node }) => node.__typename)).toEqual(['Session', 'Message']);
  });

  it('changed words, and no longer the old ones', async () => {
    const sessionId = await session('ada', { title: 'Provisional heading' });
    await run(updateSession, { sessionId, title: 'Definitive heading', expectedVersion: null });
    expect(await found('provisional')).toEqual([]);
    expect(await found('definitive')).toEqual([encodeId('session', sessionId)]);
    await run(completeSession, { sessionId, result: null, summary: 'All archipelagos counted', expectedVersion: null });
    expect(await found('archipelagos')).toEqual([encodeId('session', sessionId)]);
  });
});

describe('the terms of a query', () => {
  const titles: Record<string, string> = {};
  const titled = async (title: string, fields: object = {}, agentId = 'ada'): Promise<string> =>
    (titles[title] = encodeId('session', await session(agentId, { title, ...fields })));
  beforeAll(async () => {
    await titled('Kestrel nests in the tower');
    await titled('Kestrels hunt by the sea', { project: 'birds' });
    await titled('Tower of kestrel eggs', { project: 'birds' }, 'bob');
    await titled('The kestrelling season');
    await agent('carl');
    await run(updateAgent, { id: 'carl', name: 'Carl Größer' });
    await titled('Kestrels in autumn', { project: 'Vögel Süd' }, 'carl');
  });
  const titlesOf = async (query: string): Promise<(string | undefined)[]> => {
    const byId = new Map(Object.entries(titles).map(([title, id]) => [id, title]));
    return (await found(query, ['SESSION'])).map((id) => byId.get(id));
  };

  test.each([
    [
      'an exact word before a prefix, the newest first',
      'kestrel',
      [
        'Tower of kestrel eggs',
        'Kestrel nests in the tower',
        'Kestrels in autumn',
        'The kestrelling season',
        'Kestrels hunt by the sea',
      ],
    ],
    ['a phrase in its order', '"kestrel nests"', ['Kestrel nests in the tower']],
    ['a phrase and a word', 'tower "of kestrel"', ['Tower of kestrel eggs']],
    ['a word without others', 'kestrels -tower', ['Kestrels in autumn', 'Kestrels hunt by the sea']],
    ['a word without a phrase', 'kestrel tower -"kestrel nests"', ['Tower of kestrel eggs']],
    ['what an agent had', 'kestrel agent:bob', ['Tower of kestrel eggs']],
    ['of an agent, by a prefix that is last', 'agent:bob kestrel', ['Tower of kestrel eggs']],
    ['of a project', 'project:birds kest', ['Tower of kestrel eggs', 'Kestrels hunt by the sea']],
    ['of a project in another spelling', 'project:"VOGEL süd" kest', ['Kestrels in autumn']],
    [
      'of several projects',
      'project:birds project:"vögel süd" kestrels',
      ['Kestrels in autumn', 'Kestrels hunt by the sea'],
    ],
    ['of an agent by its name', 'agent:"carl grösser" kest', ['Kestrels in autumn']],
    ['of an agent by its id in capitals', 'agent:CARL kest', ['Kestrels in autumn']],
    ['nothing of a project that does not exist', 'project:fish kest', []],
    ['of a tool: no session', 'tool:bash kestrel', []],
    ['nothing by an exclusion alone', '-kestrel', []],
    ['nothing by an agent alone', 'agent:bob', []],
  ])('find %s', async (_what, query, expected) => {
    expect(await titlesOf(query)).toEqual(expected);
  });

  it('find handoffs and messages of an agent, and calls of a tool', async () => {
    const uuid = await session('ada', { title: 'Falcons' });
    const sessionId = encodeId('session', uuid);
    await turn(uuid, {
      messages: [{ role: 'ASSISTANT', content: 'The osprey left.' }],
      toolCalls: [toolCall('a', 'Bash', { result: 'osprey' }), toolCall('b', 'Grep', { result: 'osprey' })],
    });
    const { handoffId } = await initiate(uuid, 'bob', { reason: 'osprey expert' });
    expect(await found('agent:ada osprey', ['MESSAGE'])).toHaveLength(1);
    expect(await found('agent:bob osprey', ['MESSAGE'])).toEqual([]);
    expect(await found('agent:bob osprey', ['HANDOFF'])).toEqual([encodeId('handoff', handoffId)]);
    const calls =
      'query ($query: String!, $sessionId: ID!) { search(query: $query, types: [TOOL_CALL], sessionId: $sessionId) { totalCount } }';
    for (const [query, count] of [
      ['osprey', 2],
      ['osprey tool:BASH', 1],
      ['tool:Bash tool:grep osprey', 2],
      ['osprey tool:Write', 0],
      ['osprey -tool', 2],
    ] as const)
      expect((await admin.post<{ search: object }>(calls, { query, sessionId })).data.search).toEqual({
        totalCount: count,
      });
  });
});

describe('words are cut and compared', () => {
  const letters = fc.constantFrom(
    ...'aäÄáåøØłŁßæŒçñéÉİıΣς登録ёЁйअคｆﬁ'.split(''),
    'e\u0301',
    'n\u0303',
    '1',
    '_',
    '.',
    ' ',
    'B',
    'x',
  );
  const texts = fc.array(letters, { minLength: 1, maxLength: 14 }).map((parts) => parts.join(''));

  it('in the database as in the process, whatever the text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { minLength: 1, maxLength: 50 }), async (given) => {
        const { rows } = await pool.query<{ words: string[] }>(
          `SELECT array_remove(regexp_split_to_array(search_text(text), ' +'), '') AS words FROM unnest($1::text[]) WITH ORDINALITY AS t (text, n) ORDER BY n`,
          [given],
        );
        expect(rows.map(({ words }) => words)).toEqual(given.map(wordsIn));
      }),
    );
  });

  it('without their accents, in names and parts of names, and each match is marked', async () => {
    const word = fc.string({ unit: fc.constantFrom(...'bdfgkpvz'.split('')), minLength: 3, maxLength: 6 });
    const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
    const accented = (text: string): string => text.replace('g', 'ģ').replace('z', 'ž').replace('d', 'đ');
    const names: ((words: string[]) => string)[] = [
      (words) => words.map((each, at) => (at === 0 ? each : capital(each))).join(''),
      (words) => words.map(capital).join(''),
      (words) => `HTTP${words.map(capital).join('')}`,
      (words) => words.join('_'),
      (words) => words.join('_').toUpperCase(),
      (words) => words.join('-'),
      (words) => `set_${words.map((each, at) => (at === 0 ? each : capital(each))).join('')}_`,
      (words) => `src/${words.join('/')}.ts`,
      (words) => words.map(accented).join('.'),
      (words) => `v2${words.map((each) => capital(accented(each))).join('')}`,
    ];
    const id = await session('ada');
    const asked = fc.record({
      words: fc.array(word, { minLength: 2, maxLength: 4 }),
      name: fc.constantFrom(...names),
      at: fc.nat(),
      capitals: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(asked, async ({ words, name, at, capitals }) => {
        const content = `See ${name(words)} there`;
        await turn(id, { messages: [{ role: 'ASSISTANT', content }] });
        const part = words[at % words.length]!;
        const { edges } = await search(`"${capitals ? part.toUpperCase() : part}"`, { types: ['MESSAGE'], first: 100 });
        const { rows } = await pool.query<{ id: string }>('SELECT id FROM messages ORDER BY id DESC LIMIT 1');
        const match = edges.find(({ node }) => node.id === encodeId('message', rows[0]!.id))?.match;
        const marked = match?.marks.map(({ start, end }) => wordsIn(match.text.slice(start, end)).join());
        expect(marked?.some((text) => text.startsWith(part))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

it('a totalCount is exact below 1,000 results of a type, and is said to be a lower bound from there on', async () => {
  const count = async (query: string) =>
    (
      await admin.post<{ search: object }>(
        'query ($query: String!) { search(query: $query) { totalCount totalCountIsLowerBound } }',
        { query },
      )
    ).data.search;
  const id = await session('ada', { title: 'Many' });
  await pool.query(
    `INSERT INTO search_entries (kind, id, session_id, sequence, words) SELECT 'MESSAGE', gen_random_uuid(), $1, n, search_words('gannet', 'D') FROM generate_series(1, 999) n`,
    [id],
  );
  expect(await count('gannet')).toEqual({ totalCount: 999, totalCountIsLowerBound: false });
  await pool.query(
    `INSERT INTO search_entries (kind, id, session_id, sequence, words) SELECT 'MESSAGE', gen_random_uuid(), $1, n, search_words('gannets', 'D') FROM generate_series(1000, 1010) n`,
    [id],
  );
  expect(await count('gannet')).toEqual({ totalCount: 1_000, totalCountIsLowerBound: true });
  await pool.query(`DELETE FROM search_entries WHERE session_id = $1 AND kind = 'MESSAGE'`, [id]);
});

it('finds only what belongs to a Session, on request', async () => {
  const [one, other] = [await session('ada', { title: 'Marmots' }), await session('ada', { title: 'Marmots too' })];
  for (const id of [one, other]) await turn(id, { messages: [{ role: 'ASSISTANT', content: 'Marmots whistle.' }] });
  const within = `query ($query: String!, $sessionId: ID, $after: String) { search(query: $query, sessionId: $sessionId, first: 1, after: $after) { totalCount pageInfo { endCursor } nodes { __typename ... on Session { id } ... on Message { session { id } } } } }`;
  const ask = async (variables: object) =>
    admin.post<{ search: { totalCount: number; pageInfo: { endCursor: string }; nodes: object[] } }>(within, variables);
  const sessionId = encodeId('session', one);
  const { data: first } = await ask({ query: 'marmots', sessionId });
  expect(first.search).toMatchObject({ totalCount: 2, nodes: [{ __typename: 'Session', id: sessionId }] });
  const after = first.search.pageInfo.endCursor;
  expect((await ask({ query: 'marmots', sessionId, after })).data.search.nodes).toEqual([
    { __typename: 'Message', session: { id: sessionId } },
  ]);
  expect(
    (await ask({ query: 'marmots', sessionId: encodeId('session', other), after })).errors?.[0]?.extensions,
  ).toMatchObject({ code: 'BAD_USER_INPUT' });
  expect((await ask({ query: encodeId('session', other), sessionId })).data.search.nodes).toEqual([]);
  expect((await ask({ query: 'ada', sessionId })).data.search.totalCount).toBe(0);
});

describe('calls of tools', () => {
  const calls = `query ($query: String!, $sessionId: ID, $types: [SearchType!], $after: String) {
    search(query: $query, types: $types, sessionId: $sessionId, first: 2, after: $after) {
      edges { node { __typename ... on ToolCall { name index } } match { field text marks { start end } } } totalCount pageInfo { endCursor }
    }
  }`;
  interface Calls {
    search: {
      edges: {
        node: { __typename: string; name?: string; index?: number };
        match: { field: string; text: string; marks: { start: number; end: number }[] };
      }[];
      totalCount: number;
      pageInfo: { endCursor: string };
    };
  }
  let sessionId = '';
  let uuid = '';
  beforeAll(async () => {
    uuid = await session('bob', { title: 'Calls' });
    sessionId = encodeId('session', uuid);
    const far = `${'filler '.repeat(4_000)}unreachable`;
    await turn(uuid, {
      messages: [{ role: 'ASSISTANT', content: 'I look for the turbine.' }],
      toolCalls: [
        toolCall('a', 'Grep', {
          arguments: { pattern: 'one\nturbine blade', deep: [{ path: 'src/Rotor.ts' }] },
          result: 'nothing',
        }),
        toolCall('b', 'Bash', { arguments: { command: 'make' }, result: `The turbine was built.\n${far}` }),
        toolCall('c', 'Bash', { error: 'turbine: command not found' }),
        toolCall('d', 'Bash', { result: 'windturbines' }),
      ],
    });
    await turn(await session('bob'), { toolCalls: [toolCall('a', 'Grep', { result: 'turbine elsewhere' })] });
  });
  const ask = async (query: string, more: object = {}) =>
    (await admin.post<Calls>(calls, { query, sessionId, types: ['TOOL_CALL'], ...more })).data.search;
  const places = (page: Calls['search']) =>
    page.edges
      .map(({ node, match }) => [
        node.index,
        match.field,
        ...match.marks.map(({ start, end }) => match.text.slice(start, end)),
      ])
      .sort();

  it('are found in one session by arguments, result and error, with the field that has the words', async () => {
    const first = await ask('turbine');
    const rest = await ask('turbine', { after: first.pageInfo.endCursor });
    expect(first.totalCount).toBe(3);
    expect([...places(first), ...places(rest)].sort()).toEqual([
      [1, 'arguments', 'turbine'],
      [2, 'result', 'turbine'],
      [3, 'error', 'turbine'],
    ]);
    expect(places(await ask('rotor blad'))).toEqual([[1, 'arguments', 'Rotor', 'blade']]);
    expect(places(await ask('grep'))).toEqual([[1, 'name', 'Grep']]);
    for (const none of ['pattern', 'unreachable', 'nturbine', 'turbines']) expect(places(await ask(none))).toEqual([]);
  });

  it('are found in all sessions with everything else', async () => {
    const types = async (query: string, more: object) =>
      (await ask(query, more)).edges.map(({ node }) => node.__typename).sort();
    expect((await ask('turbine', { sessionId: null })).totalCount).toBe(4);
    expect(await types('turbine elsewhere', { sessionId: null, types: null })).toEqual(['ToolCall']);
    expect(await types('look turbine', { types: null })).toEqual(['Message']);
    expect((await ask('turbine tool:grep', { sessionId: null, types: null })).totalCount).toBe(2);
  });

  it('are found by a result that came later, and no more when they are deleted', async () => {
    const id = await session('bob');
    await turn(id, { toolCalls: [{ ...toolCall('late', 'Bash'), result: null }] });
    expect((await ask('anemometer', { sessionId: null })).totalCount).toBe(0);
    await pool.query(`UPDATE tool_calls SET result = 'The anemometer turns.' WHERE session_id = $1`, [id]);
    expect((await ask('anemometer', { sessionId: null })).totalCount).toBe(1);
    await pool.query('DELETE FROM tool_calls WHERE session_id = $1', [id]);
    expect((await ask('anemometer', { sessionId: null })).totalCount).toBe(0);
  });

  it('are found by those who may read their session', async () => {
    const other = client(url, { key: await secretFor(pool, 'AGENT', 'payments-expert') });
    for (const of of [sessionId, null])
      expect(
        (await other.post<Calls>(calls, { query: 'turbine', sessionId: of, types: ['TOOL_CALL'] })).data.search,
      ).toMatchObject({ edges: [], totalCount: 0 });
    const own = client(url, { key: await secretFor(pool, 'AGENT', 'bob') });
    expect(
      (await own.post<Calls>(calls, { query: 'turbine', sessionId, types: ['TOOL_CALL'] })).data.search.totalCount,
    ).toBe(3);
  });
});

it('a match names the field, and marks the words in its text', async () => {
  const { edges } = await search('skewed clock gate', { types: ['MESSAGE'] });
  const { field, text, marks } = edges[0]!.match!;
  expect([field, text]).toEqual(['content', 'The clock of the gateway was skewed.']);
  expect(marks.map(({ start, end }) => text.slice(start, end))).toEqual(['clock', 'gateway', 'skewed']);
});

describe('pages', () => {
  it('give every result once, also when records are added between them', async () => {
    const sessionId = await session('ada', { title: 'Lantern' });
    for (let at = 0; at < 4; at += 1)
      await turn(sessionId, {
        messages: Array.from({ length: 6 }, (_, n) => ({
          role: 'ASSISTANT' as const,
          content: `lantern ${'lamp '.repeat((at * 6 + n) % 5)}`,
        })),
      });
    const all = await found('lantern');
    expect(all).toHaveLength(25);
    const seen: string[] = [];
    for (let after: string | null = null; ;) {
      const page: Page = await search('lantern', { first: 4, after });
      seen.push(...page.nodes.map(({ id }) => id));
      await turn(sessionId, { messages: [{ role: 'ASSISTANT', content: 'lantern' }] });
      if (!page.pageInfo.hasNextPage) break;
      after = page.pageInfo.endCursor;
    }
    expect(seen).toEqual(all);
    expect((await search('lantern')).totalCount).toBe(25 + 7);
  });

  it.each([
    ['of another query', async () => (await search('login')).edges[0]!.cursor],
    ['of other types', async () => (await search('token', { types: ['SESSION'] })).edges[0]!.cursor],
    [
      'of another list',
      async () =>
        (
          await admin.post<{ sessions: { pageInfo: { endCursor: string } } }>(
            '{ sessions(first: 1) { pageInfo { endCursor } } }',
          )
        ).data.sessions.pageInfo.endCursor,
    ],
    ['that was made up', async () => Buffer.from('["search","x",1,"SESSION","x",null]').toString('base64url')],
  ])('refuse a cursor %s with BAD_USER_INPUT', async (_what, cursor) => {
    const { errors } = await admin.post(searching, { query: 'token', after: await cursor() });
    expect(errors).toMatchObject([
      {
        message: 'after is not a cursor of this search: send one that it returned',
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
  });
});

describe('a query over a limit', () => {
  test.each([
    ['has too many characters', 'x'.repeat(501), /501 characters.*500/],
    ['has too many words', 'x '.repeat(33), /33 words; the limit is 32/],
    ['has too many CJK characters', '登'.repeat(33), /33 words/],
    ['has 10,000 words', 'word '.repeat(10_000), /characters/],
    ['holds NUL', 'a\u0000b', /NUL/],
  ])('%s: BAD_USER_INPUT', async (_what, query, message) => {
    const { errors } = await admin.post(searching, { query });
    expect(errors).toMatchObject([
      { message: expect.stringMatching(message) as string, extensions: { code: 'BAD_USER_INPUT', path: ['query'] } },
    ]);
  });
});

it('no text of a query within the limits fails', async () => {
  const hostile = fc.constantFrom(
    '&',
    '|',
    '!',
    '<->',
    ':*',
    "'",
    "''",
    '\\',
    '(',
    ')',
    '%',
    '$1',
    '--',
    ':A',
    '1e5',
    '-5',
    '😀',
    'İ',
    'ß',
    'e\u0301',
    '\u202e',
    '登',
    'हिन्दी',
    '/agents/',
    ids.session,
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(hostile, fc.string({ unit: 'grapheme', maxLength: 8 })), { maxLength: 12 }),
      fc.constantFrom('', ' '),
      async (parts, between) => {
        const query = parts.join(between).replaceAll('\u0000', '');
        const { data, errors } = await admin.post<{ search: Page } | null>(searching, { query });
        if (errors === undefined) expect(data!.search.nodes.length).toBe(data!.search.edges.length);
        else expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
      },
    ),
    { numRuns: 100 },
  );
});

it('an agent finds what it may read, by words and by ids, and every other role finds all', async () => {
  const foreign = await session('bob', { title: 'Obelisk work' });
  await turn(foreign, { messages: [{ role: 'USER', content: 'Carve the obelisk' }] });
  await run(updateAgent, { id: 'bob', collaborators: ['payments-expert'] });
  const { handoffId } = await initiate(foreign, 'payments-expert', { reason: 'An obelisk expert is needed' });
  await run(acceptHandoff, { handoffId });
  const [ada, pia, analyst] = await Promise.all(
    (
      [
        ['AGENT', 'ada'],
        ['AGENT', 'payments-expert'],
        ['ANALYST', null],
      ] as const
    ).map(async ([role, agentId]) => client(url, { key: await secretFor(pool, role, agentId) })),
  );
  expect(await found('obelisk', undefined, ada)).toEqual([]);
  expect(await search('obelisk', {}, ada)).toMatchObject({ totalCount: 0 });
  for (const id of [encodeId('session', foreign), encodeId('handoff', handoffId)])
    expect([await found(id, undefined, ada), await found(id, undefined, pia)]).toEqual([[], [id]]);
  expect(await found('obelisk', undefined, pia)).toHaveLength(3);
  expect(await found('obelisk', undefined, analyst)).toEqual(await found('obelisk'));
  expect(await found('invoices', undefined, ada)).toEqual(['payments-expert']);
});

it('indexes no secret', async () => {
  const secret = ['ghp', 'aB3dE5gH7jK9mN1pQ3sT5vX7zA9cD1fG3hJ5'].join('_');
  const sessionId = await session('ada', { title: 'Vault' });
  const append = 'mutation ($input: AppendTurnInput!) { appendTurn(input: $input) { __typename } }';
  await admin.post(append, {
    input: {
      sessionId: encodeId('session', sessionId),
      messages: [{ role: 'USER', content: `Vault token ${secret} rotates` }],
    },
  });
  expect(await found('vault rotates')).toHaveLength(1);
  expect(await found(secret)).toEqual([]);
  const { rows } = await pool.query(`SELECT FROM search_entries WHERE words::text ILIKE '%' || $1 || '%'`, [
    secret.slice(4),
  ]);
  expect(rows).toEqual([]);
});
