import { beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client, type GraphQLErrorBody } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { rawSocket, sseStream } from '../../../test/socket.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';

const database = await testDatabase();
const { url } = await startApp(database);
const { agent, session, turn } = world(database.pool);
let id = '';

// Each message is read once and answered twice.
const messages =
  'query ($id: ID!, $first: Int!) { session(id: $id) { messages(first: $first) { nodes { content } } again: messages(first: $first) { nodes { content } } } }';
const refusal = {
  message: expect.stringMatching(
    /^The answer has 12\d{6} bytes; the limit is 10485760: ask for 15 entries of 'session.messages' instead of 25\.$/,
  ) as unknown,
  extensions: {
    code: 'LIMIT_EXCEEDED',
    what: 'answerBytes',
    limit: limits.answer.bytes,
    fits: { path: 'session.messages', entries: 15 },
  },
};

beforeAll(async () => {
  await agent('ada');
  const sessionId = await session('ada', { metadata: { long: 'x'.repeat(60_000) } });
  await turn(sessionId, {
    messages: Array.from({ length: 100 }, () => ({ role: 'ASSISTANT' as const, content: 'x' })),
  });
  await database.pool.query(`UPDATE messages SET content = repeat('x', 256000)`);
  id = encodeId('session', sessionId);
});

test('refuses an answer over 10 MB over HTTP with LIMIT_EXCEEDED and the page size that fits', async () => {
  const { post } = client(url);
  const { data, errors } = await post(messages, { id, first: 25 });
  expect([data, errors]).toMatchObject([undefined, [refusal]]);
  const again = await post<{ session: { messages: { nodes: object[] } } }>(messages, { id, first: 20 });
  expect(again.data.session.messages.nodes).toHaveLength(20);
});

test('refuses an answer over 10 MB over a socket in the same words', async () => {
  const socket = await rawSocket(url);
  await socket.init();
  const ask = async (name: string, first: number) => {
    socket.subscribe(name, messages, { id, first });
    return socket.result<{ session: { messages: { nodes: object[] } } }>(name);
  };
  expect((await ask('1', 25)).errors).toMatchObject([refusal]);
  expect((await ask('2', 20)).data?.session.messages.nodes).toHaveLength(20);
  socket.close();
});

// 180 times the metadata of 60 KB.
const wide = `subscription { event: sessionUpdated { cursor type ${Array.from({ length: 12 }, (_, n) => `a${n}: session { ${Array.from({ length: 15 }, (_, m) => `b${m}: metadata`).join(' ')} }`).join(' ')} } }`;

test('refuses an event over 10 MB with LIMIT_EXCEEDED, and goes on', async () => {
  const { url: lenient } = await startApp(database, { query: { aliases: 1_000 } });
  const socket = await rawSocket(lenient);
  await socket.init();
  socket.subscribe('1', wide);
  const stream = await sseStream(lenient, wide);
  const next = async () => Promise.all([socket.result('1'), stream.result()]);
  const ready = { data: { event: { type: 'READY' } } };
  expect(await next()).toMatchObject([ready, ready]);
  await session('ada', { metadata: { long: 'x'.repeat(60_000) } });
  const errors: Partial<GraphQLErrorBody>[] = [
    {
      message: expect.stringContaining('select fewer fields') as string,
      extensions: { code: 'LIMIT_EXCEEDED', what: 'answerBytes' },
    },
  ];
  expect(await next()).toMatchObject([{ errors }, { errors }]);
  await session('ada');
  expect(await next()).toMatchObject([
    { data: { event: { type: 'SESSION_CREATED' } } },
    { data: { event: { type: 'SESSION_CREATED' } } },
  ]);
  stream.close();
  socket.close();
});
