import { asks, over, type Hostile } from './request.ts';

const repeated = (count: number, part: string | ((index: number) => string)): string =>
  Array.from({ length: count }, (_, n) => (typeof part === 'string' ? part : part(n))).join(' ');
const chain = (count: number, link: (n: number) => string): string =>
  repeated(count, (n) => `fragment F${n} on Handoff { ${link(n)} }`) + ` fragment F${count} on Handoff { id }`;

export const documents: readonly Hostile[] = [
  asks('20,000 nested selections', '{ a '.repeat(20_000) + '}'.repeat(20_000), over),
  asks('20,000 nested brackets', `{ a(b: ${'['.repeat(20_000)}${']'.repeat(20_000)}) }`, over, { says: /tokens/ }),
  asks('10,000 nested objects in a literal', `{ a(b: ${'{c:'.repeat(10_000)}1${'}'.repeat(10_000)}) }`, over),
  asks(
    '300 nested brackets that are few enough to be read',
    `mutation { registerAgent(input: { id: "intruder", type: "CLAUDE", metadata: ${'['.repeat(300)}${']'.repeat(300)} }) { __typename ... on BadUserInputError { message } } }`,
    'none',
    { status: 200, says: /nested more than 32 levels/ },
  ),
  asks('1,000 aliases', `{ ${repeated(1_000, (n) => `a${n}: viewer { role }`)} }`, over),
  asks('150 aliases of one field', `{ viewer { ${repeated(150, (n) => `a${n}: role`)} } }`, over, { says: /aliases/ }),
  asks('16 aliases of __typename', `{ viewer { ${repeated(16, (n) => `a${n}: __typename`)} } }`, over),
  asks(
    'a costly fragment named __schema',
    '{ ...__schema } fragment __schema on Query { sessions(first: 100) { nodes { messages(first: 100) { nodes { id } } } } }',
    over,
    { says: /cost/ },
  ),
  asks(
    'a costly alias named __schema',
    '{ __schema: sessions(first: 100) { nodes { messages(first: 100) { nodes { id } } } } }',
    over,
  ),
  asks(
    'an operation named IntrospectionQuery',
    'query IntrospectionQuery { sessions(first: 100) { nodes { messages(first: 100) { nodes { id } } } } }',
    over,
  ),
  asks(
    'depth hidden in a chain of fragments',
    `{ handoff(id: "x") { ...F0 } } ${chain(40, (n) => `previous { ...F${n + 1} }`)}`,
    over,
    { says: /levels/ },
  ),
  asks(
    'depth hidden in inline fragments',
    `{ handoff(id: "x") ${'{ ... on Handoff { previous '.repeat(12)} { id } ${'} }'.repeat(12)} }`,
    over,
  ),
  asks(
    'fragments that double 60 times',
    `{ handoff(id: "x") { ...F0 } } ${chain(60, (n) => `previous { ...F${n + 1} } next { ...F${n + 1} }`)}`,
    over,
  ),
  asks(
    'fragments that double 60 times without going deeper',
    `{ handoff(id: "x") { ...F0 } } ${chain(60, (n) => `...F${n + 1} ...F${n + 1}`)}`,
    over,
    {
      says: /selections/,
    },
  ),
  asks(
    'fragments that double 16 times, spread 350 times',
    `{ handoffs { nodes { ${repeated(350, '...F0')} } } } ${chain(16, (n) => `...F${n + 1} ...F${n + 1}`)}`,
    over,
    { says: /selections/ },
  ),
  asks(
    'fragments that double 20 times in a subscription',
    `subscription { sessionUpdated { handoff { ...F0 } } } ${chain(20, (n) => `...F${n + 1} ...F${n + 1}`)}`,
    over,
    { says: /selections/ },
  ),
  asks(
    'fragments that double where nothing spreads them',
    `{ viewer { role } } ${chain(20, (n) => `...F${n + 1} ...F${n + 1}`)}`,
    over,
    { says: /selections/ },
  ),
  asks(
    'fragments that double in another operation',
    `query A { viewer { role } } query B { handoff(id: "x") { ...F0 } } ${chain(20, (n) => `...F${n + 1} ...F${n + 1}`)}`,
    over,
    {
      operationName: 'A',
      says: /selections/,
    },
  ),
  asks(
    'fragments that double within inline fragments and directives',
    `{ handoff(id: "x") { ...F0 } } ${chain(20, (n) => `... @include(if: true) { ...F${n + 1} ... on Handoff { ...F${n + 1} } }`)}`,
    over,
    { says: /selections/ },
  ),
  asks(
    'introspection by fragments that double',
    `{ __schema { types { ...F0 } } } ${chain(16, (n) => `...F${n + 1} ...F${n + 1}`)
      .replaceAll('on Handoff { id }', 'on __Type { name }')
      .replaceAll('on Handoff', 'on __Type')}`,
    over,
    { says: /selections/ },
  ),
  asks(
    '300 unknown names, each at the end of 90,000 lines',
    `${'\n'.repeat(90_000)}{ viewer { ${repeated(300, (n) => `x${n}`)} } }`,
    'GRAPHQL_VALIDATION_FAILED',
  ),
  asks(
    'a fragment within itself',
    '{ session(id: "x") { ...A } } fragment A on Session { id ...A }',
    'GRAPHQL_VALIDATION_FAILED',
  ),
  asks(
    '30 fragments, each in all others',
    `{ handoff(id: "x") { ...F0 } } ${repeated(30, (n) => `fragment F${n} on Handoff { id ${repeated(12, (k) => `...F${(n * 7 + k * 3 + 1) % 30}`)} }`)}`,
    'GRAPHQL_VALIDATION_FAILED',
  ),
  asks('240 overlapping fields at the top', `{ ${repeated(240, 'agents { totalCount }')} }`, over),
  asks('190 overlapping fields below', `{ handoff(id: "x") { ${repeated(190, 'previous { id status }')} } }`, over, {
    says: /repeated fields/,
  }),
  asks(
    'overlapping fields in 70 fragments',
    `{ handoff(id: "x") { ${repeated(70, (n) => `...F${n}`)} } } ${repeated(70, (n) => `fragment F${n} on Handoff { previous { id status } }`)}`,
    'BAD_USER_INPUT',
    { status: 200 },
  ),
  asks(
    'overlapping fields in 90 fragments',
    `{ handoff(id: "x") { ${repeated(90, (n) => `...F${n}`)} } } ${repeated(90, (n) => `fragment F${n} on Handoff { id status }`)}`,
    over,
    { says: /pairs of fields/ },
  ),
  asks(
    'overlapping fields that disagree',
    `{ handoff(id: "x") { ${repeated(40, (n) => `contextPrompt(maxTokens: ${300 + n}) { text }`)} } }`,
    'GRAPHQL_VALIDATION_FAILED',
  ),
  asks('a flood of directives', `{ viewer { role ${repeated(100, '@include(if: true)')} } }`, over, {
    says: /directives/,
  }),
  asks(
    'a flood of unknown directives on unused fragments',
    `{ viewer { role } } fragment F on Viewer { role ${repeated(300, '@a')} }`,
    over,
  ),
  asks(
    '150 variables',
    `query (${repeated(150, (n) => `$v${n}: Int`)}) { viewer { role } }`,
    'GRAPHQL_VALIDATION_FAILED',
  ),
  asks('comments without end', `${'#\n'.repeat(300_000)}{ viewer { role } }`, over, { says: /characters/ }),
  asks('commas without end', `{ viewer ${','.repeat(900_000)} { role } }`, over),
  asks('one text without end', `{ session(id: "${'\\\\u0041'.repeat(100_000)}") { id } }`, over),
  asks('one name without end', `{ ${'a'.repeat(99_000)} }`, 'GRAPHQL_VALIDATION_FAILED'),
  asks(
    'introspection that goes round in circles',
    `{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }`,
    over,
  ),
  asks(
    'introspection 10 times',
    `{ ${repeated(10, (n) => `a${n}: __schema { types { fields { type { name } args { type { ofType { name } } } } } }`)} }`,
    over,
  ),
  asks('11 fields at the top', `{ ${repeated(11, 'viewer { role }')} }`, over),
  asks(
    'two mutations in one operation',
    `mutation { a: archiveAgent(input: { id: "claude-1" }) { __typename } b: archiveAgent(input: { id: "codex-1" }) { __typename } }`,
    over,
    { says: /mutations/ },
  ),
  asks(
    'the same mutation 100 times',
    `mutation { ${repeated(100, (n) => `a${n}: registerAgent(input: { id: "a${n}", type: "X" }) { __typename }`)} }`,
    over,
  ),
  asks(
    '10,000 rows in one page of pages',
    '{ sessions(first: 100) { nodes { handoffs(first: 100) { nodes { id } } } } }',
    over,
    { says: /cost/ },
  ),
  asks(
    'the same by variables',
    'query ($n: Int!) { sessions(first: $n) { nodes { handoffs(last: $n) { pageInfo { hasNextPage } } } } }',
    over,
    { variables: { n: 100 } },
  ),
  asks(
    'the same by a default',
    'query ($n: Int = 100) { sessions(first: $n) { nodes { handoffs(last: $n) { nodes { id } } } } }',
    over,
  ),
  asks('a page of two thousand million', '{ sessions(first: 2147483647) { nodes { id } } }', 'BAD_USER_INPUT', {
    status: 200,
  }),
  asks('a page of less than none', '{ sessions(first: -1) { nodes { id } } }', 'BAD_USER_INPUT', { status: 200 }),
  asks(
    'a number that is no Int',
    '{ sessions(first: 99999999999999999999) { nodes { id } } }',
    'GRAPHQL_VALIDATION_FAILED',
  ),
  asks('unknown names', '{ sessoins { nodes { id } } }', 'GRAPHQL_VALIDATION_FAILED'),
  asks('300 unknown names', `{ viewer { ${repeated(300, (n) => `x${n}`)} } }`, 'GRAPHQL_VALIDATION_FAILED'),
  asks('NUL in a document', '{ viewer { role } } \u0000', 'GRAPHQL_PARSE_FAILED'),
  asks('an empty document', '', 'GRAPHQL_PARSE_FAILED'),
  asks('an operation that is not there', '{ viewer { role } }', 'OPERATION_RESOLUTION_FAILURE', {
    operationName: 'Other',
  }),
  asks(
    'several operations without a name',
    '{ viewer { role } } { viewer { key { id } } }',
    'OPERATION_RESOLUTION_FAILURE',
  ),
  asks('a name that is an object', '{ viewer { role } }', 'BAD_REQUEST', { operationName: { toString: 'x' } }),
  asks(
    'a subscription to everything at once',
    `subscription { ${repeated(9, (n) => `a${n}: sessionUpdated { cursor }`)} }`,
    'GRAPHQL_VALIDATION_FAILED',
  ),
  asks(
    'a subscription that nests too deeply',
    `subscription { sessionUpdated { handoff ${'{ previous '.repeat(9)} { id } ${'}'.repeat(9)} } }`,
    over,
    { says: /levels/ },
  ),
  asks(
    'a subscription whose field is skipped',
    'subscription { sessionUpdated @include(if: false) { id } }',
    'GRAPHQL_VALIDATION_FAILED',
    { says: /may not be skipped/ },
  ),
  asks(
    'a subscription whose field is skipped in fragments',
    'subscription { ... on Subscription { ...S @skip(if: true) } } fragment S on Subscription { sessionUpdated { id } }',
    'GRAPHQL_VALIDATION_FAILED',
  ),
  asks(
    'a definition of types',
    'type Query { a: Int } extend type Mutation { b: Int }',
    'OPERATION_RESOLUTION_FAILURE',
  ),
];
