import { randomUUID } from 'node:crypto';
import { parse } from 'graphql';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { rawSocket, type RawSocket } from '../../../test/socket.ts';
import { logStatements } from '../../../test/statements.ts';
import { operator, world } from '../../../test/world.ts';
import { schema } from '../../api/graphql/schema.ts';
import { encodeId } from '../../core/ids.ts';
import type { Caller, Role } from '../../core/work.ts';
import { hashOf, newSecret } from '../../work/keys/secret.ts';
import { sharingKey } from './results.ts';

const adminKey = 'k'.repeat(32);
const database = await testDatabase();
const { pool } = database;
// Nothing is looked for: what arrives was announced.
const { url, streams, live } = await startApp(database, {
  variables: { BATON_ADMIN_KEY: adminKey },
  pace: { pollMs: 3_600_000, heartbeatMs: 3_600_000 },
});
const admin = `Bearer ${adminKey}`;
const { agent, session } = world(pool);
const keys: Record<string, string> = { admin };

beforeAll(async () => {
  await agent('ada', { maxCapacity: 100 });
  await agent('bob', { maxCapacity: 100 });
  for (const [name, role, agentId] of [
    ['operator', 'OPERATOR', null],
    ['analyst', 'ANALYST', null],
    ['ada', 'AGENT', 'ada'],
    ['bob', 'AGENT', 'bob'],
  ] as const) {
    const secret = newSecret();
    await pool.query(
      "INSERT INTO keys (id, name, role, agent_id, secret_hash, created_by, created_at) VALUES ($1, 'test', $2, $3, $4, 'test', now())",
      [randomUUID(), role satisfies Role, agentId, hashOf(secret)],
    );
    keys[name] = `Bearer ${secret}`;
  }
});

const query = `subscription ($after: String, $sessionIds: [ID!], $n: Int) {
  event: sessionUpdated(after: $after, sessionIds: $sessionIds) { cursor type session { id title handoffs(first: $n) { totalCount } } agent { id currentLoad } }
}`;
interface Listener {
  key?: string;
  variables?: object;
  query?: string;
}

async function listen(listeners: Listener[]) {
  const sockets: RawSocket[] = [];
  for (const { key = 'admin', variables = {}, query: own = query } of listeners) {
    const socket = await rawSocket(url);
    await socket.init({ authorization: keys[key] });
    socket.subscribe('1', own, variables);
    expect(await socket.result('1')).toMatchObject({ data: { event: { type: 'READY' } } });
    sockets.push(socket);
  }
  return {
    next: () => Promise.all(sockets.map((socket) => socket.result('1'))),
    async stop() {
      for (const socket of sockets) socket.close();
      await vi.waitUntil(() => streams.size === 0, { timeout: 20_000 });
    },
  };
}

/** How often the database is read until all of them have an event, and the different results. */
async function cost(listeners: Listener[], sessionId: string) {
  const open = await listen(listeners);
  const log = logStatements(pool);
  const { post } = client(url);
  await post(
    `mutation { setTasks(input: { sessionId: "${sessionId}", tasks: [] }) { __typename } }`,
    {},
    { authorization: admin },
  );
  const results = await open.next();
  log.stop();
  const { groups } = live;
  await open.stop();
  for (const result of results)
    expect(result).toMatchObject({ data: { event: { type: 'LOG_CHANGED', session: { id: sessionId } } } });
  return {
    rows: log.texts.filter((text) => /FROM event_positions p JOIN events/.test(text)).length,
    loads: log.texts.filter((text) => /FROM "events" t0/.test(text)).length,
    groups,
    results: new Set(results.map((result) => JSON.stringify(result))).size,
  };
}
const times = (n: number, listener: (n: number) => Listener): Listener[] =>
  Array.from({ length: n }, (_, at) => listener(at));

describe('one event', () => {
  let id = '';
  beforeAll(async () => {
    id = encodeId('session', await session('ada'));
    // Its creation, which nobody announced, has its place in the order before anybody listens.
    await (await listen([{}])).stop();
  });

  test('and its data are read once, for one subscriber and for forty', async () => {
    expect(await cost([{}], id)).toEqual({ rows: 1, loads: 1, groups: 1, results: 1 });
    expect(
      await cost(
        times(40, () => ({})),
        id,
      ),
    ).toEqual({ rows: 1, loads: 1, groups: 1, results: 1 });
  });

  test('and its data are read once for subscribers with different cursors and sessions', async () => {
    const others = await Promise.all(times(20, () => ({})).map(async () => encodeId('session', await session('bob'))));
    await (await listen([{}])).stop();
    expect(
      await cost(
        times(20, (n) => ({ variables: { sessionIds: [id, others[n]] } })),
        id,
      ),
    ).toEqual({ rows: 1, loads: 1, groups: 1, results: 1 });
  });

  test('is executed once per document, selection variables, role and agent', async () => {
    expect(
      await cost(
        times(4, (n) => ({ variables: { n: n + 1 } })),
        id,
      ),
    ).toMatchObject({ rows: 1, groups: 4 });
    expect(
      await cost(
        times(4, (n) => ({ query: `${query}${' '.repeat(n)}` })),
        id,
      ),
    ).toMatchObject({ rows: 1, groups: 4 });
    expect(await cost([{ key: 'admin' }, { key: 'operator' }, { key: 'analyst' }, { key: 'ada' }], id)).toMatchObject({
      rows: 1,
      groups: 4,
    });
    expect(await cost([{ key: 'operator' }, { key: 'operator' }, { key: 'ada' }, { key: 'ada' }], id)).toMatchObject({
      rows: 1,
      groups: 2,
    });
  });
});

test('20 subscribers that resume on a new server share the reads of the missed events', async () => {
  const socket = await rawSocket(url);
  await socket.init({ authorization: admin });
  socket.subscribe('1', query);
  const { data } = await socket.result<{ event: { cursor: string } }>('1');
  const after = data!.event.cursor;
  const missed = await Promise.all(times(10, () => ({})).map(() => session('ada')));
  socket.close();
  const restarted = await startApp(database, { variables: { BATON_ADMIN_KEY: adminKey } });
  const log = logStatements(pool);
  const back = await rawSocket(restarted.url);
  await back.init({ authorization: admin });
  for (let n = 0; n < 20; n += 1) back.subscribe(String(n), query, { after });
  const heard = await Promise.all(
    times(20, () => ({})).map(async (_, n) => {
      const ids: string[] = [];
      while (ids.length < missed.length) {
        const { event } = (await back.result<{ event: { type: string; session: { id: string } } }>(String(n))).data!;
        if (event.type === 'SESSION_CREATED') ids.push(event.session.id);
      }
      return ids.join(' ');
    }),
  );
  log.stop();
  expect(new Set(heard).size).toBe(1);
  expect(new Set(heard[0]!.split(' '))).toEqual(new Set(missed.map((id) => encodeId('session', id))));
  const loads = log.texts.filter((text) => /FROM "events" t0/.test(text)).length;
  // Alone they would be 20 for each.
  expect(loads).toBeLessThan(4 * missed.length);
  back.close();
  await restarted.stop();
});

describe('the key for sharing results', () => {
  const caller = (role: Role, agentId: string | null = null): Caller => ({
    ...operator,
    principal: `key_${Math.random()}`,
    role,
    agentId,
  });
  const key = (
    text: string,
    variableValues: Record<string, unknown>,
    who: Caller,
    operationName: string | null = null,
  ) => sharingKey({ schema, document: parse(text), variableValues, operationName }, who);
  const own = key(query, { n: 1 }, caller('OPERATOR'));

  test('is equal for two keys of one role with different streams', () => {
    expect(key(query, { n: 1, after: 'x', sessionIds: ['y'] }, caller('OPERATOR'))).toBe(own);
  });

  test('differs for other roles, agents, documents, operations and selection variables', () => {
    const two = `${query.replace('subscription', 'subscription A')} ${query.replace('subscription', 'subscription B')}`;
    const inFragment =
      'subscription ($n: Int) { event: sessionUpdated { session { ...S } } } fragment S on Session { handoffs(first: $n) { totalCount } }';
    const inDirective = 'subscription ($n: Boolean!) { event: sessionUpdated { type @include(if: $n) } }';
    const keysOf = [
      own,
      ...(['ADMIN', 'ANALYST', 'AGENT'] as const).map((role) => key(query, { n: 1 }, caller(role))),
      key(query, { n: 1 }, caller('AGENT', 'ada')),
      key(query, { n: 1 }, caller('AGENT', 'bob')),
      key(query, { n: 2 }, caller('OPERATOR')),
      key(query, {}, caller('OPERATOR')),
      key(`${query} `, { n: 1 }, caller('OPERATOR')),
      key(two, { n: 1 }, caller('OPERATOR'), 'A'),
      key(two, { n: 1 }, caller('OPERATOR'), 'B'),
      key(inFragment, { n: 1 }, caller('OPERATOR')),
      key(inFragment, { n: 2 }, caller('OPERATOR')),
      key(inDirective, { n: true }, caller('OPERATOR')),
      key(inDirective, { n: false }, caller('OPERATOR')),
    ];
    expect(new Set(keysOf).size).toBe(keysOf.length);
  });
});
