import { Client } from 'pg';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { bulkId, loadBulk } from '../../../test/bulk.ts';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { adminKey, secretFor } from '../../../test/keyring.ts';
import { recordQueries } from '../../../test/queries.ts';
import { startApp } from '../../../test/server.ts';
import { encodeId } from '../../core/ids.ts';

const database = await testDatabase();
const { sent } = recordQueries(database.pool);
const compiling = client((await startApp(database)).url);
const plain = client((await startApp(database, { plugins: [] })).url);
let sessionId = '';

beforeAll(async () => {
  await loadBulk(database.url, { sessions: 120, handoffs: 3, turns: 2, agents: 30 });
  sessionId = encodeId('session', await bulkId(database.pool, 'session', 60));
});

const columns = 'id status via reason summary depth circular initiatedAt acceptedAt metadata';
const plainQueries = {
  'columns and rows': `query Q($n: Int, $after: String, $where: HandoffFilter) { handoffs(first: $n, after: $after, where: $where) {
    nodes { ${columns} sourceAgent { id name } targetAgent { id metadata } session { id title agent { id type } lastHandoff { id status } } } pageInfo { hasNextPage endCursor } totalCount } }`,
  'fragments and aliases': `query Q($n: Int, $after: String, $where: HandoffFilter) { a: handoffs(first: $n, after: $after, where: $where) { ...page } b: handoffs(last: 2) { edges { node { __typename ...one } cursor } } }
    fragment page on HandoffConnection { edges { cursor node { ...one other: status } } nodes { depth targetAgent { name } } }
    fragment one on Handoff { id from: sourceAgent { ...agent } target: targetAgent { ...agent maxCapacity } targetAgent { role } ... on Handoff { session { title } } }
    fragment agent on Agent { id name type }`,
  'no rows at all':
    'query Q($n: Int, $after: String, $where: HandoffFilter) { handoffs(first: $n, after: $after, where: $where) { totalCount pageInfo { hasNextPage } } }',
};

describe('a compiled list', () => {
  test.each(Object.entries(plainQueries))('returns what the uncompiled query returns: %s', async (_name, query) => {
    for (const where of [
      {},
      { agentId: 'busy' },
      { status: ['COMPLETED', 'REJECTED'], via: [] },
      { sessionId },
      { circular: true, initiatedAfter: '2026-01-01T00:00:00Z' },
      { sourceAgentId: 'nobody' },
    ]) {
      let after: unknown = null;
      for (let page = 0; page < 3; page += 1) {
        const variables = { n: 4, after, where };
        const expected = await plain.post(query, variables);
        expect(expected.errors).toBeUndefined();
        for (let n = 0; n < 3; n += 1) expect((await compiling.post(query, variables)).data).toEqual(expected.data);
        after =
          (expected.data as { handoffs?: { pageInfo: { endCursor?: string } } }).handoffs?.pageInfo.endCursor ?? null;
      }
    }
  });

  test('sends one statement', async () => {
    const query = `{ handoffs(first: 20) { nodes { ${columns} sourceAgent { id name } targetAgent { id name } session { id title agent { id } } } pageInfo { endCursor } } }`;
    for (let n = 0; n < 12; n += 1) {
      sent.length = 0;
      await compiling.post(query);
      expect(sent).toHaveLength(1);
    }
  });

  test('rejects wrong variables with the same errors as the uncompiled query', async () => {
    const query = plainQueries['columns and rows'];
    for (const variables of [
      { n: 101 },
      { n: 'x' },
      { after: 'no cursor' },
      { where: { agentId: ['a', 'b'] } },
      { where: { nothing: 1 } },
      { where: { sessionId: 'handoff_1' } },
    ]) {
      const { errors, data, status } = await compiling.post(query, variables);
      expect(errors).toHaveLength(1);
      const expected = await plain.post(query, variables);
      expect({ errors, data, status }).toEqual({
        errors: expected.errors,
        data: expected.data,
        status: expected.status,
      });
    }
  });
});

test('a variable within a JSON literal keeps its value, however often the query is sent', async () => {
  const query =
    'query Q($name: JSON, $id: ID!) { detectHandoffs(agentId: $id, response: [{ type: "tool_use", name: $name }]) { calls { toolName target { id } } } }';
  for (let n = 0; n < 12; n += 1) {
    const { data } = await compiling.post(query, { id: 'busy', name: 'transfer_to_agent-1' });
    expect(data).toEqual({
      detectHandoffs: { calls: [{ toolName: 'transfer_to_agent-1', target: { id: 'agent-1' } }] },
    });
  }
});

test('a database that is too slow is asked once, and said to be away in the same words', async () => {
  const query = `{ handoffs(first: 7) { nodes { ${columns} } } }`;
  for (let n = 0; n < 12; n += 1) await compiling.post(query);
  const [holder, watcher] = [
    new Client({ connectionString: database.url }),
    new Client({ connectionString: database.url }),
  ];
  await Promise.all([holder.connect(), watcher.connect()]);
  await holder.query('BEGIN; LOCK TABLE handoffs IN ACCESS EXCLUSIVE MODE');
  try {
    const said = [];
    for (const api of [compiling, plain]) {
      sent.length = 0;
      const answer = api.post(query);
      await vi.waitFor(async () => {
        // As statement_timeout does, at once.
        const { rowCount } = await watcher.query(
          "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
        );
        expect(rowCount).toBe(1);
      }, 20_000);
      const { status, data, errors } = await answer;
      expect(sent).toHaveLength(1);
      said.push({
        status,
        data,
        errors: errors?.map(({ message, path, extensions }) => ({ message, path, extensions })),
      });
    }
    expect(said[0]).toMatchObject({
      data: null,
      errors: [{ path: ['handoffs', 'nodes'], extensions: { code: 'UNAVAILABLE' } }],
    });
    expect(said[0]).toEqual(said[1]);
  } finally {
    await Promise.all([holder.end(), watcher.end()]);
  }
});

test('a key of an agent gets the same records and refusals from a compiled and an uncompiled query', async () => {
  const variables = { BATON_ADMIN_KEY: adminKey };
  const key = await secretFor(database.pool, 'AGENT', 'agent-3');
  const [one, other] = [
    client((await startApp(database, { variables })).url, { key }),
    client((await startApp(database, { variables, plugins: [] })).url, { key }),
  ];
  for (const columns of ['id name type', 'id instructions']) {
    const query = `{ handoffs(first: 30) { nodes { id sourceAgent { ${columns} } targetAgent { ${columns} } session { title } } totalCount } }`;
    const { data, errors } = await other.post(query);
    expect(errors === undefined).toBe(columns === 'id name type');
    for (let n = 0; n < 12; n += 1) expect(await one.post(query)).toMatchObject({ data, ...(errors && { errors }) });
  }
});

test.each([
  [
    'fields of the context',
    '{ handoffs(first: 5) { nodes { id filesModified recentMessages { role content } contextVariables { name value } leftOut { tasks } } } }',
  ],
  [
    'lists below lists',
    '{ sessions(first: 5) { nodes { id handoffs(first: 2) { nodes { id targetAgent { id collaborators { id } } snapshot { id } } } a: handoffs(last: 1) { totalCount nodes { id } } } } }',
  ],
  [
    'tenures and chains',
    '{ sessions(first: 5) { nodes { agentSession { id agent { id } } openHandoff { id returnOf { id } chain { id depth session { title } } } } } }',
  ],
  [
    'several lists',
    '{ agents(first: 3) { nodes { id freePlaces sessions(first: 2) { nodes { id lastHandoff { id previous { id } } } } } } handoffs(first: 2) { nodes { id next { id } } } viewer { role } }',
  ],
])('%s need as many statements compiled as uncompiled', async (_name, document) => {
  sent.length = 0;
  const { data } = await plain.post(document);
  const expected = sent.length;
  for (let n = 0; n < 12; n += 1) {
    sent.length = 0;
    expect((await compiling.post(document)).data).toEqual(data);
    expect(sent).toHaveLength(expected);
  }
});

test('a compiled document uses the variables of each request', async () => {
  const query = 'query ($yes: Boolean!, $n: Int) { handoffs(first: $n) { nodes { id status @include(if: $yes) } } }';
  for (let n = 1; n < 12; n += 1) {
    const { data } = await compiling.post<{ handoffs: { nodes: object[] } }>(query, { yes: n % 2 === 0, n });
    expect(data.handoffs.nodes).toHaveLength(n);
    expect('status' in data.handoffs.nodes[0]!).toBe(n % 2 === 0);
  }
});
