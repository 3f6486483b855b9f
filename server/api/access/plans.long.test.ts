import { graphql } from 'graphql';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bulkId, loadBulk } from '../../../test/bulk.ts';
import { testDatabase } from '../../../test/database.ts';
import { recordQueries } from '../../../test/queries.ts';
import { agentCaller } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import type { Caller } from '../../core/work.ts';
import { silentLog } from '../../infra/log.ts';
import { contexts } from '../graphql/context.ts';
import { schema } from '../graphql/schema.ts';

// 200,000 Handoffs, of which an agent may read those of its 10 Sessions; and one that had 30 % of all Sessions.
const database = await testDatabase();
const { prisma, pool } = database;
const queries = recordQueries(pool);
const client = new pg.Client({ connectionString: database.url });
const contextFor = contexts({ prisma, pool, env: { staleAfterMinutes: 30, handoffsEnabled: true }, log: silentLog });
let own = '';
let foreign = '';

beforeAll(async () => {
  await loadBulk(database.url, { sessions: 100_000, handoffs: 2, agents: 200 });
  await client.connect();
  await client.query(`INSERT INTO agents (id, type, name, administrative_status, current_load, max_capacity, total_assigned, inbox_sequence, registered_at)
    VALUES ('newcomer', 'CLAUDE', 'newcomer', 'AVAILABLE', 0, 100, 0, 0, now())`);
  // It replaces the agent of the first tenure of every 10,000th Session.
  await client.query(`UPDATE agent_sessions SET agent_id = 'newcomer' WHERE id IN (
    SELECT DISTINCT ON (session_id) id FROM agent_sessions WHERE session_id IN (SELECT bulk_id(0, i * 10000, 0) FROM generate_series(1, 9) i UNION ALL SELECT bulk_id(0, 1, 0)) ORDER BY session_id, started_at)`);
  await client.query('ANALYZE agent_sessions');
  own = encodeId('session', await bulkId(pool, 'session', 50_000));
  foreign = encodeId('session', await bulkId(pool, 'session', 50_001));
  // The key that cursors of events are signed with is read once by each process.
  await ask(newcomer, '{ sessionEvents(sessionId: "OWN") { nodes { cursor } } }');
}, 180_000);
afterAll(() => client.end());

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Plan[];
}
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
// Of Events there are as few as the story tells, whatever the Sessions.
const small = new Set(['agents', 'agent_collaborators', 'events']);

/** What a query answers, and the plans of the very statements that it sends. */
async function ask<Data>(caller: Caller, source: string): Promise<{ data: Data; plans: Plan[]; statements: number }> {
  queries.sent.length = 0;
  const { data, errors } = await graphql({
    schema,
    source: source.replaceAll('OWN', own).replaceAll('FOREIGN', foreign),
    contextValue: contextFor(caller),
  });
  expect(errors).toBeUndefined();
  const plans: Plan[] = [];
  const sent = [...queries.sent];
  for (const { text, values } of sent) {
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>({
      text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
      values,
    });
    plans.push(rows[0]!['QUERY PLAN'][0]!.Plan);
  }
  return { data: data as Data, plans, statements: sent.length };
}

const newcomer = agentCaller('newcomer');
const busy = agentCaller('busy');
const handoffs = (args = '') =>
  `{ handoffs${args} { nodes { id status sourceAgent { id } targetAgent { id } session { id title } } pageInfo { endCursor } } }`;
const sessions = (args = '') => `{ sessions${args} { nodes { id title agent { id } lastHandoff { id status } } } }`;

// The Sessions of the agent are looked up first.
const reads: [string, string, number][] = [
  ['handoffs', handoffs(), 2],
  ['handoffs of a rare status', handoffs('(where: { status: [INITIATED] })'), 2],
  ['handoffs from or to an agent', handoffs('(where: { agentId: "busy" })'), 3],
  ['sessions', sessions(), 2],
  ['sessions by their last change', sessions('(orderBy: { field: UPDATED_AT })'), 2],
  ['a session that the agent may not read', '{ session(id: "FOREIGN") { id handoffs { nodes { id } } } }', 1],
  ['the events of a session', '{ sessionEvents(sessionId: "OWN") { nodes { id } } }', 2],
  [
    'the lists of the own agent',
    '{ viewer { agent { sessions { nodes { id } } handoffsGiven { nodes { id } } handoffsReceived { nodes { id } } } } }',
    1,
  ],
];

const rareSessions = sessions('(where: { status: [PAUSED] })');
const oneSession = '{ session(id: "OWN") { id handoffs { nodes { id } } } }';
const nodes = '{ nodes(ids: ["OWN", "FOREIGN"]) { id } }';

describe.each([
  ['an agent with 10 sessions', newcomer],
  ['an agent with 30 % of all sessions', busy],
])('for %s no query scans a large table', (_who, caller) => {
  test.each([
    ...reads,
    ['sessions of a rare status', rareSessions, 2] as const,
    ['a session', oneSession, 1] as const,
    ['nodes', nodes, 1] as const,
  ])('%s', async (_name, source, statements) => {
    const answer = await ask(caller, source);
    expect(answer.statements).toBe(statements);
    for (const plan of answer.plans) {
      const pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
      expect([
        nodesOf(plan)
          .filter((node) => node['Node Type'] === 'Seq Scan' && !small.has(node['Relation Name']!))
          .map((node) => node['Relation Name']),
        pages < 6_000 ? 'few' : pages,
      ]).toEqual([[], 'few']);
    }
  });
});

test('lists all records that the agent may read, and no others', async () => {
  const { data } = await ask<{
    handoffs: { totalCount: number; nodes: { session: { id: string } }[] };
    sessions: { totalCount: number; nodes: { id: string }[] };
  }>(newcomer, '{ handoffs { totalCount nodes { session { id } } } sessions { totalCount nodes { id } } }');
  expect([data.handoffs.totalCount, data.handoffs.nodes.length, data.sessions.totalCount]).toEqual([20, 20, 10]);
  expect(new Set(data.handoffs.nodes.map(({ session }) => session.id))).toEqual(
    new Set(data.sessions.nodes.map(({ id }) => id)),
  );
});
