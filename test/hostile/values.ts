import { asks, over, session, typed, type Hostile } from './request.ts';

const nested = (levels: number, open: string, close: string, inner = '1'): unknown =>
  JSON.parse(open.repeat(levels) + inner + close.repeat(levels)) as unknown;

const detection =
  'query ($response: JSON!) { detectHandoffs(agentId: "claude-1", response: $response) { format calls { kind problem { suggestions } } } }';

export const values: readonly Hostile[] = [
  asks('variables of 100,000 nested lists', 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', 'BAD_USER_INPUT', {
    variables: { ids: 'deep lists' },
  }),
  asks(
    'variables of 100,000 nested objects',
    'query ($where: SessionFilter) { sessions(where: $where) { nodes { id } } }',
    'BAD_USER_INPUT',
    { variables: { where: 'deep objects' } },
  ),
  asks('variables that nobody declared, 100,000 deep', '{ viewer { role } }', 'BAD_USER_INPUT', {
    variables: { x: 'deep lists' },
  }),
  asks(
    'metadata 41 levels deep',
    'mutation ($m: JSON) { answer: registerAgent(input: { id: "intruder", type: "CLAUDE", metadata: $m }) { __typename } }',
    'BAD_USER_INPUT',
    { variables: { m: nested(41, '[', ']') } },
  ),
  typed(
    'metadata 33 levels deep',
    'registerAgent',
    { id: 'intruder', type: 'CLAUDE', metadata: nested(33, '{"a":', '}') },
    'BAD_USER_INPUT',
    /nested more than 32/,
  ),
  typed('NUL in a title', 'createSession', { title: 'a\u0000b' }, 'BAD_USER_INPUT', /NUL/),
  typed(
    'half a character in a reason',
    'reassignSession',
    { sessionId: session, agentId: 'claude-1', reason: 'a\ud800' },
    'BAD_USER_INPUT',
    /surrogate/,
  ),
  typed(
    'NUL in a name of metadata',
    'registerAgent',
    { id: 'intruder', type: 'CLAUDE', metadata: { 'a\u0000': 1 } },
    'BAD_USER_INPUT',
  ),
  typed('a title of 900,000 characters', 'createSession', { title: 'x'.repeat(900_000) }, 'BAD_USER_INPUT', /500/),
  typed(
    'metadata of 65 KB',
    'registerAgent',
    { id: 'intruder', type: 'CLAUDE', metadata: { a: 'x'.repeat(66_000) } },
    'BAD_USER_INPUT',
  ),
  typed(
    '501 tasks',
    'setTasks',
    { sessionId: session, tasks: Array(501).fill({ content: 'x', status: 'PENDING' }) },
    over,
  ),
  typed(
    '1,000 tasks',
    'setTasks',
    { sessionId: session, tasks: Array(1_000).fill({ content: 'x', status: 'PENDING' }) },
    over,
  ),
  typed(
    '201 messages',
    'appendTurn',
    { sessionId: session, messages: Array(201).fill({ role: 'USER', content: 'x' }) },
    over,
  ),
  typed(
    '1,000 agents of a tool',
    'createHandoffTool',
    { name: 'intruder', targetAgentId: 'claude-1', description: 'x', agentIds: Array(1_000).fill('claude-1') },
    over,
  ),
  typed(
    '1,000 collaborators',
    'registerAgent',
    { id: 'intruder', type: 'CLAUDE', collaborators: Array(1_000).fill('claude-1') },
    over,
  ),
  typed(
    '1,000 collaborations',
    'updateAgent',
    { id: 'claude-1', collaborations: Array(1_000).fill({ agentId: 'claude-1' }) },
    over,
  ),
  typed('1,000 definitions', 'importAgents', { files: Array(1_000).fill({ path: 'a.md', content: '# A' }) }, over),
  typed(
    'a definition at a path with an escape code',
    'importAgents',
    { files: [{ path: '\u001b[2Ja.md', content: '# A' }] },
    'BAD_USER_INPUT',
  ),
  typed('SQL in an id', 'archiveAgent', { id: "x'; DROP TABLE agents; --" }, 'BAD_USER_INPUT'),
  typed(
    'an id of 900,000 characters',
    'pauseSession',
    { sessionId: `session_${'0'.repeat(900_000)}` },
    'BAD_USER_INPUT',
  ),
  typed(
    'a reserved context variable',
    'reassignSession',
    { sessionId: session, agentId: 'claude-1', contextVariables: { _handoff_from: 'me' } },
    'BAD_USER_INPUT',
  ),
  {
    ...typed('a prototype in context variables', 'reassignSession', {}, 'BAD_USER_INPUT'),
    body:
      `{"query":"mutation ($i: ReassignSessionInput!) { answer: reassignSession(input: $i) { ... on Error { code } } }",` +
      `"variables":{"i":{"sessionId":"${session}","agentId":"claude-1","contextVariables":{"__proto__":{"admin":true}}}}}`,
  },
  {
    ...typed('a prototype instead of an input', 'createSession', {}, 'BAD_USER_INPUT'),
    status: 400,
    body: '{"query":"mutation ($input: CreateSessionInput!) { answer: createSession(input: $input) { __typename } }","variables":{"__proto__":{"input":{"title":"x"}}}}',
  },
  asks('SQL in an id of a query', '{ agent(id: "x\' OR 1=1 --") { id } }', 'BAD_USER_INPUT', { status: 200 }),
  asks('SQL in a cursor', `{ sessions(after: "' OR 1=1 --") { nodes { id } } }`, 'BAD_USER_INPUT', { status: 200 }),
  asks(
    'a forged cursor',
    `{ sessions(after: "${Buffer.from('["session CREATED_AT desc",1e308,"x"]').toString('base64url')}") { nodes { id } } }`,
    'BAD_USER_INPUT',
    { status: 200 },
  ),
  asks('patterns in a text filter', '{ sessions(where: { titleContains: "%_\\\\%%%%%%%%" }) { totalCount } }', 'none', {
    status: 200,
    says: /"totalCount":0/,
  }),
  asks('operators of a text search', `{ search(query: "' & !( | <-> :* \\\\ %") { totalCount } }`, 'none', {
    status: 200,
    says: /"totalCount":0/,
  }),
  asks('10,000 words to search for', `{ search(query: "${'a '.repeat(10_000)}") { totalCount } }`, 'BAD_USER_INPUT', {
    status: 200,
    says: /500/,
  }),
  asks(
    'a status 1,000 times',
    'query ($s: [SessionStatus!]) { sessions(where: { status: $s }, first: 1) { nodes { id } } }',
    'none',
    { status: 200, variables: { s: Array(1_000).fill('FAILED') }, says: /"nodes"/ },
  ),
  asks('20,000 calls with names that no agent has', detection, over, {
    status: 200,
    variables: {
      response: Array.from({ length: 20_000 }, (_each, at) => ({ type: 'tool_use', name: `transfer_to_${at}` })),
    },
  }),
  asks('a text of 450,000 nested lists as an answer of a model', detection, 'none', {
    status: 200,
    variables: { response: `${'['.repeat(450_000)}${']'.repeat(450_000)}` },
    says: /"format":null/,
  }),
  asks('a stream of 250,000 empty lines', detection, 'none', {
    status: 200,
    variables: { response: 'data\n'.repeat(50_000) + '\n'.repeat(200_000) },
    says: /"format":null/,
  }),
  asks('101 ids', 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', 'BAD_USER_INPUT', {
    status: 200,
    variables: { ids: Array(101).fill('claude-1') },
  }),
  asks('80,000 ids', 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', over, {
    variables: { ids: Array(80_000).fill('claude-1') },
  }),
  asks('1,000 ids', 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', 'BAD_USER_INPUT', {
    status: 200,
    variables: { ids: Array(1_000).fill(session) },
  }),
  asks('an id that is an object', 'query ($id: ID!) { session(id: $id) { id } }', 'BAD_USER_INPUT', {
    variables: { id: { $ne: null } },
  }),
  asks(
    'a moment outside of time',
    '{ sessions(where: { createdAfter: "+275760-09-13T00:00:00Z" }) { nodes { id } } }',
    'GRAPHQL_VALIDATION_FAILED',
  ),
];
