import type { Pool } from 'pg';
import { beforeAll, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { findMatches } from './find.ts';
import { newestTwentieth } from './newest.ts';
import type { Search } from './query.ts';
import { termsOf } from './terms.ts';

const { pool } = await testDatabase();

// 40,000 messages in 400 Sessions, of which newcomer had one: 'all' is in each, 'tenth' in one of ten, 'old' in the first tenth, each number in one. 300 words in one of 300: PostgreSQL estimates prefixes by at least 100 frequent words.
beforeAll(async () => {
  await pool.query(`CREATE FUNCTION entry_id(n int) RETURNS uuid LANGUAGE sql IMMUTABLE RETURN ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid;
    INSERT INTO search_entries (kind, id, session_id, sequence, words)
      SELECT 'MESSAGE', entry_id(n), entry_id(n % 400), n / 400 + 1, ('all:1 ' || CASE WHEN n % 10 = 0 THEN 'tenth:2 ' ELSE '' END || CASE WHEN n <= 4000 THEN 'old:5 ' ELSE '' END || 'v' || n % 300 || ':3 n' || n || ':4')::tsvector FROM generate_series(1, 40000) n;
    INSERT INTO search_entries (kind, id, session_id, words) SELECT 'SESSION', entry_id(n), entry_id(n), 'title:1A'::tsvector FROM generate_series(1, 400) n;
    INSERT INTO agents (id, type, name, administrative_status, max_capacity, current_load, total_assigned, inbox_sequence, registered_at)
      SELECT 'agent-' || n, 'CLAUDE', 'agent', 'AVAILABLE', 5, 0, 0, 0, now() FROM generate_series(1, 400) n;
    INSERT INTO sessions (id, title, status, version, context_variables, handoffs_enabled, max_handoffs, operator_epoch, message_count, turn_count, tool_call_count, handoff_count, event_count, visible_from, visible_calls_from, created_at, updated_at, last_activity_at)
      VALUES (entry_id(100000), 'Another', 'PAUSED', 1, '{}', true, 5, 0, 0, 0, 0, 0, 1, 1, 1, now(), now(), now());
    INSERT INTO agent_sessions (id, session_id, agent_id, state, start_sequence, end_sequence, started_at, ended_at)
      SELECT entry_id(n), entry_id(100000), 'agent-' || n, 'DECLINED', 1, 0, now(), now() FROM generate_series(1, 400) n`);
  // As autovacuum does; it also moves new words from the pending list of the index to their places.
  await pool.query('VACUUM ANALYZE search_entries');
  await pool.query('ANALYZE agent_sessions');
});

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** How the statement reads the entries of messages. */
async function stepsOf({
  query,
  ...search
}: Partial<Search> & { query: string }): Promise<{ indexes: string[]; rows: number; scans: number }> {
  let plan: Plan | undefined;
  const explaining = {
    query: async (text: string, values: unknown[]) => {
      const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
        values,
      );
      plan = rows[0]!['QUERY PLAN'][0].Plan;
      return { rows: [] };
    },
  } as unknown as Pool;
  await findMatches(
    explaining,
    {
      newestFrom: await newestTwentieth(pool),
      terms: termsOf(query),
      named: [],
      types: ['MESSAGE'],
      caller: { role: 'OPERATOR', agentId: null },
      sessionIds: null,
      after: null,
      sessionId: null,
      ...search,
    },
    21,
  );
  const nodes = nodesOf(plan!);
  const entries = nodes.filter((node) => node['Relation Name'] === 'search_entries' && node['Actual Loops'] > 0);
  return {
    indexes: nodes.flatMap((node) => node['Index Name'] ?? []),
    rows: Math.max(
      ...entries.map(
        (node) =>
          (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)) *
          node['Actual Loops'],
      ),
    ),
    scans: entries.filter((node) => node['Node Type'] === 'Seq Scan').length,
  };
}

it('reads only its matches for a rare word, by the index of words', async () => {
  const { indexes, rows, scans } = await stepsOf({ query: 'n1234' });
  expect(indexes).toContain('search_entries_of_messages');
  expect(rows).toBeLessThanOrEqual(20);
  expect(scans).toBe(0);
});

it('reads only the newest twentieth for a frequent word', async () => {
  const all = await stepsOf({ query: 'all' });
  expect(all.scans).toBe(0);
  expect(all.rows).toBeLessThanOrEqual(2_001);
  const tenth = await stepsOf({ query: 'tenth' });
  expect(tenth.scans).toBe(0);
  expect(tenth.rows).toBeLessThanOrEqual(2_001);
});

it('reads only its matches, by the index of words, for a word that only old entries have', async () => {
  const { indexes, rows } = await stepsOf({ query: 'old' });
  expect(indexes).toContain('search_entries_of_messages');
  expect(rows).toBeLessThanOrEqual(4_000);
});

it('reads only the entries of its Sessions for an agent with few of them', async () => {
  const { rows: ids } = await pool.query<{ id: string }>('SELECT entry_id(7) AS id');
  const { rows, scans } = await stepsOf({
    query: 'all',
    caller: { role: 'AGENT', agentId: 'agent-1' },
    sessionIds: [ids[0]!.id],
  });
  expect(rows).toBeLessThanOrEqual(101);
  expect(scans).toBe(0);
});
