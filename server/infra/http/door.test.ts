import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { send } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { rawSocket, sseStream } from '../../../test/socket.ts';
import { createRates } from '../limits/rates.ts';

const database = await testDatabase();
const json = { 'content-type': 'application/json' };
const adminKey = 'k'.repeat(32);
const authorization = `Bearer ${adminKey}`;
const body = '{"query":"{ viewer { role } }"}';

/** Sends the bytes and reads until the end. */
async function exchange(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  return text(socket);
}

describe('a server without keys', async () => {
  const { url } = await startApp(database, { variables: { BATON_TRUST_PROXY: '1' } });

  test.each<Record<string, string>>([
    { 'x-forwarded-for': '127.0.0.1' },
    { 'x-forwarded-host': 'localhost' },
    { 'x-forwarded-proto': 'http' },
    { forwarded: 'for=127.0.0.1' },
    { 'x-real-ip': '127.0.0.1' },
    { via: '1.1 proxy' },
  ])('refuses a request with %j, which came through a proxy', async (headers) => {
    const answer = await send(`${url}/graphql`, { method: 'POST', headers: { ...json, ...headers }, body });
    expect(answer).toMatchObject({
      status: 403,
      body: expect.stringContaining('create a key with npm run key') as string,
    });
    await expect(rawSocket(url, { headers })).rejects.toThrow('403');
    expect((await send(`${url}/`, { headers })).status).toBe(403);
  });

  test.each([
    ['HAProxy', 'OPTIONS /readyz HTTP/1.0', []],
    ['HAProxy with GET', 'GET /readyz HTTP/1.0', []],
    ['Kubernetes', 'GET /readyz HTTP/1.1', ['Host: 10.1.2.3:4000', 'User-Agent: kube-probe/1.31', 'Accept: */*']],
    ['AWS', 'GET /readyz HTTP/1.1', ['Host: 10.0.0.12:4000', 'User-Agent: ELB-HealthChecker/2.0']],
    ['Consul', 'GET /readyz HTTP/1.1', ['Host: baton.internal:4000', 'User-Agent: Consul Health Check']],
    ['a proxy', 'GET /livez HTTP/1.1', ['Host: baton.example', 'X-Forwarded-For: 10.0.0.1']],
  ])('answers the health check of %s as it is by default', async (_, line, headers) => {
    const answer = await exchange(url, `${[line, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toContain('{"status":"ok"}');
  });

  test('takes no name of the address for its own host', async () => {
    const { host } = new URL(url);
    const upload = (path: string) =>
      send(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain', origin: 'http://evil.example', host },
        body: 'x',
      });
    expect((await upload('/sessions/new/transcript')).status).toBe(403);
    expect((await upload('//evil.example/sessions/new/transcript')).status).toBe(404);
  });
});

describe('the address of a client', async () => {
  /** The address that a server limits after one failed login. */
  async function limitedAddress(trusted: string, forwardedFor?: string): Promise<string> {
    const rates = createRates({ failures: { perMinute: 1, burst: 1 }, late: { ms: 0, atOnce: 1 } });
    const { url, stop } = await startApp(database, {
      rates,
      variables: { BATON_ADMIN_KEY: adminKey, BATON_TRUST_PROXY: trusted },
    });
    const headers: Record<string, string> = {
      ...json,
      ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
    };
    const attempt = () => send(`${url}/graphql`, { method: 'POST', headers, body });
    await attempt();
    const { status, body: refusal } = await attempt();
    await stop();
    expect(status).toBe(429);
    return /requests from (\S+) came/.exec(refusal)![1]!;
  }

  test.each([
    ['0', '192.0.2.1', '127.0.0.1'],
    ['1', '192.0.2.1', '192.0.2.1'],
    ['1', 'invented, 198.51.100.7, 192.0.2.1', '192.0.2.1'],
    ['2', '203.0.113.9, 198.51.100.7, 192.0.2.1', '198.51.100.7'],
    ['2', '192.0.2.1', '192.0.2.1'],
    ['1', '2001:db8::1', '2001:db8::1'],
    ['1', '[2001:db8::1]:5000', '2001:db8::1'],
    ['1', '192.0.2.1:5000', '192.0.2.1'],
    ['1', 'unknown', '127.0.0.1'],
    ['1', undefined, '127.0.0.1'],
  ])('behind %s trusted proxies that report "%s" is %s', async (trusted, forwardedFor, address) => {
    expect(await limitedAddress(trusted, forwardedFor)).toBe(address);
  });

  test('counts for failed logins of sockets', async () => {
    const rates = createRates({ failures: { perMinute: 1, burst: 1 }, late: { ms: 0, atOnce: 1 } });
    const { url } = await startApp(database, {
      rates,
      variables: { BATON_ADMIN_KEY: adminKey, BATON_TRUST_PROXY: '1' },
    });
    const closeCode = async (address: string): Promise<number> => {
      const socket = await rawSocket(url, { headers: { 'x-forwarded-for': address } });
      socket.send({ type: 'connection_init' });
      return (await socket.closed).code;
    };
    expect(await closeCode('192.0.2.1')).toBe(4403);
    expect(await closeCode('192.0.2.1')).toBe(1013);
    expect(await closeCode('192.0.2.2')).toBe(4403);
  });

  test('has a trusted host, whose pages are of the same origin', async () => {
    const { url } = await startApp(database, { variables: { BATON_ADMIN_KEY: adminKey, BATON_TRUST_PROXY: '1' } });
    const { url: untrusting } = await startApp(database, { variables: { BATON_ADMIN_KEY: adminKey } });
    const options = {
      origin: 'https://baton.example.com',
      headers: { 'x-forwarded-host': 'baton.example.com', 'x-forwarded-proto': 'https' },
    };
    (await rawSocket(url, options)).close();
    await expect(rawSocket(untrusting, options)).rejects.toThrow('403');
    const upload = (to: string) =>
      send(`${to}/sessions/x/transcript`, {
        method: 'POST',
        headers: { ...options.headers, origin: options.origin, authorization },
        body: 'x',
      });
    expect((await upload(url)).status).toBe(400);
    expect((await upload(untrusting)).status).toBe(403);
  });
});

describe('BATON_ALLOWED_ORIGINS', async () => {
  const allowed = 'https://app.example.com';
  const { url } = await startApp(database, {
    variables: { BATON_ADMIN_KEY: adminKey, BATON_ALLOWED_ORIGINS: `${allowed},http://localhost:5173` },
  });
  const preflight = (origin: string, path = '/graphql') =>
    send(`${url}${path}`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-trace',
      },
    });

  test.each(['/graphql', '/handoffs/x.md', '/sessions/x/transcript'])(
    'answers a preflight for %s without a key',
    async (path) => {
      const { status, headers, body: sent } = await preflight(allowed, path);
      expect({ status, sent }).toEqual({ status: 204, sent: '' });
      expect(headers).toMatchObject({
        'access-control-allow-origin': allowed,
        'access-control-allow-methods': 'GET, HEAD, POST',
        'access-control-allow-headers': 'authorization,content-type,x-trace',
        vary: 'origin, access-control-request-headers',
      });
      expect(headers['access-control-allow-credentials']).toBeUndefined();
    },
  );

  test.each([
    'https://app.example.com.evil.example',
    'http://app.example.com',
    'https://app.example.com:8443',
    'https://APP.example.com',
    'null',
    'https://evil.example',
  ])('allows nothing to the origin %s', async (origin) => {
    const answers = [
      await preflight(origin),
      await send(`${url}/graphql`, { method: 'POST', headers: { ...json, origin, authorization }, body }),
    ];
    for (const { headers } of answers)
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test.each([
    ['an answer', { authorization }, body, 200],
    ['a failed login', {}, body, 401],
    ['a refused body', { authorization, 'content-encoding': 'gzip' }, body, 415],
    ['a malformed body', { authorization }, '{', 400],
  ])('lets its pages read %s', async (_name, headers: Record<string, string>, sent, status) => {
    const answer = await send(`${url}/graphql`, {
      method: 'POST',
      headers: { ...json, origin: allowed, ...headers },
      body: sent,
    });
    expect(answer).toMatchObject({
      status,
      headers: {
        'access-control-allow-origin': allowed,
        'access-control-expose-headers': 'content-disposition, etag, retry-after, www-authenticate, x-request-id',
      },
    });
    expect(String(answer.headers['vary'])).toMatch(/^origin\b/);
  });

  test('lets its pages open sockets, streams and downloads, and send transcripts', async () => {
    const socket = await rawSocket(url, { origin: allowed });
    await socket.init({ authorization });
    socket.close();
    const stream = await sseStream(
      url,
      'subscription { handoffEvents { type } }',
      {},
      { origin: allowed, authorization },
    );
    expect(stream.headers['access-control-allow-origin']).toBe(allowed);
    expect(await stream.result()).toMatchObject({ data: { handoffEvents: { type: 'READY' } } });
    stream.close();
    for (const [path, method] of [
      ['/handoffs/x.md', 'GET'],
      ['/sessions/x/transcript', 'POST'],
    ] as const) {
      const answer = await send(`${url}${path}`, {
        method,
        headers: { origin: allowed, authorization },
        ...(method === 'POST' && { body: 'x' }),
      });
      expect(answer).toMatchObject({
        status: method === 'GET' ? 404 : 400,
        headers: { 'access-control-allow-origin': allowed },
      });
    }
  });
});

describe('BATON_BASE_PATH', async () => {
  const { url } = await startApp(database, {
    variables: { BATON_BASE_PATH: '/tools/baton' },
    graphiqlTabs: [{ query: '{ viewer { role } }' }],
  });
  const { origin } = new URL(url);

  test('is part of the address that the log names', () => expect(url).toBe(`${origin}/tools/baton`));

  test('holds the API, the pages, the downloads, the uploads, health and sockets', async () => {
    expect(await send(`${url}/graphql`, { method: 'POST', headers: json, body })).toMatchObject({
      status: 200,
      body: expect.stringContaining('ADMIN') as string,
    });
    expect(await send(`${url}/graphql?query={viewer{role}}`)).toMatchObject({
      status: 200,
      body: expect.stringContaining('ADMIN') as string,
    });
    expect(await send(`${url}/graphql`, { method: 'POST', headers: json, body: '{' })).toMatchObject({
      status: 400,
      body: expect.stringContaining('BAD_REQUEST') as string,
    });
    expect((await send(`${url}/graphql`, { headers: { accept: 'text/html' } })).body).toContain('GraphiQL');
    expect(await send(`${url}/livez`)).toMatchObject({ status: 200 });
    expect(await send(`${url}/readyz`)).toMatchObject({ status: 200 });
    expect(await send(`${url}/handoffs/x.json`)).toMatchObject({
      status: 404,
      headers: { 'content-type': 'application/json' },
    });
    expect(await send(`${url}/sessions/x/transcript`, { method: 'POST', body: 'x' })).toMatchObject({ status: 400 });
    const stream = await sseStream(url, 'subscription { handoffEvents { type } }');
    expect(await stream.result()).toMatchObject({ data: { handoffEvents: { type: 'READY' } } });
    stream.close();
    const socket = await rawSocket(url);
    await socket.init();
    socket.close();
  });

  test.each(['/livez', '/readyz'])('answers %s without the path too, for probes of the process', async (path) => {
    expect(await send(`${origin}${path}`)).toMatchObject({ status: 200, body: '{"status":"ok"}' });
  });

  test.each(['/', '/graphql', '/livez/', '/tools', '/tools/batons', '/tools/baton2/graphql', '/TOOLS/baton/graphql'])(
    'leaves %s alone',
    async (path) => {
      expect(await send(`${origin}${path}`)).toMatchObject({
        status: 404,
        body: 'Nothing here. Baton is at /tools/baton/\n',
      });
    },
  );

  test('has no sockets elsewhere', async () => {
    await expect(rawSocket(origin)).rejects.toThrow('404');
  });

  test('leads from the bare path to the dashboard', async () => {
    expect(await send(url)).toMatchObject({ status: 308, headers: { location: '/tools/baton/' } });
    expect(await send(`${url}?agent=claude-1`)).toMatchObject({
      status: 308,
      headers: { location: '/tools/baton/?agent=claude-1' },
    });
  });
});
