import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { encodeId } from '../core/ids.ts';
import { atEnd, testDatabase } from '../testing/database.ts';
import { startApp } from '../testing/server.ts';
import { createLog } from '../infra/log.ts';
import { rawSocket, type RawSocket, sseStream } from '../testing/socket.ts';
import { world } from '../testing/world.ts';
import { hashOf, newSecret } from '../keys/secret.ts';
import type { Role } from '../core/work.ts';
import { createRates } from '../limits/rates.ts';

const database = await testDatabase();
const { pool } = database;
const { agent } = world(pool);
const open = await startApp(database, {
  limits: { initMs: 300 },
  pace: { heartbeatMs: 200 },
  variables: { BATON_ALLOWED_ORIGINS: 'https://baton.example.com' },
});

const handoffs = 'subscription ($after: String) { event: handoffEvents(after: $after) { type cursor } }';
const subscription = (id: string) => ({ id, type: 'subscribe', payload: { query: handoffs } });

interface MadeKey {
  id: string;
  authorization: string;
}
async function makeKey(role: Role, { agentId = null, expiresAt = null }: { agentId?: string | null; expiresAt?: Date | null } = {}): Promise<MadeKey> {
  const [id, secret] = [randomUUID(), newSecret()];
  await pool.query('INSERT INTO keys (id, name, role, agent_id, secret_hash, created_by, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $2, now(), $6)', [
    id,
    'test',
    role,
    agentId,
    hashOf(secret),
    expiresAt,
  ]);
  return { id, authorization: `Bearer ${secret}` };
}

beforeAll(async () => {
  await agent('ada', { maxCapacity: 1_000 });
  await agent('bob');
});

describe('what breaks the protocol closes the socket with its code', () => {
  const violations: [number, string, (socket: RawSocket) => Promise<unknown> | void][] = [
    [4400, 'no JSON', (socket) => socket.sendText('{')],
    [4400, 'no message', (socket) => socket.sendText('[]')],
    [4400, 'an unknown type', (socket) => socket.send({ type: 'start' })],
    [4400, 'a subscription without a query', (socket) => socket.send({ id: '1', type: 'subscribe', payload: {} })],
    [4401, 'a subscription before the connection is acknowledged', (socket) => socket.send(subscription('1'))],
    [4408, 'no connection_init in time', () => undefined],
    [
      4409,
      'an id that is in use',
      async (socket) => {
        await socket.init();
        socket.send(subscription('1'));
        await socket.result('1');
        socket.send(subscription('1'));
      },
    ],
    [
      4429,
      'a second connection_init',
      async (socket) => {
        await socket.init();
        socket.send({ type: 'connection_init' });
      },
    ],
    [
      1008,
      'the twenty-first subscription',
      async (socket) => {
        await socket.init();
        for (let n = 0; n < 20; n += 1) socket.send(subscription(`${n}`));
        await Promise.all(Array.from({ length: 20 }, (_, n) => socket.result(`${n}`)));
        socket.send(subscription('20'));
      },
    ],
    [1009, 'a frame of more than 64 KB', (socket) => socket.sendText(JSON.stringify({ type: 'ping', payload: { text: 'x'.repeat(64 * 1024) } }))],
  ];
  test.each(violations)('%i: %s', async (code, _name, violate) => {
    const socket = await rawSocket(open.url);
    await violate(socket);
    expect(await socket.closed).toMatchObject({ code });
    await expect.poll(() => open.streams.size, { timeout: 20_000 }).toBe(0);
  });

  test('4406: another subprotocol', async () => {
    for (const protocol of ['graphql-ws', 'mqtt']) {
      const socket = await rawSocket(open.url, { protocol }).catch((error: Error) => error);
      // The library of the client itself refuses a server that does not take up what it offers.
      if (socket instanceof Error) expect(socket.message).toMatch(/subprotocol/);
      else expect(await socket.closed).toMatchObject({ code: 4406 });
    }
    expect(await closeCodeOf(open.url, 'Sec-WebSocket-Protocol: mqtt')).toBe(4406);
  });
});

describe('operations over a socket', () => {
  test('are parsed and validated as over HTTP, with the same codes and no suggestions', async () => {
    const socket = await rawSocket(open.url);
    await socket.init();
    socket.subscribe('1', '{ sesions { nodes { id } } }');
    expect(await socket.message('error', '1')).toMatchObject({ payload: [{ message: 'Cannot query field "sesions" on type "Query".', extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] });
    socket.subscribe('2', '{ ');
    expect(await socket.message('error', '2')).toMatchObject({ payload: [{ extensions: { code: 'GRAPHQL_PARSE_FAILED' } }] });
    socket.subscribe('3', 'query A { viewer { role } } query B { viewer { role } }');
    expect(await socket.message('error', '3')).toMatchObject({ payload: [{ extensions: { code: 'OPERATION_RESOLUTION_FAILURE' } }] });
    socket.subscribe('4', '{ agent(id: "ada") { id currentLoad } }');
    expect(await socket.result('4')).toMatchObject({ data: { agent: { id: 'ada', currentLoad: 0 } }, extensions: { cost: { limit: 5_000 } } });
    await socket.message('complete', '4');
    socket.close();
  });

  test('have the limits of those over HTTP', async () => {
    const socket = await rawSocket(open.url);
    await socket.init();
    socket.subscribe('1', `{ ${Array.from({ length: 16 }, (_, n) => `a${n}: __typename`).join(' ')} }`);
    expect(await socket.message('error', '1')).toMatchObject({ payload: [{ extensions: { code: 'LIMIT_EXCEEDED', what: 'aliases', limit: 15, actual: 16 } }] });
    socket.subscribe('2', 'query ($v: JSON) { viewer { role } }', { v: JSON.parse('['.repeat(100) + ']'.repeat(100)) as object });
    expect(await socket.message('error', '2')).toMatchObject({ payload: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
    socket.close();
    const few = await startApp(database, { rates: createRates({ reads: { perMinute: 60, burst: 3 } }), variables: { BATON_ADMIN_KEY: 'k'.repeat(32) } });
    const limited = await rawSocket(few.url);
    await limited.init({ authorization: `Bearer ${'k'.repeat(32)}` });
    for (const id of ['1', '2', '3']) {
      limited.send(subscription(id));
      await limited.result(id);
    }
    limited.send(subscription('4'));
    const { payload } = await limited.message('error', '4');
    expect(payload).toMatchObject([{ extensions: { code: 'RATE_LIMITED', retryAfterMs: expect.any(Number) as number } }]);
    expect(JSON.stringify(payload)).not.toContain('http');
    limited.close();
    await few.stop();
  });

  test('of a page of another site are refused at the upgrade; of our own, of an allowed one, and of programs they are not', async () => {
    const host = new URL(open.url).host;
    for (const origin of ['https://evil.example', 'null', `http://${host}.evil.example`, 'https://baton.example.com.evil.example']) {
      await expect(rawSocket(open.url, { origin })).rejects.toThrow('403');
    }
    for (const options of [{ origin: `http://${host}` }, { origin: 'https://baton.example.com' }, {}]) {
      const socket = await rawSocket(open.url, options);
      await socket.init();
      socket.close();
    }
    await expect(rawSocket(`${open.url}/elsewhere`)).rejects.toThrow('404');
    await expect(rawSocket(open.url, { headers: { host: 'evil.example' } })).rejects.toThrow('403');
  });

  const slow = 'subscription ($ids: [ID!]) { event: sessionUpdated(sessionIds: $ids) { type cursor } }';
  test.each([
    ['sooner', handoffs, slow],
    ['later', slow, handoffs],
  ])('whose id is used again before they have begun, and which open %s than the second, leave nothing behind', async (_order, first, second) => {
    const ids = [encodeId('session', await world(pool).session('ada'))];
    for (const end of [(socket: RawSocket) => socket.close(), (socket: RawSocket) => socket.send({ id: '1', type: 'complete' })]) {
      const socket = await rawSocket(open.url);
      await socket.init();
      socket.subscribe('1', first, first === slow ? { ids } : {});
      socket.send({ id: '1', type: 'complete' });
      socket.subscribe('1', second, second === slow ? { ids } : {});
      expect(await socket.result('1')).toMatchObject({ data: { event: { type: 'READY' } } });
      // Two streams would say so twice.
      for (let n = 0; n < 4; n += 1) expect(await socket.result('1')).toMatchObject({ data: { event: { type: 'HEARTBEAT' } } });
      expect(open.streams.size).toBe(1);
      expect(socket.left).toEqual([]);
      end(socket);
      await expect.poll(() => open.streams.size, { timeout: 20_000 }).toBe(0);
      socket.close();
    }
  });

  test('have a heartbeat with the cursor where the stream stands', async () => {
    const socket = await rawSocket(open.url);
    await socket.init();
    socket.subscribe('1', handoffs);
    const { data } = await socket.result<{ event: { cursor: string } }>('1');
    for (let n = 0; n < 3; n += 1) expect(await socket.result('1')).toEqual({ data: { event: { type: 'HEARTBEAT', cursor: data!.event.cursor } } });
    socket.close();
  });
});

describe('with keys', async () => {
  const keyed = await startApp(database, { limits: { sockets: 3 }, variables: { BATON_ADMIN_KEY: 'k'.repeat(32) }, recheckMs: 300 });

  test('nobody comes in without one that is good: 4403', async () => {
    const expired = await makeKey('OPERATOR', { expiresAt: new Date(Date.now() - 1_000) });
    for (const payload of [undefined, {}, { authorization: 7 }, { authorization: 'Bearer nonsense' }, { authorization: expired.authorization }, { Authorization: `Bearer ${'k'.repeat(32)}` }]) {
      const socket = await rawSocket(keyed.url);
      socket.send({ type: 'connection_init', ...(payload && { payload }) });
      expect(await socket.closed).toEqual({ code: 4403, reason: 'Forbidden' });
    }
    const admin = await rawSocket(keyed.url);
    await admin.init({ authorization: `Bearer ${'k'.repeat(32)}` });
    admin.close();
  });

  test('who tries too many that are none is told so, and is not worth a line in the log', async () => {
    const lines: string[] = [];
    const log = createLog({ level: 'warn', destination: { write: (line: string) => void lines.push(line) } });
    const guarded = await startApp(database, { log, rates: createRates({ failures: { perMinute: 1, burst: 1 } }), variables: { BATON_ADMIN_KEY: 'k'.repeat(32) } });
    for (const [n, closed] of [{ code: 4403 }, { code: 1013, reason: expect.stringMatching(/^Too many connections .* without a key/) as string }].entries()) {
      const socket = await rawSocket(guarded.url);
      socket.send({ type: 'connection_init', payload: { authorization: `Bearer nonsense${n}` } });
      expect(await socket.closed).toMatchObject(closed);
    }
    expect(lines).toEqual([]);
    await guarded.stop();
  });

  test('one has so many sockets and no more: 1013, until one of them is closed', async () => {
    const { authorization } = await makeKey('OPERATOR');
    const sockets = await Promise.all([1, 2, 3].map(() => rawSocket(keyed.url)));
    for (const socket of sockets) await socket.init({ authorization });
    const fourth = await rawSocket(keyed.url);
    fourth.send({ type: 'connection_init', payload: { authorization } });
    expect(await fourth.closed).toMatchObject({ code: 1013 });
    sockets[0]!.close();
    await sockets[0]!.closed;
    const again = await rawSocket(keyed.url);
    await again.init({ authorization });
    for (const socket of [...sockets, again]) socket.close();
  });

  test('one that goes away while it is being let in keeps no place', async () => {
    const { authorization } = await makeKey('OPERATOR');
    let [asked, letIn] = [0, (): void => undefined];
    const gate = new Promise<void>((resolve) => (letIn = resolve));
    const authenticate = async (given: string | undefined) => {
      asked += 1;
      await gate;
      return keyed.authenticate(given);
    };
    const slow = await startApp(database, { limits: { sockets: 1 }, authenticate: Object.assign(authenticate, { open: false, looksLikeKey: keyed.authenticate.looksLikeKey }) });
    for (let n = 1; n <= 3; n += 1) {
      const socket = await rawSocket(slow.url);
      socket.send({ type: 'connection_init', payload: { authorization } });
      await expect.poll(() => asked, { timeout: 20_000 }).toBe(n);
      socket.close();
      await socket.closed;
    }
    await expect.poll(() => slow.live.openSockets, { timeout: 20_000 }).toBe(0);
    letIn();
    const another = await rawSocket(slow.url);
    await another.init({ authorization });
    another.close();
    await slow.stop();
  });

  test('nothing is taken any more from a socket whose key has ended, although it does not take leave', async () => {
    const { id, authorization } = await makeKey('OPERATOR');
    const socket = await rawSocket(keyed.url);
    await socket.init({ authorization });
    // It does not read that it is closed.
    socket.pause();
    keyed.authenticate.revoked(id);
    socket.subscribe('1', 'mutation { createSession(input: { title: "after the end" }) { __typename } }');
    await expect.poll(() => keyed.live.openSockets, { timeout: 20_000 }).toBe(0);
    socket.resume();
    expect(await socket.closed).toMatchObject({ code: 4403 });
    expect((await pool.query("SELECT FROM sessions WHERE title = 'after the end'")).rowCount).toBe(0);
  });

  test('the sockets and streams of a revoked one are closed within a second, those of others are not', async () => {
    const [mine, other] = [await makeKey('OPERATOR'), await makeKey('OPERATOR')];
    const [socket, theirs] = [await rawSocket(keyed.url), await rawSocket(keyed.url)];
    await socket.init({ authorization: mine.authorization });
    await theirs.init({ authorization: other.authorization });
    const sse = await sseStream(keyed.url, handoffs, {}, { authorization: mine.authorization });
    await sse.result();
    socket.send(subscription('1'));
    await socket.result('1');
    await pool.query('UPDATE keys SET revoked_at = now() WHERE id = $1', [mine.id]);
    const began = performance.now();
    keyed.authenticate.revoked(mine.id);
    expect(await socket.closed).toMatchObject({ code: 4403 });
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(await sse.result()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
    expect(await sse.ended).toBe('complete');
    theirs.send(subscription('1'));
    expect(await theirs.result('1')).toMatchObject({ data: { event: { type: 'READY' } } });
    theirs.close();
  });

  test('one that is revoked in the database, without a word, or that expires, ends too', async () => {
    const revoked = await makeKey('OPERATOR');
    const expiring = await makeKey('OPERATOR', { expiresAt: new Date(Date.now() + 1_500) });
    const sockets = await Promise.all([revoked, expiring].map(async ({ authorization }) => {
      const socket = await rawSocket(keyed.url);
      await socket.init({ authorization });
      return socket;
    }));
    await pool.query('UPDATE keys SET revoked_at = now() WHERE id = $1', [revoked.id]);
    for (const socket of sockets) expect(await socket.closed).toMatchObject({ code: 4403 });
  });

  test('an agent may listen to its own inbox and to Sessions of its own, and to nothing else', async () => {
    const { session, reassign } = world(pool);
    const { authorization } = await makeKey('AGENT', { agentId: 'bob' });
    const socket = await rawSocket(keyed.url);
    await socket.init({ authorization });
    socket.subscribe('inbox', 'subscription { event: handoffAssigned(agentId: "ada") { type } }');
    expect(await socket.result('inbox')).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
    const [strange, own] = [await session('ada'), await session('ada')];
    const errors = [];
    for (const id of [encodeId('session', strange), encodeId('session', randomUUID())]) {
      socket.subscribe(id, 'subscription ($id: ID!) { event: sessionUpdated(sessionIds: [$id]) { type } }', { id });
      const result = await socket.result(id);
      expect(result).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
      errors.push(JSON.stringify(result).replaceAll(id, ''));
    }
    // One that it may not read looks like one that there is not.
    expect(errors[0]).toBe(errors[1]);
    socket.subscribe('all', 'subscription { event: handoffEvents { type session { id } } }');
    await socket.result('all');
    // Of its own from now on; what ada has stays hidden.
    await reassign(own, { agentId: 'bob' });
    await session('ada');
    await reassign(own, { agentId: 'ada' });
    const ofOwn = (type: string) => ({ data: { event: { type, session: { id: encodeId('session', own) } } } });
    for (const type of ['HANDOFF_INITIATED', 'SESSION_REASSIGNED', 'HANDOFF_CANCELLED', 'SESSION_RETURNED']) expect(await socket.result('all')).toEqual(ofOwn(type));
    socket.close();
  });

  test('what an agent missed of a Session that is its own now comes from its cursor on, whether somebody else listened meanwhile or not', async () => {
    const { session, reassign } = world(pool);
    const { authorization } = await makeKey('AGENT', { agentId: 'bob' });
    const other = await rawSocket(keyed.url);
    await other.init({ authorization: `Bearer ${'k'.repeat(32)}` });
    const updates = 'subscription ($after: String) { event: sessionUpdated(after: $after) { type cursor } }';
    type Heard = { event: { type: string; cursor: string } };
    other.subscribe('1', updates);
    const { cursor } = (await other.result<Heard>('1')).data!.event;
    const id = await session('ada');
    const story = ['SESSION_CREATED', 'HANDOFF_INITIATED', 'SESSION_REASSIGNED'];
    const hear = async (socket: RawSocket, operation: string, count: number): Promise<string[]> => {
      const heard: string[] = [];
      while (heard.length < count) {
        const { type } = (await socket.result<Heard>(operation)).data!.event;
        if (type !== 'READY' && type !== 'HEARTBEAT') heard.push(type);
      }
      return heard;
    };
    // The first was read, and is kept, before bob had anything to do with it.
    expect(await hear(other, '1', 1)).toEqual(story.slice(0, 1));
    await reassign(id, { agentId: 'bob' });
    expect(await hear(other, '1', 2)).toEqual(story.slice(1));
    const bob = await rawSocket(keyed.url);
    await bob.init({ authorization });
    bob.subscribe('warm', updates, { after: cursor });
    expect(await hear(bob, 'warm', 3)).toEqual(story);
    for (const socket of [bob, other]) socket.close();
    await expect.poll(() => keyed.streams.size, { timeout: 20_000 }).toBe(0);
    const again = await rawSocket(keyed.url);
    await again.init({ authorization });
    again.subscribe('cold', updates, { after: cursor });
    expect(await hear(again, 'cold', 3)).toEqual(story);
    again.close();
  });
});

test('a client that says that it goes and does not, one that is refused and stays, and one that says nothing keep nobody waiting who stops the server', async () => {
  const { url, live, stop } = await startApp(database);
  const [leaving, refused, silent] = await Promise.all([halfOpen(url), halfOpen(url, '', '/elsewhere'), halfOpen(url)]);
  atEnd(async () => [leaving, refused, silent].forEach((socket) => socket.destroy()));
  await expect.poll(() => live.openSockets, { timeout: 20_000 }).toBe(2);
  // A close frame with code 1000, masked with nothing.
  leaving.write(Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8]));
  await once(leaving, 'end');
  const began = performance.now();
  await stop();
  expect(performance.now() - began).toBeLessThan(7_000);
});

/** A connection that asks to be a socket, and then does not end when the server ends it. */
async function halfOpen(url: string, header = 'Sec-WebSocket-Protocol: graphql-transport-ws', path = '/graphql'): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(upgradeOf(url, header, path));
  await once(socket, 'readable');
  socket.resume();
  return socket;
}

const upgradeOf = (url: string, header: string, path = '/graphql'): string =>
  `GET ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\n${header}\r\n\r\n`;

/** The code of the first close frame that a server sends to a client with these headers. */
function closeCodeOf(url: string, header: string): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(upgradeOf(url, header)));
    let bytes = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      const at = bytes.indexOf('\r\n\r\n') + 4;
      if (at < 4 || bytes.length < at + 4) return;
      socket.destroy();
      resolve(bytes.readUInt16BE(at + 2));
    });
    socket.on('error', reject);
  });
}
