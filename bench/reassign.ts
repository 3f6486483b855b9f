import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';
import { world } from '../test/world.ts';
import { findPgbench, pgbench } from './pgbench.ts';
import type { Place } from './place.ts';
import { idOf, loadWork, sessionIdOf } from './reassignData.ts';
import { atLeast, digits, spread, type Line } from './report.ts';
import { alternate, ratioOf } from './rounds.ts';

const clients = 8;
const each = 50;
const size = { agents: 1_000, sessions: clients * each, turns: 200 };
const goal = 0.6;
const what = `\`reassignSession\` with handoff, ${clients} clients, ${size.turns} turns of log, ${size.agents.toLocaleString('en-US')} agents`;

/** Eight clients reassign their own sessions, with the command in this process and with a PL/pgSQL function. */
export async function reassign(place: Place, say: (line: string) => void): Promise<Line[]> {
  const { url, pool, patient } = await place.database();
  await loadWork(url, size);
  await patient.query(readFileSync(fileURLToPath(new URL('reassign.sql', import.meta.url)), 'utf8'));
  const { rows } = await patient.query<{ id: string }>(
    `SELECT ${sessionIdOf('n')} AS id FROM generate_series(0, ${size.sessions - 1}) n ORDER BY n`,
  );
  const ids = rows.map(({ id }) => id);
  const { reassign: command } = world(pool);

  let move = 0;
  /** Another agent each time: 37 further than the last. */
  const targetOf = (session: number): string => `agent-${(session + move * 37) % size.agents}`;
  const written = new Map<string, Record<string, number>>();
  const counting = async (who: string, work: () => Promise<number>): Promise<number> => {
    move += 1;
    const before = await countRows(patient);
    const perSecond = await work();
    const after = await countRows(patient);
    written.set(who, Object.fromEntries(Object.keys(after).map((table) => [table, after[table]! - before[table]!])));
    await settle(patient);
    return perSecond;
  };

  const ours = () =>
    counting('Baton', async () => {
      const started = performance.now();
      await Promise.all(
        Array.from({ length: clients }, async (_, client) => {
          for (let n = 0; n < each; n += 1)
            await command(ids[client * each + n]!, { agentId: targetOf(client * each + n) });
        }),
      );
      return (size.sessions * 1_000) / (performance.now() - started);
    });

  const program = findPgbench(say);
  if (program === null) {
    const { baton } = await alternate(5, { baton: ours });
    return [{ what, figure: spread(baton, 'a second'), beside: 'nothing: pgbench is not on this machine' }];
  }
  const theirs = () =>
    counting('pgbench', () =>
      pgbench(program, {
        url,
        clients,
        times: each,
        variables: { n: -1, move },
        text: `\\set n :n + 1
\\set session :client_id * ${each} + :n
SELECT bench_reassign(${idOf(0, ':session', '0')}, 'agent-' || (:session + :move * 37) % ${size.agents});\n`,
      }),
    );
  const { baton, sql } = await alternate(5, { baton: ours, sql: theirs });
  const [mine, reference] = [written.get('Baton')!, written.get('pgbench')!];
  const different = Object.keys(mine).filter((table) => mine[table] !== reference[table]);
  if (different.length > 0)
    throw new Error(
      `the two wrote different rows: ${different.map((table) => `${table} ${mine[table]} and ${reference[table]}`).join(', ')}`,
    );
  const ratio = ratioOf(baton, sql);
  const rowsEach = Object.values(mine).reduce((sum, count) => sum + count, 0) / size.sessions;
  return [
    {
      what: `${what}; ${digits(rowsEach)} rows each, in the same tables`,
      figure: spread(baton, 'a second'),
      beside: `one PL/pgSQL function by pgbench: ${spread(sql, 'a second')}`,
      ratio,
      goal: atLeast(ratio.median, goal),
    },
  ];
}

/**
 * Between rounds all handoffs are accepted, so that sessions are ACTIVE and no handoff is superseded, and the tables are
 * analyzed, as autovacuum does.
 */
async function settle(pool: Pool): Promise<void> {
  await pool.query(
    `UPDATE handoffs SET status = 'COMPLETED', accepted_at = initiated_at, completed_at = initiated_at, closed_at = initiated_at WHERE status = 'INITIATED'`,
  );
  await pool.query(`UPDATE agent_sessions SET state = 'ACTIVE', activated_at = started_at WHERE state = 'PENDING'`);
  await pool.query('ANALYZE');
}

async function countRows(pool: Pool): Promise<Record<string, number>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations' ORDER BY 1`,
  );
  const { rows } = await pool.query<Record<string, string>>(
    `SELECT ${tables.map(({ name }) => `(SELECT count(*) FROM "${name}") AS "${name}"`).join(', ')}`,
  );
  return Object.fromEntries(Object.entries(rows[0]!).map(([table, count]) => [table, Number(count)]));
}
