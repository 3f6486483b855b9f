import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { bulkId, loadBulk } from '../../../test/bulk.ts';
import { testDatabase } from '../../../test/database.ts';
import { type Answer, client } from '../../../test/graphql.ts';
import { adminKey, secretFor } from '../../../test/keyring.ts';
import { recordQueries } from '../../../test/queries.ts';
import { runs } from '../../../test/runs.ts';
import { startApp } from '../../../test/server.ts';
import { encodeId } from '../../core/ids.ts';

const database = await testDatabase();
const { sent } = recordQueries(database.pool);
const { post } = client((await startApp(database)).url);
const sessionIds: string[] = [];

beforeAll(async () => {
  await loadBulk(database.url, { sessions: 60, handoffs: 3, turns: 1, agents: 8 });
  for (const n of [1, 30, 60]) sessionIds.push(encodeId('session', await bulkId(database.pool, 'session', n)));
  // What loadBulk leaves empty.
  await database.pool.query(
    `UPDATE handoffs SET source_agent_id = NULL, source_agent_type = NULL, source_agent_session_id = NULL WHERE depth = 1 AND session_id IN (SELECT id FROM sessions ORDER BY id LIMIT 9)`,
  );
  await database.pool.query(`UPDATE handoffs SET reason = 'a "reason" – é' WHERE depth = 2`);
  await database.pool.query(
    `UPDATE sessions SET last_handoff_id = NULL WHERE id IN (SELECT id FROM sessions ORDER BY id DESC LIMIT 3)`,
  );
  await database.pool.query(
    `UPDATE handoffs SET summary = 'a "summary" – é', context = context || '{"contextVariables": [{"name": "deep", "value": {"a": [1.5, 1e20, -0, null, "\\u2028 é \\" \\\\"]}, "setBy": "x"}], "instructions": "Be brief.", "workspace": {"folder": "/a"}}' WHERE depth = 3`,
  );
  await database.pool.query(`UPDATE handoffs SET context = '{}' WHERE depth = 1`);
  await database.pool.query(
    `BEGIN; SET LOCAL session_replication_role = replica; DELETE FROM handoffs WHERE session_id = (SELECT id FROM sessions ORDER BY id DESC LIMIT 1); COMMIT`,
  );
  await database.pool.query(
    `UPDATE agents SET current_load = 3, role = NULL, administrative_status = 'DRAINING' WHERE id IN ('agent-1', 'agent-2', 'agent-5')`,
  );
  await database.pool.query(
    `UPDATE agents SET description = 'a "reviewer" – é', max_capacity = 3, current_load = 3, registered_at = '2026-01-01' WHERE id IN ('agent-3', 'agent-4')`,
  );
  await database.pool.query(
    `UPDATE agents SET archived_at = '2026-01-02 03:04:05.6+00', current_load = 0, administrative_status = 'OFFLINE' WHERE id IN ('agent-5', 'agent-6')`,
  );
});

const agent = ['id', 'name', 'type', '__typename', 'other: name'];
const below = (fields: string[]) => fc.subarray(fields, { minLength: 1 }).map((chosen) => `{ ${chosen.join(' ')} }`);
const handoffFields = [
  'id',
  'status',
  'via',
  'reason',
  'depth',
  'circular',
  'initiatedAt',
  'acceptedAt',
  'completedAt',
  'closedAt',
];
const sessionFields = [
  'id',
  'title',
  'status',
  'version',
  'previousAgentType',
  'handoffsEnabled',
  'maxHandoffs',
  'createdAt',
  'updatedAt',
  'lastReassignedAt',
];

const contextFields = [
  ...[
    'summary',
    'instructions',
    'filesModified',
    'pendingTasks',
    'decisions',
    'openQuestions',
    'summaryComposed',
    '__typename',
  ],
  ...[
    'toolSummaries { toolName callCount errorCount lastResult }',
    'recentMessages { role content sequence }',
    'contextVariables { name value setBy }',
    'leftOut { tasks }',
    'workspace { folder }',
  ],
];

const agentFields = [
  'id',
  'type',
  'name',
  'role',
  'description',
  'status',
  'administrativeStatus',
  'currentLoad',
  'maxCapacity',
  'freePlaces',
  'registeredAt',
  'archivedAt',
  '__typename',
  'other: name',
];

const selection = (columns: string[], relations: Record<string, string[]>) =>
  fc
    .tuple(
      fc.subarray(columns, { minLength: 1 }),
      fc
        .subarray(Object.keys(relations))
        .chain((names) =>
          fc.tuple(...names.map((name) => below(relations[name]!).map((fields) => `${name} ${fields}`))),
        ),
    )
    .map(([fields, rows]) => [...fields, ...rows].join(' '));

const agents = fc.constantFrom('busy', 'agent-1', 'agent-2', 'nobody');
const nestedHandoff = [
  'id',
  'status',
  'via',
  'reason',
  'depth',
  'initiatedAt',
  'acceptedAt',
  '__typename',
  'targetAgent { id name other: type }',
];
/** Two pages of one relation, of which Pothos loads one by a statement of its own: it answers each field of such a list. */
const apart = (list: string): string =>
  `one: ${list}(first: 1) { nodes { id } } two: ${list}(first: 2) { nodes { id } }`;
const lists = {
  handoffs: {
    selection: fc
      .tuple(
        selection(handoffFields, { sourceAgent: agent, targetAgent: agent, session: ['id', 'title', 'status'] }),
        fc.oneof(fc.constant([]), fc.subarray(contextFields)),
      )
      .map(([columns, context]) => [columns, ...context].join(' ')),
    where: fc.oneof(
      fc.constant(null),
      fc.constant({}),
      agents.map((agentId) => ({ agentId })),
      agents.map((sourceAgentId) => ({ sourceAgentId })),
      agents.map((targetAgentId) => ({ targetAgentId })),
      fc.nat(2).map((n) => ({ sessionId: sessionIds[n]! })),
    ),
    order: fc.constantFrom('INITIATED_AT'),
    type: 'Handoff',
    more: `session { ${apart('handoffs')} }`,
  },
  sessions: {
    selection: fc
      .tuple(
        selection(sessionFields, { agent, lastHandoff: ['id', 'status', 'via', 'depth', 'initiatedAt', 'acceptedAt'] }),
        fc.option(fc.tuple(fc.nat(7), below(nestedHandoff))),
      )
      .map(([columns, nested]) =>
        nested === null
          ? columns
          : `${columns} handoffs(first: ${nested[0]}) { nodes ${nested[1]} edges { cursor } pageInfo { hasNextPage hasPreviousPage endCursor } }`,
      ),
    where: fc.constantFrom(null, {}),
    order: fc.constantFrom('CREATED_AT', 'UPDATED_AT', 'LAST_ACTIVITY'),
    type: 'Session',
    more: apart('handoffs'),
  },
  agents: {
    selection: selection(agentFields, {}),
    where: fc.constantFrom(null, {}, { includeArchived: false }, { includeArchived: true }),
    order: fc.constantFrom('ID', 'LOAD', 'REGISTERED_AT'),
    type: 'Agent',
    more: apart('sessions'),
  },
};

interface Page {
  nodes: { one?: unknown; two?: unknown; session?: { one?: unknown; two?: unknown } }[];
  edges: { cursor: string; node: object }[];
  pageInfo: { endCursor: string | null; startCursor: string | null };
}

describe.each(Object.entries(lists))('the list of %s', (name, { selection, where, order, type, more }) => {
  test('returns with one statement for rows what Pothos returns field by field, for any selection, filter, order and page', async () => {
    const pages = fc.record({
      size: fc.integer({ min: 0, max: 60 }),
      backward: fc.boolean(),
      pages: fc.integer({ min: 1, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(
        selection,
        where,
        order,
        fc.constantFrom('ASC', 'DESC'),
        pages,
        async (fields, filter, field, direction, { size, backward, pages }) => {
          const document = (
            extra: string,
          ) => `query ($where: ${type}Filter, $first: Int, $after: String, $last: Int, $before: String) {
          list: ${name}(where: $where, orderBy: { field: ${field}, direction: ${direction} }, first: $first, after: $after, last: $last, before: $before) {
            nodes { ...Fields ${extra} } edges { cursor node { ...Fields } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }
          fragment Fields on ${type} { ${fields} }`;
          let cursor: string | null = null;
          for (let page = 0; page < pages; page += 1) {
            const variables: object = {
              where: filter,
              ...(backward ? { last: size, before: cursor } : { first: size, after: cursor }),
            };
            sent.length = 0;
            const whole: Answer<{ list: Page }> = await post(document(''), variables);
            expect(whole.errors).toBeUndefined();
            // Large Contexts are read by a statement of their own.
            const rows = sent.filter(({ text }) => text.startsWith('SELECT row FROM'));
            expect(rows).toHaveLength(filter !== null && 'agentId' in filter ? 2 : 1);
            const { data } = await post<{ list: Page }>(document(more), variables);
            for (const node of data.list.nodes) {
              for (const row of [node, node.session]) for (const name of ['one', 'two'] as const) delete row?.[name];
              if (!fields.includes('session')) delete node.session;
            }
            expect(whole.data).toEqual(data);
            cursor = backward ? whole.data.list.pageInfo.startCursor : whole.data.list.pageInfo.endCursor;
            if (cursor === null) break;
          }
        },
      ),
      { numRuns: runs(60) },
    );
  }, 120_000);
});

test.each([
  '{ handoffs(where: { status: [COMPLETED] }) { nodes { id } } }',
  '{ handoffs(where: { sessionId: "S", sourceAgentId: "busy" }) { nodes { id } } }',
  '{ handoffs { nodes { id sourceAgent { id freePlaces } } } }',
  '{ handoffs { nodes { id session { id agent { id } } } } }',
  '{ sessions(where: { agentId: "busy" }) { nodes { id } } }',
  '{ sessions { nodes { id handoffs(last: 1) { nodes { id } } } } }',
  '{ sessions { nodes { id handoffs(first: 1) { nodes { id sourceAgent { id } } } } } }',
  '{ sessions { nodes { id handoffs(first: 1) { totalCount nodes { id } } } } }',
  '{ agents(where: { hasCapacity: true }) { nodes { id } } }',
  '{ agents(where: { type: "CLAUDE", includeArchived: true }) { nodes { id } } }',
  '{ agents { nodes { id collaborators { id } } } }',
])('one statement reads %s', async (document) => {
  sent.length = 0;
  const { errors } = await post(document.replace('"S"', JSON.stringify(sessionIds[0])));
  expect(errors).toBeUndefined();
  expect(sent).toHaveLength(1);
});

test('pages of one list that differ in their arguments are each read', async () => {
  const { data, errors } = await post<{
    sessions: { nodes: Record<'handoffs' | 'more' | 'before', { nodes: { depth: number }[] }>[] };
  }>(
    '{ sessions(first: 2, orderBy: { field: CREATED_AT, direction: ASC }) { nodes { ...F handoffs(first: 1) { nodes { depth } } before: handoffs(last: 1) { nodes { depth } } } } } fragment F on Session { more: handoffs(first: 2) { nodes { depth } } }',
  );
  expect(errors).toBeUndefined();
  for (const { handoffs, more, before } of data.sessions.nodes)
    expect([handoffs, more, before].map(({ nodes }) => nodes.map(({ depth }) => depth))).toEqual([[3], [3, 2], [1]]);
});

test('a page of which nothing is read costs no statement', async () => {
  sent.length = 0;
  const { data } = await post('{ sessions(first: 1) { nodes { handoffs { __typename } } } }');
  expect(data).toEqual({ sessions: { nodes: [{ handoffs: { __typename: 'HandoffConnection' } }] } });
  expect(sent).toHaveLength(1);
});

test("a selection that depends on a variable is read with each request's value, in one statement", async () => {
  const document = 'query ($more: Boolean!) { handoffs(first: 3) { nodes { id summary @include(if: $more) } } }';
  for (const more of [false, true, false, true]) {
    sent.length = 0;
    const { data } = await post<{ handoffs: { nodes: object[] } }>(document, { more });
    expect('summary' in data.handoffs.nodes[0]!).toBe(more);
    expect(sent).toHaveLength(1);
  }
});

test('an agent reads only its own handoffs and sessions', async () => {
  const key = await secretFor(database.pool, 'AGENT', 'agent-3');
  const own = client((await startApp(database, { variables: { BATON_ADMIN_KEY: adminKey } })).url, { key });
  const { data } = await own.post<{
    handoffs: { nodes: { session: { id: string } }[] };
    sessions: { nodes: { id: string }[] };
  }>('{ handoffs(first: 100) { nodes { session { id } } } sessions(first: 100) { nodes { id } } }');
  const { rows } = await database.pool.query<{ id: string }>(
    "SELECT DISTINCT session_id AS id FROM agent_sessions WHERE agent_id = 'agent-3'",
  );
  const readable = new Set(rows.map(({ id }) => encodeId('session', id)));
  expect(data.sessions.nodes.length).toBeGreaterThan(0);
  for (const { id } of [...data.sessions.nodes, ...data.handoffs.nodes.map(({ session }) => session)])
    expect(readable).toContain(id);
});
