import { getIntrospectionQuery, Kind, parse, print } from 'graphql';
import { describe, expect, test } from 'vitest';
import { schema } from '../../api/graphql/schema.ts';
import { limits } from '../../core/limits.ts';
import { checkOperation, parseWithin } from './checkOperation.ts';

const check = (source: string, variables: Record<string, unknown> = {}, operationName?: string) =>
  checkOperation(schema, parseWithin(source), operationName, variables);
const costOf = (source: string, variables?: Record<string, unknown>) => check(source, variables).cost;
const excesses = (source: string, variables?: Record<string, unknown>, operationName?: string) =>
  check(source, variables, operationName).errors.map(({ extensions: { what, actual } }) => [what, actual]);
const repeated = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');

describe('the cost is the number of records that an answer may read', () => {
  test.each([
    ['{ viewer { role } }', 1],
    ['{ session(id: "x") { id title agent { id } } }', 2],
    // The connection, then its rows.
    ['{ sessions(first: 7) { nodes { id title } } }', 1 + 7],
    ['{ sessions(last: 7) { edges { cursor node { id } } pageInfo { hasNextPage } } }', 1 + 7],
    ['{ sessions { pageInfo { hasNextPage } } }', 1 + 50],
    ['{ sessions { totalCount } }', 1 + 10],
    ['{ sessions(first: 7) { nodes { agent { id } lastHandoff { sourceAgent { id } } } } }', 1 + 7 * 4],
    ['{ sessions(first: 7) { nodes { handoffs(first: 3) { nodes { id } } } } }', 1 + 7 * (1 + 1 + 3)],
    ['{ sessions(first: 0) { nodes { agent { id } } } }', 1],
    // Lists without pages by what each may hold; what is part of a record as 10.
    ['{ handoff(id: "x") { chain { id sourceAgent { id } } } }', 1 + 100 * 2],
    ['{ session(id: "x") { tasks { id } decisions { id } contextVariables { name } } }', 1 + 100 + 100 + 10],
    [
      '{ session(id: "x") { turns(first: 3) { nodes { messages { id } toolCalls { message { id } } } } } }',
      1 + 1 + 3 * (1 + 50 + 50 * 2),
    ],
    // The first N of its pairs: its lists are counted as without.
    ['{ handoffGraph(first: 500) { pairCount edges { source { id } count } } }', 50 + 100 * 2],
    ['{ nodes(ids: ["a", "b", "c"]) { id ... on Session { agent { id } } } }', 3 * 2],
    ['{ handoffs(first: 10) { nodes { markdown } } }', 1 + 10 * 61],
    ['{ handoffs(first: 10) { nodes { contextPrompt { text } } } }', 1 + 10 * 89],
    ['{ handoffs(first: 10) { nodes { decisions summary reason } } }', 1 + 10 * (1 + 2 + 12)],
    // The Context is read once for all of its parts.
    [
      '{ handoffs(first: 10) { nodes { decisions ...F } } } fragment F on Handoff { filesModified leftOut { tasks } recentMessages { content } }',
      1 + 10 * (1 + 12),
    ],
    ['{ contextPreview(sessionId: "x") { text } }', 400],
    // A mutation, and what its payload selects.
    ['mutation { reassignSession(input: { sessionId: "x" }) { ... on Error { code message } } }', 1],
    [
      'mutation { reassignSession(input: { sessionId: "x" }) { ... on ReassignSessionPayload { session { id } handoff { id } } ... on Error { code } } }',
      3,
    ],
  ])('%s', (source, cost) => expect(costOf(source)).toBe(cost));

  test('takes the page size from the variable, its default, or the list', () => {
    const query = 'query ($n: Int = 20) { sessions(first: $n) { nodes { id } } }';
    expect([costOf(query, { n: 3 }), costOf(query), costOf(query, { n: null })]).toEqual([4, 21, 51]);
    expect(costOf('query ($n: Int) { sessions(first: $n) { nodes { id } } }')).toBe(51);
    expect(costOf('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: ['a', 'b'] })).toBe(2);
  });

  test.each([[-5], [1e9], ['7'], [[1]], [{}], [true], [Number.NaN]])(
    'counts an invalid page size of %j as the largest',
    (n) => {
      expect(costOf('query ($n: Int) { sessions(first: $n) { nodes { id } } }', { n })).toBe(101);
    },
  );

  test('counts the larger of first and last when both are given', () => {
    expect(costOf('{ sessions(first: 1, last: 90) { nodes { id } } }')).toBe(91);
  });

  test('is counted for the variables of each request', () => {
    const document = parseWithin('query ($n: Int) { sessions(first: $n) { nodes { id } } }');
    expect([5, 9, 5].map((n) => checkOperation(schema, document, null, { n }).cost)).toEqual([6, 10, 6]);
  });

  test('reads no value from a variable named like a property of every object', () => {
    expect(costOf('query ($constructor: Int) { sessions(first: $constructor) { nodes { id } } }')).toBe(51);
    expect(costOf('query ($__proto__: Int) { sessions(first: $__proto__) { nodes { id } } }')).toBe(51);
  });

  test('counts fragments at every spread, also inside a page', () => {
    const direct = costOf('{ sessions(first: 9) { nodes { agent { id } } } }');
    expect(
      costOf(
        '{ sessions(first: 9) { ...Page } } fragment Page on SessionConnection { nodes { ...Row } } fragment Row on Session { agent { id } }',
      ),
    ).toBe(direct);
    expect(
      costOf(
        '{ sessions(first: 9) { ... on SessionConnection { ... @include(if: true) { nodes { agent { id } } } } } }',
      ),
    ).toBe(direct);
  });

  test('counts what @skip leaves out', () => {
    expect(costOf('{ sessions(first: 9) @skip(if: true) { nodes { id } } }')).toBe(10);
  });
});

describe('an operation over a limit is rejected with the limit, the actual number and advice:', () => {
  const deep = (levels: number) =>
    `{ handoff(id: "x") ${'{ previous '.repeat(levels - 2)} { id } ${'}'.repeat(levels - 2)} }`;

  test('depth', () => {
    expect(excesses(deep(10))).toEqual([]);
    expect(excesses(deep(11))).toEqual([['depth', 11]]);
    expect(check(deep(11)).errors[0]).toMatchObject({
      message: 'The operation has 11 levels of fields; the limit is 10: query the deeper levels in a separate request',
      extensions: { code: 'LIMIT_EXCEEDED', what: 'depth', limit: 10, actual: 11, http: { spec: true, status: 400 } },
    });
  });

  test('depth through nested fragments', () => {
    const chain = repeated(12, (n) => `fragment F${n} on Handoff { previous { ...F${n + 1} } }`);
    expect(excesses(`{ handoff(id: "x") { ...F0 } } ${chain} fragment F12 on Handoff { id }`)).toEqual([['depth', 14]]);
  });

  test('aliases, at every spread of their fragment', () => {
    const query = (count: number) => `{ viewer { ${repeated(count, (n) => `a${n}: role`)} } }`;
    expect(excesses(query(15))).toEqual([]);
    expect(excesses(query(16))).toEqual([['aliases', 16]]);
    expect(
      excesses(
        '{ session(id: "x") { agent { ...A } lastHandoff { sourceAgent { ...A } } } } fragment A on Agent { a: id b: id c: id d: id e: id f: id g: id h: id }',
      ),
    ).toEqual([['aliases', 16]]);
    expect(excesses(`{ viewer { ${repeated(16, (n) => `a${n}: __typename`)} } }`)).toEqual([['aliases', 16]]);
  });

  test('root fields, fragments included', () => {
    const viewers = (count: number) => repeated(count, () => 'viewer { role }');
    expect(excesses(`{ ${viewers(10)} }`)).toEqual([]);
    expect(excesses(`{ ${viewers(6)} ...Q } fragment Q on Query { ${viewers(5)} }`)).toEqual([['rootFields', 11]]);
  });

  test('more than one mutation', () => {
    const pause = 'pauseSession(input: { sessionId: "x" }) { __typename }';
    expect(excesses(`mutation { __typename ${pause} }`)).toEqual([]);
    expect(excesses(`mutation { a: ${pause} b: ${pause} }`)).toEqual([['writes', 2]]);
    expect(excesses(`mutation { ${pause} ...M } fragment M on Mutation { ${pause} }`)).toEqual([['writes', 2]]);
  });

  test('directives anywhere in the document', () => {
    expect(excesses(`{ viewer { role ${'@skip(if: false) '.repeat(30)} } }`)).toEqual([]);
    expect(excesses(`{ viewer { role } } fragment Unused on Viewer { role ${'@a '.repeat(31)} }`)).toEqual([
      ['directives', 31],
    ]);
    expect(excesses(`query ($a: Int ${'@a '.repeat(16)}) ${'@a '.repeat(15)} { viewer { role } }`)).toEqual([
      ['directives', 31],
    ]);
  });

  test('repeated fields of a selection', () => {
    expect(excesses(`{ session(id: "x") { ${'id '.repeat(51)} } }`)).toEqual([]);
    expect(excesses(`{ session(id: "x") { ${'id '.repeat(52)} } }`)).toEqual([['repeatedFields', 51]]);
  });

  test('selections after expansion of the whole document', () => {
    const doubling = (levels: number) =>
      repeated(levels, (n) => `fragment F${n} on Viewer { ...F${n + 1} ...F${n + 1} }`) +
      ` fragment F${levels} on Viewer { role }`;
    // Each level spreads twice what is below it.
    expect(excesses(`{ viewer { ...F0 } } ${doubling(8)}`)).toEqual([]);
    expect(excesses(`{ viewer { ...F0 } } ${doubling(9)}`)).toEqual([]);
    expect(excesses(`{ viewer { ...F0 } } ${doubling(10)}`)).toEqual([['selections', 2 + 3 * 2 ** 10 - 2]]);
    expect(excesses(`{ viewer { role } } ${doubling(10)}`)).toEqual([['selections', 2 + 3 * 2 ** 10 - 2]]);
  });

  test('pairs of fields that validation compares', () => {
    const spread = (count: number) =>
      `{ viewer { ${repeated(count, (n) => `...F${n}`)} } } ${repeated(count, (n) => `fragment F${n} on Viewer { role name }`)}`;
    expect(excesses(spread(89))).toEqual([]);
    expect(excesses(spread(90))).toEqual([['comparisons', 90 * 89]]);
  });

  test('cost from variables', () => {
    const query = 'query ($n: Int) { sessions(first: $n) { nodes { messages(first: $n) { nodes { id } } } } }';
    expect(excesses(query, { n: 50 })).toEqual([]);
    expect(excesses(query, { n: 100 })).toEqual([['cost', 1 + 100 * 102]]);
  });

  test('cost of lists without pages', () => {
    expect(excesses('{ handoffs(first: 80) { nodes { chain { markdown } } } }')).toEqual([
      ['cost', 1 + 80 * (1 + 100 * 61)],
    ]);
    expect(excesses('{ handoffs(first: 40) { nodes { chain { chain { id } } } } }')).toEqual([
      ['cost', 1 + 40 * (1 + 100 * 101)],
    ]);
    expect(excesses('{ handoff(id: "x") { chain { triggeringToolCalls { id } } } }')).toEqual([['cost', 1 + 100 * 51]]);
    expect(excesses('{ sessions(first: 50) { nodes { tasks { id } } } }')).toEqual([['cost', 1 + 50 * 101]]);
    expect(excesses('{ sessions(first: 100) { nodes { turns(first: 1) { nodes { toolCalls { id } } } } } }')).toEqual([
      ['cost', 1 + 100 * (1 + 1 + 51)],
    ]);
  });

  test('cost that doubles with every fragment, counted at once', () => {
    const doubling = repeated(
      40,
      (n) => `fragment F${n} on Handoff { previous { ...F${n + 1} } next { ...F${n + 1} } }`,
    );
    const [depth, selections, cost] = check(
      `{ handoff(id: "x") { ...F0 } } ${doubling} fragment F40 on Handoff { id }`,
    ).errors;
    expect(depth?.extensions).toMatchObject({ what: 'depth', actual: 42 });
    expect(selections?.extensions).toMatchObject({ what: 'selections' });
    expect(cost?.extensions).toMatchObject({ what: 'cost', actual: 2 ** 41 - 1 });
  });

  test('several limits, reported together', () => {
    expect(
      excesses(
        `{ ${repeated(16, (n) => `a${n}: sessions(first: 100) { nodes { agent { id } lastHandoff { id } openHandoff { id } } }`)} }`,
      ).map(([what]) => what),
    ).toEqual(['aliases', 'rootFields', 'cost']);
  });
});

describe('a document is limited before it is parsed', () => {
  const refusal = (source: string): unknown => {
    try {
      return parseWithin(source);
    } catch (error) {
      return error;
    }
  };
  const codeOf = (source: string) => (refusal(source) as { extensions: Record<string, unknown> }).extensions;

  test('accepts 1,000 tokens, and rejects the next', () => {
    expect(parseWithin(`{ ${'a '.repeat(998)}}`).kind).toBe('Document');
    expect(codeOf(`{ ${'a '.repeat(999)}}`)).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      what: 'tokens',
      limit: 1_000,
      actual: 1_001,
    });
  });

  test('limits characters, since comments and a long text are no tokens', () => {
    expect(codeOf(`${'#\n'.repeat(50_000)}{ a }`)).toMatchObject({
      what: 'characters',
      limit: limits.query.characters,
    });
    expect(codeOf(`{ a(b: "${'x'.repeat(100_000)}") }`)).toMatchObject({ what: 'characters' });
  });

  test('rejects 20,000 brackets without a stack overflow', () => {
    expect(codeOf(`{ a(b: ${'['.repeat(20_000)}${']'.repeat(20_000)}) }`)).toMatchObject({ what: 'tokens' });
    expect(codeOf('{ a '.repeat(20_000))).toMatchObject({ what: 'tokens' });
  });

  test('reports a syntax error for text that is no document', () => {
    expect(refusal('{ a(')).toMatchObject({ message: expect.stringMatching(/^Syntax Error/) as string });
    expect(refusal('{ a \u0000 }')).toMatchObject({ message: expect.stringMatching(/^Syntax Error/) as string });
    expect(refusal('{ a(b: "\\ud800") }')).toMatchObject({ message: expect.stringMatching(/^Syntax Error/) as string });
  });
});

describe('introspection', () => {
  test('accepts the usual query and that of GraphiQL', () => {
    const rich = {
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    };
    for (const query of [getIntrospectionQuery(), getIntrospectionQuery(rich)])
      expect(check(query)).toMatchObject({ errors: [], cost: 0, depth: 0 });
    expect(
      excesses('{ __type(name: "Session") { fields { name type { name ofType { name fields { name } } } } } }'),
    ).toEqual([]);
  });

  test('rejects nested lists', () => {
    expect(
      excesses(
        '{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }',
      )[0]?.[0],
    ).toBe('introspectionCost');
    expect(
      excesses(
        `{ __schema { types { fields { type ${'{ ofType '.repeat(20)} { name } ${'}'.repeat(20)} } } } }`,
      )[0]?.[0],
    ).toBe('introspectionDepth');
  });

  test('rejects the usual query twice in one document', () => {
    const [, selection = ''] = /query IntrospectionQuery \{([\s\S]*?)\n {4}\}/.exec(getIntrospectionQuery()) ?? [];
    expect(selection).toContain('__schema');
    const fragments = getIntrospectionQuery().slice(getIntrospectionQuery().indexOf('fragment FullType'));
    expect(excesses(`{ ${selection} again: ${selection.trim()} } ${fragments}`).map(([what]) => what)).toEqual([
      'introspectionCost',
    ]);
  });

  test.each([
    [
      'a fragment',
      '{ ...__schema } fragment __schema on Query { sessions(first: 100) { nodes { ...__type } } } fragment __type on Session { messages(first: 100) { nodes { id } } }',
    ],
    ['an alias', '{ __schema: sessions(first: 100) { nodes { __type: messages(first: 100) { nodes { id } } } } }'],
    ['an operation', 'query __schema { sessions(first: 100) { nodes { messages(first: 100) { nodes { id } } } } }'],
    [
      'a fragment on an introspection type',
      '{ sessions(first: 100) { nodes { ...__Schema } } } fragment __Schema on Session { messages(first: 100) { nodes { id } } }',
    ],
  ])('does not exempt %s with a name of introspection', (_name, source) => {
    expect(excesses(source)).toEqual([['cost', 10_201]]);
  });
});

describe('a document that validation rejects passes the limits', () => {
  test.each([
    ['unknown fields, types and fragments', '{ nonsense { more } ... on Nothing { a { b } } ...Missing }'],
    [
      'a fragment defined twice',
      '{ ...A } fragment A on Query { viewer { role } } fragment A on Query { viewer { role } }',
    ],
    ['a scalar with fields', '{ session(id: "x") { title { of { what } } } }'],
  ])('%s', (_name, source) => expect(excesses(source)).toEqual([]));
});

describe("a fragment that spreads itself is rejected before validation with validation's message", () => {
  test.each([
    [
      'a fragment within itself',
      '{ session(id: "x") { ...A } } fragment A on Session { agent { id } ...A }',
      'Cannot spread fragment "A" within itself.',
    ],
    [
      'fragments within each other',
      '{ session(id: "x") { ...A } } fragment A on Session { ...B } fragment B on Session { ...A }',
      'Cannot spread fragment "A" within itself via "B".',
    ],
  ])('%s', (_name, source, message) =>
    expect(check(source).errors).toMatchObject([{ message, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]),
  );
});

describe('only the executed operation counts', () => {
  const source =
    'query Small { viewer { role } } query Large { sessions(first: 100) { nodes { messages(first: 100) { nodes { id } } } } }';
  test('the named one of several', () => {
    expect(excesses(source, {}, 'Small')).toEqual([]);
    expect(excesses(source, {}, 'Large')).toEqual([['cost', 10_201]]);
    // In the order of the calls above, and back: what was counted is of one operation.
    expect(excesses(source, {}, 'Small')).toEqual([]);
  });

  test('no operation without a name', () => expect(check(source)).toEqual({ errors: [], cost: 0, depth: 0 }));
});

describe('all documents of this project need at most half of the cost limit', async () => {
  const { readFile } = await import('node:fs/promises');
  const { documents } = await import('../../delivery/exports/records.ts');
  const { readTabs } = await import('../../api/graphiql/tabs.ts');
  const { blocksOf, documents: shownDocuments } = await import('../../../test/docs/blocks.ts');
  const textOf = (file: string) => readFile(new URL(`../../../${file}`, import.meta.url), 'utf8');
  const dashboard = Object.values(
    JSON.parse(await textOf('client/gql/persisted-documents.json')) as Record<string, string>,
  ).map((source) => parse(source));
  const shown = shownDocuments
    .flatMap(blocksOf)
    .filter(({ language }) => language === 'graphql')
    .map(({ text }) => parse(text));
  const tabs = readTabs().map(({ query }) => parse(query));
  // Its largest pages, as many turns as that may have, and the Handoffs that a download reads at once.
  const variables = {
    first: 100,
    last: 5,
    size: 25,
    calls: 50,
    turns: Array.from({ length: 40 }, (_, n) => `turn_${n}`),
  };

  test('there are documents of every kind', () => {
    expect([shown.length, tabs.length, dashboard.length]).toEqual(
      [5, 3, 20].map((least) => expect.toSatisfy((n: number) => n >= least) as number),
    );
  });

  test.each(
    [...documents, ...shown, ...tabs, ...dashboard].map((document) => {
      const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
      return [operation?.name?.value ?? print(document).slice(0, 60), document] as const;
    }),
  )('%s', (_name, document) => {
    const { errors, cost } = checkOperation(schema, document, undefined, variables);
    expect(errors).toEqual([]);
    expect(cost).toBeLessThanOrEqual(limits.query.cost / 2);
  });
});
