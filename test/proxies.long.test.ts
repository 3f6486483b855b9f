import { beforeAll, describe, expect, test } from 'vitest';
import { encodeId } from '../server/core/ids.ts';
import { createRates } from '../server/infra/limits/rates.ts';
import { openBrowser } from './browser.ts';
import { testDatabase } from './database.ts';
import { client, send } from './graphql.ts';
import { adminKey } from './keyring.ts';
import { caddy, nginx, startProxy } from './proxies.ts';
import { startApp } from './server.ts';
import { rawSocket, sseStream, type Result } from './socket.ts';
import { workTranscript } from './transcripts.ts';
import { world } from './world.ts';

const authorization = `Bearer ${adminKey}`;
const subscription = 'subscription { event: handoffEvents { type session { title } } }';

const database = await testDatabase();
const empty = await testDatabase();
const { agent, session, turn } = world(database.pool);
for (const id of ['ada', 'bob']) await agent(id, { maxCapacity: 100 });

describe.each([
  ['nginx', nginx, ''],
  ['nginx', nginx, '/baton'],
  ['Caddy', caddy, ''],
  ['Caddy', caddy, '/baton'],
] as const)('Baton behind %s', (name, kind, path) => {
  if (kind.program.find() === undefined) {
    const line = `is not tried because ${name} is missing: ${kind.program.advice}`;
    process.stderr.write(`Baton behind ${name} ${line}\n`);
    test.skip(line);
    return;
  }

  describe(`at ${path || 'the root'}`, async () => {
    const variables = { BATON_ADMIN_KEY: adminKey, BATON_TRUST_PROXY: '1', BATON_BASE_PATH: path };
    const server = await startApp(database, { variables });
    const url = await startProxy(kind, server.url, path);
    const api = client(url, { key: adminKey });
    const title = `Behind ${name} at ${path || 'the root'}`;
    let sessionId: string;

    beforeAll(async () => {
      const id = await session('ada', { title });
      await turn(id, {
        messages: Array.from({ length: 20 }, () => ({ role: 'ASSISTANT' as const, content: 'word '.repeat(20_000) })),
      });
      sessionId = encodeId('session', id);
    });

    /** Moves the session to the other agent, which makes an event. @returns the agent */
    const move = async () => {
      const { data } = await api.post<{ session: { agent: { id: string } } }>(
        `{ session(id: "${sessionId}") { agent { id } } }`,
      );
      const agentId = data.session.agent.id === 'ada' ? 'bob' : 'ada';
      const moved = await api.post(
        `mutation { moved: reassignSession(input: { sessionId: "${sessionId}", agentId: "${agentId}" }) { __typename ... on Error { message } } }`,
      );
      expect(moved).toMatchObject({ data: { moved: { __typename: 'ReassignSessionPayload' } } });
      return agentId;
    };

    /** The next event that is not a heartbeat, which comes on a busy machine before any other. */
    const eventOf = async (next: () => Promise<Result<{ event: { type: string } }>>) => {
      for (;;) {
        const result = await next();
        if (result.data?.event.type !== 'HEARTBEAT') return result;
      }
    };

    test('answers queries, large and compressed', async () => {
      const query = JSON.stringify({
        query: `{ session(id: "${sessionId}") { messages(first: 20) { nodes { content } } } }`,
      });
      const ask = (encoding: string) =>
        fetch(`${url}/graphql`, {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json', 'accept-encoding': encoding },
          body: query,
        });
      const whole = await (await ask('identity')).text();
      expect(whole.length).toBeGreaterThan(2_000_000);
      for (const encoding of ['gzip', 'br']) {
        const answer = await ask(encoding);
        expect(answer.headers.get('content-encoding')).toBe(encoding);
        expect(await answer.text()).toBe(whole);
      }
    });

    test('delivers each Server-Sent Event at once', async () => {
      const stream = await sseStream(url, subscription, {}, { authorization });
      expect(await stream.result()).toMatchObject({ data: { event: { type: 'READY' } } });
      await move();
      expect(await eventOf(() => stream.result())).toMatchObject({
        data: { event: { type: 'HANDOFF_INITIATED', session: { title } } },
      });
      stream.close();
      await expect.poll(() => server.streams.size, { timeout: 30_000 }).toBe(0);
    });

    test('opens sockets for its own pages, and for no others', async () => {
      const socket = await rawSocket(url, { origin: new URL(url).origin });
      await socket.init({ Authorization: authorization });
      socket.subscribe('1', subscription);
      expect(await socket.result('1')).toMatchObject({ data: { event: { type: 'READY' } } });
      await move();
      expect(await eventOf(() => socket.result('1'))).toMatchObject({ data: { event: { session: { title } } } });
      socket.close();
      await expect(rawSocket(url, { origin: 'https://evil.example' })).rejects.toThrow('403');
      await expect(
        rawSocket(url, { origin: 'https://evil.example', headers: { 'x-forwarded-host': 'evil.example' } }),
      ).rejects.toThrow('403');
    });

    test('takes transcripts above 1 MB from its own pages, and sends downloads', async () => {
      const upload = await send(`${url}/sessions/new/transcript?title=Uploaded`, {
        method: 'POST',
        headers: { authorization, origin: new URL(url).origin },
        body: workTranscript(3_000_000),
      });
      expect([upload.status, upload.body.slice(0, 200)]).toEqual([200, expect.stringContaining('sessionId')]);
      expect(await send(`${url}/sessions/${sessionId}.json`, { headers: { authorization } })).toMatchObject({
        status: 200,
        body: expect.stringContaining(title) as string,
      });
      expect((await send(`${url}/readyz`)).status).toBe(200);
    });

    test('limits failed logins by the address that the proxy saw, not by one that the client invents', async () => {
      const rates = createRates({ failures: { perMinute: 1, burst: 1 }, late: { ms: 0, atOnce: 1 } });
      const limited = await startProxy(kind, (await startApp(database, { rates, variables })).url, path);
      const attempt = (forwardedFor: string) =>
        send(`${limited}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': forwardedFor },
          body: '{"query":"{ viewer { role } }"}',
        });
      await attempt('192.0.2.1');
      expect(await attempt('192.0.2.2')).toMatchObject({
        status: 429,
        body: expect.stringContaining('from 127.0.0.1') as string,
      });
    });

    test('shows the dashboard, live', async () => {
      const { visit } = await openBrowser(url);
      const { page, faults } = await visit('/sessions');
      await page.getByLabel('Key').fill(adminKey);
      await page.keyboard.press('Enter');
      await page.getByText('Live', { exact: true }).waitFor();
      const to = await move();
      await page
        .locator('[data-session]', { hasText: title })
        .getByRole('link', { name: new RegExp(`from (ada|bob) to ${to}`) })
        .waitFor();
      expect(faults).toEqual([]);
    });

    test('refuses every visitor while it has no keys', async () => {
      const open = await startApp(empty, { variables: { BATON_BASE_PATH: path, BATON_TRUST_PROXY: '1' } });
      const proxied = await startProxy(kind, open.url, path);
      expect(await send(`${proxied}/readyz`)).toMatchObject({
        status: 403,
        body: expect.stringContaining('proxies') as string,
      });
      expect((await send(`${open.url}/readyz`)).status).toBe(200);
    });
  });
});

describe('an nginx that keeps connections to Baton', () => {
  if (nginx.program.find() === undefined)
    return test.skip(`is not tried because nginx is missing: ${nginx.program.advice}`);
  const pooled: typeof nginx = {
    ...nginx,
    configure: (text, to) =>
      nginx
        .configure(text, to)
        .replace(
          'http {',
          `http {\n upstream kept { server ${new URL(to.server).host}; keepalive 4; }\n proxy_request_buffering off;`,
        )
        .replace(`proxy_pass ${to.server}`, 'proxy_pass http://kept')
        .replace('proxy_set_header Connection $connection_upgrade;', 'proxy_set_header Connection "";'),
  };

  test('answers every request that shares its connections with refused uploads', async () => {
    const server = await startApp(database, { variables: { BATON_ADMIN_KEY: adminKey, BATON_TRUST_PROXY: '1' } });
    const url = await startProxy(pooled, server.url, '');
    const json = { 'content-type': 'application/json' };
    const admin = { authorization };
    const refusals: [status: number, path: string, headers: Record<string, string>][] = [
      [401, '/graphql', json],
      [401, '/mcp', json],
      [401, '/agents/import', json],
      [401, '/sessions/x/transcript', {}],
      [404, '/nowhere', admin],
      [400, '/mcp/nobody', { ...admin, ...json, accept: 'application/json, text/event-stream' }],
      [413, '/mcp/ada', { ...admin, ...json, accept: 'application/json, text/event-stream' }],
      [413, '/graphql', { ...admin, ...json }],
      [415, '/graphql', { ...admin, 'content-type': 'text/plain' }],
      [415, '/agents/import', { ...admin, 'content-type': 'text/plain' }],
      [415, '/sessions/x/transcript', { ...admin, 'content-type': 'multipart/form-data' }],
    ];
    const api = client(url, { key: adminKey });
    let [running, answered] = [true, 0];
    const others = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (running) {
          expect(await api.post('{ viewer { role } }')).toMatchObject({
            status: 200,
            data: { viewer: { role: 'ADMIN' } },
          });
          answered += 1;
        }
      }),
    );
    for (let round = 0; round < 4; round += 1)
      for (const [status, path, headers] of refusals) {
        const bytes = status === 413 ? 1_500_000 : [300_000, 1_000, 900_000, 300_000][round]!;
        const before = answered;
        const refused = await Promise.all(
          [1, 2].map(() => send(`${url}${path}`, { method: 'POST', headers, body: 'x'.repeat(bytes) })),
        );
        expect([path, headers, refused.map((answer) => answer.status)]).toEqual([path, headers, [status, status]]);
        await expect.poll(() => answered, { timeout: 20_000 }).toBeGreaterThan(before + 4);
      }
    running = false;
    await others;
  }, 60_000);
});
