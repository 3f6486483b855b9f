import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cutter } from '../../../test/cutter.ts';
import { atEnd, testDatabase } from '../../../test/database.ts';
import { startApp } from '../../../test/server.ts';
import { type RawSocket, rawSocket, sseStream } from '../../../test/socket.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { silentLog } from '../../infra/log.ts';
import { createDatabase } from '../../infra/prisma.ts';

const direct = await testDatabase();
const { agent, session } = world(direct.pool);
const between = await cutter(direct.url);
const database = createDatabase(between.url, silentLog);
atEnd(() => database.close());
const { url, streams } = await startApp({ ...direct, ...database }, { pace: { pollMs: 50, heartbeatMs: 100 } });

const query =
  'subscription ($after: String) { event: sessionUpdated(after: $after) { type cursor session { id title } } }';
interface Heard {
  event: { type: string; cursor: string; session: { id: string; title: string } | null };
}
let socket: RawSocket;

beforeAll(async () => {
  await agent('ada', { maxCapacity: 1_000 });
  socket = await rawSocket(url);
  await socket.init();
});
afterAll(() => socket.close());

/** Returns the next events, without READY and heartbeats. */
async function events(id: string, count: number): Promise<Heard['event'][]> {
  const found: Heard['event'][] = [];
  while (found.length < count) {
    const { data, errors } = await socket.result<Heard>(id);
    expect(errors).toBeUndefined();
    if (data!.event.session !== null) found.push(data!.event);
  }
  return found;
}

describe('when a connection to PostgreSQL breaks', () => {
  // A look, a stamp, a read of rows and of what was asked for: each question in turn is the one that fails.
  test.each([1, 2, 3, 4, 5, 6, 7, 8].flatMap((nth) => [[nth, 'before'] as const, [nth, 'after'] as const]))(
    'at statement %i, %s PostgreSQL receives it, no stream ends or loses, repeats or reorders an event',
    async (nth, when) => {
      const id = `${nth} ${when}`;
      socket.subscribe(id, query);
      expect((await socket.result<Heard>(id)).data!.event.type).toBe('READY');
      const cuts = between.cuts();
      between.cut(nth, when);
      const written: string[] = [];
      for (let n = 0; n < 5; n += 1) written.push(encodeId('session', await session('ada')));
      expect((await events(id, 5)).map(({ session: about }) => about!.id)).toEqual(written);
      await expect.poll(() => between.cuts(), { timeout: 20_000 }).toBe(cuts + 1);
      socket.send({ id, type: 'complete' });
    },
  );

  test('for a while, no stream ends, and missed events arrive when it is back', async () => {
    socket.subscribe('gone', query);
    await socket.result('gone');
    const sse = await sseStream(url, query);
    await sse.result();
    await direct.pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'baton' AND datname = current_database() AND pid <> pg_backend_pid()",
    );
    const id = encodeId('session', await session('ada'));
    expect((await events('gone', 1))[0]!.session!.id).toBe(id);
    for (;;) {
      const { data } = await sse.result<Heard>();
      if (data!.event.session?.id === id) break;
    }
    sse.close();
    socket.send({ id: 'gone', type: 'complete' });
    await expect.poll(() => streams.size, { timeout: 20_000 }).toBe(0);
  });
});
