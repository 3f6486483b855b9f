import { beforeAll, expect, it } from 'vitest';
import { readTabs } from '../../server/api/graphiql/tabs.ts';
import { openBrowser, patiently, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';

const db = await testDatabase();
const { url } = await startApp(db, { variables: { BATON_BASE_PATH: '/tools/baton' }, graphiqlTabs: readTabs() });
const { agent, session, reassign } = world(db.pool);

let visit: (path: string) => Promise<Visit>;

beforeAll(async () => {
  await agent('claude-1');
  await agent('codex-1', { type: 'CODEX' });
  await reassign(await session('claude-1', { title: 'Add rate limits' }), { agentId: 'codex-1', reason: 'Go' });
  ({ visit } = await openBrowser(url));
}, 300_000);

it('the dashboard works under a base path, and asks for nothing outside of it', async () => {
  const { page, faults } = await visit('/sessions');
  const outside: string[] = [];
  const failed: string[] = [];
  page.on(
    'request',
    (request) =>
      void (
        !/^(data|blob):/.test(request.url()) &&
        !request.url().startsWith(`${url}/`) &&
        outside.push(request.url())
      ),
  );
  page.on('response', (response) => void (response.status() >= 400 && failed.push(response.url())));
  await page.reload();
  await page.getByText('Live', { exact: true }).waitFor();
  const at = () => new URL(page.url()).pathname.replace(/_.*/, '');

  await page.getByRole('link', { name: 'Add rate limits', exact: true }).click();
  await expect.poll(at, patiently).toBe('/tools/baton/sessions/session');
  await page.reload();
  await page.getByRole('heading', { name: 'Add rate limits' }).waitFor();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download this session and its chain as JSON' }).click(),
  ]);
  expect(await file.failure()).toBeNull();

  for (const [name, path] of [
    ['Inbox', 'inbox'],
    ['Agents', 'agents'],
    ['Handoffs', 'handoffs'],
    ['Graph', 'graph'],
    ['Attention', ''],
    ['Sessions', 'sessions'],
  ] as const) {
    await page
      .getByRole('navigation')
      .getByRole('link', { name: new RegExp(`^${name}\\b`) })
      .click();
    await expect.poll(at, patiently).toBe(`/tools/baton/${path}`);
    await page.reload();
    await page.locator('main h1').waitFor();
  }
  expect({ outside, failed, faults }).toEqual({ outside: [], failed: [], faults: [] });
}, 120_000);

it('GraphiQL works under a base path, over HTTP and over a socket', async () => {
  const { page } = await visit('/graphql');
  const sockets: string[] = [];
  page.on('websocket', (socket) => sockets.push(socket.url()));
  await page.getByRole('button', { name: /execute query/i }).click();
  await page.locator('.result-window', { hasText: /"totalCount":\s*1/ }).waitFor();
  await page.getByRole('button', { name: 'Live', exact: true }).dispatchEvent('click');
  await page.locator('.graphiql-tab-active', { hasText: 'Live' }).waitFor();
  await expect
    .poll(async () => {
      if (sockets.length === 0) await page.getByRole('button', { name: /execute query/i }).click();
      return page.locator('.result-window').innerText();
    }, patiently)
    .toMatch(/"type":\s*"READY"/);
  expect(sockets[0]).toBe(`${url.replace('http', 'ws')}/graphql`);
}, 90_000);
