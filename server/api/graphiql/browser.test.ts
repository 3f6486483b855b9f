import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { seed } from '../../../prisma/seed.ts';
import { sharedBrowser } from '../../../test/browser.ts';
import { atEnd, testDatabase } from '../../../test/database.ts';
import { openTabAfterColdLoad, press } from '../../../test/graphiql.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { silentLog } from '../../infra/log.ts';
import { readTabs } from './tabs.ts';

const db = await testDatabase();
await seed({ pool: db.pool, log: silentLog });
const sessions = await db.prisma.session.count();
const { url } = await startApp(db, { graphiqlTabs: readTabs() });

let page: Page;
const foreign: string[] = [];
const errors: string[] = [];

beforeAll(async () => {
  page = await (await sharedBrowser()).newPage({ viewport: { width: 1500, height: 950 } });
  atEnd(() => page.close());
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== url) foreign.push(request.url());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(`${url}/graphql`);
}, 300_000);

const patiently = { timeout: 60_000, interval: 200 };

/** Opens a tab with the mouse, runs its query unchanged, and waits for the answer. */
async function runTab(name: string, answer: RegExp): Promise<void> {
  await press(page.getByRole('button', { name, exact: true }));
  await page.locator('.graphiql-tab-active', { hasText: name }).waitFor();
  // While a tab opens, a press may be lost or run the tab before it: check what was sent.
  await expect
    .poll(async () => {
      const sent = page.waitForRequest((request) => request.method() === 'POST', { timeout: 2_000 }).catch(() => null);
      await press(page.getByRole('button', { name: /execute query/i }));
      return ((await sent)?.postDataJSON() as { operationName: string } | undefined)?.operationName;
    }, patiently)
    .toBe(name);
  await page.locator('.result-window', { hasText: answer }).waitFor({ timeout: 60_000 });
}

describe('GraphiQL in a browser', () => {
  it('opens the example queries as tabs, the first in front', async () => {
    for (const name of ['Sessions', 'Reassign', 'Handoff', 'Reject', 'Chain', 'Graph', 'Work', 'Live']) {
      await page.getByRole('button', { name, exact: true }).waitFor();
    }
    await page.locator('.graphiql-query-editor').getByText('Welcome').waitFor();
  });

  it('runs the first tab unchanged and shows the sessions', async () => {
    await runTab('Sessions', new RegExp(`"totalCount":\\s*${sessions}\\b`));
  }, 90_000);

  it('reassigns a session with the second tab, and records work with the seventh', async () => {
    await runTab('Reassign', /"__typename":\s*"ReassignSessionPayload"/);
    await runTab('Work', /"__typename":\s*"AppendTurnPayload"/);
  }, 90_000);

  it('runs a subscription over a socket and shows its events', async () => {
    const sockets: string[] = [];
    page.on('websocket', (socket) => sockets.push(socket.url()));
    await press(page.getByRole('button', { name: 'Live', exact: true }));
    await page.locator('.graphiql-tab-active', { hasText: 'Live' }).waitFor();
    await expect
      .poll(async () => {
        if (sockets.length === 0) await page.getByRole('button', { name: /execute query/i }).click();
        return page.locator('.result-window').innerText();
      }, patiently)
      .toMatch(/"type":\s*"(READY|HEARTBEAT)"/);
    expect(sockets[0]).toBe(`${url.replace('http', 'ws')}/graphql`);
    await client(url).post('mutation { setAgentStatus(input: { id: "claude-1", status: DRAINING }) { __typename } }');
    await page.locator('.result-window', { hasText: /"type":\s*"AGENT_CHANGED"/ }).waitFor({ timeout: 60_000 });
  }, 90_000);

  // The long suite does it with the other tabs.
  it.each(['Reassign', 'Live'])(
    'opens %s by the first press after a cold load',
    async (name) => {
      await openTabAfterColdLoad(url, name);
    },
    90_000,
  );

  it('shows the answer below the query on a narrow screen, and links to the dashboard', async () => {
    const other = await (await sharedBrowser()).newPage({ viewport: { width: 390, height: 844 } });
    onTestFinished(() => other.close());
    await other.goto(`${url}/graphql`);
    await expect
      .poll(async () => (await other.locator('.result-window').boundingBox())?.width ?? 0, patiently)
      .toBeGreaterThan(250);
    await other.getByRole('link', { name: 'Dashboard' }).click();
    await expect.poll(() => new URL(other.url()).pathname).toBe('/');
  }, 90_000);

  it('sends no request to another host and throws no error', () => {
    expect(foreign).toEqual([]);
    expect(errors).toEqual([]);
  });
});
