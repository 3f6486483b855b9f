import { beforeAll, describe, expect, test } from 'vitest';
import { bulkId, loadBulk } from '../../../test/bulk.ts';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { recordQueries } from '../../../test/queries.ts';
import { startApp } from '../../../test/server.ts';
import { encodeId } from '../../core/ids.ts';

const database = await testDatabase();
const { sent } = recordQueries(database.pool);
const { url } = await startApp(database, { query: { cost: 10_000_000 } });
const { post } = client(url);
let sessionId = '';
let ids: string[] = [];
let webhookId = '';

beforeAll(async () => {
  await loadBulk(database.url, { sessions: 120, handoffs: 3, turns: 4, agents: 110 });
  await database.pool
    .query(`INSERT INTO pipelines (id, slug, version, name, start, stages, transitions, created_at) VALUES (gen_random_uuid(), 'p', 1, 'P', 'a', '[{"name": "a"}]', '[]', now());
    UPDATE sessions SET pipeline_id = (SELECT id FROM pipelines), stage = 'a';
    INSERT INTO stage_entries (id, session_id, number, stage, attempt, agent_id, entered_at, left_at, outcome, sent_back)
      SELECT gen_random_uuid(), id, n, 'a', n, coalesce(agent_id, 'busy'), now(), now(), 'DONE', false FROM sessions, generate_series(1, 3) AS n`);
  await database.pool
    .query(`INSERT INTO search_entries (kind, id, session_id, words) SELECT 'SESSION', id, id, search_words(title, 'A') FROM sessions;
    INSERT INTO search_entries (kind, id, session_id, sequence, words) SELECT 'MESSAGE', id, session_id, sequence, search_words(content, 'D') FROM messages`);
  await database.pool
    .query(`INSERT INTO webhooks (id, url, types, secret_version, key_check, position, created_by, created_at) SELECT gen_random_uuid(), 'https://example.com/', '{}', 1, 'x', 0, 'admin', now() FROM generate_series(1, 100);
    INSERT INTO deliveries (id, webhook_id, event_id, position, lane, status, attempts, created_at)
      SELECT gen_random_uuid(), w.id, e.id, 1, 'x', 'DELIVERED', 1, now() FROM (SELECT id FROM events LIMIT 100) e, (SELECT id FROM webhooks ORDER BY id LIMIT 1) w`);
  await database.pool
    .query(`INSERT INTO approvals (id, kind, session_id, agent_id, agent_session_id, text, requested_at, deadline_at)
      SELECT gen_random_uuid(), 'QUESTION', id, coalesce(agent_id, 'busy'), last_agent_session_id, 'Which?', now(), now() FROM sessions WHERE last_agent_session_id IS NOT NULL`);
  webhookId = encodeId(
    'webhook',
    (await database.pool.query<{ id: string }>('SELECT id FROM webhooks ORDER BY id LIMIT 1')).rows[0]!.id,
  );
  sessionId = encodeId('session', await bulkId(database.pool, 'session', 60));
  const { rows } = await database.pool.query<{ id: string }>('SELECT id FROM sessions ORDER BY id LIMIT 100');
  ids = rows.map(({ id }) => encodeId('session', id));
  // The key that cursors of events are signed with is read once by each process.
  await post('query ($sessionId: ID!) { sessionEvents(sessionId: $sessionId, first: 1) { nodes { cursor } } }', {
    sessionId,
  });
});

interface Sent {
  statements: number;
  rows: number;
}

/** How many statements a query sends, and how many `id`s it answers. */
async function send(query: string, variables: object): Promise<Sent> {
  sent.length = 0;
  const { data, errors } = await post(query, variables);
  expect(errors).toBeUndefined();
  return { statements: sent.length, rows: JSON.stringify(data).split('"id":').length - 1 };
}

/** Statements of a query for 1 row and for 100: the same number, whatever is asked for below. */
async function statementsOf(query: string): Promise<number> {
  const [one, many] = [
    await send(query, { n: 1, ids: ids.slice(0, 1), sessionId, webhookId }),
    await send(query, { n: 100, ids, sessionId, webhookId }),
  ];
  expect(many.rows).toBeGreaterThanOrEqual(one.rows * 2);
  expect(many.statements).toBe(one.statements);
  return one.statements;
}

const session = `id title status version agent { id status freePlaces collaborators { id } } agentType previousAgentType contextVariables { name value setBy }
  metadata result createdAt updatedAt lastReassignedAt agentSession { id state agent { id } }`;
const handoff = `id status via reason summary toolSummaries { toolName lastResult } filesModified recentMessages { role content } contextVariables { name }
  sourceAgent { id name } targetAgent { id name } sourceAgentSession { id state } targetAgentSession { id state } priorTurn { id index messages { id role } }
  triggeringToolCalls { id callId } snapshot { id messageCounts { total } visibleToolCallCount } session { id title } actor { principal role }
  previous { id } next { id } markdown contextPrompt(maxTokens: 500) { text kept { id kind } }`;

describe('sends one statement, for 1 row and for 100', () => {
  test.each([
    [
      'approvals',
      `query ($n: Int) { approvals(first: $n) { nodes { id kind text options deadlineAt decidedBy { principal } agent { id } session { id title question { id text askedBy { id } } approval { id } } handoff { id edits { field } declineReason } } } }`,
    ],
    [
      'sessions',
      `query ($n: Int) { sessions(first: $n) { nodes { ${session} } edges { cursor node { id handoffsEnabled } } pageInfo { hasNextPage endCursor } } }`,
    ],
    [
      'agents',
      'query ($n: Int) { agents(first: $n) { nodes { id name status freePlaces collaborators { id } collaborations { when agent { id } } definition { path } model } } }',
    ],
    [
      'sessionEvents',
      'query ($n: Int, $sessionId: ID!) { sessionEvents(sessionId: $sessionId, first: $n) { nodes { id type actor { principal } session { id } handoff { id } agent { id } } } }',
    ],
    [
      'events',
      'query ($n: Int) { events(first: $n) { nodes { id type at actor { principal } session { id } handoff { id } agent { id } } } }',
    ],
    ['the chain of handoffs', 'query ($n: Int) { handoffs(first: $n) { nodes { id chain { id depth status } } } }'],
    [
      'Session.agentSessions',
      'query ($n: Int) { sessions(first: $n) { nodes { id agentSessions(last: $n) { totalCount edges { cursor node { id agent { id } initiatedByHandoff { id } terminatedByHandoff { id } } } } } } }',
    ],
    [
      'Session.turns',
      'query ($n: Int) { sessions(first: $n) { nodes { id turns(first: $n) { nodes { id index usage { inputTokens } messages { id } toolCalls { id } agentSession { id } } } } } }',
    ],
    [
      'Session.messages',
      'query ($n: Int) { sessions(first: $n) { nodes { id messages(first: $n) { nodes { id sequence role turn { id } agentSession { id } handoff { id } } } } } }',
    ],
    [
      'Session.decisions and tasks',
      'query ($n: Int) { sessions(first: $n) { nodes { id decisions { id text } tasks { id content status } } } }',
    ],
    [
      'Session.snapshots',
      'query ($n: Int) { sessions(first: $n) { nodes { id snapshots(first: $n) { nodes { id messageCounts { user total } } } } } }',
    ],
    [
      'AgentSession.turns and snapshots',
      'query ($n: Int) { sessions(first: $n) { nodes { id agentSessions { nodes { id turns(first: 2) { nodes { id } } snapshots(first: 2) { nodes { id } } } } } } }',
    ],
    [
      'AgentSession.startedBy',
      'query ($n: Int) { sessions(first: $n) { nodes { id agentSessions { nodes { id startedBy { id type reason summary metadata } } } } } }',
    ],
    [
      'AgentSession.proposal',
      'query ($n: Int) { sessions(first: $n) { nodes { id agentSession { id proposal { id type metadata } } } } }',
    ],
    [
      'Handoff.returnOf',
      'query ($n: Int) { handoffs(first: $n) { nodes { id returnOf { id depth status sourceAgent { id } } } } }',
    ],
    [
      'AgentSession.latestSnapshot',
      'query ($n: Int) { sessions(first: $n) { nodes { id agentSessions { nodes { id latestSnapshot { id tokenEstimate } } } } } }',
    ],
    [
      'Agent.sessions',
      'query ($n: Int) { agents(first: $n) { nodes { id sessions(first: $n) { totalCount nodes { id title } } } } }',
    ],
    [
      'Agent.handoffsReceived and handoffsGiven',
      'query ($n: Int) { agents(first: $n) { nodes { id handoffsReceived(first: $n) { nodes { id sourceAgent { id } } } handoffsGiven(first: $n) { totalCount } } } }',
    ],
    ['webhooks', 'query ($n: Int) { webhooks(first: $n) { nodes { id url types enabled } } }'],
    [
      'deliveries',
      'query ($n: Int, $webhookId: ID!) { deliveries(webhookId: $webhookId, first: $n) { nodes { id status webhook { id url } event { id type session { id title } } } } }',
    ],
    [
      'nodes',
      'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Session { title agent { id } handoffs(first: 2) { nodes { id } } } } }',
    ],
  ])('%s', async (_name, query) => {
    expect(await statementsOf(query)).toBe(1);
  });
});

describe('sends a constant number of statements, for 1 row and for 100', () => {
  test.each([
    ['sessions with totalCount', 2, 'query ($n: Int) { sessions(first: $n) { totalCount nodes { id } } }'],
    [
      'sessions of a type: its agents, then finished and open sessions',
      3,
      'query ($n: Int) { sessions(first: $n, where: { agentType: "CLAUDE" }) { nodes { id agent { id } } } }',
    ],
    [
      'handoffs from or to an agent: one for each direction',
      2,
      'query ($n: Int) { handoffs(first: $n, where: { agentId: "busy" }) { nodes { id session { id } } } }',
    ],
    [
      'Session.usage: one for all sums',
      2,
      'query ($n: Int) { sessions(first: $n) { nodes { id usage { inputTokens model } } } }',
    ],
    [
      'Session.situation and the filter by it: one for what the filter compares with, one for the page, and two for the situations',
      4,
      'query ($n: Int) { sessions(first: $n, where: { situation: [WORKING, SILENT, WAITING_FOR_ACCEPTANCE, PAUSED, QUEUED, WITHOUT_HOLDER] }) { nodes { id situation } } }',
    ],
    [
      'visibleToolCalls: their ids, then their rows',
      3,
      'query ($n: Int) { sessions(first: $n) { nodes { id snapshots(first: 1) { nodes { id visibleToolCalls(first: 2) { id message { id } } } } } } }',
    ],
    [
      'Session.pipeline and results: one for their stays, one for the tenures, and one for the agents of each',
      5,
      'query ($n: Int) { sessions(first: $n) { nodes { id results { agent { id name } stage outcome payload reason } pipeline { stage pipeline { id slug stages { name } } stages { name state attempts agent { id name } } } } } }',
    ],
    [
      'two different pages of one list',
      2,
      'query ($n: Int) { sessions(first: $n) { nodes { id a: handoffs(first: 2) { nodes { id } } b: handoffs(last: 1) { nodes { id status } } } } }',
    ],
    [
      'texts of messages: one for all lists of the request',
      2,
      'query ($n: Int) { sessions(first: $n) { nodes { id messages(first: $n) { nodes { id content } } turns(first: 2) { nodes { messages { id content } } } } } }',
    ],
    [
      'small Contexts of handoffs, with their rows',
      1,
      `query ($n: Int) { handoffs(first: $n) { nodes { ${handoff} } } }`,
    ],
    [
      'Contexts of Session.lastHandoff',
      1,
      `query ($n: Int) { sessions(first: $n) { nodes { id lastHandoff { ${handoff} } openHandoff { id status } } } }`,
    ],
    [
      'Contexts of Session.handoffs, counted',
      1,
      `query ($n: Int) { sessions(first: $n) { nodes { id handoffs(first: $n) { totalCount nodes { ${handoff} } pageInfo { hasNextPage } } } } }`,
    ],
    [
      'Contexts below nodes',
      1,
      'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Session { title metadata agent { id metadata } handoffs(first: 2) { nodes { id summary openQuestions } } } } }',
    ],
    [
      'search: one for where its newest entries begin, one for the matches, one for the records of their type, one for the texts of the matches',
      4,
      `query ($n: Int) { search(query: "message", types: [MESSAGE], first: $n) { edges { cursor match { text marks { start } } node { ... on Session { id } ... on Message { id role session { id title } agentSession { id agent { id } } } } } } }`,
    ],
    [
      'search, by nodes',
      3,
      'query ($n: Int) { search(query: "work", types: [SESSION], first: $n) { nodes { ... on Session { id title agent { id } lastHandoff { id sourceAgent { id } } } } } }',
    ],
    [
      'Message.toolCalls with their lines: their ids, their rows, their lines',
      4,
      'query ($n: Int) { sessions(first: $n) { nodes { id messages(first: 2) { nodes { id toolCalls(first: 3) { id name status argument durationMs } } } } } }',
    ],
    [
      'Message.events: their ids, then their rows',
      3,
      'query ($n: Int) { sessions(first: $n) { nodes { id messages(first: 2) { nodes { id events { id type sessionStatus agent { id } handoff { id } } } } } } }',
    ],
    [
      'suggestTargets: the session, what the rules need, the paths, the words, and the agents',
      6,
      'query ($n: Int, $sessionId: ID!) { suggestTargets(sessionId: $sessionId, first: $n) { agent { id name } score factors { name value } } }',
    ],
    [
      'results and errors of tool calls',
      3,
      'query ($n: Int) { sessions(first: $n) { nodes { id turns(first: 2) { nodes { toolCalls { id result error } } } } } }',
    ],
  ])('%s', async (_name, statements, query) => {
    expect(await statementsOf(query)).toBe(statements);
  });

  test('attention: one for the time of situations, one for the page, and one for the records at each of its places', async () => {
    const attention = (fields: string) =>
      `query ($n: Int) { attention(first: $n) { nodes { kind since text ${fields} } } }`;
    expect(await statementsOf(attention(''))).toBe(2);
    // Of questions, which have neither a handoff nor a webhook.
    expect(
      await statementsOf(
        attention('agent { id name } session { id title agent { id } } handoff { id status } webhook { id }'),
      ),
    ).toBe(4);
  });

  test('handoffCounts: one for the page, and one for the agents at each of its two places', async () => {
    expect(
      await statementsOf(
        'query ($n: Int) { handoffCounts(first: $n) { nodes { day source { id name } target { id name } count byStatus { status count } } } }',
      ),
    ).toBe(3);
  });

  test('handoffStats: one for the numbers, and one for the agents at each of its places', async () => {
    const stats = (fields: string) =>
      `query ($n: Int) { handoffStats(groupBy: [PAIR], first: $n) { ${fields} count medianWorkingMs bounced usage { inputTokens } } }`;
    expect(await statementsOf(stats('source { id } target { id }'))).toBe(1);
    expect(await statementsOf(stats('source { id name } target { id name }'))).toBe(3);
  });

  test('handoffGraph: one for the numbers, and one for the agents at each of its three places', async () => {
    const graph =
      'query ($n: ID!) { handoffGraph(where: { agentId: $n }) { nodes { agent { id name } } edges { source { id name } target { id name } count } } }';
    const [one, many] = [await send(graph, { n: 'agent-3' }), await send(graph, { n: 'busy' })];
    expect(many.rows).toBeGreaterThan(one.rows);
    expect([one.statements, many.statements]).toEqual([4, 4]);
    const busiest =
      'query ($n: Int) { handoffGraph(first: $n) { pairCount nodes { agent { id name } } edges { source { id name } target { id name } count medianAcceptMs } } }';
    expect(await statementsOf(busiest)).toBe(4);
    expect(await statementsOf(busiest.replaceAll('id name', 'id'))).toBe(1);
  });

  test('handoffGraph: one for the numbers, and none for agents of which only the ids are selected', async () => {
    expect(
      await statementsOf(
        'query ($n: Int) { handoffGraph(first: $n) { edges { source { __typename id } target { id } count } } }',
      ),
    ).toBe(1);
  });
});

test('a page without rows sends no statement for rows', async () => {
  expect(await send('{ sessions { totalCount } }', {})).toMatchObject({ statements: 1 });
  expect(sent[0]?.text).toMatch(/^SELECT count/);
  expect(await send('{ viewer { role } }', {})).toMatchObject({ statements: 0 });
});

test('a query reads only the selected columns', async () => {
  await send('{ handoffs { nodes { status } } }', {});
  expect(sent[0]?.text).not.toMatch(/summary|"context"/);
});
