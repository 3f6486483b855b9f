import { graphql } from 'graphql';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeId } from '../core/ids.ts';
import { contexts } from '../graphql/context.ts';
import { schema } from '../graphql/schema.ts';
import { silentLog } from '../infra/log.ts';
import { Pruner } from '../keeping/prune.ts';
import { bulkId, loadBulk } from '../../test/bulk.ts';
import { testDatabase } from '../../test/database.ts';
import { recordQueries } from '../../test/queries.ts';
import { operator } from '../../test/world.ts';

// 200,000 Handoffs: one Agent holds 30 %, 95 % are final. The planner's settings are PostgreSQL's own.
const database = await testDatabase();
const queries = recordQueries(database.pool);
const client = new pg.Client({ connectionString: database.url });
let sessionId = '';

beforeAll(async () => {
  await loadBulk(database.url, { sessions: 100_000, handoffs: 2, agents: 200 });
  sessionId = encodeId('session', await bulkId(database.pool, 'session', 50_000));
  await client.connect();
}, 120_000);
afterAll(() => client.end());

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Function Name'?: string;
  'Actual Loops': number;
  'Actual Rows': number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  'Total Cost': number;
  Plans?: Plan[];
}

// Changes of counts are folded every few seconds.
const small = new Set(['agents', 'agent_collaborators', 'handoff_path_changes']);
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
const scansWhole = (plan: Plan): string[] =>
  nodesOf(plan)
    .filter((node) => node['Node Type'] === 'Seq Scan' && !small.has(node['Relation Name']!))
    .map((node) => node['Relation Name']!);
const pagesRead = (plan: Plan): number => plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];

async function send<Data>(document: string): Promise<Data> {
  const { prisma, pool } = database;
  const contextValue = contexts({
    prisma,
    pool,
    env: { staleAfterMinutes: 30, handoffsEnabled: true },
    log: silentLog,
  })(operator);
  const { data, errors } = await graphql({ schema, source: document, contextValue });
  expect(errors).toBeUndefined();
  return data as Data;
}

/** The plans of the very statements that a query sends, run with the same values. */
async function plansOf(document: string): Promise<Plan[]> {
  queries.sent.length = 0;
  await send(document);
  const plans: Plan[] = [];
  for (const { text, values } of [...queries.sent]) {
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>({
      text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
      values,
    });
    plans.push(rows[0]!['QUERY PLAN'][0]!.Plan);
  }
  expect(plans.length).toBeGreaterThan(0);
  return plans;
}

const handoffs = (args: string) =>
  `{ handoffs(${args}) { nodes { id status sourceAgent { id } targetAgent { id } session { id title } } pageInfo { endCursor } } }`;
const sessions = (args: string) =>
  `{ sessions(${args}) { nodes { id title agent { id } lastHandoff { id status } } pageInfo { endCursor } } }`;

const handoffFilters = {
  'no field': '{}',
  sessionId: '{ sessionId: "SESSION" }',
  'agentId, with 30 % of the sessions': '{ agentId: "busy" }',
  'agentId, with few sessions': '{ agentId: "agent-3" }',
  'agentId, unknown': '{ agentId: "nobody" }',
  'sourceAgentId, with 30 % of the sessions': '{ sourceAgentId: "busy" }',
  'sourceAgentId, with few sessions': '{ sourceAgentId: "agent-3" }',
  'targetAgentId, with 30 % of the sessions': '{ targetAgentId: "busy" }',
  'targetAgentId, with few sessions': '{ targetAgentId: "agent-3" }',
  'status, a rare one': '{ status: [INITIATED] }',
  'status, the open ones': '{ status: [INITIATED, ACCEPTED] }',
  'status, the frequent one': '{ status: [COMPLETED] }',
  'via, a rare one': '{ via: [PIPELINE] }',
  'via, several': '{ via: [TOOL, PIPELINE] }',
  circular: '{ circular: true }',
  'not circular': '{ circular: false }',
  staleForMinutes: '{ staleForMinutes: 30 }',
  externalId: '{ externalId: "TICKET-5000" }',
  'project, with half of the sessions': '{ project: "shop" }',
  'project, a rare one': '{ project: "rare" }',
  initiatedAfter: '{ initiatedAfter: "2026-01-05T00:00:00Z" }',
  initiatedBefore: '{ initiatedBefore: "2026-01-02T00:00:00Z" }',
  'sessionId and status': '{ sessionId: "SESSION", status: [COMPLETED] }',
  'agentId and a rare status': '{ agentId: "busy", status: [INITIATED] }',
  'agentId and the open statuses': '{ agentId: "busy", status: [INITIATED, ACCEPTED] }',
  'agentId and the frequent status': '{ agentId: "busy", status: [COMPLETED] }',
  'agentId, with few sessions, and a rare status': '{ agentId: "agent-3", status: [INITIATED] }',
};

const sessionFilters = {
  'no field': '{}',
  'status, a rare one': '{ status: [PAUSED] }',
  'status, the open ones': '{ status: [RUNNING, PAUSED] }',
  'status, the frequent one': '{ status: [COMPLETED] }',
  'agentId, with 30 % of the sessions': '{ agentId: "busy" }',
  'agentId, with few sessions': '{ agentId: "agent-4" }',
  'agentId, unknown': '{ agentId: "nobody" }',
  'agentType, a frequent one': '{ agentType: "CODEX" }',
  'agentType, unknown': '{ agentType: "GEMINI" }',
  unassigned: '{ unassigned: true }',
  'not unassigned': '{ unassigned: false }',
  hasOpenHandoff: '{ hasOpenHandoff: true }',
  'no open handoff': '{ hasOpenHandoff: false }',
  'titleContains, in one': '{ titleContains: "work 4711 on" }',
  'titleContains, in a quarter': '{ titleContains: "Login" }',
  'titleContains, in none': '{ titleContains: "zebra" }',
  externalId: '{ externalId: "TICKET-5000" }',
  'project, with half of the sessions': '{ project: "shop" }',
  'project, a rare one': '{ project: "rare" }',
  'priority, a rare one': '{ priority: [URGENT] }',
  'priority, the frequent one': '{ priority: [NORMAL] }',
  createdAfter: '{ createdAfter: "2026-01-05T00:00:00Z" }',
  createdBefore: '{ createdBefore: "2026-01-02T00:00:00Z" }',
  'agentId and status': '{ agentId: "busy", status: [RUNNING] }',
  'agentId, with few sessions, and status': '{ agentId: "agent-4", status: [RUNNING, PAUSED] }',
};

// handoffs alone has more than 22,000 pages; what reads a large part of them without a sequential scan is no better.
const fewPages = 3_200;

async function expectIndexed(document: string, { pages = fewPages } = {}): Promise<void> {
  for (const plan of await plansOf(document.replaceAll('SESSION', sessionId))) {
    expect(scansWhole(plan)).toEqual([]);
    expect(pagesRead(plan)).toBeLessThan(pages);
  }
}

describe('no list scans a large table', () => {
  test.each(Object.entries(handoffFilters))('handoffs by %s', async (_name, where) => {
    await expectIndexed(handoffs(`where: ${where}`));
  });

  test.each(Object.entries(sessionFilters))('sessions by %s', async (_name, where) => {
    await expectIndexed(sessions(`where: ${where}`));
    // Of the indexes that go on in this order only that of agents begins with a filter: what else is rare is looked for along the order.
    await expectIndexed(sessions(`where: ${where}, orderBy: { field: UPDATED_AT }`), {
      pages: where.includes('agentId:') ? fewPages : Infinity,
    });
    await expectIndexed(sessions(`where: ${where}, orderBy: { field: LAST_ACTIVITY }`), { pages: Infinity });
  });

  test('the lists of an Agent and of a Session', async () => {
    await expectIndexed(
      '{ agent(id: "busy") { sessions { nodes { id } } handoffsGiven { nodes { id } } handoffsReceived { nodes { id } } } }',
    );
    await expectIndexed(
      '{ session(id: "SESSION") { handoffs { nodes { id chain { id } } } agentSessions { nodes { id } } snapshots { nodes { id } } } }',
    );
    await expectIndexed('{ agents { nodes { id handoffsReceived(first: 2) { nodes { id } } } } }');
  });
});

describe('the graph of handoffs', () => {
  const graph = (args: string) =>
    `{ handoffGraph(${args}) { pairCount edges { source { id } target { id } count byStatus { count } medianAcceptMs } } }`;

  test.each(['{ sessionId: "SESSION" }', '{ agentId: "agent-3" }', '{ initiatedAfter: "2026-01-12T12:00:00Z" }'])(
    'scans no large table with the filter %s',
    async (where) => {
      await expectIndexed(graph(`where: ${where}, first: 100`));
    },
  );

  test('reads no handoff for the whole graph, and takes the times of the first pairs only', async () => {
    const partsOf = async (args: string) => nodesOf((await plansOf(graph(args)))[0]!);
    expect((await partsOf('where: {}')).filter((node) => node['Relation Name'] === 'handoffs')).toEqual([]);
    const times = (await partsOf('where: { initiatedAfter: "2026-01-02T12:00:00Z" }, first: 10')).find(
      (node) => node['Function Name'] === 'handoff_times',
    );
    expect(times?.['Actual Loops']).toBe(10);
  });
});

test.each([
  '{}',
  '{ agentId: "busy" }',
  '{ agentId: "agent-3" }',
  '{ sourceAgentId: "agent-3", targetAgentId: "agent-4" }',
  '{ until: "2026-01-03T00:00:00Z" }',
])('handoffCounts by %s reads few pages', async (where) => {
  await expectIndexed(`{ handoffCounts(where: ${where}) { nodes { day source { id } target { id } count } } }`, {
    pages: 2_000,
  });
});

test('finished Sessions are found by an index, at any depth', async () => {
  queries.sent.length = 0;
  // None has its events' positions here, so that each is passed over.
  const pruner = new Pruner({ pool: database.pool, log: silentLog, days: 1 });
  for (let n = 0; n < 100; n += 1) expect(await pruner.batch()).toMatchObject({ sessions: 0, more: true });
  const found = queries.sent.filter(({ text }) => text.includes('last_activity_at'));
  for (const { text, values } of [found[0]!, found.at(-1)!]) {
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>({
      text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
      values,
    });
    const plan = rows[0]!['QUERY PLAN'][0]!.Plan;
    expect(scansWhole(plan)).not.toContain('sessions');
    expect(pagesRead(plan)).toBeLessThan(1_000);
  }
});

describe('a page at depth 100,000 costs at most 1.5 times the first', () => {
  const cursorAt = async (list: 'handoffs' | 'sessions', column: string, where: string): Promise<string> => {
    const { rows } = await client.query<{ at: Date; id: string }>(
      `SELECT ${column} AS at, id FROM ${list} WHERE ${where} ORDER BY ${column} DESC, id DESC OFFSET $1 LIMIT 1`,
      [where === 'true' && list === 'handoffs' ? 100_000 : 20_000],
    );
    const { at, id } = rows[0]!;
    const name = list === 'handoffs' ? 'handoff INITIATED_AT desc' : 'session CREATED_AT desc';
    return Buffer.from(JSON.stringify([name, at.getTime(), id])).toString('base64url');
  };

  test.each([
    ['all handoffs', 'handoffs', 'initiated_at', '{}', 'true'],
    [
      "the busy Agent's handoffs, at depth 20,000",
      'handoffs',
      'initiated_at',
      '{ targetAgentId: "busy" }',
      "target_agent_id = 'busy'",
    ],
    [
      'completed handoffs, at depth 20,000',
      'handoffs',
      'initiated_at',
      '{ status: [COMPLETED] }',
      "status = 'COMPLETED'",
    ],
    ['all sessions, at depth 20,000', 'sessions', 'created_at', '{}', 'true'],
  ] as const)('%s', async (_name, list, column, where, condition) => {
    const of = list === 'handoffs' ? handoffs : sessions;
    const after = await cursorAt(list, column, condition);
    const [[first], [deep]] = [
      await plansOf(of(`where: ${where}`)),
      await plansOf(of(`where: ${where}, after: "${after}"`)),
    ];
    expect(pagesRead(deep!)).toBeLessThanOrEqual(1.5 * pagesRead(first!));
    expect(deep!['Total Cost']).toBeLessThanOrEqual(1.5 * first!['Total Cost']);
  });
});
