import { gzipSync } from 'node:zlib';

/** What nobody in good faith would send, and what is answered. Nothing of it may be written, leak, or keep others waiting. */
export interface Hostile {
  name: string;
  /** To `/graphql` unless `path` says otherwise; with `raw`, these very bytes. */
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  raw?: string | Buffer;
  /** Null: the connection is closed without an answer. */
  status: number | null;
  /** Of the first error, or of the typed error in `data.answer`. */
  code?: string;
  says?: RegExp;
}

const spec = 'application/graphql-response+json';
const json = { 'content-type': 'application/json', accept: spec };
const repeated = (count: number, part: string | ((index: number) => string)): string => Array.from({ length: count }, (_, n) => (typeof part === 'string' ? part : part(n))).join(' ');

// What is nested more deeply than JSON.stringify goes.
const deepLists = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
const deepObjects = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
const bodyOf = (params: object): string => JSON.stringify(params).replace('"deep lists"', deepLists).replace('"deep objects"', deepObjects);

const asks = (name: string, query: string, code: string, more: { variables?: unknown; says?: RegExp; status?: number; operationName?: unknown } = {}): Hostile => {
  const { variables, says, status = 400, operationName } = more;
  return { name, headers: json, body: bodyOf({ query, variables, operationName }), status, code, ...(says && { says }) };
};
/** Refused by the mutation itself, as a member of its union. */
const typed = (name: string, mutation: string, input: object, code: string, says?: RegExp): Hostile =>
  asks(
    name,
    `mutation ($input: ${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input!) { answer: ${mutation}(input: $input) { __typename ... on Error { code message } } }`,
    code,
    { variables: { input }, status: 200, ...(says && { says }) },
  );
const posts = (name: string, body: string | Buffer, status: number, code?: string, headers: Record<string, string> = json): Hostile => ({ name, headers, body, status, ...(code !== undefined && { code }) });

const nested = (levels: number, open: string, close: string, inner = '1'): unknown => JSON.parse(open.repeat(levels) + inner + close.repeat(levels)) as unknown;
const over = 'LIMIT_EXCEEDED';
const write = 'mutation { registerAgent(input: { id: "intruder", type: "CLAUDE" }) { __typename } }';
const session = 'session_01kc000000e00800000000002y';
const chain = (count: number, link: (n: number) => string): string => repeated(count, (n) => `fragment F${n} on Handoff { ${link(n)} }`) + ` fragment F${count} on Handoff { id }`;

const documents: Hostile[] = [
  asks('20,000 nested selections', '{ a '.repeat(20_000) + '}'.repeat(20_000), over),
  asks('20,000 nested brackets', `{ a(b: ${'['.repeat(20_000)}${']'.repeat(20_000)}) }`, over, { says: /tokens/ }),
  asks('10,000 nested objects in a literal', `{ a(b: ${'{c:'.repeat(10_000)}1${'}'.repeat(10_000)}) }`, over),
  asks('300 nested brackets that are few enough to be read', `mutation { registerAgent(input: { id: "intruder", type: "CLAUDE", metadata: ${'['.repeat(300)}${']'.repeat(300)} }) { __typename ... on BadUserInputError { message } } }`, 'none', { status: 200, says: /nested more than 32 levels/ }),
  asks('1,000 aliases', `{ ${repeated(1_000, (n) => `a${n}: viewer { role }`)} }`, over),
  asks('150 aliases of one field', `{ viewer { ${repeated(150, (n) => `a${n}: role`)} } }`, over, { says: /aliases/ }),
  asks('16 aliases of __typename', `{ viewer { ${repeated(16, (n) => `a${n}: __typename`)} } }`, over),
  asks('a costly fragment named __schema', '{ ...__schema } fragment __schema on Query { sessions(first: 100) { nodes { messages(first: 100) { nodes { id } } } } }', over, { says: /cost/ }),
  asks('a costly alias named __schema', '{ __schema: sessions(first: 100) { nodes { messages(first: 100) { nodes { id } } } } }', over),
  asks('an operation named IntrospectionQuery', 'query IntrospectionQuery { sessions(first: 100) { nodes { messages(first: 100) { nodes { id } } } } }', over),
  asks('depth hidden in a chain of fragments', `{ handoff(id: "x") { ...F0 } } ${chain(40, (n) => `previous { ...F${n + 1} }`)}`, over, { says: /levels/ }),
  asks('depth hidden in inline fragments', `{ handoff(id: "x") ${'{ ... on Handoff { previous '.repeat(12)} { id } ${'} }'.repeat(12)} }`, over),
  asks('fragments that double 60 times', `{ handoff(id: "x") { ...F0 } } ${chain(60, (n) => `previous { ...F${n + 1} } next { ...F${n + 1} }`)}`, over),
  asks('fragments that double 60 times without going deeper', `{ handoff(id: "x") { ...F0 } } ${chain(60, (n) => `...F${n + 1} ...F${n + 1}`)}`, 'BAD_USER_INPUT', { status: 200 }),
  asks('a fragment within itself', '{ session(id: "x") { ...A } } fragment A on Session { id ...A }', 'GRAPHQL_VALIDATION_FAILED'),
  asks('30 fragments, each in all others', `{ handoff(id: "x") { ...F0 } } ${repeated(30, (n) => `fragment F${n} on Handoff { id ${repeated(12, (k) => `...F${(n * 7 + k * 3 + 1) % 30}`)} }`)}`, 'GRAPHQL_VALIDATION_FAILED'),
  asks('240 overlapping fields at the top', `{ ${repeated(240, 'agents { totalCount }')} }`, over),
  asks('190 overlapping fields below', `{ handoff(id: "x") { ${repeated(190, 'previous { id status }')} } }`, over, { says: /names again/ }),
  asks('overlapping fields in 70 fragments', `{ handoff(id: "x") { ${repeated(70, (n) => `...F${n}`)} } } ${repeated(70, (n) => `fragment F${n} on Handoff { previous { id status } }`)}`, 'BAD_USER_INPUT', { status: 200 }),
  asks('overlapping fields that disagree', `{ handoff(id: "x") { ${repeated(40, (n) => `contextPrompt(maxTokens: ${300 + n}) { text }`)} } }`, 'GRAPHQL_VALIDATION_FAILED'),
  asks('a flood of directives', `{ viewer { role ${repeated(100, '@include(if: true)')} } }`, over, { says: /directives/ }),
  asks('a flood of unknown directives on unused fragments', `{ viewer { role } } fragment F on Viewer { role ${repeated(300, '@a')} }`, over),
  asks('150 variables', `query (${repeated(150, (n) => `$v${n}: Int`)}) { viewer { role } }`, 'GRAPHQL_VALIDATION_FAILED'),
  asks('comments without end', `${'#\n'.repeat(300_000)}{ viewer { role } }`, over, { says: /characters/ }),
  asks('commas without end', `{ viewer ${','.repeat(900_000)} { role } }`, over),
  asks('one text without end', `{ session(id: "${'\\\\u0041'.repeat(100_000)}") { id } }`, over),
  asks('one name without end', `{ ${'a'.repeat(99_000)} }`, 'GRAPHQL_VALIDATION_FAILED'),
  asks('introspection that goes round in circles', `{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }`, over),
  asks('introspection 10 times', `{ ${repeated(10, (n) => `a${n}: __schema { types { fields { type { name } args { type { ofType { name } } } } } }`)} }`, over),
  asks('11 fields at the top', `{ ${repeated(11, 'viewer { role }')} }`, over),
  asks('two mutations in one operation', `mutation { a: archiveAgent(input: { id: "claude-1" }) { __typename } b: archiveAgent(input: { id: "codex-1" }) { __typename } }`, over, { says: /mutations/ }),
  asks('the same mutation 100 times', `mutation { ${repeated(100, (n) => `a${n}: registerAgent(input: { id: "a${n}", type: "X" }) { __typename }`)} }`, over),
  asks('10,000 rows in one page of pages', '{ sessions(first: 100) { nodes { handoffs(first: 100) { nodes { id } } } } }', over, { says: /cost/ }),
  asks('the same by variables', 'query ($n: Int!) { sessions(first: $n) { nodes { handoffs(last: $n) { pageInfo { hasNextPage } } } } }', over, { variables: { n: 100 } }),
  asks('the same by a default', 'query ($n: Int = 100) { sessions(first: $n) { nodes { handoffs(last: $n) { nodes { id } } } } }', over),
  asks('a page of two thousand million', '{ sessions(first: 2147483647) { nodes { id } } }', 'BAD_USER_INPUT', { status: 200 }),
  asks('a page of less than none', '{ sessions(first: -1) { nodes { id } } }', 'BAD_USER_INPUT', { status: 200 }),
  asks('a number that is no Int', '{ sessions(first: 99999999999999999999) { nodes { id } } }', 'GRAPHQL_VALIDATION_FAILED'),
  asks('unknown names, to be told the known ones', '{ sessoins { nodes { id } } }', 'GRAPHQL_VALIDATION_FAILED', { says: /^(?!.*Did you mean)/s }),
  asks('100 unknown names', `{ viewer { ${repeated(300, (n) => `x${n}`)} } }`, 'GRAPHQL_VALIDATION_FAILED'),
  asks('NUL in a document', '{ viewer { role } } \u0000', 'GRAPHQL_PARSE_FAILED'),
  asks('an empty document', '', 'GRAPHQL_PARSE_FAILED'),
  asks('an operation that is not there', '{ viewer { role } }', 'OPERATION_RESOLUTION_FAILURE', { operationName: 'Other' }),
  asks('several operations without a name', '{ viewer { role } } { viewer { key { id } } }', 'OPERATION_RESOLUTION_FAILURE'),
  asks('a name that is an object', '{ viewer { role } }', 'BAD_REQUEST', { operationName: { toString: 'x' } }),
  asks('a subscription to everything at once', `subscription { ${repeated(9, (n) => `a${n}: sessionUpdated { cursor }`)} }`, 'GRAPHQL_VALIDATION_FAILED'),
  asks('a subscription that nests too deeply', `subscription { sessionUpdated { handoff ${'{ previous '.repeat(9)} { id } ${'}'.repeat(9)} } }`, over, { says: /levels/ }),
  asks('a definition of types', 'type Query { a: Int } extend type Mutation { b: Int }', 'OPERATION_RESOLUTION_FAILURE'),
];

const values: Hostile[] = [
  asks('variables of 100,000 nested lists', 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', 'BAD_USER_INPUT', { variables: { ids: 'deep lists' } }),
  asks('variables of 100,000 nested objects', 'query ($where: SessionFilter) { sessions(where: $where) { nodes { id } } }', 'BAD_USER_INPUT', { variables: { where: 'deep objects' } }),
  asks('variables that nobody declared, 100,000 deep', '{ viewer { role } }', 'BAD_USER_INPUT', { variables: { x: 'deep lists' } }),
  asks('metadata 41 levels deep', 'mutation ($m: JSON) { answer: registerAgent(input: { id: "intruder", type: "CLAUDE", metadata: $m }) { __typename } }', 'BAD_USER_INPUT', { variables: { m: nested(41, '[', ']') } }),
  typed('metadata 33 levels deep', 'registerAgent', { id: 'intruder', type: 'CLAUDE', metadata: nested(33, '{"a":', '}') }, 'BAD_USER_INPUT', /nested more than 32/),
  typed('NUL in a title', 'createSession', { title: 'a\u0000b' }, 'BAD_USER_INPUT', /NUL/),
  typed('half a character in a reason', 'reassignSession', { sessionId: session, agentId: 'claude-1', reason: 'a\ud800' }, 'BAD_USER_INPUT', /surrogate/),
  typed('NUL in a name of metadata', 'registerAgent', { id: 'intruder', type: 'CLAUDE', metadata: { 'a\u0000': 1 } }, 'BAD_USER_INPUT'),
  typed('a title of 900,000 characters', 'createSession', { title: 'x'.repeat(900_000) }, 'BAD_USER_INPUT', /500/),
  typed('metadata of 65 KB', 'registerAgent', { id: 'intruder', type: 'CLAUDE', metadata: { a: 'x'.repeat(66_000) } }, 'BAD_USER_INPUT'),
  typed('501 tasks', 'setTasks', { sessionId: session, tasks: Array(501).fill({ content: 'x', status: 'PENDING' }) }, over),
  typed('15,000 tasks', 'setTasks', { sessionId: session, tasks: Array(15_000).fill({ content: 'x', status: 'PENDING' }) }, over),
  typed('201 messages', 'appendTurn', { sessionId: session, messages: Array(201).fill({ role: 'USER', content: 'x' }) }, over),
  typed('10,000 collaborators', 'registerAgent', { id: 'intruder', type: 'CLAUDE', collaborators: Array(10_000).fill('claude-1') }, over),
  typed('SQL in an id', 'archiveAgent', { id: "x'; DROP TABLE agents; --" }, 'BAD_USER_INPUT'),
  typed('an id of 900,000 characters', 'pauseSession', { sessionId: `session_${'0'.repeat(900_000)}` }, 'BAD_USER_INPUT'),
  typed('a reserved context variable', 'reassignSession', { sessionId: session, agentId: 'claude-1', contextVariables: { _handoff_from: 'me' } }, 'BAD_USER_INPUT'),
  { ...typed('a prototype in context variables', 'reassignSession', {}, 'BAD_USER_INPUT'), body: `{"query":"mutation ($i: ReassignSessionInput!) { answer: reassignSession(input: $i) { ... on Error { code } } }","variables":{"i":{"sessionId":"${session}","agentId":"claude-1","contextVariables":{"__proto__":{"admin":true}}}}}` },
  { ...typed('a prototype instead of an input', 'createSession', {}, 'BAD_USER_INPUT'), status: 400, body: '{"query":"mutation ($input: CreateSessionInput!) { answer: createSession(input: $input) { __typename } }","variables":{"__proto__":{"input":{"title":"x"}}}}' },
  asks('SQL in an id of a query', '{ agent(id: "x\' OR 1=1 --") { id } }', 'BAD_USER_INPUT', { status: 200 }),
  asks('SQL in a cursor', `{ sessions(after: "' OR 1=1 --") { nodes { id } } }`, 'BAD_USER_INPUT', { status: 200 }),
  asks('a forged cursor', `{ sessions(after: "${Buffer.from('["session CREATED_AT desc",1e308,"x"]').toString('base64url')}") { nodes { id } } }`, 'BAD_USER_INPUT', { status: 200 }),
  asks('patterns in a text filter', '{ sessions(where: { titleContains: "%_\\\\%%%%%%%%" }) { totalCount } }', 'none', { status: 200, says: /"totalCount":0/ }),
  asks('a status 40,000 times', 'query ($s: [SessionStatus!]) { sessions(where: { status: $s }, first: 1) { nodes { id } } }', 'none', { status: 200, variables: { s: Array(40_000).fill('FAILED') }, says: /"nodes"/ }),
  asks('101 ids', 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', 'BAD_USER_INPUT', { status: 200, variables: { ids: Array(101).fill('claude-1') } }),
  asks('80,000 ids', 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', over, { variables: { ids: Array(80_000).fill('claude-1') } }),
  asks('4,900 ids', 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', 'BAD_USER_INPUT', { status: 200, variables: { ids: Array(4_900).fill(session) } }),
  asks('an id that is an object', 'query ($id: ID!) { session(id: $id) { id } }', 'BAD_USER_INPUT', { variables: { id: { $ne: null } } }),
  asks('a moment outside of time', '{ sessions(where: { createdAfter: "+275760-09-13T00:00:00Z" }) { nodes { id } } }', 'GRAPHQL_VALIDATION_FAILED'),
];

const bodies: Hostile[] = [
  posts('a list of operations', JSON.stringify(Array(50).fill({ query: '{ viewer { role } }' })), 400, 'BAD_REQUEST'),
  posts('JSON that is null', 'null', 400, 'BAD_REQUEST'),
  posts('JSON that is a number', '1', 400, 'BAD_REQUEST'),
  posts('JSON that is a text', '"{ viewer { role } }"', 400, 'BAD_REQUEST'),
  posts('no body', '', 400, 'BAD_REQUEST'),
  posts('broken JSON', '{"query":"{ viewer', 400, 'BAD_REQUEST'),
  posts('500,000 nested lists', `${'['.repeat(490_000)}${']'.repeat(490_000)}`, 400, 'BAD_REQUEST'),
  posts('a query that is a list', '{"query":["{ viewer { role } }"]}', 400, 'BAD_REQUEST'),
  posts('variables that are a text', '{"query":"{ viewer { role } }","variables":"{}"}', 400, 'BAD_REQUEST'),
  posts('variables that are a list', '{"query":"{ viewer { role } }","variables":[1]}', 400, 'BAD_REQUEST'),
  posts('extensions that are a list', '{"query":"{ viewer { role } }","extensions":[]}', 400, 'BAD_REQUEST'),
  posts('parameters of our own making', '{"query":"{ viewer { role } }","admin":true}', 400, 'BAD_REQUEST'),
  posts('bytes that are no UTF-8', Buffer.concat([Buffer.from('{"query":"{ viewer '), Buffer.from([0xff, 0xfe, 0xc0]), Buffer.from('"}')]), 400, 'GRAPHQL_PARSE_FAILED'),
  posts('a body of 1,000,001 bytes', `{"query":"${'x'.repeat(999_989)}"}`, 413, 'REQUEST_ENTITY_TOO_LARGE'),
  { ...posts('the same in chunks, without a length', `{"query":"${'x'.repeat(999_989)}"}`, 413, 'REQUEST_ENTITY_TOO_LARGE'), headers: { ...json, 'transfer-encoding': 'chunked' } },
  posts('a compressed bomb', gzipSync(`{"query":"${' '.repeat(50_000_000)}{ viewer { role } }"}`), 415, 'BAD_REQUEST', { ...json, 'content-encoding': 'gzip' }),
  posts('a body packed twice', gzipSync(gzipSync('{}')), 415, 'BAD_REQUEST', { ...json, 'content-encoding': 'gzip, gzip' }),
  posts('an encoding that nobody knows', '{}', 415, 'BAD_REQUEST', { ...json, 'content-encoding': 'x' }),
  posts('a form', 'query=mutation', 415, 'BAD_REQUEST', { 'content-type': 'application/x-www-form-urlencoded' }),
  posts('a form with files', '--x\r\ncontent-disposition: form-data; name="operations"\r\n\r\n{"query":"{ viewer { role } }"}\r\n--x--', 415, 'BAD_REQUEST', { 'content-type': 'multipart/form-data; boundary=x' }),
  posts('plain text', '{"query":"{ viewer { role } }"}', 415, 'BAD_REQUEST', { 'content-type': 'text/plain' }),
  posts('application/graphql', '{ viewer { role } }', 415, 'BAD_REQUEST', { 'content-type': 'application/graphql' }),
  posts('a body of no type', '{"query":"{ viewer { role } }"}', 415, 'BAD_REQUEST', {}),
  posts('two types in one', '{"query":"{ viewer { role } }"}', 415, 'BAD_REQUEST', { 'content-type': 'text/plain, application/json' }),
];

const query = (search: Record<string, string>): string => `/graphql?${new URLSearchParams(search).toString()}`;
const accepts = { accept: spec };
const methods: Hostile[] = [
  { name: 'a mutation by GET', method: 'GET', path: query({ query: write }), headers: accepts, status: 405, code: 'BAD_REQUEST' },
  { name: 'a mutation by GET, beside a query', method: 'GET', path: query({ query: `query A { viewer { role } } ${write.replace('mutation', 'mutation B')}`, operationName: 'B' }), headers: accepts, status: 405, code: 'BAD_REQUEST' },
  { name: 'a mutation by GET that claims to be POST', method: 'GET', path: query({ query: write }), headers: { ...accepts, 'x-http-method-override': 'POST', ...json }, status: 405, code: 'BAD_REQUEST' },
  { name: 'GET without a query', method: 'GET', headers: accepts, status: 400, code: 'BAD_REQUEST' },
  { name: 'GET with broken variables', method: 'GET', path: query({ query: '{ viewer { role } }', variables: '{' }), headers: accepts, status: 400, code: 'BAD_REQUEST' },
  { name: 'GET with 5,000 nested variables', method: 'GET', path: query({ query: '{ viewer { role } }', variables: `{"a":${'['.repeat(1_500)}${']'.repeat(1_500)}}` }), headers: accepts, status: 400, code: 'BAD_USER_INPUT' },
  { name: 'GET with broken escapes', method: 'GET', path: '/graphql?query=%E0%A4%A&variables=%', headers: accepts, status: 400, code: 'BAD_REQUEST' },
  ...['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'].map((method): Hostile => ({ name: method, method, headers: accepts, status: 405 })),
  { name: 'an address of 20 KB', method: 'GET', path: `/graphql?query=${'x'.repeat(20_000)}`, status: 431 },
  { name: 'a header of 20 KB', headers: { ...json, 'x-long': 'x'.repeat(20_000) }, body: '{}', status: 431 },
  { name: 'a page of another name (DNS rebinding)', headers: { ...json, host: 'evil.example' }, body: '{}', status: 403 },
  { name: 'a download of another method', method: 'DELETE', path: '/handoffs/x.json', status: 405 },
  { name: 'a download with SQL for an id', method: 'GET', path: "/handoffs/'%20OR%201=1.json", status: 404, code: 'NOT_FOUND' },
  { name: 'a download with NUL for an id', method: 'GET', path: '/sessions/%00.json', status: 404, code: 'NOT_FOUND' },
  { name: 'a way out of the folder', method: 'GET', path: '/../../../../etc/passwd', status: 404 },
  { name: 'the same, escaped', method: 'GET', path: '/handoffs/..%2f..%2f..%2fetc%2fpasswd', status: 404 },
  { name: 'an upload as a form', path: `/sessions/${session}/transcript`, headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: 'x', status: 415, code: 'BAD_REQUEST' },
  { name: 'an upload from a foreign page', path: `/sessions/${session}/transcript`, headers: { origin: 'https://evil.example' }, body: 'x', status: 403, code: 'BAD_REQUEST' },
  { name: 'an upload to nowhere', path: '/sessions/nonsense/transcript', body: '{}', status: 400, code: 'BAD_USER_INPUT' },
  { name: 'an upload with broken escapes', path: '/sessions/%zz/transcript', body: '{}', status: 400, code: 'BAD_USER_INPUT' },
  { name: 'a compressed upload', path: `/sessions/${session}/transcript`, headers: { 'content-encoding': 'gzip' }, body: gzipSync('x'.repeat(1_000_000)), status: 415, code: 'BAD_REQUEST' },
  { name: 'an upload that claims 65 GB', raw: `POST /sessions/${session}/transcript HTTP/1.1\r\nhost: localhost\r\ncontent-length: 65000000000\r\n\r\n`, status: 413, code: 'REQUEST_ENTITY_TOO_LARGE' },
];

const head = 'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
const websocket = 'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-protocol: graphql-transport-ws\r\n';
const raws: Hostile[] = [
  { name: 'what is no HTTP', raw: 'NONSENSE\r\n\r\n', status: 400 },
  { name: 'a TLS greeting', raw: Buffer.from('16030100a5010000a10303', 'hex'), status: 400 },
  { name: 'no host', raw: 'GET /livez HTTP/1.1\r\n\r\n', status: 400 },
  { name: 'two lengths', raw: `${head}content-length: 2\r\ncontent-length: 40\r\n\r\n{}`, status: 400 },
  { name: 'a length and chunks (smuggling)', raw: `${head}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nPOST /graphql HTTP/1.1\r\n`, status: 400 },
  { name: 'chunks twice', raw: `${head}transfer-encoding: chunked, chunked\r\n\r\n0\r\n\r\n`, status: 400 },
  { name: 'a length below zero', raw: `${head}content-length: -1\r\n\r\n`, status: 400 },
  { name: 'a chunk of no size', raw: `${head}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n`, status: 400 },
  { name: 'a chunk that claims all memory', raw: `${head}transfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n`, status: 400 },
  { name: 'a space before the colon', raw: 'GET /livez HTTP/1.1\r\nhost : localhost\r\n\r\n', status: 400 },
  { name: 'a bare line feed in a header', raw: 'GET /livez HTTP/1.1\r\nhost: localhost\r\nx: a\rb\r\n\r\n', status: 400 },
  { name: 'NUL in a header', raw: 'GET /livez HTTP/1.1\r\nhost: localhost\r\nx: a\0b\r\n\r\n', status: 400 },
  { name: 'an address that is none', raw: 'GET http://[ HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n', status: 400 },
  { name: 'another version of HTTP', raw: 'GET /livez HTTP/9.9\r\nhost: localhost\r\n\r\n', status: 400 },
  { name: 'a proxy to elsewhere', raw: 'CONNECT 169.254.169.254:80 HTTP/1.1\r\nhost: localhost\r\n\r\n', status: null },
  { name: '16 MB of headers', raw: `GET /livez HTTP/1.1\r\nhost: localhost\r\n${'x: y\r\n'.repeat(100_000)}`, status: 431 },
  { name: 'a socket to nowhere', raw: `GET /sessions HTTP/1.1\r\nhost: localhost\r\n${websocket}\r\n`, status: 404 },
  { name: 'a socket from a foreign page', raw: `GET /graphql HTTP/1.1\r\nhost: localhost\r\norigin: https://evil.example\r\n${websocket}\r\n`, status: 403 },
  { name: 'a socket under another name (DNS rebinding)', raw: `GET /graphql HTTP/1.1\r\nhost: evil.example\r\norigin: http://evil.example\r\n${websocket}\r\n`, status: 403 },
  { name: 'an expectation that nobody meets', raw: `${head}expect: everything\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}`, status: 417 },
];

export const hostileRequests: readonly Hostile[] = [...documents, ...values, ...bodies, ...methods, ...raws];
