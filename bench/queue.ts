import { completeSession } from '../server/work/sessions/changeSession.ts';
import { world } from '../test/world.ts';
import type { Place, PreparedDatabase } from './place.ts';
import { atMost, spread, type Line } from './report.ts';
import { alternate, ratioOf } from './rounds.ts';

const clients = 8;
const each = 25;
const long = 100_000;
const goal = 1.2;

/** Agents that finish Sessions, beside queues of different lengths. */
export async function queue(place: Place): Promise<Line[]> {
  const open = async (type: string, waiting: number) => finishers(await place.database(), type, waiting);
  const [none, others, few, many] = [
    await open('OTHER', 0),
    await open('OTHER', long),
    await open('WORKER', 2_000),
    await open('WORKER', long),
  ];
  const found = await alternate(3, { none, others, few, many });
  const of = (what: string, ours: typeof found.none, beside: string, theirs: typeof found.none): Line => {
    const ratio = ratioOf(ours, theirs);
    return {
      what,
      figure: spread(ours, 'ms'),
      beside: `${beside}: ${spread(theirs, 'ms')}`,
      ratio,
      goal: atMost(ratio.median, goal),
    };
  };
  const count = long.toLocaleString('en-US');
  return [
    of(
      `\`completeSession\`, ${clients} clients, while ${count} sessions wait for other agents`,
      found.others,
      'nobody waits',
      found.none,
    ),
    of(
      `\`completeSession\` that gives the place to the first of ${count} sessions`,
      found.many,
      'to the first of 2,000',
      found.few,
    ),
  ];
}

/** Returns the milliseconds that a client waits for each of its completeSession calls. */
async function finishers(
  { pool, patient }: PreparedDatabase,
  type: string,
  waiting: number,
): Promise<() => Promise<number>> {
  const { agent, session, run } = world(pool);
  const agents = Array.from({ length: clients }, (_, n) => `agent-${n}`);
  for (const id of agents) await agent(id, { type: 'WORKER', maxCapacity: each });
  const fill = async (): Promise<void> => {
    for (const id of agents)
      for (let n = await heldBy(id).then(({ length }) => length); n < each; n += 1) await session(id);
  };
  const heldBy = async (id: string): Promise<string[]> =>
    (
      await patient.query<{ id: string }>(`SELECT id FROM sessions WHERE agent_id = $1 AND status = 'RUNNING'`, [id])
    ).rows.map((row) => row.id);
  await fill();
  if (waiting > 0) {
    await session(null, { agentType: 'PATTERN', queue: true });
    await patient.query(copies(type, waiting));
    await patient.query('VACUUM ANALYZE');
  }
  return async () => {
    await fill();
    const todo = await Promise.all(agents.map(heldBy));
    const started = performance.now();
    await Promise.all(
      todo.map(async (ids) => {
        for (const sessionId of ids)
          await run(completeSession, { sessionId, expectedVersion: null, result: null, summary: null });
      }),
    );
    return (performance.now() - started) / each;
  };
}

/** Copies the one queued Session, with its place. Rows are valid by construction; row triggers and foreign keys would take minutes. */
const copies = (type: string, count: number): string => `
BEGIN; SET LOCAL session_replication_role = replica;
CREATE TEMP TABLE copies AS SELECT i, gen_random_uuid() AS id FROM generate_series(1, ${count}) i;
CREATE TEMP TABLE pattern AS SELECT s FROM sessions s JOIN queue_entries q ON q.session_id = s.id;
CREATE TEMP TABLE place AS SELECT q FROM queue_entries q;
INSERT INTO sessions SELECT (jsonb_populate_record(s, jsonb_build_object('id', c.id, 'event_count', 1))).* FROM copies c, pattern;
INSERT INTO events (id, type, at, session_id, session_sequence, session_status, actor_principal) SELECT gen_random_uuid(), 'SESSION_CREATED', now(), id, 1, 'PAUSED', 'bench' FROM copies;
INSERT INTO queue_entries SELECT (jsonb_populate_record(q, jsonb_build_object('id', gen_random_uuid(), 'session_id', c.id, 'agent_type', '${type}', 'wanted', '${type}/',
  'queued_at', (q).queued_at + c.i * interval '1 millisecond', 'effective_at', (q).effective_at + c.i * interval '1 millisecond'))).* FROM copies c, place;
DROP TABLE copies, pattern, place;
COMMIT`;
