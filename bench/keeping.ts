import { silentLog } from '../server/infra/log.ts';
import { createDatabase } from '../server/infra/prisma.ts';
import { acceptHandoff, completeHandoff } from '../server/work/handoffs/changeHandoff.ts';
import { Pruner } from '../server/work/keeping/prune.ts';
import { startPruning } from '../server/work/keeping/startPruning.ts';
import { completeSession } from '../server/work/sessions/changeSession.ts';
import { loadBulk } from '../test/bulk.ts';
import { world } from '../test/world.ts';
import type { Place } from './place.ts';
import { atLeast, spread, type Line } from './report.ts';
import { alternate, ratioOf } from './rounds.ts';

const sessions = 50_000;
const eventsOfEach = 20;
const rounds = 4;
const seconds = 10;
const writers = 4;
const days = 30;

/** What pruning costs those that write meanwhile, and how long a million events take. */
export async function keeping(place: Place, say: (line: string) => void): Promise<Line[]> {
  const { url, pool, patient } = await place.database();
  await loadBulk(url, { sessions, handoffs: 1, turns: 1, agents: 20 });
  // A million events with their positions; every fourth is in an inbox.
  await patient.query(`BEGIN; SET LOCAL session_replication_role = replica;
    INSERT INTO events (id, type, at, session_id, session_sequence, session_status, agent_id, holder_id, actor_principal, actor_role)
      SELECT gen_random_uuid(), 'TURN_APPENDED', s.last_activity_at, s.id, n, s.status, s.agent_id, s.agent_id, 'loopback', 'ADMIN' FROM sessions s, generate_series(3, ${eventsOfEach}) n;
    UPDATE sessions SET event_count = ${eventsOfEach};
    INSERT INTO event_positions (position, event_id) SELECT row_number() OVER (ORDER BY at, session_id, session_sequence), id FROM events;
    INSERT INTO inbox_entries (agent_id, sequence, event_id) SELECT agent_id, row_number() OVER (PARTITION BY agent_id ORDER BY at, session_id, session_sequence), id FROM events WHERE session_sequence % 4 = 1 AND agent_id IS NOT NULL;
    UPDATE agents a SET inbox_sequence = (SELECT count(*) FROM inbox_entries WHERE agent_id = a.id);
    INSERT INTO search_entries (kind, id, session_id, words) SELECT 'SESSION', id, id, search_words_of_session(title, external_id, summary, end_reason) FROM sessions;
    INSERT INTO search_entries (kind, id, session_id, sequence, words) SELECT 'MESSAGE', id, session_id, sequence, search_words(content, 'D') FROM messages;
    COMMIT`);
  await patient.query('VACUUM ANALYZE');
  say(`  ${(sessions * eventsOfEach).toLocaleString('en-US')} events are there`);

  // As in another process: with connections of its own.
  const other = createDatabase(url, silentLog);
  place.atEnd(other.close);
  const { agent, session, initiate, run } = world(pool);
  const names = Array.from({ length: writers }, (_, n) => n);
  for (const n of names) await agent(`to-${n}`, { maxCapacity: 10 });
  for (const n of names) await agent(`from-${n}`, { maxCapacity: 10, collaborators: [`to-${n}`] });
  const write = async (): Promise<number> => {
    const started = performance.now();
    let handoffs = 0;
    const isOver = (): boolean => performance.now() - started >= seconds * 1_000;
    await Promise.all(
      names.map(async (n) => {
        while (!isOver()) {
          const sessionId = await session(`from-${n}`);
          const { handoffId } = await initiate(sessionId, `to-${n}`);
          await run(acceptHandoff, { handoffId });
          await run(completeHandoff, { handoffId });
          await run(completeSession, { sessionId, expectedVersion: null, result: null, summary: null });
          handoffs += 1;
        }
      }),
    );
    return (handoffs * 1_000) / (performance.now() - started);
  };
  const options = { pool: other.pool, log: silentLog, days };
  const left = async (): Promise<number> =>
    (
      await patient.query<{ count: number }>(
        "SELECT count(*)::int AS count FROM event_positions p JOIN events e ON e.id = p.event_id WHERE e.at < now() - $1 * interval '1 day'",
        [days],
      )
    ).rows[0]!.count;
  let pruned = 0;
  const measured = await alternate(rounds, {
    pruning: async () => {
      const before = await left();
      const background = startPruning(options);
      const result = await write();
      await background.stop();
      pruned += before - (await left());
      return result;
    },
    alone: write,
  });
  const ratio = ratioOf(measured.pruning, measured.alone);
  const perSecond = pruned / ((rounds + 1) * seconds);
  say(`  ${ratio.median.toFixed(2)}, ${Math.round(perSecond)} events a second meanwhile`);

  const pruner = new Pruner(options);
  let [ms, events, longest] = [0, 0, 0];
  for (let more = true; more;) {
    const batch = await pruner.batch();
    ({ more } = batch);
    ms += batch.ms;
    events += batch.events;
    longest = Math.max(longest, batch.ms);
  }
  return [
    {
      what: `handoffs while finished Sessions are pruned, of ${(sessions * eventsOfEach).toLocaleString('en-US')} events, ${writers} writers`,
      figure: spread(measured.pruning, 'handoffs a second'),
      beside: `without pruning: ${spread(measured.alone, 'handoffs a second')}`,
      ratio,
      goal: atLeast(ratio.median, 0.9),
    },
    {
      what: 'pruning 1,000,000 events and what is below their Sessions',
      figure: `${Math.round(1_000_000 / perSecond / 60)} minutes beside writers, ${Math.round((1_000 * ms) / events)} s without pauses`,
      beside: `longest transaction ${Math.round(longest)} ms`,
    },
  ];
}
