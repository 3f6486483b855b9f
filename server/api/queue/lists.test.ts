import { beforeAll, describe, expect, test } from 'vitest';
import pg from 'pg';
import { atEnd, testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { recordQueries } from '../../../test/queries.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { completeSession, pauseSession } from '../../work/sessions/changeSession.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { post } = client(url);
const { sent } = recordQueries(db.pool);
const { agent, session, reassign, run } = world(db.pool);

interface Entry {
  session: { id: string; title: string };
  agentType: string | null;
  role: string | null;
  position: number | null;
  suspended: boolean;
  escalated: boolean;
  sourceAgent: { id: string } | null;
  reason: string | null;
}
const fields = 'session { id title } agentType role position suspended escalated sourceAgent { id } reason';

async function queue(
  args: string,
): Promise<{ nodes: Entry[]; totalCount: number; pageInfo: { endCursor: string; hasNextPage: boolean } }> {
  const { data, errors } = await post<{ queue: Awaited<ReturnType<typeof queue>> }>(
    `{ queue${args} { totalCount nodes { ${fields} } pageInfo { endCursor hasNextPage } } }`,
  );
  expect(errors).toBeUndefined();
  return data.queue;
}
const titles = async (where: string): Promise<string[]> =>
  (await queue(`(where: ${where})`)).nodes.map(({ session }) => session.title);
const waiting = (title: string, agentType: string, fields: object = {}) =>
  session(null, { title, agentType, queue: true, ...fields });

beforeAll(async () => {
  await agent('ada', { type: 'CODEX' });
  const left = await session('ada', { title: 'left by ada' });
  await waiting('first', 'CLAUDE');
  const paused = await waiting('paused', 'CLAUDE', { priority: 'LOW' });
  await waiting('urgent', 'CLAUDE', { priority: 'URGENT' });
  await reassign(left, { agentType: 'GEMINI', queue: true, reason: 'no tests' });
  await run(pauseSession, { sessionId: paused, expectedVersion: null });
});

describe('the queue', () => {
  test('lists sessions in the order of their turns, with the place among those that wait for the same agent', async () => {
    const { nodes, totalCount } = await queue('');
    expect(
      nodes.map(({ session, agentType, position, suspended }) => [session.title, agentType, position, suspended]),
    ).toEqual([
      ['urgent', 'CLAUDE', 1, false],
      ['first', 'CLAUDE', 2, false],
      ['left by ada', 'GEMINI', 1, false],
      ['paused', 'CLAUDE', null, true],
    ]);
    expect(totalCount).toBe(4);
    expect(nodes[2]).toMatchObject({ sourceAgent: { id: 'ada' }, reason: 'no tests', role: null, escalated: false });
  });

  test.each([
    ['by type', '{ agentType: "CLAUDE" }', ['urgent', 'first', 'paused']],
    ['by role', '{ role: "reviewer" }', []],
    ['by escalated true', '{ escalated: true }', []],
    ['by escalated false and type', '{ escalated: false, agentType: "GEMINI" }', ['left by ada']],
  ])('filters %s', async (_name, where, expected) => {
    expect(await titles(where)).toEqual(expected);
  });

  test('pages by cursor', async () => {
    const first = await queue('(first: 3)');
    expect(first.pageInfo.hasNextPage).toBe(true);
    expect((await queue(`(after: "${first.pageInfo.endCursor}")`)).nodes.map(({ session }) => session.title)).toEqual([
      'paused',
    ]);
  });

  test('Session.queueEntry is null for a session that does not wait', async () => {
    const held = await session('ada');
    const { data } = await post(`{ session(id: "${encodeId('session', held)}") { queueEntry { position } } }`);
    expect(data).toEqual({ session: { queueEntry: null } });
    await run(completeSession, { sessionId: held, expectedVersion: null, result: null, summary: null });
  });
});

describe('5,000 queued sessions', () => {
  const owner = new pg.Client({ connectionString: db.url });
  atEnd(() => owner.end());
  beforeAll(async () => {
    await owner.connect();
    await owner.query(`BEGIN; SET LOCAL session_replication_role = replica;
      CREATE TEMP TABLE bulk AS SELECT i, gen_random_uuid() AS id FROM generate_series(1, 5000) i;
      INSERT INTO sessions SELECT (jsonb_populate_record(s, jsonb_build_object('id', b.id, 'title', 'bulk ' || b.i, 'created_at', s.created_at, 'last_agent_session_id', null, 'external_id', null, 'event_count', 1))).*
        FROM bulk b, sessions s WHERE s.title = 'first';
      INSERT INTO queue_entries SELECT (jsonb_populate_record(q, jsonb_build_object('id', gen_random_uuid(), 'session_id', b.id, 'queued_at', q.queued_at + b.i * interval '1 second',
          'effective_at', q.effective_at + b.i * interval '1 second', 'agent_type', CASE b.i % 100 WHEN 0 THEN 'RARE' ELSE 'CLAUDE' END, 'wanted', CASE b.i % 100 WHEN 0 THEN 'RARE/' ELSE 'CLAUDE/' END,
          'escalated', b.i % 500 = 1))).*
        FROM bulk b, queue_entries q WHERE q.session_id = (SELECT id FROM sessions WHERE title = 'first');
      INSERT INTO events (id, type, at, session_id, session_sequence, session_status, actor_principal) SELECT gen_random_uuid(), 'SESSION_CREATED', now(), id, 1, 'PAUSED', 'bulk' FROM bulk;
      COMMIT; ANALYZE`);
  });

  /** Pages that the statements of a list read, the same values given. */
  async function pagesRead(args: string): Promise<number> {
    sent.length = 0;
    const { errors } = await post(`{ queue${args} { nodes { agentType session { id title } sourceAgent { id } } } }`);
    expect(errors).toBeUndefined();
    let pages = 0;
    for (const { text, values } of [...sent]) {
      const { rows } = await owner.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>({
        text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
        values,
      });
      const { Plan } = rows[0]!['QUERY PLAN'][0]!;
      pages += Plan['Shared Hit Blocks']! + Plan['Shared Read Blocks']!;
    }
    return pages;
  }

  test.each([
    ['nothing', ''],
    ['a frequent type', '(where: { agentType: "CLAUDE" })'],
    ['a rare type', '(where: { agentType: "RARE" })'],
    ['a role', '(where: { role: "x" })'],
    ['escalated', '(where: { escalated: true })'],
  ])('a page by %s reads a small part of the tables', async (_name, args) => {
    expect(await pagesRead(args)).toBeLessThan(300);
  });

  test('positions take one more statement, for 1 row and for 50', async () => {
    const statements: number[] = [];
    for (const first of [1, 50]) {
      sent.length = 0;
      await queue(`(first: ${first}, where: { agentType: "CLAUDE" })`);
      statements.push(sent.length);
    }
    expect(statements).toEqual([3, 3]);
  });

  test('a finisher sends at most one statement more, and it reads a small part of the tables', async () => {
    const held = [];
    for (const type of ['ALONE', 'RARE']) {
      const agentId = `one-${type.toLowerCase()}`;
      await agent(agentId, { type, maxCapacity: 1 });
      held.push(
        (await db.prisma.session.findFirst({ where: { agentId }, select: { id: true } }))?.id ??
          (await session(agentId)),
      );
    }
    const counts: number[] = [];
    for (const sessionId of held) {
      sent.length = 0;
      await run(completeSession, { sessionId, expectedVersion: null, result: null, summary: null });
      counts.push(sent.length);
    }
    expect(counts[1]! - counts[0]!).toBe(1);
    const drain = sent.find(({ text }) => text.includes('SKIP LOCKED'))!;
    await owner.query('BEGIN; SET LOCAL plan_cache_mode = force_generic_plan');
    const { rows } = await owner.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>({
      text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${drain.text}`,
      values: drain.values,
    });
    await owner.query('ROLLBACK');
    const { Plan } = rows[0]!['QUERY PLAN'][0]!;
    expect(Plan['Shared Hit Blocks']! + Plan['Shared Read Blocks']!).toBeLessThan(300);
  });
});
