import { beforeAll, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { findTools, type Reader, type ToolFilter } from '../../work/tools/queries.ts';
import { readerOf } from './schema.ts';

const { pool } = await testDatabase();

beforeAll(async () => {
  await pool.query(`INSERT INTO agents (id, type, name, administrative_status, max_capacity, current_load, total_assigned, inbox_sequence, registered_at)
    SELECT 'agent-' || n, 'CLAUDE', 'agent', 'AVAILABLE', 5, 0, 0, 0, now() FROM generate_series(0, 999) n`);
  await pool.query(`INSERT INTO agent_collaborators (agent_id, collaborator_id, position)
    SELECT 'agent-' || n, 'agent-' || (n + m * 7) % 1000, m FROM generate_series(0, 999) n, generate_series(1, 20) m`);
});

interface Plan {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: Plan[];
}

/** Rows that the largest step of the statement read. */
async function mostRows(filter: ToolFilter): Promise<number> {
  const plans: Plan[] = [];
  const explainer: Reader = {
    async query({ text }, values) {
      const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
        values,
      );
      plans.push(rows[0]!['QUERY PLAN'][0].Plan);
      return [];
    },
  };
  await findTools(explainer, filter);
  const readBy = (plan: Plan): number[] => [
    (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Join Filter'] ?? 0)) *
      plan['Actual Loops'],
    ...(plan.Plans ?? []).flatMap(readBy),
  ];
  return Math.max(...plans.flatMap(readBy));
}

it.each([
  ['to a target', { targetAgentId: 'agent-7', archived: false }],
  ['of an agent', { agentIds: ['agent-7'], archived: false }],
] as const)('reads only its own rows for the tools %s, without statistics', async (_which, filter) => {
  expect(await mostRows(filter)).toBeLessThanOrEqual(20);
});

it('plans the statement for the tools of an agent once per connection', async () => {
  const client = await pool.connect();
  const reader = readerOf({ pool: client });
  // PostgreSQL tries five plans for the given values before it compares them with one for all.
  for (let n = 0; n < 7; n += 1) await findTools(reader, { agentIds: ['agent-7'], archived: false });
  const { rows } = await client.query<object>(
    `SELECT custom_plans::int, generic_plans::int FROM pg_prepared_statements WHERE statement LIKE '%agent_collaborators%'`,
  );
  client.release();
  expect(rows).toEqual([{ custom_plans: 5, generic_plans: 2 }]);
});

it.each([
  ['of an agent, by name', { agentIds: ['agent-7'], name: 'transfer_to_agent-14', archived: true }],
  ['to a target', { targetAgentId: 'agent-7', archived: false }],
] as const)('reads only its own rows for the tools %s', async (_which, filter) => {
  await pool.query('ANALYZE');
  expect(await mostRows(filter)).toBeLessThanOrEqual(20);
});
