import fc from 'fast-check';
import pg from 'pg';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { atEnd, testDatabase } from '../../../test/database.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { recordQueries } from '../../../test/queries.ts';
import { runs } from '../../../test/runs.ts';
import { operator, toolCall, world } from '../../../test/world.ts';
import { newId } from '../../core/ids.ts';
import { createStamper } from '../../delivery/live/stamp.ts';
import { silentLog } from '../../infra/log.ts';
import { updateAgent } from '../agents/updateAgent.ts';
import { answerQuestion } from '../approvals/answerQuestion.ts';
import { askPerson } from '../approvals/askPerson.ts';
import { acceptHandoff, completeHandoff } from '../handoffs/changeHandoff.ts';
import { foldPaths } from '../learning/foldPaths.ts';
import { handoffGraph } from '../learning/handoffGraph.ts';
import { captureSnapshot, recordDecision, setTasks } from '../log/addToLog.ts';
import { cancelSession, completeSession } from '../sessions/changeSession.ts';
import { countFinished, Pruner, type PruneOptions } from './prune.ts';

const db = await testDatabase();
const { pool } = db;
const { sent } = recordQueries(pool);
const { agent, session, initiate, reassign, run, turn, pipeline, advance } = world(pool);
const stamper = createStamper({ pool, log: silentLog, stamped: () => undefined });
atEnd(() => stamper.stop());

const options: PruneOptions = { pool, log: { ...silentLog, error: (fields) => void failures.push(fields) }, days: 0 };
const failures: object[] = [];
afterEach(() => expect(failures).toEqual([]));
const all = new Pruner(options);

/** Prunes until there is nothing more, without pauses. */
async function pruneAll(pruner = all): Promise<{ sessions: number; events: number }> {
  await stamper.now();
  const sum = { sessions: 0, events: 0 };
  for (;;) {
    const { sessions, events, more } = await pruner.batch();
    sum.sessions += sessions;
    sum.events += events;
    if (more) continue;
    await pruner.release();
    return sum;
  }
}

const end = { expectedVersion: null, result: null, summary: null };
const finish = (sessionId: string) => run(completeSession, { sessionId, ...end });
const exists = async (id: string): Promise<boolean> => (await db.prisma.session.count({ where: { id } })) === 1;
const webhook = async (position: number): Promise<string> => {
  const id = newId();
  await pool.query(
    `INSERT INTO webhooks (id, url, types, secret_version, key_check, position, created_by, created_at) VALUES ($1, 'https://example.com/', '{}', 1, 'x', $2, 'admin', now())`,
    [id, position],
  );
  return id;
};
const deliver = (webhookId: string, sessionId: string, status: string) =>
  pool.query(
    `INSERT INTO deliveries (id, webhook_id, event_id, position, lane, status, attempts, created_at)
     SELECT gen_random_uuid(), $1, id, 1, session_id::text, $3::delivery_status, 1, now() FROM events WHERE session_id = $2 AND session_sequence = 1`,
    [webhookId, sessionId, status],
  );

beforeAll(async () => {
  await agent('ada', { maxCapacity: 100 });
  await agent('bob', { maxCapacity: 100, collaborators: ['ada'] });
  await run(updateAgent, { id: 'ada', collaborators: ['bob'] });
});

/** A Session with rows in every table below it. */
async function richSession(): Promise<string> {
  for (const role of ['write', 'check']) await agent(`${role}r-${newId().slice(-6)}`, { role });
  await pipeline('text', ['write DONE check', 'check DONE end']);
  const sessionId = await session(null, { pipeline: 'text' });
  await turn(sessionId, {
    messages: [
      { role: 'USER', content: 'Write the pruned text.' },
      { role: 'ASSISTANT', content: 'I do.' },
    ],
    toolCalls: [toolCall('c1', 'edit', { filesModified: ['a.ts'] })],
  });
  await run(recordDecision, { sessionId, text: 'so be it' });
  await run(setTasks, { sessionId, tasks: [{ content: 'check', status: 'PENDING' }] });
  await run(captureSnapshot, { sessionId });
  const { handoffId } = await advance(sessionId, 'DONE', { reason: 'written' });
  await run(acceptHandoff, { handoffId: handoffId! });
  await turn(sessionId);
  const { questionId } = await run(askPerson, { sessionId, question: 'Which?', options: null });
  await run(answerQuestion, { questionId, answer: 'This' });
  await reassign(sessionId, { agentId: 'bob', leavePipeline: true });
  await pool.query(
    `INSERT INTO import_lines (session_id, line_key, turn_id) SELECT session_id, 'line', id FROM turns WHERE session_id = $1 LIMIT 1`,
    [sessionId],
  );
  await pool.query(
    `INSERT INTO import_usages (id, session_id, key, turn_id, input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens) SELECT gen_random_uuid(), session_id, 'k', id, 1, 1, 1, 1 FROM turns WHERE session_id = $1 LIMIT 1`,
    [sessionId],
  );
  return sessionId;
}

describe('a finished Session is pruned with everything below it', () => {
  let client: pg.Client;
  beforeAll(async () => {
    client = new pg.Client({ connectionString: db.url });
    await client.connect();
    atEnd(() => client.end());
  });

  /** Tables with a column for a Session, or a foreign key to a table below one, with those columns. */
  async function tablesBelow(): Promise<string[]> {
    const { rows } = await client.query<{ name: string }>(
      `WITH RECURSIVE below AS (
         SELECT 'sessions'::regclass::oid AS id UNION SELECT attrelid FROM pg_attribute JOIN pg_class c ON c.oid = attrelid AND c.relkind = 'r' WHERE attname = 'session_id' AND NOT attisdropped
         UNION SELECT conrelid FROM below JOIN pg_constraint ON confrelid = below.id AND contype = 'f')
       SELECT id::regclass::text AS name FROM below ORDER BY 1`,
    );
    return rows.map(({ name }) => name);
  }

  it('and no table refers to it afterwards, while another Session keeps all', async () => {
    const [gone, kept] = [await richSession(), await richSession()];
    const hook = await webhook(1e9);
    for (const id of [gone, kept]) await deliver(hook, id, 'DELIVERED');
    // What waits in the queue is never finished.
    const tables = (await tablesBelow()).filter((name) => name !== 'queue_entries');
    const ids = async (sessionId: string): Promise<string[]> => {
      const { rows } = await client.query<{ id: string }>(
        'SELECT id FROM events WHERE session_id = $1 UNION SELECT id FROM handoffs WHERE session_id = $1 UNION SELECT $1::uuid',
        [sessionId],
      );
      return rows.map(({ id }) => id);
    };
    const [ofGone, ofKept] = [await ids(gone), await ids(kept)];
    await stamper.now();
    /** Rows of every table of the schema that name one of these ids. */
    const naming = async (known: string[]): Promise<Record<string, number>> => {
      const { rows } = await client.query<{ name: string }>(
        `SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`,
      );
      const counts: Record<string, number> = {};
      for (const { name } of rows) {
        const found = await client.query<{ count: number }>(
          `SELECT count(*)::int AS count FROM ${name} t WHERE EXISTS (SELECT FROM unnest($1::text[]) id WHERE to_jsonb(t)::text LIKE '%' || id || '%')`,
          [known],
        );
        counts[name] = found.rows[0]!.count;
      }
      return counts;
    };
    const before = await naming(ofGone);
    // A new table below Sessions needs rows in `richSession`.
    expect(tables.filter((name) => before[name] === 0)).toEqual([]);
    const keptBefore = await naming(ofKept);

    await finish(gone);
    expect(await countFinished(options)).toBe(1);
    expect(await countFinished({ ...options, days: 1 })).toBe(0);
    const { eventCount } = await db.prisma.session.findUniqueOrThrow({ where: { id: gone } });
    expect(await pruneAll()).toEqual({ sessions: 1, events: eventCount });
    expect(Object.entries(await naming(ofGone)).filter(([, count]) => count > 0)).toEqual([]);
    expect(await naming(ofKept)).toEqual(keptBefore);
    expect(await brokenInvariants(pool)).toEqual([]);
  });

  it('by indexes: each foreign key that is checked has one', async () => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT conrelid::regclass || ' ' || conname AS name FROM pg_constraint c WHERE contype = 'f' AND confrelid::regclass::text = ANY ($1)
         AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.conrelid AND i.indkey[0] = c.conkey[1]
           AND (i.indpred IS NULL OR pg_get_expr(i.indpred, i.indrelid) = '(' || (SELECT attname FROM pg_attribute WHERE attrelid = c.conrelid AND attnum = c.conkey[1]) || ' IS NOT NULL)'))`,
      [await tablesBelow()],
    );
    expect(rows).toEqual([]);
  });

  it('by indexes: the statement reads no table as a whole', async () => {
    await finish(await session('ada'));
    sent.length = 0;
    await pruneAll();
    const begin = sent.find(({ text }) => text.startsWith('BEGIN;'))!;
    const { text, values } = sent.find(({ text }) => text.includes('DELETE FROM sessions'))!;
    await client.query(begin.text);
    const { rows } = await client.query<{ 'QUERY PLAN': string }>({ text: `EXPLAIN ${text}`, values });
    await client.query('ROLLBACK');
    expect(
      rows.map((row) => row['QUERY PLAN']).filter((line) => line.includes('Seq Scan') && !line.includes('on pruning')),
    ).toEqual([]);
  });
});

describe('the Sessions that are pruned', () => {
  it('finished more than the given days ago, by the clock of the database', async () => {
    const [old, young, open] = [await session('ada'), await session('ada'), await session('ada')];
    for (const id of [old, young]) await finish(id);
    await pool.query(
      `UPDATE sessions SET last_activity_at = clock_timestamp() - CASE WHEN id = $1 THEN interval '25 hours' WHEN id = $2 THEN interval '23 hours' ELSE interval '9 days' END WHERE id IN ($1, $2, $3)`,
      [old, young, open],
    );
    await pruneAll(new Pruner({ ...options, days: 1 }));
    expect([await exists(old), await exists(young), await exists(open)]).toEqual([false, true, true]);
    await pruneAll();
    expect([await exists(young), await exists(open)]).toEqual([false, true]);
  });

  it('have no delivery that waits, while its webhook is enabled', async () => {
    const [waits, done] = [await session('ada'), await session('ada')];
    for (const id of [waits, done]) await finish(id);
    const hook = await webhook(1e9);
    await deliver(hook, waits, 'PENDING');
    await deliver(hook, done, 'DELIVERED');
    expect((await pruneAll()).sessions).toBe(1);
    expect([await exists(waits), await exists(done)]).toEqual([true, false]);
    await pool.query('UPDATE webhooks SET disabled_at = now() WHERE id = $1', [hook]);
    expect((await pruneAll()).sessions).toBe(1);
  });

  it('were passed by every webhook that is enabled, and by every file that was seen in the last week', async () => {
    await stamper.now();
    const { rows } = await pool.query<{ newest: number }>('SELECT newest_position()::float8 AS newest');
    const hook = await webhook(rows[0]!.newest);
    await finish(await session('ada'));
    expect((await pruneAll()).sessions).toBe(0);
    await pool.query('UPDATE webhooks SET deleted_at = now() WHERE id = $1', [hook]);
    await pool.query(
      `INSERT INTO event_followers (name, position, seen_at) VALUES ('archive of a test', $1, clock_timestamp())`,
      [rows[0]!.newest],
    );
    expect((await pruneAll()).sessions).toBe(0);
    await pool.query(`UPDATE event_followers SET seen_at = clock_timestamp() - interval '8 days'`);
    expect((await pruneAll()).sessions).toBe(1);
  });

  it('are not locked by others, and one that cannot be pruned holds up no other', async () => {
    const [locked, referred, ...others] = [
      await session('ada'),
      await session('ada'),
      await session('ada'),
      await session('ada'),
    ];
    for (const id of [locked, referred, ...others]) await finish(id);
    const client = new pg.Client({ connectionString: db.url });
    await client.connect();
    atEnd(() => client.end());
    await client.query('CREATE TABLE notes (session_id uuid REFERENCES sessions (id))');
    await client.query('INSERT INTO notes VALUES ($1)', [referred]);
    await client.query('BEGIN');
    await client.query('SELECT FROM sessions WHERE id = $1 FOR NO KEY UPDATE', [locked]);
    const errors: object[] = [];
    const log = { ...silentLog, error: (fields: object) => void errors.push(fields) };
    expect((await pruneAll(new Pruner({ ...options, log }))).sessions).toBe(2);
    expect([await exists(locked), await exists(referred)]).toEqual([true, true]);
    expect(errors).toMatchObject([{ err: { constraint: 'notes_session_id_fkey' } }]);
    await client.query('COMMIT; DROP TABLE notes');
    expect((await pruneAll()).sessions).toBe(2);
  });

  it('are pruned by one process at a time, and by another one a minute after its death', async () => {
    const [first, second] = [new Pruner(options), new Pruner(options)];
    for (let n = 0; n < 3; n += 1) await finish(await session('ada'));
    await stamper.now();
    expect((await first.batch()).sessions).toBe(3);
    await finish(await session('ada'));
    await stamper.now();
    expect(await second.batch()).toMatchObject({ sessions: 0, more: false });
    await pool.query(`UPDATE pruning SET until = until - interval '61 seconds'`);
    expect(await second.batch()).toMatchObject({ sessions: 1 });
    await finish(await session('ada'));
    await second.release();
    expect((await pruneAll(first)).sessions).toBe(1);
  });
});

describe('what stays', () => {
  it('counts pruned Handoffs in the graph, and gives later events the next numbers', async () => {
    await agent('eve', { maxCapacity: 9 });
    const sessionId = await session('ada');
    const { handoffId } = await reassign(sessionId, { agentId: 'eve' });
    await run(acceptHandoff, { handoffId: handoffId! });
    await run(completeHandoff, { handoffId: handoffId! });
    await finish(sessionId);
    const everything = { sessionId: null, project: null, agentId: 'eve', initiatedAfter: null, initiatedBefore: null };
    const day = { ...everything, initiatedAfter: new Date(0), initiatedBefore: new Date('2999-01-01') };
    const counted = {
      handoffCount: 1,
      edges: [
        { source: 'ada', target: 'eve', count: 1, successRate: 1, byStatus: [{ status: 'COMPLETED', count: 1 }] },
      ],
    };
    for (const filter of [everything, day])
      expect(await handoffGraph(pool, filter, null, operator)).toMatchObject(counted);
    await pruneAll();
    for (const folds of [false, true]) {
      if (folds) await foldPaths({ pool, log: silentLog });
      for (const filter of [everything, day])
        expect(await handoffGraph(pool, filter, null, operator)).toMatchObject(counted);
    }
    const before = (
      await pool.query<{ newest: number; inbox: number }>(
        `SELECT newest_position()::float8 AS newest, inbox_sequence AS inbox FROM agents WHERE id = 'eve'`,
      )
    ).rows[0]!;
    const next = await session('eve');
    await stamper.now();
    const { rows } = await pool.query<{ newest: number; inbox: number }>(
      'SELECT p.position::float8 AS newest, i.sequence AS inbox FROM events e JOIN event_positions p ON p.event_id = e.id JOIN inbox_entries i ON i.event_id = e.id WHERE e.session_id = $1',
      [next],
    );
    expect(rows).toEqual([{ newest: before.newest + 1, inbox: before.inbox + 1 }]);
    expect(await brokenInvariants(pool)).toEqual([]);
  });

  it('never gives a position again, whatever a server of an older version does', async () => {
    const { rows } = await pool.query<{ id: string }>(
      `INSERT INTO events (id, type, at, agent_id, actor_principal) VALUES (gen_random_uuid(), 'AGENT_CHANGED', now(), 'ada', 'test') RETURNING id`,
    );
    await expect(
      pool.query('INSERT INTO event_positions (position, event_id) SELECT position, $1 FROM pruning', [rows[0]!.id]),
    ).rejects.toMatchObject({ constraint: 'event_positions_grow' });
    await stamper.now();
  });
});

describe('random histories, pruned while others write', () => {
  it('leave the rest as it was, lose nothing, and break no invariant', async () => {
    const n = fc.nat({ max: 5 });
    const act = fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('move' as const), n, to: fc.constantFrom('ada', 'bob') }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('turn' as const), n }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('accept' as const), n }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('complete' as const, 'cancel' as const), n }) },
    );
    const everything = { sessionId: null, project: null, agentId: null, initiatedAfter: null, initiatedBefore: null };
    // Refused acts are as good as others.
    const perform =
      (sessions: string[]) =>
      async (each: typeof act extends fc.Arbitrary<infer A> ? A : never): Promise<unknown> => {
        const sessionId = sessions[each.n]!;
        const open = async (): Promise<string> =>
          (await db.prisma.session.findUnique({ where: { id: sessionId } }))?.lastHandoffId ?? newId();
        if (each.kind === 'move')
          return initiate(sessionId, each.to)
            .catch(() => reassign(sessionId, { agentId: each.to }))
            .catch(() => null);
        if (each.kind === 'turn') return turn(sessionId).catch(() => null);
        if (each.kind === 'accept') return run(acceptHandoff, { handoffId: await open() }).catch(() => null);
        return run(each.kind === 'complete' ? completeSession : cancelSession, {
          sessionId,
          ...end,
          reason: null,
        }).catch(() => null);
      };
    /** The records of Sessions that are not finished. */
    const rest = async (ids: readonly string[]): Promise<unknown> => {
      const { rows } = await pool.query(
        `SELECT s.id, to_jsonb(s) AS session, (SELECT jsonb_agg(h ORDER BY depth) FROM handoffs h WHERE session_id = s.id) AS chain, (SELECT jsonb_agg(m ORDER BY sequence) FROM messages m WHERE session_id = s.id) AS log,
           (SELECT jsonb_agg(jsonb_build_array(e, p.position, (SELECT jsonb_agg(i ORDER BY agent_id) FROM inbox_entries i WHERE event_id = e.id)) ORDER BY session_sequence) FROM events e JOIN event_positions p ON p.event_id = e.id WHERE e.session_id = s.id) AS events
         FROM sessions s WHERE id = ANY ($1) AND status IN ('RUNNING', 'PAUSED') ORDER BY id`,
        [ids],
      );
      return rows;
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(act, { minLength: 8, maxLength: 30 }),
        fc.array(act, { minLength: 4, maxLength: 12 }),
        async (acts, during) => {
          const quiet = await Promise.all(Array.from({ length: 6 }, (_, at) => session(at % 2 === 0 ? 'ada' : 'bob')));
          const busy = await Promise.all(Array.from({ length: 6 }, () => session('ada')));
          for (const each of acts) await perform(quiet)(each);
          await stamper.now();
          const before = await rest(quiet);
          const counts = await handoffGraph(pool, everything, null, operator);
          const [pruned] = await Promise.all([pruneAll(), ...during.map(perform(busy))]);
          expect(pruned.sessions).toBeGreaterThanOrEqual(0);
          expect(await rest(quiet)).toEqual(before);
          const finished = await db.prisma.session.count({
            where: { id: { in: quiet }, status: { in: ['COMPLETED', 'CANCELLED'] } },
          });
          expect(finished).toBe(0);
          expect((await handoffGraph(pool, everything, null, operator)).handoffCount).toBeGreaterThanOrEqual(
            counts.handoffCount,
          );
          expect(await brokenInvariants(pool)).toEqual([]);
          for (const id of [...quiet, ...busy])
            await run(cancelSession, { sessionId: id, ...end, reason: null }).catch(() => null);
          await pruneAll();
          expect(await db.prisma.session.count({ where: { id: { in: [...quiet, ...busy] } } })).toBe(0);
          expect(await brokenInvariants(pool)).toEqual([]);
        },
      ),
      { numRuns: runs(8), endOnFailure: true },
    );
  }, 60_000);
});
