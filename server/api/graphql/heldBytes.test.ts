import type { Socket } from 'node:net';
import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { recordQueries } from '../../../test/queries.ts';
import { startApp } from '../../../test/server.ts';
import { rawSocket } from '../../../test/socket.ts';
import { operator, toolCall, world } from '../../../test/world.ts';
import { decodeId, encodeId } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import { callerReads } from './callerReads.ts';
import { HeldBytes } from './heldBytes.ts';

const database = await testDatabase();
const streams = new Set<Socket>();
database.pool.on(
  'connect',
  (connected: pg.PoolClient) =>
    void streams.add((Reflect.get(connected, 'connection') as unknown as { stream: Socket }).stream),
);
const { url } = await startApp(database);
const { post } = client(url);
const { agent, session, turn, reassign } = world(database.pool);
const MB = 1024 * 1024;
let large = '';
let others: string[] = [];
let handoffs = '';

beforeAll(async () => {
  await agent('ada', { maxCapacity: 100 });
  await agent('bob', { maxCapacity: 100 });
  const withMessages = async (count: number): Promise<string> => {
    const id = await session('ada');
    const calls = Array.from({ length: count }, (_, n) => toolCall(`${id} ${n}`, 'Bash'));
    await turn(id, {
      messages: Array.from({ length: count }, () => ({ role: 'ASSISTANT' as const, content: 'x' })),
      toolCalls: calls,
    });
    return id;
  };
  const [hundred, ...twenty] = [
    await withMessages(100),
    await withMessages(20),
    await withMessages(20),
    await withMessages(20),
  ];
  await database.pool.query(`UPDATE messages SET content = repeat('x', 256000)`);
  await database.pool.query(`UPDATE tool_calls SET result = repeat('x', 256000)`);
  large = encodeId('session', hundred);
  others = twenty.map((id) => encodeId('session', id));
  const passed = await session('ada');
  for (let n = 0; n < 100; n += 1) await reassign(passed, { agentId: n % 2 === 0 ? 'bob' : 'ada' });
  await database.pool.query(
    `UPDATE handoffs SET context = context || jsonb_build_object('openQuestions', jsonb_build_array(repeat('x', 250000)))`,
  );
  handoffs = encodeId('session', passed);
}, 120_000);

interface Asked {
  read: number;
  data: unknown;
  errors?: { message: string; extensions: Record<string, unknown> }[] | undefined;
}

/** Asks, and counts the bytes that PostgreSQL sent meanwhile. */
async function ask(query: string, headers: Record<string, string> = {}): Promise<Asked> {
  const all = () => [...streams].reduce((total, stream) => total + stream.bytesRead, 0);
  const before = all();
  const { data, errors } = await post<object>(query, {}, headers);
  return { read: all() - before, data, errors: errors as Asked['errors'] };
}

const page = (id: string, first = 100): string =>
  `session(id: "${id}") { messages(first: ${first}) { nodes { content } } }`;
const together = (parts: string[]): string => `{ ${parts.map((part, n) => `a${n}: ${part}`).join(' ')} }`;
const refusal = { code: 'LIMIT_EXCEEDED', what: 'heldBytes', limit: limits.held.bytes };

describe('A request that reads more than 10 MB ends with LIMIT_EXCEEDED', () => {
  test('before it reads a page of 25 MB of messages, and names the page size that fits', async () => {
    const { read, data, errors } = await ask(`{ ${page(large)} }`);
    expect([data, errors?.length]).toEqual([undefined, 1]);
    expect(errors?.[0]?.extensions).toMatchObject({
      ...refusal,
      actual: 25_600_000,
      fits: { path: 'session.messages', entries: 40 },
    });
    expect(errors?.[0]?.message).toMatch(/ask for 40 entries of 'session.messages' instead of 100/);
    expect(read).toBeLessThan(MB);
    const { data: found } = await post<{ session: { messages: { nodes: { content: string }[] } } }>(
      `{ ${page(large, 40)} }`,
    );
    expect(found.session.messages.nodes.map(({ content }) => content.length)).toEqual(
      Array.from({ length: 40 }, () => 256_000),
    );
  });

  test('before it reads ten such pages', async () => {
    const { read, data, errors } = await ask(together(Array.from({ length: 10 }, () => page(large))));
    expect([data, errors?.length]).toEqual([undefined, 1]);
    expect(errors?.[0]?.extensions).toMatchObject(refusal);
    expect(read).toBeLessThan(MB);
  });

  test('when several pages that fit alone do not fit together', async () => {
    const { read, errors } = await ask(together(others.map((id) => page(id))));
    expect(errors?.[0]?.extensions).toMatchObject(refusal);
    expect(read).toBeLessThan(limits.held.ofStatement);
    expect((await ask(together(others.slice(0, 2).map((id) => page(id))))).errors).toBeUndefined();
  });

  test('over a socket', async () => {
    const socket = await rawSocket(url);
    await socket.init();
    socket.subscribe('1', `{ ${page(large)} }`);
    const { data, errors } = await socket.result('1');
    expect([data, errors?.length]).toEqual([undefined, 1]);
    expect(errors?.[0]?.extensions).toMatchObject({ ...refusal, fits: { path: 'session.messages', entries: 40 } });
    socket.close();
  });

  const results = `session(id: "ID") { turns(first: 5) { nodes { toolCalls { result } } } }`;
  test('before it reads 25 MB of tool results of a Turn, alone or ten times', async () => {
    for (const times of [1, 10]) {
      const { read, data, errors } = await ask(
        together(Array.from({ length: times }, () => results.replace('ID', large))),
      );
      expect([data, errors?.length]).toEqual([undefined, 1]);
      expect(errors?.[0]?.extensions).toMatchObject(refusal);
      expect(read).toBeLessThan(MB);
    }
  });

  test('while it reads 25 MB of Contexts of a list, and names the page size that fits', async () => {
    const list = (first: number): string => `{ handoffs(first: ${first}) { nodes { openQuestions } } }`;
    const { read, errors } = await ask(list(100));
    expect(read).toBeLessThan(limits.held.ofStatement + 2 * MB);
    const { entries, path } = errors?.[0]?.extensions['fits'] as { entries: number; path: string };
    expect(path).toBe('handoffs');
    expect((await ask(list(entries))).errors).toBeUndefined();
    expect(entries).toBeGreaterThan(35);
  });

  test('while it reads 25 MB of Contexts of one session', async () => {
    const { read, errors } = await ask(
      `{ session(id: "${handoffs}") { handoffs(first: 100) { nodes { openQuestions } } } }`,
    );
    expect(errors?.[0]?.extensions).toMatchObject(refusal);
    expect(read).toBeLessThan(limits.held.ofStatement + 2 * MB);
  });
});

test('a request that reads more than 4 MB of other values below a record ends with LIMIT_EXCEEDED', async () => {
  await agent('eve', { maxCapacity: 100 });
  for (let n = 0; n < 80; n += 1) await session('eve');
  await database.pool.query(
    `UPDATE sessions SET metadata = jsonb_build_object('long', repeat('x', 60000)) WHERE agent_id = 'eve'`,
  );
  const list = (first: number): string => `{ agent(id: "eve") { sessions(first: ${first}) { nodes { metadata } } } }`;
  const { read, errors } = await ask(list(80));
  expect(errors?.[0]?.extensions).toMatchObject({ ...refusal, limit: limits.held.ofPrisma });
  expect(read).toBeLessThan(limits.held.ofPrisma + MB);
  expect((await ask(list(60))).errors).toBeUndefined();
});

test('other requests are answered after one was ended', async () => {
  await Promise.all(
    Array.from({ length: 12 }, () =>
      ask(`{ session(id: "${handoffs}") { handoffs(first: 100) { nodes { openQuestions } } } }`),
    ),
  );
  expect(
    (await ask('{ sessions(first: 10) { nodes { title messages(first: 2) { nodes { sequence content } } } } }')).errors,
  ).toBeUndefined();
});

test('requests of the same form at the same moment are read apart, not in one transaction', async () => {
  const { sent } = recordQueries(database.pool);
  const titleOf = (id: string) =>
    callerReads({ ...database, caller: operator, held: new HeldBytes() }).session.findUnique({
      where: { id: decodeId(id)!.uuid },
      select: { title: true },
    });
  expect(await Promise.all(others.map(titleOf))).toMatchObject(
    others.map(() => ({ title: expect.any(String) as string })),
  );
  expect(sent.map(({ text }) => text.split(' ')[0])).toEqual(others.map(() => 'SELECT'));
});

test('the same message is read once, wherever it stands in the request', async () => {
  const { read, errors } = await ask(together(Array.from({ length: 5 }, () => page(large, 8))));
  expect(errors).toBeUndefined();
  expect(read).toBeLessThan(3 * MB);
});

test('look-ups that Prisma joins to one statement say the limit in numbers, whatever becomes of the error', async () => {
  const { rows } = await database.pool.query<{ id: string }>('SELECT id FROM handoffs LIMIT 1');
  await database.pool.query(
    `UPDATE handoffs SET context = context || jsonb_build_object('openQuestions', (SELECT jsonb_agg(repeat('x', 250000)) FROM generate_series(1, 60))) WHERE id = $1`,
    [rows[0]!.id],
  );
  const id = encodeId('handoff', rows[0]!.id);
  for (const query of [
    `{ handoff(id: "${id}") { openQuestions } }`,
    `{ node(id: "${id}") { ... on Handoff { openQuestions } } }`,
  ]) {
    const { errors } = await ask(query);
    expect(errors).toMatchObject([{ extensions: { code: 'LIMIT_EXCEEDED', actual: expect.any(Number) as number } }]);
    expect(errors![0]!.message).toMatch(/^The request reads at least \d+ bytes/);
  }
});
