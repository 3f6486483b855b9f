import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { startApp } from '../../../test/server.ts';
import { rawSocket, type RawSocket, sseStream } from '../../../test/socket.ts';
import { world } from '../../../test/world.ts';
import { UnauthenticatedError } from '../../core/errors.ts';
import { encodeId } from '../../core/ids.ts';
import type { Role } from '../../core/work.ts';
import { createRates } from '../../infra/limits/rates.ts';
import { createLog } from '../../infra/log.ts';
import { hashOf, newSecret } from '../../work/keys/secret.ts';
import { KeyWatch } from '../../work/keys/watch.ts';

const database = await testDatabase();
const { pool } = database;
const { agent } = world(pool);

const handoffs = 'subscription ($after: String) { event: handoffEvents(after: $after) { type cursor } }';
const subscription = (id: string) => ({ id, type: 'subscribe', payload: { query: handoffs } });

interface MadeKey {
  id: string;
  authorization: string;
}
async function makeKey(
  role: Role,
  { agentId = null, expiresAt = null }: { agentId?: string | null; expiresAt?: Date | null } = {},
): Promise<MadeKey> {
  const [id, secret] = [randomUUID(), newSecret()];
  await pool.query(
    'INSERT INTO keys (id, name, role, agent_id, secret_hash, created_by, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $2, now(), $6)',
    [id, 'test', role, agentId, hashOf(secret), expiresAt],
  );
  return { id, authorization: `Bearer ${secret}` };
}

beforeAll(async () => {
  await agent('ada', { maxCapacity: 1_000 });
  await agent('bob');
});

describe('a socket of a server with keys', async () => {
  const keyed = await startApp(database, {
    limits: { connections: 3 },
    variables: { BATON_ADMIN_KEY: 'k'.repeat(32) },
    recheckMs: 300,
    pace: { heartbeatMs: 3_600_000 },
  });

  const good = `Bearer ${'k'.repeat(32)}`;

  test('closes with 4403 without a valid key', async () => {
    const expired = await makeKey('OPERATOR', { expiresAt: new Date(Date.now() - 1_000) });
    for (const payload of [
      undefined,
      {},
      { authorization: 7 },
      { authorization: 'Bearer nonsense' },
      { authorization: expired.authorization },
      { authorization: good, Authorization: good },
      { headers: { authorization: good } },
    ]) {
      const socket = await rawSocket(keyed.url);
      socket.send({ type: 'connection_init', ...(payload && { payload }) });
      expect(await socket.closed).toEqual({ code: 4403, reason: 'Forbidden' });
    }
  });

  test.each(['authorization', 'Authorization', 'AUTHORIZATION'])(
    'accepts a key as connectionParams.%s',
    async (name) => {
      const admin = await rawSocket(keyed.url);
      await admin.init({ [name]: good });
      admin.close();
      await admin.closed;
    },
  );

  test('closes with 1013 after too many failed logins, without a line in the log', async () => {
    const lines: string[] = [];
    const log = createLog({ level: 'warn', destination: { write: (line: string) => void lines.push(line) } });
    const guarded = await startApp(database, {
      log,
      rates: createRates({ failures: { perMinute: 1, burst: 1 } }),
      variables: { BATON_ADMIN_KEY: 'k'.repeat(32) },
    });
    for (const [n, closed] of [
      { code: 4403 },
      { code: 1013, reason: expect.stringMatching(/^Too many connections .* without a valid key/) as string },
    ].entries()) {
      const socket = await rawSocket(guarded.url);
      socket.send({ type: 'connection_init', payload: { authorization: `Bearer nonsense${n}` } });
      expect(await socket.closed).toMatchObject(closed);
    }
    expect(lines).toEqual([]);
    await guarded.stop();
  });

  test('beyond the limit of its key closes with 1013, until another one closes', async () => {
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

  test('that closes while its key is checked keeps no place', async () => {
    const { authorization } = await makeKey('OPERATOR');
    let [asked, letIn] = [0, (): void => undefined];
    const gate = new Promise<void>((resolve) => (letIn = resolve));
    const authenticate = async (given: string | undefined) => {
      asked += 1;
      await gate;
      return keyed.authenticate(given);
    };
    const slow = await startApp(database, {
      limits: { connections: 1 },
      authenticate: Object.assign(authenticate, { open: false }),
    });
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

  test('that has closed stops watching its key, as do its streams', async () => {
    const add = Reflect.get(KeyWatch.prototype, 'add');
    const watching = new Set<() => void>();
    const spy = vi.spyOn(KeyWatch.prototype, 'add').mockImplementation(function (this: KeyWatch, caller, onEnded) {
      const stop = add.call(this, caller, onEnded);
      watching.add(stop);
      return () => {
        watching.delete(stop);
        stop();
      };
    });
    const { authorization } = await makeKey('OPERATOR');
    const socket = await rawSocket(keyed.url);
    await socket.init({ authorization });
    socket.send(subscription('1'));
    await socket.result('1');
    expect(watching.size).toBe(2);
    socket.terminate();
    await expect.poll(() => watching.size, { timeout: 20_000 }).toBe(0);
    spy.mockRestore();
  });

  test('whose key has ended executes no further message, even if the client does not close', async () => {
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

  test('closes within a second of a revocation with the streams of that key, and no others', async () => {
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

  test('closes when its key expires or is revoked in the database without an announcement', async () => {
    const revoked = await makeKey('OPERATOR');
    const expiring = await makeKey('OPERATOR', { expiresAt: new Date(Date.now() + 5_000) });
    const sockets = await Promise.all(
      [revoked, expiring].map(async ({ authorization }) => {
        const socket = await rawSocket(keyed.url);
        await socket.init({ authorization });
        return socket;
      }),
    );
    await pool.query('UPDATE keys SET revoked_at = now() WHERE id = $1', [revoked.id]);
    for (const socket of sockets) expect(await socket.closed).toMatchObject({ code: 4403 });
  });

  test('closes at the next check when the clock of the database jumps past the expiry', async () => {
    const [{ id, authorization }, other] = [
      await makeKey('OPERATOR', { expiresAt: new Date(Date.now() + 3_600_000) }),
      await makeKey('OPERATOR', { expiresAt: new Date(Date.now() + 86_400_000) }),
    ];
    const [socket, stays] = [await rawSocket(keyed.url), await rawSocket(keyed.url)];
    await socket.init({ authorization });
    await stays.init({ authorization: other.authorization });
    // For this key the same as a jump of two hours.
    await pool.query("UPDATE keys SET expires_at = expires_at - interval '2 hours' WHERE id = $1", [id]);
    expect(await socket.closed).toEqual({ code: 4403, reason: 'Your key was revoked or has expired' });
    await expect(keyed.authenticate(authorization)).rejects.toThrow(UnauthenticatedError);
    stays.send(subscription('1'));
    expect(await stays.result('1')).toMatchObject({ data: { event: { type: 'READY' } } });
    stays.close();
  });

  test('uses the clock of the database for expiry, not that of its machine', async () => {
    const { authorization } = await makeKey('OPERATOR', { expiresAt: new Date(Date.now() + 3_600_000) });
    const over = await makeKey('OPERATOR', { expiresAt: new Date(Date.now() - 3_600_000) });
    const remembered = await keyed.authenticate(authorization);
    try {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 });
      expect(await keyed.authenticate(authorization)).toEqual(remembered);
      keyed.authenticate.forgetAll();
      expect(await keyed.authenticate(authorization)).toMatchObject({ keyId: remembered.keyId });
      const socket = await rawSocket(keyed.url);
      await socket.init({ authorization });
      socket.send(subscription('1'));
      expect(await socket.result('1')).toMatchObject({ data: { event: { type: 'READY' } } });
      socket.close();
      vi.setSystemTime(Date.now() - 2 * 86_400_000);
      await expect(keyed.authenticate(over.authorization)).rejects.toThrow(UnauthenticatedError);
    } finally {
      vi.useRealTimers();
    }
  });

  test('of an agent subscribes to its own inbox and sessions only', async () => {
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
    for (const type of ['HANDOFF_INITIATED', 'SESSION_REASSIGNED', 'HANDOFF_CANCELLED', 'SESSION_RETURNED'])
      expect(await socket.result('all')).toEqual(ofOwn(type));
    socket.close();
  });

  test('of an agent delivers missed events of a session that it has now, from its cursor, cached or not', async () => {
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
