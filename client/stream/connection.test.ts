import { describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { encodeId } from '../../server/core/ids.ts';
import { collect } from '../../test/collect.ts';
import { atEnd, testDatabase } from '../../test/database.ts';
import { frameProxy } from '../../test/frames.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';
import { connect, type Topic } from './index.ts';

const db = await testDatabase();
const { agent, session, reassign, turn } = world(db.pool);
await agent('a', { maxCapacity: 1_000 });
await agent('b', { maxCapacity: 1_000 });
const { url } = await startApp(db);

const patience = { timeout: 60_000, interval: 10 };
const common = { url, webSocket: WebSocket, backoff: { baseMs: 20, capMs: 200 } };
const inboxOf = (agentId: string): Topic => ({ kind: 'handoffAssigned', agentId });
const work = async () => {
  const uuid = await session('a');
  return { uuid, id: encodeId('session', uuid) };
};

describe('a connection to a server under a base path', async () => {
  const { url: based } = await startApp(db, { variables: { BATON_BASE_PATH: '/tools/baton' } });

  it.each(['', '/', '/graphql'])('is made by its address and "%s"', async (end) => {
    const stream = connect({ ...common, url: `${based}${end}` }).open({ topic: inboxOf('b') });
    await stream.ready;
    stream.stop();
  });
});

describe('streams on one connection', () => {
  it('share a socket that closes with the last of them, without a leftover timer', async () => {
    const proxy = await frameProxy(() => url);
    atEnd(() => proxy.close());
    const { uuid, id } = await work();
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const connection = connect({ ...common, url: proxy.url });
    const streams = [
      connection.open({ topic: inboxOf('b') }),
      connection.open({ topic: { kind: 'sessionUpdated', sessionIds: [id] } }),
      connection.open({ topic: { kind: 'handoffEvents', where: { sessionId: id } } }),
    ];
    const collected = streams.map(collect);
    await Promise.all(streams.map(({ ready }) => ready));
    expect([proxy.seen, proxy.open]).toEqual([1, 1]);
    proxy.cut();
    await reassign(uuid, { agentId: 'b' });
    const moved = ['HANDOFF_INITIATED', 'SESSION_REASSIGNED'];
    await vi.waitFor(() => expect(collected.map(({ types }) => types)).toEqual([moved, moved, moved]), patience);
    streams[0]!.stop();
    streams[1]!.stop();
    await turn(uuid, { messages: [{ role: 'USER', content: 'Hello?' }] });
    expect(proxy.open).toBe(1);
    streams[2]!.stop();
    expect(await Promise.all(collected.map(({ over }) => over))).toEqual(['over', 'over', 'over']);
    await vi.waitFor(() => expect(proxy.open).toBe(0), patience);
    // Not by `waitFor`, which has timers of its own.
    while (timers() > before) await new Promise((resolve) => setImmediate(resolve));
  });

  it('keep their socket while one of them waits to retry', async () => {
    const proxy = await frameProxy(() => url);
    atEnd(() => proxy.close());
    proxy.damage = (message) => {
      const { id, type } = message as { id: string; type: string };
      const text = JSON.stringify(message);
      return type === 'next' && text.includes('handoffAssigned')
        ? [
            JSON.stringify({
              id,
              type,
              payload: { errors: [{ message: 'away', extensions: { code: 'UNAVAILABLE' } }] },
            }),
          ]
        : [text];
    };
    const { uuid, id } = await work();
    const silenceMs = 2_000;
    const connection = connect({
      ...common,
      url: proxy.url,
      silenceMs,
      backoff: { baseMs: 3_600_000, capMs: 3_600_000 },
    });
    const [waiting, live] = [
      connection.open({ topic: inboxOf('b') }),
      connection.open({ topic: { kind: 'sessionUpdated', sessionIds: [id] } }),
    ];
    atEnd(() => waiting.stop());
    const { numbers } = collect(live);
    await vi.waitFor(() => expect(waiting.status).toMatchObject({ state: 'waiting', reason: 'away' }), patience);
    await live.ready;
    let written = 0;
    for (const until = Date.now() + 3 * silenceMs; Date.now() < until; written += 1) {
      await turn(uuid);
      await vi.waitFor(() => expect(numbers).toHaveLength(written + 1), patience);
    }
    expect(live.stats.opened).toBe(1);
    expect(proxy.seen).toBe(1);
  });
});
