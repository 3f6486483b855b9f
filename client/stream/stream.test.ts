import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { encodeId } from '../../server/core/ids.ts';
import { acceptHandoff } from '../../server/work/handoffs/changeHandoff.ts';
import { collect } from '../../test/collect.ts';
import { atEnd, testDatabase } from '../../test/database.ts';
import { frameProxy } from '../../test/frames.ts';
import { freePort } from '../../test/ports.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';
import { connect, openStream, StreamError, type Status, type Topic } from './index.ts';

const db = await testDatabase();
const { agent, session, reassign, turn, run } = world(db.pool);
await agent('a', { maxCapacity: 1_000 });
await agent('b', { maxCapacity: 1_000 });
const { url } = await startApp(db);

const backoff = { baseMs: 20, capMs: 200 };
const patience = { timeout: 60_000, interval: 10 };
const common = { url, webSocket: WebSocket, backoff };
const inboxOf = (agentId: string): Topic => ({ kind: 'handoffAssigned', agentId });
const work = async () => {
  const uuid = await session('a');
  return { uuid, id: encodeId('session', uuid) };
};

async function watched(uuid: string, options: Partial<Parameters<typeof openStream>[0]> = {}) {
  const stream = openStream({
    ...common,
    topic: { kind: 'sessionUpdated', sessionIds: [encodeId('session', uuid)] },
    ...options,
  });
  const collected = collect(stream);
  await stream.ready;
  return { stream, ...collected };
}

const upTo = (n: number, from = 1): number[] => Array.from({ length: n - from + 1 }, (_, i) => from + i);

describe('a stream', () => {
  it('delivers the inbox of an agent with the selected fields', async () => {
    const { uuid, id } = await work();
    const stream = openStream<{ handoff: { status: string; targetAgent: { id: string } } | null }>({
      ...common,
      topic: inboxOf('b'),
      fields: 'handoff { status targetAgent { id } }',
    });
    await stream.ready;
    const { handoffId } = await reassign(uuid, { agentId: 'b' });
    const first = await stream.next();
    expect(first.value).toMatchObject({
      type: 'HANDOFF_INITIATED',
      session: { id },
      handoff: { status: 'INITIATED', targetAgent: { id: 'b' } },
    });
    const second = await stream.next();
    expect(second.value).toMatchObject({ type: 'SESSION_REASSIGNED', inboxSequence: first.value!.inboxSequence! + 1 });
    stream.stop();
    // A new program with the cursor that was kept goes on behind it.
    await run(acceptHandoff, { handoffId: handoffId! });
    const later = openStream({ ...common, topic: inboxOf('b'), after: first.value!.cursor });
    expect([(await later.next()).value?.type, (await later.next()).value?.type]).toEqual([
      'SESSION_REASSIGNED',
      'HANDOFF_ACCEPTED',
    ]);
    later.stop();
    expect(await later.next()).toEqual({ done: true, value: undefined });
    // What was not taken is dropped.
    const full = openStream({ ...common, topic: inboxOf('b'), after: first.value!.cursor });
    await vi.waitFor(() => expect(full.stats.events).toBe(2), patience);
    full.stop();
    expect(await full.next()).toEqual({ done: true, value: undefined });
  });

  it('continues after a restart of the server, with the missed events', async () => {
    const { uuid } = await work();
    const PORT = String(await freePort());
    const server = await startApp(db, { variables: { PORT } });
    const statuses: Status[] = [];
    const { stream, numbers } = await watched(uuid, { url: server.url, onStatus: (status) => statuses.push(status) });
    await turn(uuid);
    await vi.waitFor(() => expect(numbers).toEqual([2]), patience);
    await server.stop();
    await vi.waitFor(() => expect(stream.status).toMatchObject({ state: 'waiting' }), patience);
    await turn(uuid);
    await turn(uuid);
    await startApp(db, { variables: { PORT } });
    await turn(uuid);
    await vi.waitFor(() => expect(numbers).toEqual([2, 3, 4, 5]), patience);
    expect(statuses.map(({ state }) => state).slice(0, 4)).toEqual(['connecting', 'live', 'waiting', 'connecting']);
    expect(statuses.at(-1)).toEqual({ state: 'live' });
  });

  it('delivers everything once and in order while its sockets are cut', async () => {
    const { uuid } = await work();
    const proxy = await frameProxy(() => url);
    atEnd(() => proxy.close());
    const { stream, numbers } = await watched(uuid, { url: proxy.url });
    let writing = true;
    const cutting = (async () => {
      for (let n = 0; writing; n += 1) {
        proxy.cut([undefined, 1012, 1000, 4408][n % 4]);
        await pause(40);
      }
    })();
    let written = 0;
    // However fast the one is and however slow the other: several sockets have to come and go meanwhile.
    for (; written < 60 || proxy.seen < 10; written += 1) await turn(uuid);
    writing = false;
    await cutting;
    await vi.waitFor(() => expect(numbers).toEqual(upTo(written + 1, 2)), patience);
    expect(stream.stats).toMatchObject({ repeats: 0, healed: 0, gaps: 0, events: written });
  });

  it('closes a silent socket and opens another', async () => {
    const { uuid } = await work();
    const proxy = await frameProxy(() => url);
    atEnd(() => proxy.close());
    const statuses: Status[] = [];
    const { numbers } = await watched(uuid, {
      url: proxy.url,
      silenceMs: 1_000,
      onStatus: (status) => statuses.push(status),
    });
    proxy.frozen = true;
    await turn(uuid);
    await vi.waitFor(
      () =>
        expect(statuses).toContainEqual(
          expect.objectContaining({ state: 'waiting', reason: 'the server fell silent' }),
        ),
      patience,
    );
    proxy.frozen = false;
    await vi.waitFor(() => expect(numbers).toEqual([2]), patience);
  });

  it('passes on an event of a type that it does not know', async () => {
    const { uuid } = await work();
    const proxy = await frameProxy(() => url);
    atEnd(() => proxy.close());
    const { stream, numbers } = await watched(uuid, { url: proxy.url });
    proxy.damage = (message) => [JSON.stringify(message).replaceAll('"TURN_APPENDED"', '"SOMETHING_NEW"')];
    await turn(uuid);
    await vi.waitFor(() => expect(numbers).toEqual([2]), patience);
    expect(stream.stats).toMatchObject({ healed: 0, gaps: 0, events: 1 });
  });

  it('requests lost and misordered events again, and drops repeated ones', async () => {
    const { uuid } = await work();
    const proxy = await frameProxy(() => url);
    atEnd(() => proxy.close());
    const { stream, numbers } = await watched(uuid, { url: proxy.url });
    const once = (number: number, damage: (text: string) => string[]): void => {
      proxy.damage = (message) => {
        const text = JSON.stringify(message);
        if (!text.includes(`"sessionSequence":${number},`)) return [text];
        proxy.damage = undefined;
        return damage(text);
      };
    };
    const write = async (...expected: number[]): Promise<void> => {
      for (const _ of expected) await turn(uuid);
      await vi.waitFor(() => expect(numbers.slice(-expected.length)).toEqual(expected), patience);
    };
    once(2, () => []);
    // The first of all can be missed by nobody who does not know what was before.
    await turn(uuid);
    await write(3);
    once(4, () => []);
    await write(4, 5);
    expect(stream.stats).toMatchObject({ healed: 1, repeats: 0 });
    once(6, (text) => [text, text]);
    await write(6, 7);
    expect(stream.stats).toMatchObject({ healed: 1, repeats: 1 });
    once(8, (text) => {
      proxy.damage = (message) => {
        proxy.damage = undefined;
        return [JSON.stringify(message), text];
      };
      return [];
    });
    await write(8, 9);
    expect(stream.stats).toMatchObject({ healed: 2, gaps: 0 });
    expect(numbers).toEqual(upTo(9, 3));
  });

  it('reports an event that stays lost, and continues', async () => {
    const { uuid, id } = await work();
    const proxy = await frameProxy(() => url);
    atEnd(() => proxy.close());
    const gaps: object[] = [];
    const { stream, numbers } = await watched(uuid, { url: proxy.url, onGap: (gap) => gaps.push(gap) });
    proxy.damage = (message) =>
      JSON.stringify(message).includes('"sessionSequence":3,') ? [] : [JSON.stringify(message)];
    for (let n = 0; n < 4; n += 1) await turn(uuid);
    await vi.waitFor(() => expect(numbers).toEqual([2, 4, 5]), patience);
    expect(gaps).toEqual([{ stream: id, expected: 3, received: 4 }]);
    expect(stream.stats).toMatchObject({ gaps: 1, healed: 1 });
  });

  it('ends with CURSOR_EXPIRED, or continues from now with onExpired', async () => {
    const { uuid } = await work();
    const refused = collect(openStream({ ...common, topic: inboxOf('b'), after: 'made up' }));
    expect(await refused.over).toMatchObject({ name: 'StreamError', code: 'CURSOR_EXPIRED' });
    const order: string[] = [];
    const { stream, numbers } = await watched(uuid, {
      after: 'made up',
      onExpired: () => order.push('read again'),
      onStatus: ({ state }) => order.push(state),
    });
    await turn(uuid);
    await vi.waitFor(() => expect(numbers).toEqual([2]), patience);
    expect(order).toEqual(['connecting', 'connecting', 'live', 'read again']);
    expect(stream.cursor).not.toBe('made up');
  });

  it('waits longer after each failure of a server whose streams break', async () => {
    const { uuid } = await work();
    const proxy = await frameProxy(() => url);
    atEnd(() => proxy.close());
    proxy.damage = (message) => {
      const { id, type } = message as { id: string; type: string };
      const text = JSON.stringify(message);
      if (type !== 'next') return [text];
      return [
        text,
        JSON.stringify({ id, type, payload: { errors: [{ message: 'away', extensions: { code: 'UNAVAILABLE' } }] } }),
        JSON.stringify({ id, type: 'complete' }),
      ];
    };
    const waits: number[] = [];
    const { stream, numbers } = await watched(uuid, {
      url: proxy.url,
      backoff: { baseMs: 2, capMs: 400 },
      onStatus: (status) => status.state === 'waiting' && waits.push(status.until - Date.now()),
    });
    await vi.waitFor(() => expect(waits.length).toBeGreaterThan(8), patience);
    // Up to 2 ms after a first failure, and any time up to a bound that doubles after each further one.
    expect(Math.max(...waits)).toBeGreaterThan(4);
    // It is the stream that waits, not its socket, which others may share.
    expect(proxy.seen).toBe(1);
    proxy.damage = undefined;
    await vi.waitFor(() => expect(stream.status).toEqual({ state: 'live' }), patience);
    await turn(uuid);
    await vi.waitFor(() => expect(numbers).toEqual([2]), patience);
  });

  it('ends with an error for an unknown agent or an unknown key', async () => {
    const nobody = collect(openStream({ ...common, topic: inboxOf('nobody') }));
    expect(await nobody.over).toMatchObject({ name: 'StreamError', code: 'BAD_USER_INPUT' });
    const key = 'the-key-of-this-test-which-is-long-enough';
    const guarded = await startApp(db, { variables: { BATON_ADMIN_KEY: key } });
    const stranger = openStream({ ...common, url: guarded.url, key: 'baton_wrong', topic: inboxOf('b') });
    await expect(stranger.ready).rejects.toThrow(StreamError);
    expect(await collect(stranger).over).toMatchObject({ code: 'FORBIDDEN' });
    const known = openStream({ ...common, url: guarded.url, key: async () => key, topic: inboxOf('b') });
    await known.ready;
    known.stop();
  });

  it('buffers a bounded number of events, and delivers the rest when they are taken', async () => {
    const { uuid, id } = await work();
    const states: string[] = [];
    const stream = openStream({
      ...common,
      topic: { kind: 'sessionUpdated', sessionIds: [id] },
      bufferSize: 10,
      onStatus: ({ state }) => states.push(state),
    });
    atEnd(() => stream.stop());
    await stream.ready;
    const before = stream.cursor;
    for (let n = 0; n < 100; n += 1) await turn(uuid);
    await vi.waitFor(() => expect(stream.status).toEqual({ state: 'behind' }), patience);
    expect(stream.stats.events).toBe(10);
    // Nothing was handed out yet: a program that ends here has to begin here.
    expect(stream.cursor).toBe(before);
    const numbers: (number | null)[] = [];
    while (numbers.length < 100) numbers.push((await stream.next()).value!.sessionSequence);
    expect(numbers).toEqual(upTo(101, 2));
    expect(stream.stats).toMatchObject({ repeats: 0, healed: 0, gaps: 0 });
    expect(states).toContain('behind');
  });

  it('waits for a server that has not started, and retries at once with retryNow', async () => {
    const port = await freePort();
    const connection = connect({
      ...common,
      url: `http://127.0.0.1:${port}`,
      backoff: { baseMs: 3_600_000, capMs: 3_600_000 },
    });
    const stream = connection.open({ topic: inboxOf('b') });
    atEnd(() => stream.stop());
    await vi.waitFor(
      () =>
        expect(stream.status).toMatchObject({
          state: 'waiting',
          reason: expect.stringContaining('ECONNREFUSED') as string,
        }),
      patience,
    );
    await startApp(db, { variables: { PORT: String(port) } });
    connection.retryNow();
    await stream.ready;
  });
});
