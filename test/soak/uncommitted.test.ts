import { expect, it } from 'vitest';
import { encodeId, newId } from '../../server/core/ids.ts';
import { atEnd, testDatabase } from '../database.ts';
import { startApp } from '../server.ts';
import { rawSocket } from '../socket.ts';
import { world } from '../world.ts';

const db = await testDatabase();
const { agent, session, turn } = world(db.pool);

interface Heard {
  event: { id: string; type: string };
}

it('an announced event is not delivered before its commit', async () => {
  await agent('a', { maxCapacity: 10 });
  const [slow, other] = [await session('a'), await session('a')];
  const { url, streams } = await startApp(db, { pace: { pollMs: 50 } });
  const socket = await rawSocket(url);
  atEnd(() => socket.terminate());
  await socket.init();
  const fields = {
    all: 'sessionUpdated',
    one: `sessionUpdated(sessionIds: ["${encodeId('session', slow)}"])`,
    inbox: 'handoffAssigned(agentId: "a")',
  };
  for (const [id, field] of Object.entries(fields)) {
    socket.subscribe(id, `subscription { event: ${field} { id type } }`);
    expect((await socket.result<Heard>(id)).data!.event.type).toBe('READY');
  }

  // As a command writes it, on a connection that takes its time to commit.
  const client = await db.pool.connect();
  const eventId = newId();
  await client.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
  const { rows: sessions } = await client.query<{ n: number }>(
    'UPDATE sessions SET event_count = event_count + 1 WHERE id = $1 RETURNING event_count AS n',
    [slow],
  );
  const { rows: agents } = await client.query<{ n: number }>(
    "UPDATE agents SET inbox_sequence = inbox_sequence + 1 WHERE id = 'a' RETURNING inbox_sequence AS n",
  );
  await client.query(
    `INSERT INTO events (id, type, at, session_id, session_sequence, session_status, agent_id, holder_id, actor_principal)
     VALUES ($1, 'SESSION_STATUS_CHANGED', now(), $2, $3, 'RUNNING', 'a', 'a', 'operator')`,
    [eventId, slow, sessions[0]!.n],
  );
  await client.query("INSERT INTO inbox_entries (agent_id, sequence, event_id) VALUES ('a', $1, $2)", [
    agents[0]!.n,
    eventId,
  ]);
  const tell = (): void => streams.announce([{ about: 'inbox', agentId: 'a', number: agents[0]!.n }]);

  // What others commit meanwhile is heard, also after it was looked for what is not there yet.
  for (let n = 0; n < 5; n += 1) {
    tell();
    await turn(other, { messages: [{ role: 'USER', content: 'Meanwhile' }] });
    expect((await socket.result<Heard>('all')).data!.event.type).toBe('TURN_APPENDED');
  }
  const toSome = socket.left.filter(({ type, id }) => type === 'next' && id !== 'all');
  expect(toSome).toEqual([]);

  await client.query('COMMIT');
  client.release();
  tell();
  const event = { id: encodeId('event', eventId), type: 'SESSION_STATUS_CHANGED' };
  for (const id of Object.keys(fields)) expect((await socket.result<Heard>(id)).data).toEqual({ event });
}, 120_000);
