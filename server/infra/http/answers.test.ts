import { beforeAll, describe, expect, test } from 'vitest';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import { once } from 'node:events';
import { request, type IncomingMessage, type RequestOptions } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { testDatabase } from '../../../test/database.ts';
import { startApp } from '../../../test/server.ts';
import { rawSocket, sseStream } from '../../../test/socket.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';

const database = await testDatabase();
const { url } = await startApp(database, { pace: { heartbeatMs: 50 } });
const { agent, session, reassign } = world(database.pool);
let sessionId: string;
let handoffId: string;

beforeAll(async () => {
  for (const id of ['ada', 'bob']) await agent(id);
  const id = await session('ada', { title: 'Größe ✓ '.repeat(20) });
  const answer = await reassign(id, { agentId: 'bob', summary: 'Wörter, viele. '.repeat(1_000) });
  sessionId = encodeId('session', id);
  handoffId = encodeId('handoff', answer.handoffId!);
});

const decoders = {
  br: promisify(brotliDecompress),
  gzip: promisify(gunzip),
  identity: (body: Buffer) => Promise.resolve(body),
};

interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  /** Bytes on the wire. */
  bytes: number;
  text: string;
}

async function ask(
  path: string,
  accepted: string,
  { body, ...options }: RequestOptions & { body?: string } = {},
): Promise<Answer> {
  const outgoing = request(`${url}${path}`, {
    agent: false,
    ...options,
    headers: { 'accept-encoding': accepted, ...(options.headers as object) },
  });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const sent = await buffer(response);
  const encoding = (response.headers['content-encoding'] ?? 'identity') as keyof typeof decoders;
  const text = sent.length === 0 ? '' : (await decoders[encoding](sent)).toString();
  return { status: response.statusCode!, headers: response.headers, bytes: sent.length, text };
}

const graphql = (query: string, accepted: string, accept = 'application/json') =>
  ask('/graphql', accepted, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify({ query }),
  });

const large = () => `{ handoff(id: "${handoffId}") { summary } }`;

describe('an answer', () => {
  test.each(['br', 'gzip'] as const)('is compressed with %s when asked', async (encoding) => {
    for (const accept of [
      'application/json',
      'application/graphql-response+json',
      'text/event-stream;q=0.1, application/json',
    ]) {
      const whole = await graphql(large(), 'identity', accept);
      const answer = await graphql(large(), encoding, accept);
      expect(answer.headers).toMatchObject({
        'content-encoding': encoding,
        'content-length': String(answer.bytes),
        'content-type': whole.headers['content-type'],
      });
      expect(answer.headers.vary).toMatch(/accept-encoding/);
      expect(whole.headers.vary).toMatch(/accept-encoding/);
      expect(answer.text).toBe(whole.text);
      expect(answer.bytes).toBeLessThan(whole.bytes / 5);
    }
  });

  test.each([
    ['br, gzip', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['deflate', undefined],
    ['', undefined],
    ['gzip;q=0', undefined],
  ])('to a client that accepts "%s" has the encoding %s', async (accepted, encoding) => {
    expect((await graphql(large(), accepted)).headers['content-encoding']).toBe(encoding);
  });

  test('under 1 KB is sent as it is', async () => {
    expect((await graphql('{ viewer { role } }', 'br, gzip')).headers['content-encoding']).toBeUndefined();
    expect((await ask('/livez', 'br, gzip')).headers['content-encoding']).toBeUndefined();
  });
});

describe('a download', () => {
  test.each([
    ['of a session', () => `/sessions/${sessionId}.json`],
    ['of a handoff as JSON', () => `/handoffs/${handoffId}.json`],
    ['of a handoff as Markdown', () => `/handoffs/${handoffId}.md`],
  ])('%s is compressed when asked, under a weak ETag that is recognised', async (_name, path) => {
    const whole = await ask(path(), 'identity');
    for (const encoding of ['br', 'gzip'] as const) {
      const answer = await ask(path(), encoding);
      expect(answer.headers).toMatchObject({
        'content-encoding': encoding,
        etag: `W/${whole.headers['etag']}`,
        'content-disposition': whole.headers['content-disposition'],
      });
      expect(answer.text).toBe(whole.text);
      expect(answer.bytes).toBeLessThan(whole.bytes / 5);
      expect(await ask(path(), encoding, { headers: { 'if-none-match': answer.headers['etag'] } })).toMatchObject({
        status: 304,
        bytes: 0,
      });
    }
    expect(await ask(path(), 'br', { method: 'HEAD' })).toMatchObject({ status: 200, bytes: 0 });
  });
});

describe('a subscription', () => {
  test('is never compressed, so that each event leaves at once', async () => {
    const stream = await sseStream(
      url,
      'subscription { handoffEvents { type } }',
      {},
      { 'accept-encoding': 'br, gzip' },
    );
    expect(stream.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    expect(stream.headers.vary ?? '').not.toMatch(/accept-encoding/);
    expect(await stream.result()).toMatchObject({ data: { handoffEvents: { type: 'READY' } } });
    expect(await stream.result()).toMatchObject({ data: { handoffEvents: { type: 'HEARTBEAT' } } });
    stream.close();
    const socket = await rawSocket(url, { perMessageDeflate: true });
    expect(socket.ws.extensions).toBe('');
    socket.close();
  });
});
