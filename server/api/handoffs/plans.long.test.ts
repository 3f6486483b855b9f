import { graphql } from 'graphql';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bulkId, loadBulk } from '../../../test/bulk.ts';
import { testDatabase } from '../../../test/database.ts';
import { recordQueries } from '../../../test/queries.ts';
import { operator } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { silentLog } from '../../infra/log.ts';
import { Pruner } from '../../work/keeping/prune.ts';
import { contexts } from '../graphql/context.ts';
import { schema } from '../graphql/schema.ts';

// 200,000 Handoffs: one Agent holds 30 %, 95 % are final. The planner's settings are PostgreSQL's own.
const database = await testDatabase();
const queries = recordQueries(database.pool);
const client = new pg.Client({ connectionString: database.url });
let sessionId = '';

beforeAll(async () => {
  await loadBulk(database.url, { sessions: 100_000, handoffs: 2, agents: 200 });
  sessionId = encodeId('session', await bulkId(database.pool, 'session', 50_000));
  await client.connect();
  await addPipelines();
}, 300_000);
afterAll(() => client.end());

/** A tenth of the Sessions are in a pipeline; its stage `rare` and outcome `RARE` occur in 20. */
async function addPipelines(): Promise<void> {
  await client.query(`
    INSERT INTO pipelines (id, slug, version, name, start, stages, transitions, created_at)
      SELECT gen_random_uuid(), slug, 1, slug, 'write', '[]', '[]', now() FROM unnest(ARRAY['busy', 'unused']) slug;
    SET session_replication_role = replica;
    UPDATE sessions s SET pipeline_id = p.id, stage = 'review' FROM pipelines p, generate_series(10, 100000, 10) i WHERE p.slug = 'busy' AND s.id = bulk_id(0, i, 0);
    INSERT INTO stage_entries (id, session_id, number, stage, attempt, tried, entered_at, left_at, outcome, sent_back)
      SELECT gen_random_uuid(), bulk_id(0, i, 0), n, CASE WHEN i % 5000 = 0 THEN 'rare' WHEN n = 1 THEN 'write' ELSE 'review' END, 1, '{}', bulk_time(i, n),
        CASE WHEN n < 3 THEN bulk_time(i, n + 1) END, CASE WHEN n < 3 THEN CASE WHEN i % 5000 = 0 THEN 'RARE' ELSE 'DONE' END END, false
      FROM generate_series(10, 100000, 10) i, generate_series(1, 3) n;
    UPDATE handoffs h SET left_entry_id = l.id, stage_entry_id = e.id FROM stage_entries l JOIN stage_entries e ON e.session_id = l.session_id AND e.number = l.number + 1
      WHERE h.session_id = l.session_id AND h.depth = l.number;
    UPDATE handoffs SET reason = 'Needs a review of ' || depth WHERE id IN (SELECT bulk_id(2, i, 1) FROM generate_series(10, 100000, 10) i);
    UPDATE handoffs SET reason = 'Zebra crossing', actor_principal = 'key_rare' WHERE id IN (SELECT bulk_id(2, i, 1) FROM generate_series(5000, 100000, 5000) i);
    INSERT INTO events (id, type, at, session_id, session_sequence, session_status, handoff_id, agent_id, holder_id, actor_principal, actor_role)
      SELECT bulk_id(9, i, n), (CASE WHEN n = 0 THEN CASE WHEN i % 5000 = 0 THEN 'HANDOFF_ESCALATED' ELSE 'SESSION_CREATED' END ELSE 'HANDOFF_INITIATED' END), bulk_time(i, n), bulk_id(0, i, 0), n + 1, 'RUNNING',
        CASE WHEN n > 0 THEN bulk_id(2, i, n) END, t.agent_id, t.agent_id, CASE WHEN i % 5000 = 0 THEN 'key_rare' ELSE 'loopback' END, 'ADMIN'
      FROM generate_series(1, 60000) i, generate_series(0, 2) n, LATERAL (SELECT agent_id FROM agent_sessions WHERE id = bulk_id(1, i, n)) t;
    INSERT INTO approvals (id, kind, session_id, agent_id, agent_session_id, text, requested_at, deadline_at, decision, decided_at, decided_principal)
      SELECT gen_random_uuid(), 'QUESTION', t.session_id, t.agent_id, t.id, 'Which?', bulk_time(i, 0), bulk_time(i, 1), d.decision, CASE WHEN d.decision IS NOT NULL THEN bulk_time(i, 1) END, CASE WHEN d.decision IS NOT NULL THEN 'loopback' END
      FROM generate_series(1, 100000, 2) i, LATERAL (SELECT CASE WHEN i % 1000 <> 1 THEN 'ANSWERED'::approval_decision END AS decision) d, LATERAL (SELECT * FROM agent_sessions WHERE id = bulk_id(1, i, 2)) t;
    RESET session_replication_role; ANALYZE`);
}

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
const small = new Set([
  'agents',
  'agent_collaborators',
  'handoff_path_changes',
  'keys',
  'pipelines',
  'queue_entries',
  'webhooks',
]);
/** Without rows in this data. */
const empty = new Set(['inbox_entries', 'turns']);
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
const scansWhole = (plan: Plan): string[] =>
  nodesOf(plan)
    .filter(
      (node) =>
        node['Node Type'] === 'Seq Scan' && !small.has(node['Relation Name']!) && !empty.has(node['Relation Name']!),
    )
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

interface Explained {
  'QUERY PLAN': { Plan: Plan }[];
}
const explain = 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)';

/** The plans of the very statements that a query sends, run with the same values. */
async function plansOf(document: string): Promise<Plan[]> {
  queries.sent.length = 0;
  await send(document);
  const plans: Plan[] = [];
  for (const { text, values } of [...queries.sent]) {
    const { rows } = await client.query<Explained>({ text: `${explain} ${text}`, values });
    plans.push(rows[0]!['QUERY PLAN'][0]!.Plan);
  }
  expect(plans.length).toBeGreaterThan(0);
  return plans;
}

/** The plans that a connection keeps for the named statements of a list: they know no values. */
async function keptPlansOf(document: string): Promise<Plan[]> {
  queries.sent.length = 0;
  await send(document);
  const plans: Plan[] = [];
  for (const { text, values, name } of [...queries.sent]) {
    if (name === undefined || !text.startsWith('SELECT row FROM')) continue;
    const written = values.map((value) =>
      client.escapeLiteral(value instanceof Date ? value.toISOString() : String(value)),
    );
    await client.query(`SET plan_cache_mode = force_generic_plan; PREPARE kept AS ${text}`);
    const { rows } = await client.query<Explained>(
      `${explain} EXECUTE kept${written.length === 0 ? '' : `(${written.join(', ')})`}`,
    );
    await client.query('DEALLOCATE kept; RESET plan_cache_mode');
    plans.push(rows[0]!['QUERY PLAN'][0]!.Plan);
  }
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
  'pipeline, of a tenth of the sessions': '{ pipeline: "busy" }',
  'pipeline, without sessions': '{ pipeline: "unused" }',
  'stage, a frequent one': '{ stage: "review" }',
  'stage, a rare one': '{ stage: "rare" }',
  'fromStage, a frequent one': '{ fromStage: "write" }',
  'fromStage, a rare one': '{ fromStage: "rare" }',
  'outcome, a frequent one': '{ outcome: "DONE" }',
  'outcome, a rare one': '{ outcome: "RARE" }',
  'sent back': '{ sentBack: true }',
  'not sent back': '{ sentBack: false }',
  'reasonContains, in many': '{ reasonContains: "review" }',
  'reasonContains, in few': '{ reasonContains: "zebra" }',
  'reasonContains, in none': '{ reasonContains: "giraffe" }',
  'actor, the frequent one': '{ actor: "loopback" }',
  'actor, a rare one': '{ actor: "key_rare" }',
  'waitedAtLeastSeconds, of few': '{ waitedAtLeastSeconds: 3600 }',
  'waitedAtMostSeconds, of nearly all': '{ waitedAtMostSeconds: 3600 }',
  'lastedAtLeastSeconds, of few': '{ lastedAtLeastSeconds: 7200 }',
  'lastedAtMostSeconds, of nearly all': '{ lastedAtMostSeconds: 7200 }',
  'agentId, with few sessions, and a rare status': '{ agentId: "agent-3", status: [INITIATED] }',
};

const sessionFilters = {
  stuck: '{ stuck: true }',
  'not stuck': '{ stuck: false }',
  'stuckBecause, a rare reason': '{ stuckBecause: [ESCALATED, NO_AGENT, HOLDER_AWAY, MAX_HANDOFFS] }',
  'situation, of those that run': '{ situation: [WORKING] }',
  'situation, silent': '{ situation: [SILENT] }',
  'situation, of the waiting': '{ situation: [WAITING_FOR_ACCEPTANCE] }',
  'situation, of those that wait for a person': '{ situation: [WAITING_FOR_PERSON] }',
  'situation, queued': '{ situation: [QUEUED] }',
  'situation, the frequent one': '{ situation: [COMPLETED] }',
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
  const text = document.replaceAll('SESSION', sessionId);
  for (const plan of [...(await plansOf(text)), ...(await keptPlansOf(text))]) {
    expect(scansWhole(plan)).toEqual([]);
    expect(pagesRead(plan)).toBeLessThan(pages);
  }
}

describe('no list scans a large table', () => {
  test.each(Object.entries(handoffFilters))('handoffs by %s', async (_name, where) => {
    await expectIndexed(handoffs(`where: ${where}`));
  });

  test.each(Object.entries(sessionFilters))('sessions by %s', async (_name, where) => {
    // Of each running Session its Handoff and what it asks are looked up, by index.
    await expectIndexed(sessions(`where: ${where}`), { pages: where.includes('SILENT') ? 6_000 : fewPages });
    // Of the indexes that go on in this order only that of agents begins with a filter: what else is rare is looked for along the order.
    await expectIndexed(sessions(`where: ${where}, orderBy: { field: UPDATED_AT }`), {
      pages: where.includes('agentId:') ? fewPages : Infinity,
    });
    await expectIndexed(sessions(`where: ${where}, orderBy: { field: LAST_ACTIVITY }`), { pages: Infinity });
  });

  test('sessions in several situations: the open ones, with a handoff of each', async () => {
    const where = '{ situation: [WITHOUT_HOLDER, LIMIT_REACHED, WAITING_FOR_ACCEPTANCE, QUEUED, PAUSED] }';
    await expectIndexed(sessions(`where: ${where}`), { pages: 50_000 });
  });

  test.each([
    '{}',
    '{ agentId: "agent-3" }',
    '{ project: "rare" }',
    '{ kinds: [NOT_ACCEPTED] }',
    '{ kinds: [WEBHOOK] }',
  ])('what needs a person: the open sessions, with what each of them waits for, by %s', async (where) => {
    await expectIndexed(
      `{ attention(where: ${where}) { totalCount nodes { kind text agent { id } session { id title } handoff { id status } } } }`,
      { pages: 60_000 },
    );
  });

  test('open handoffs of an agent with a long history, oldest first', async () => {
    const where = 'where: { targetAgentId: "busy", status: [INITIATED, ACCEPTED] }';
    await expectIndexed(handoffs(`${where}, orderBy: { field: INITIATED_AT, direction: ASC }`), { pages: 800 });
  });

  test.each(['', '(externalId: "TICKET-5000")'])('what an agent with a long history has to hear%s', async (of) => {
    await expectIndexed(`{ agent(id: "busy") { notices${of} { id text } } }`, { pages: 15_000 });
    await expectIndexed(`{ agent(id: "agent-3") { notices${of} { id text } } }`, { pages: 1_000 });
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

const events = (where: string) =>
  `{ events(where: ${where}) { nodes { id type at agent { id } session { id title } } } }`;

test.each(
  Object.entries({
    'no field': '{}',
    'type, a rare one': '{ type: [HANDOFF_ESCALATED] }',
    'type, the frequent one': '{ type: [HANDOFF_INITIATED] }',
    'agentId, with 30 % of the sessions': '{ agentId: "busy" }',
    'agentId, with few sessions': '{ agentId: "agent-3" }',
    'actor, the frequent one': '{ actor: "loopback" }',
    'actor, a rare one': '{ actor: "key_rare" }',
    'project, with half of the sessions': '{ project: "shop" }',
    'project, a rare one': '{ project: "rare" }',
    sessionId: '{ sessionId: "SESSION" }',
    after: '{ after: "2026-01-05T00:00:00Z" }',
    before: '{ before: "2026-01-02T00:00:00Z" }',
  }),
)('events by %s scan no large table', async (_name, where) => {
  await expectIndexed(events(where));
});

test.each([
  '{ agentId: "agent-3" }',
  '{ stage: "rare" }',
  '{ sentBack: true, initiatedAfter: "2026-01-12T12:00:00Z" }',
])('handoffStats of %s scan no large table', async (where) => {
  await expectIndexed(`{ handoffStats(groupBy: [PAIR, DAY], where: ${where}) { count medianWorkingMs bounced } }`, {
    pages: 60_000,
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
