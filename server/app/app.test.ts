import { connect } from 'node:net';
import { GraphQLNonNull, GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql';
import { describe, expect, test } from 'vitest';
import { atEnd, testDatabase } from '../../test/database.ts';
import { client, send } from '../../test/graphql.ts';
import { openToAll } from '../../test/server.ts';
import { createMaskError } from '../api/graphql/errors/maskError.ts';
import { silentLog } from '../infra/log.ts';
import { buildApp, type AppOptions } from './app.ts';

const database = await testDatabase();
const json = { 'content-type': 'application/json' };

/** Resolvers that begin when they are called and end when the test says so. */
function gate() {
  let release = () => {};
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  return { arrived, release, arrive, released };
}

let slow = gate();

const schema = new GraphQLSchema({
  query: new GraphQLObjectType({
    name: 'Query',
    fields: {
      hello: { type: new GraphQLNonNull(GraphQLString), resolve: () => 'hello' },
      bug: { type: GraphQLString, resolve: () => Promise.reject(new Error('SELECT secret')) },
      slow: {
        type: GraphQLString,
        resolve: async () => {
          slow.arrive();
          await slow.released;
          return 'done';
        },
      },
    },
  }),
});

async function start(options: Partial<AppOptions> = {}) {
  const app = buildApp({
    env: { host: '127.0.0.1', port: 0 },
    database,
    schema,
    log: silentLog,
    authenticate: openToAll,
    createContext: () => ({}),
    maskError: createMaskError(silentLog),
    ...options,
  });
  await app.start();
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= app.stop());
  atEnd(stop);
  return { url: app.url, stop };
}

describe('a server', async () => {
  const { url } = await start({
    routes: [
      (request) =>
        new URL(request.url).pathname === '/handoffs/x.md'
          ? new Response('# Handoff', { headers: { 'content-type': 'text/markdown' } })
          : undefined,
    ],
  });
  const post = (headers: Record<string, string>, body: string | Buffer) =>
    send(`${url}/graphql`, { method: 'POST', headers, body });

  test('executes an operation sent as JSON', async () => {
    expect(await client(url).post('{ hello }')).toMatchObject({
      status: 200,
      data: { hello: 'hello' },
      errors: undefined,
    });
  });

  test('masks every error', async () => {
    const { errors } = await client(url).post('{ bug }');
    expect(errors).toMatchObject([{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }]);
    expect(JSON.stringify(errors)).not.toContain('secret');
  });

  test.each([
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain',
    'application/graphql',
    '',
  ])('does not read a body of type "%s", which a foreign page can send', async (type) => {
    const answer = await post(type === '' ? {} : { 'content-type': type }, 'query={hello}');
    expect(answer.status).toBe(415);
    expect(JSON.parse(answer.body)).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
  });

  test('rejects a body above 1 MB by its declared and by its real size', async () => {
    const body = JSON.stringify({ query: '{ hello }', padding: 'x'.repeat(1_000_001) });
    expect((await post({ ...json, 'content-length': String(body.length) }, body)).status).toBe(413);
    expect((await post({ ...json, 'transfer-encoding': 'chunked' }, body)).status).toBe(413);
    const allowed = JSON.stringify({ query: '{ hello }', extensions: { padding: 'x'.repeat(999_000 - 60) } });
    expect((await post(json, allowed)).status).toBe(200);
  });

  test('rejects broken JSON with 400 and no internals', async () => {
    const answer = await post({ ...json, accept: 'application/graphql-response+json' }, '{"query":');
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
    expect(answer.body).not.toMatch(/originalError|SyntaxError|stack/);
  });

  test('rejects requests under another host name (DNS rebinding)', async () => {
    const port = new URL(url).port;
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1.evil.example',
      'localhost.evil.example',
      '192.168.0.1',
    ]) {
      const answer = await send(`${url}/graphql`, {
        method: 'POST',
        headers: { ...json, host },
        body: '{"query":"{ hello }"}',
      });
      expect([host, answer.status]).toEqual([host, 403]);
      expect(answer.body).toContain(url);
    }
    for (const host of [`localhost:${port}`, 'LOCALHOST', `127.0.0.1:${port}`, '127.8.9.10', `[::1]:${port}`]) {
      const answer = await send(`${url}/livez`, { headers: { host } });
      expect([host, answer.status]).toEqual([host, 200]);
    }
  });

  test('allows no foreign origin to read answers', async () => {
    const answer = await post({ ...json, origin: 'https://evil.example' }, '{"query":"{ hello }"}');
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    const preflight = await send(`${url}/graphql`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    });
    expect(preflight.headers['access-control-allow-origin']).toBeUndefined();
  });

  test('is alive and ready', async () => {
    expect(await send(`${url}/livez`)).toMatchObject({ status: 200, body: '{"status":"ok"}' });
    expect(await send(`${url}/readyz`)).toMatchObject({ status: 200, body: '{"status":"ok"}' });
  });

  test('passes other paths to its routes, and returns 404 for the rest', async () => {
    expect(await send(`${url}/handoffs/x.md`)).toMatchObject({
      status: 200,
      body: '# Handoff',
      headers: { 'content-type': 'text/markdown' },
    });
    expect((await send(`${url}/handoffs/y.md`)).status).toBe(404);
    expect((await send(`${url}//evil.example/graphql`)).status).toBe(404);
  });

  test('answers a request that is not HTTP with 400', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const received = await new Promise<string>((resolve) => {
      let said = '';
      socket.on('data', (chunk: Buffer) => (said += chunk.toString()));
      socket.on('close', () => resolve(said));
      socket.write('NONSENSE\r\n\r\n');
    });
    expect(received).toMatch(/^HTTP\/1.1 400/);
  });
});

describe('GraphiQL', async () => {
  const { url } = await start({ graphiqlTabs: [{ query: '{ hello } # first tab' }] });
  const browse = (headers: Record<string, string> = {}) =>
    send(`${url}/graphql`, { headers: { accept: 'text/html,*/*', ...headers } });

  test('returns its page with tabs to browsers only', async () => {
    const page = await browse();
    expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(page.body).toContain('{ hello } # first tab');
    expect((await send(`${url}/graphql?query={hello}`, { headers: { accept: 'application/json' } })).body).toContain(
      '"hello"',
    );
  });

  test('returns its 9 MB compressed, and 304 afterwards', async () => {
    const response = await fetch(`${url}/graphql`, { headers: { accept: 'text/html', 'accept-encoding': 'gzip' } });
    expect(Number(response.headers.get('content-length'))).toBeLessThan(3_000_000);
    const plain = await browse();
    expect(await response.text()).toBe(plain.body);

    const etag = response.headers.get('etag') ?? '';
    expect(await browse({ 'accept-encoding': 'gzip', 'if-none-match': etag })).toMatchObject({ status: 304, body: '' });
    expect((await browse({ 'accept-encoding': 'br', 'if-none-match': etag })).status).toBe(200);
    expect(plain.headers.etag).not.toBe(etag);
  });

  test('uses brotli when the browser accepts it', async () => {
    const response = await fetch(`${url}/graphql`, {
      method: 'HEAD',
      headers: { accept: 'text/html', 'accept-encoding': 'gzip, br' },
    });
    expect(response.headers.get('content-encoding')).toBe('br');
  });
});

test('a request without an answer in time gets UNAVAILABLE, which says that it may still take effect', async () => {
  const { url } = await start({ answerWithin: 50 });
  slow = gate();
  expect(await client(url).post('{ slow }')).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
    errors: [
      { message: expect.stringContaining('may still take effect') as string, extensions: { code: 'UNAVAILABLE' } },
    ],
  });
  slow.release();
});

describe('a server that stops', () => {
  test('is not ready at once, finishes running requests, rejects new ones with 503, then closes the port', async () => {
    const { url, stop } = await start();
    slow = gate();
    const running = client(url).post<{ slow: string }>('{ slow }');
    await slow.arrived;
    const stopped = stop();
    expect(await send(`${url}/readyz`)).toMatchObject({ status: 503, body: '{"status":"stopping"}' });
    expect(await client(url).post('{ hello }')).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      errors: [{ extensions: { code: 'UNAVAILABLE' } }],
    });
    slow.release();
    expect(await running).toMatchObject({ status: 200, data: { slow: 'done' }, headers: { connection: 'close' } });
    await stopped;
    await expect(send(`${url}/livez`)).rejects.toThrow('ECONNREFUSED');
  });

  test('does not wait for idle connections', async () => {
    const { url, stop } = await start();
    const kept = client(url);
    await kept.post('{ hello }');
    const before = performance.now();
    await stop();
    expect(performance.now() - before).toBeLessThan(4_000);
  });

  test('runs background work until it stops', async () => {
    const seen: string[] = [];
    const begin = () => {
      seen.push('start');
      return { stop: async () => void seen.push('stop') };
    };
    const { stop } = await start({ background: [begin] });
    expect(seen).toEqual(['start']);
    await stop();
    expect(seen).toEqual(['start', 'stop']);
  });
});

test('a taken port is reported in one line', async () => {
  const { url } = await start();
  const port = Number(new URL(url).port);
  const second = buildApp({
    env: { host: '127.0.0.1', port },
    database,
    schema,
    log: silentLog,
    authenticate: openToAll,
    createContext: () => ({}),
    maskError: createMaskError(silentLog),
  });
  await expect(second.start()).rejects.toThrow(`Port ${port} is taken: stop what uses it, or set PORT to another`);
  await second.stop();
});
