import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadBulk } from '../../test/bulk.ts';
import { testDatabase } from '../../test/database.ts';

// A connection keeps the plans that it made when the tables were small.
const database = await testDatabase();
const client = new pg.Client({ connectionString: database.url });
beforeAll(() => client.connect());
afterAll(() => client.end());

/** From the table and from its index. */
async function rowsRead(): Promise<number> {
  const { rows } = await client.query<{ read: number }>(
    `SELECT (seq_tup_read + idx_tup_fetch + pg_stat_get_xact_tuples_returned('inbox_entries_pkey'::regclass))::int AS read
     FROM pg_stat_xact_user_tables WHERE relname = 'inbox_entries'`,
  );
  return rows[0]!.read;
}

test('a new number costs an index look-up, not a scan, also on a connection with plans for a small table', async () => {
  await loadBulk(database.url, { sessions: 4_000, handoffs: 1, turns: 1 });
  const { rows: events } = await client.query<{ id: string }>('SELECT id FROM events ORDER BY id');
  const next = async (sequence: number): Promise<void> => {
    await client.query({
      name: 'next',
      text: `INSERT INTO inbox_entries (agent_id, sequence, event_id) VALUES ('busy', $1, $2)`,
      values: [sequence, events[sequence]!.id],
    });
  };
  for (let sequence = 1; sequence <= 10; sequence += 1) await next(sequence);
  await client.query(
    `INSERT INTO inbox_entries (agent_id, sequence, event_id) SELECT 'busy', number, id FROM unnest($1::uuid[]) WITH ORDINALITY e (id, number) WHERE number > 10`,
    [events.slice(1).map(({ id }) => id)],
  );
  await client.query(
    `INSERT INTO agents (id, type, name, administrative_status, current_load, max_capacity, total_assigned, inbox_sequence, registered_at)
     SELECT 'ada', type, name, administrative_status, 0, 1, 0, 0, registered_at FROM agents WHERE id = 'busy'`,
  );
  await client.query('BEGIN');
  const before = await rowsRead();
  for (const sequence of [1, 2]) {
    await client.query(`INSERT INTO inbox_entries (agent_id, sequence, event_id) VALUES ('ada', $1, $2)`, [
      sequence,
      events[sequence]!.id,
    ]);
  }
  expect((await rowsRead()) - before).toBeLessThan(50);
  await client.query('ROLLBACK');
});

test('rejects a number that leaves a gap', async () => {
  await expect(
    client.query(
      `INSERT INTO inbox_entries (agent_id, sequence, event_id) SELECT 'agent-1', 2, id FROM events ORDER BY id LIMIT 1`,
    ),
  ).rejects.toMatchObject({ constraint: 'inbox_entries_gapless' });
});
