import { validate } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client, send } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { documents } from '../../delivery/exports/records.ts';
import { acceptHandoff } from '../../work/handoffs/changeHandoff.ts';
import { schema } from '../graphql/schema.ts';

const database = await testDatabase();
const { url } = await startApp(database);
const { post } = client(url);
const { agent, session, reassign, turn, run } = world(database.pool);
let sessionId = '';
const handoffIds: string[] = [];

beforeAll(async () => {
  await agent('ada');
  await agent('bob');
  const id = await session('ada', { title: 'Write the importer' });
  await turn(id, {
    messages: [
      { role: 'USER', content: 'Write it.' },
      { role: 'ASSISTANT', content: 'Half of it is there.' },
    ],
  });
  sessionId = encodeId('session', id);
  for (const to of ['bob', 'ada', 'bob']) {
    const { handoffId } = await reassign(id, { agentId: to, metadata: { to } });
    await run(acceptHandoff, { handoffId: handoffId! });
    handoffIds.push(encodeId('handoff', handoffId!));
  }
});

const unknown = 'handoff_00000000000000000000000000';

describe('GET /handoffs/<id>.md', () => {
  test('returns the Markdown of the query as a download', async () => {
    const { data } = await post<{ handoff: { markdown: string } }>(`{ handoff(id: "${handoffIds[0]}") { markdown } }`);
    const { status, headers, body } = await send(`${url}/handoffs/${handoffIds[0]}.md`);
    expect(status).toBe(200);
    expect(body).toBe(data.handoff.markdown);
    expect(headers).toMatchObject({
      'content-type': 'text/markdown; charset=utf-8',
      'content-disposition': `attachment; filename="${handoffIds[0]}.md"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
    });
  });

  test.each([unknown, 'handoff_x', 'nonsense', '%00', 'session'])('returns 404 for %s', async (id) => {
    const { status, headers, body } = await send(`${url}/handoffs/${id === 'session' ? sessionId : id}.md`);
    expect(status).toBe(404);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(body).toBe('There is no handoff with this id.\n');
  });
});

describe('GET /handoffs/<id>.json', () => {
  test('returns the whole record under the names of the API, with its place in the chain', async () => {
    const { status, headers, body } = await send(`${url}/handoffs/${handoffIds[1]}.json`);
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(JSON.parse(body)).toMatchObject({
      id: handoffIds[1],
      status: 'COMPLETED',
      session: { id: sessionId, title: 'Write the importer' },
      sourceAgent: { id: 'bob' },
      targetAgent: { id: 'ada' },
      originalRequest: { sequence: 1, content: 'Write it.' },
      lastMessage: { content: 'Half of it is there.', agentId: 'ada' },
      metadata: { to: 'ada' },
      previous: { id: handoffIds[0] },
      next: { id: handoffIds[2] },
      chain: handoffIds.map((id, index) => ({ id, depth: index + 1 })),
    });
  });

  test('returns 404 as JSON for an unknown handoff', async () => {
    const { status, body } = await send(`${url}/handoffs/${unknown}.json`);
    expect(status).toBe(404);
    expect(JSON.parse(body)).toEqual({
      errors: [{ message: 'There is no handoff with this id.', extensions: { code: 'NOT_FOUND' } }],
    });
  });
});

describe('GET /sessions/<id>.json', () => {
  test('returns the session with its whole chain, oldest handoff first', async () => {
    const { status, body } = await send(`${url}/sessions/${sessionId}.json`);
    expect(status).toBe(200);
    const record = JSON.parse(body) as { chain: { id: string; summary: string }[] };
    expect(record).toMatchObject({
      id: sessionId,
      title: 'Write the importer',
      agent: { id: 'bob' },
      olderHandoffs: 0,
    });
    expect(record.chain.map(({ id }) => id)).toEqual(handoffIds);
    expect(record.chain.every(({ summary }) => summary !== '')).toBe(true);
  });

  test('returns the newest 200 handoffs of a long chain and the number of older ones', async () => {
    const id = await session('ada');
    for (let n = 0; n < 205; n += 1) {
      const { handoffId } = await reassign(id, { agentId: n % 2 === 0 ? 'bob' : 'ada' });
      await run(acceptHandoff, { handoffId: handoffId! });
    }
    const { body } = await send(`${url}/sessions/${encodeId('session', id)}.json`);
    const { chain, olderHandoffs } = JSON.parse(body) as { chain: { depth: number }[]; olderHandoffs: number };
    expect([chain.length, chain[0]!.depth, chain.at(-1)!.depth, olderHandoffs]).toEqual([200, 6, 205, 5]);
  }, 60_000);

  test('returns indented JSON for a chain of any length', async () => {
    const id = await session('ada');
    for (let n = 0; n <= 11; n += 1) {
      const { body } = await send(`${url}/sessions/${encodeId('session', id)}.json`);
      const record = JSON.parse(body) as { chain: { depth: number }[] };
      expect(record.chain.map(({ depth }) => depth)).toEqual(Array.from({ length: n }, (_, index) => index + 1));
      expect(body).toBe(`${JSON.stringify(record, null, 2)}\n`);
      const { handoffId } = await reassign(id, { agentId: n % 2 === 0 ? 'bob' : 'ada' });
      await run(acceptHandoff, { handoffId: handoffId! });
    }
  });

  test('returns 304 until the session or its chain changes', async () => {
    const id = await session('ada');
    const { handoffId } = await reassign(id, { agentId: 'bob' });
    const to = `${url}/sessions/${encodeId('session', id)}.json`;
    const { etag } = (await send(to)).headers;
    const known = () => send(to, { headers: { 'if-none-match': etag! } });
    expect(await known()).toMatchObject({ status: 304, body: '' });
    await run(acceptHandoff, { handoffId: handoffId! });
    expect((await known()).status).toBe(200);
    expect(await send(to, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
  });

  test('returns 404 for Markdown and for an unknown session', async () => {
    expect((await send(`${url}/sessions/${sessionId}.md`)).status).toBe(404);
    expect((await send(`${url}/sessions/session_00000000000000000000000000.json`)).status).toBe(404);
  });
});

test('returns 304 for an unchanged handoff', async () => {
  const first = await send(`${url}/handoffs/${handoffIds[0]}.json`);
  const etag = first.headers.etag!;
  expect(etag).toMatch(/^"[\w-]{43}"$/);
  const again = await send(`${url}/handoffs/${handoffIds[0]}.json`, {
    headers: { 'if-none-match': `"other", W/${etag}` },
  });
  expect([again.status, again.body, again.headers.etag]).toEqual([304, '', etag]);
  expect(
    (await send(`${url}/handoffs/${handoffIds[0]}.json`, { headers: { 'if-none-match': '"other"' } })).status,
  ).toBe(200);
});

test('answers HEAD like GET without the body, and other methods with 405', async () => {
  const [get, head] = [
    await send(`${url}/handoffs/${handoffIds[0]}.md`),
    await send(`${url}/handoffs/${handoffIds[0]}.md`, { method: 'HEAD' }),
  ];
  expect([head.status, head.body, head.headers.etag]).toEqual([200, '', get.headers.etag]);
  const posted = await send(`${url}/handoffs/${handoffIds[0]}.md`, { method: 'POST', body: 'x' });
  expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, HEAD']);
});

test('the queries behind the downloads are valid in the schema', () => {
  for (const document of documents) expect(validate(schema, document)).toEqual([]);
});
