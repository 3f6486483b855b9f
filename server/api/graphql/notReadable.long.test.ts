import pg from 'pg';
import { expect, test } from 'vitest';
import { randomUUID } from 'node:crypto';
import { atEnd, testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { rawSocket, sseStream } from '../../../test/socket.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { hashOf, newSecret } from '../../work/keys/secret.ts';

const adminKey = 'k'.repeat(32);
const admin = { authorization: `Bearer ${adminKey}` };
const database = await testDatabase();
const { pool } = database;
const { url, streams, authenticate } = await startApp(database, {
  variables: { BATON_ADMIN_KEY: adminKey },
  pace: { heartbeatMs: 3_600_000 },
});
const { agent, session } = world(pool);
const query =
  'subscription ($after: String) { event: sessionUpdated(after: $after) { type cursor session { id turns(first: 1) { nodes { id } } } } }';

interface Heard {
  event: { type: string; cursor: string };
}

async function operatorKey(): Promise<{ id: string; authorization: string }> {
  const [id, secret] = [randomUUID(), newSecret()];
  await pool.query(
    "INSERT INTO keys (id, name, role, secret_hash, created_by, created_at) VALUES ($1, 'test', 'OPERATOR', $2, 'test', now())",
    [id, hashOf(secret)],
  );
  return { id, authorization: `Bearer ${secret}` };
}

test('a stream whose event cannot be read ends with UNAVAILABLE, returns that event after its cursor, and sends nothing to a revoked key', async () => {
  await agent('ada');
  const id = encodeId('session', await session('ada'));
  const socket = await rawSocket(url);
  await socket.init(admin);
  socket.subscribe('1', query);
  const { data } = await socket.result<Heard>('1');
  expect(data!.event.type).toBe('READY');
  const key = await operatorKey();
  const [sse, ended] = [
    await sseStream(url, query, {}, admin),
    await sseStream(url, query, {}, { authorization: key.authorization }),
  ];
  for (const stream of [sse, ended])
    expect(await stream.result()).toMatchObject({ data: { event: { type: 'READY' } } });

  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  atEnd(() => holder.end());
  await holder.query('BEGIN');
  await holder.query('LOCK TABLE turns IN ACCESS EXCLUSIVE MODE');
  const waits = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
  await client(url).post(`mutation { setTasks(input: { sessionId: "${id}", tasks: [] }) { __typename } }`, {}, admin);
  await expect.poll(async () => (await pool.query(waits)).rowCount, { timeout: 20_000 }).toBeGreaterThan(0);
  authenticate.revoked(key.id);

  const unavailable = { errors: [{ extensions: { code: 'UNAVAILABLE' } }] };
  expect(await socket.result('1')).toMatchObject(unavailable);
  await socket.message('complete', '1');
  expect(await sse.result()).toMatchObject(unavailable);
  expect(await sse.ended).toBe('complete');
  expect(streams.size).toBe(0);
  await holder.query('ROLLBACK');
  expect(await ended.result()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
  expect(await ended.ended).toBe('complete');

  socket.subscribe('2', query, { after: data!.event.cursor });
  expect(await socket.result('2')).toMatchObject({ data: { event: { type: 'READY' } } });
  expect(await socket.result('2')).toMatchObject({ data: { event: { type: 'LOG_CHANGED', session: { id } } } });
  socket.close();
}, 90_000);
