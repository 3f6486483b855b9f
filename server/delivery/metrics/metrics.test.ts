import { afterAll, describe, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client, send } from '../../../test/graphql.ts';
import { recordQueries } from '../../../test/queries.ts';
import { startApp } from '../../../test/server.ts';
import { sseStream } from '../../../test/socket.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { createPersistedOperations } from '../../infra/limits/persisted.ts';
import { gaugesOf } from './gauges.ts';
import { createMetrics } from './metrics.ts';

const database = await testDatabase();
const broken = await testDatabase();
const adminKey = 'k'.repeat(32);
const known = 'query KnownOne { viewer { role } }';

/** The values of a metric's lines, by their labels as Prometheus writes them. */
function valuesOf(text: string, name: string): Record<string, number> {
  const lines = text
    .split('\n')
    .flatMap((line) => new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`).exec(line)?.slice(1) ?? []);
  const pairs: [string, number][] = [];
  for (let n = 0; n < lines.length; n += 2) pairs.push([lines[n] ?? '', Number(lines[n + 1])]);
  return Object.fromEntries(pairs);
}

describe('what /metrics says', async () => {
  const { url } = await startApp(database, {
    persisted: createPersistedOperations({ ['0'.repeat(64)]: known }, { only: false }),
  });
  const { post } = client(url);
  const { agent, session } = world(database.pool);
  const scrape = async (): Promise<string> => (await send(`${url}/metrics`)).body;
  /** Reads gauges without the five seconds that a server keeps them. */
  const gauges = createMetrics({
    pool: database.pool,
    isPersisted: () => false,
    live: () => ({ sockets: 0, streams: 0, lag: 0, redis: false }),
    everyMs: 0,
  });
  afterAll(() => gauges.stop());
  const reassign = (sessionId: string, agentId: string, more = '') =>
    post<{ reassignSession: { __typename: string; handoff: { id: string } | null } }>(
      `mutation { reassignSession(input: { sessionId: "${sessionId}", agentId: "${agentId}"${more} }) { __typename ... on ReassignSessionPayload { handoff { id } } } }`,
    );

  test('counts attempts by result and code, Handoffs by status and via, and their latencies', async () => {
    await agent('ada');
    await agent('bob', { maxCapacity: 1 });
    const [first, second] = [encodeId('session', await session('ada')), encodeId('session', await session('ada'))];
    const { handoff } = (await reassign(first, 'bob')).data.reassignSession;
    expect((await reassign(second, 'bob')).data.reassignSession.__typename).toBe('AgentAtCapacityError');
    for (const name of ['acceptHandoff', 'completeHandoff'])
      await post(`mutation { ${name}(input: { handoffId: "${handoff!.id}" }) { __typename } }`);
    await reassign(first, 'ada', ', skipHandoff: true');
    const text = await scrape();
    expect(valuesOf(text, 'baton_handoff_attempts_total')).toEqual({
      'mutation="reassignSession",result="done",code=""': 2,
      'mutation="reassignSession",result="refused",code="AGENT_AT_CAPACITY"': 1,
    });
    expect(valuesOf(text, 'baton_handoffs_total')).toEqual({
      'status="INITIATED",via="OPERATOR"': 1,
      'status="ACCEPTED",via="OPERATOR"': 1,
      'status="COMPLETED",via="OPERATOR"': 1,
    });
    expect(valuesOf(text, 'baton_handoff_accept_seconds_count')).toEqual({ '': 1 });
    expect(valuesOf(text, 'baton_handoff_complete_seconds_count')).toEqual({ '': 1 });
    expect(valuesOf(text, 'baton_reassign_seconds_count')).toEqual({ 'handoff="true"': 1, 'handoff="false"': 1 });
    expect(valuesOf(text, 'baton_statement_seconds_count')['']).toBeGreaterThan(10);
  });

  test('labels operations by name only when they are persisted', async () => {
    await post(known);
    await post('query NotKnown { viewer { role } }');
    await post('{ handoff(id: "nonsense") { id } }');
    const counts = valuesOf(await scrape(), 'baton_operation_seconds_count');
    expect(counts['operation="KnownOne",type="query",result="ok"']).toBe(1);
    expect(counts['operation="other",type="query",result="error"']).toBe(1);
    expect(Object.keys(counts).join()).not.toContain('NotKnown');
  });

  test('has the streams, sockets and connections of the process', async () => {
    const stream = await sseStream(url, 'subscription { handoffEvents { type } }');
    await stream.result();
    const text = await scrape();
    expect(valuesOf(text, 'baton_streams')).toEqual({ '': 1 });
    expect(valuesOf(text, 'baton_sockets')).toEqual({ '': 0 });
    expect(valuesOf(text, 'baton_stream_lag_events')).toEqual({ '': 0 });
    expect(valuesOf(text, 'baton_redis_up')).toEqual({});
    expect(Object.keys(valuesOf(text, 'baton_pool_connections'))).toEqual(['state="idle"', 'state="busy"']);
    expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
    stream.close();
  });

  test('has the load by type, open and overdue Handoffs', async () => {
    await agent('cleo', { type: 'CURSOR', maxCapacity: 3 });
    const id = encodeId('session', await session('cleo'));
    await reassign(id, 'bob');
    await database.pool.query(
      `UPDATE handoffs SET deadline_at = clock_timestamp() - interval '1 minute' WHERE status = 'INITIATED'`,
    );
    const text = await gauges.read();
    expect(valuesOf(text, 'baton_agent_load')).toMatchObject({ 'type="CURSOR"': 0 });
    expect(valuesOf(text, 'baton_agent_capacity')).toMatchObject({ 'type="CURSOR"': 3 });
    expect(valuesOf(text, 'baton_handoffs_open')).toEqual({ 'status="INITIATED"': 1, 'status="ACCEPTED"': 0 });
    expect(valuesOf(text, 'baton_handoffs_overdue')).toEqual({ '': 1 });
    expect(valuesOf(text, 'baton_database_up')).toEqual({ '': 1 });
    expect(valuesOf(text, 'baton_redis_up')).toEqual({ '': 0 });
  });

  test('has what waits for a person, and for how long', async () => {
    await agent('asker', { type: 'ASKER' });
    const id = encodeId('session', await session('asker'));
    await post(`mutation { askPerson(input: { sessionId: "${id}", question: "Which?" }) { __typename } }`);
    await database.pool.query(`UPDATE approvals SET requested_at = clock_timestamp() - interval '10 minutes'`);
    const text = await gauges.read();
    expect(valuesOf(text, 'baton_approvals_waiting')).toEqual({ 'kind="HANDOFF"': 0, 'kind="QUESTION"': 1 });
    expect(valuesOf(text, 'baton_approvals_age_seconds')['kind="QUESTION"']).toBeCloseTo(600, -1);
  });

  test('names the 50 longest queues and adds up the others', async () => {
    const types = [51, ...Array(52).keys()];
    await Promise.all(
      types.map((n) =>
        post(`mutation { createSession(input: { title: "x", agentType: "TYPE_${n}", queue: true }) { __typename } }`),
      ),
    );
    await database.pool.query(
      `UPDATE queue_entries SET queued_at = clock_timestamp() - interval '10 minutes' WHERE agent_type = 'TYPE_51'`,
    );
    const text = await gauges.read();
    const lengths = valuesOf(text, 'baton_queue_sessions');
    expect(Object.keys(lengths)).toHaveLength(51);
    expect(lengths['role="",type="TYPE_51"']).toBe(2);
    expect(lengths['role="other",type="other"']).toBe(2);
    expect(valuesOf(text, 'baton_queue_age_seconds')['role="",type="TYPE_51"']).toBeCloseTo(600, -1);
  });

  test('reads the database at most once per interval, however many scrape', async () => {
    const hourly = gaugesOf(database.pool, 3_600_000);
    const queries = recordQueries(database.pool).sent;
    const [first, second] = await Promise.all([hourly(), hourly()]);
    expect(await hourly()).toBe(first);
    expect(second).toBe(first);
    expect(queries.filter(({ text }) => text.includes('agents_by_type'))).toHaveLength(1);
  });
});

test('answers without PostgreSQL, without counts of before', async () => {
  const metrics = createMetrics({
    pool: broken.pool,
    isPersisted: () => false,
    live: () => ({ sockets: 0, streams: 0, lag: 0, redis: null }),
    everyMs: 0,
  });
  expect(valuesOf(await metrics.read(), 'baton_handoffs_overdue')).toEqual({ '': 0 });
  await broken.pool.query('ALTER TABLE queue_entries RENAME TO away');
  const text = await metrics.read();
  metrics.stop();
  expect(valuesOf(text, 'baton_database_up')).toEqual({ '': 0 });
  expect(valuesOf(text, 'baton_handoffs_overdue')).toEqual({});
});

describe('who may read /metrics', async () => {
  const { url } = await startApp(database, { variables: { BATON_ADMIN_KEY: adminKey } });
  const { url: proxied } = await startApp(database, {
    variables: { BATON_ADMIN_KEY: adminKey, BATON_TRUST_PROXY: '1' },
  });
  const { agent } = world(database.pool);
  const get = (at: string, headers: Record<string, string> = {}, method = 'GET') =>
    send(`${at}/metrics`, { headers, method });

  test('a program of this machine needs no key', async () => {
    const { status, headers, body } = await get(url);
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect(body).toContain('# TYPE baton_handoffs_total counter');
    expect((await get(url, {}, 'HEAD')).status).toBe(200);
  });

  test.each<Record<string, string>>([
    { 'x-forwarded-for': '127.0.0.1' },
    { forwarded: 'for=127.0.0.1' },
    { via: '1.1 proxy' },
    { host: 'evil.example' },
  ])('a request with %j needs a key', async (headers) => {
    expect((await get(url, headers)).status).toBe(401);
  });

  test('behind a trusted proxy every request needs a key', async () => {
    expect((await get(proxied)).status).toBe(401);
    expect((await get(proxied, { authorization: `Bearer ${adminKey}` })).status).toBe(200);
  });

  test('a key must be valid, and not of an AGENT', async () => {
    await agent('eve');
    const { post } = client(url, { key: adminKey });
    const keyOf = async (fields: string): Promise<string> =>
      (
        await post<{ createKey: { secret: string } }>(
          `mutation { createKey(input: { ${fields} }) { ... on CreateKeyPayload { secret } } }`,
        )
      ).data.createKey.secret;
    const statusOf = async (key: string): Promise<number> =>
      (await get(proxied, { authorization: `Bearer ${key}` })).status;
    expect(await statusOf(await keyOf('name: "prometheus", role: ANALYST'))).toBe(200);
    expect(await statusOf(await keyOf('name: "eve", role: AGENT, agentId: "eve"'))).toBe(403);
    expect((await get(url, { authorization: 'Bearer baton_wrong' })).status).toBe(401);
  });
});
