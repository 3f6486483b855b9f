import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { encodeId } from '../../server/core/ids.ts';
import { expectAccessible, openBrowser, patiently, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { startServer, type ServerProcess } from '../../test/server.ts';
import { freePort } from '../../test/ports.ts';
import { world } from '../../test/world.ts';

const db = await testDatabase();
const { agent, session, turn, reassign } = world(db.pool);

let server: ServerProcess;
let start: () => Promise<ServerProcess>;
let visit: (path: string) => Promise<Visit>;
const sessions: string[] = [];
const handoffs: string[] = [];

beforeAll(async () => {
  await agent('claude-1', { maxCapacity: 50 });
  await agent('codex-1', { type: 'CODEX', maxCapacity: 50 });
  for (const title of ['First work', 'Second work']) {
    const id = await session('claude-1', { title });
    await turn(id, { messages: [{ role: 'ASSISTANT', content: `About ${title}` }] });
    await reassign(id, { agentId: 'codex-1', reason: `Reason of ${title}` });
    const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM handoffs WHERE session_id = $1', [id]);
    sessions.push(encodeId('session', id));
    handoffs.push(encodeId('handoff', rows[0]!.id));
  }
  const port = await freePort();
  start = () => startServer({ databaseUrl: db.url, env: { PORT: String(port) } });
  server = await start();
  ({ visit } = await openBrowser(server.url));
}, 300_000);

// A test that failed may have left no server.
beforeEach(async () => {
  const answers = await fetch(`${server.url}/livez`).catch(() => null);
  if (answers === null) server = await start();
}, 120_000);

const live = (page: Page) => page.locator('[data-live="live"]').waitFor();
const text = (page: Page) => expect.poll(() => page.locator('main').innerText(), patiently);
/** What a link does, without its being on the page. */
const go = (page: Page, path: string) => page.evaluate((to) => history.pushState(null, '', to), path);

describe('a page that failed while the server was away', () => {
  it('is read again by itself when the connection is back', async () => {
    const cases: [from: string, to: string, expected: string][] = [
      ['/sessions?status=failed', '/sessions', 'Second work'],
      ['/sessions', '/agents', '2 of 2 agents'],
      ['/inbox/claude-1', '/inbox', 'Reason of First work'],
      ['/handoffs?status=failed', '/handoffs', 'Reason of First work'],
      ['/graph?agent=claude-9', '/graph', '2 handoffs'],
      [`/sessions/${sessions[0]}`, `/sessions/${sessions[1]}`, 'About Second work'],
      [`/sessions/${sessions[0]}`, `/sessions/${sessions[1]}?view=handoffs`, 'Reason of Second work'],
      [`/handoffs/${handoffs[0]}`, `/handoffs/${handoffs[1]}`, 'Reason of Second work'],
    ];
    const pages = await Promise.all(
      cases.map(async ([from]) => {
        const { page } = await visit(from);
        await live(page);
        await page.waitForLoadState('networkidle');
        return page;
      }),
    );
    await server.kill('SIGKILL');
    for (const [index, page] of pages.entries()) {
      await page.locator('[data-live="waiting"]').waitFor();
      await go(page, cases[index]![1]);
      await text(page).toContain('Baton did not answer');
    }
    server = await start();
    for (const [index, page] of pages.entries()) {
      await text(page).toContain(cases[index]![2]);
      await expect.poll(() => page.getByRole('alert').count(), patiently).toBe(0);
    }
  }, 240_000);

  it('is loaded again when the part of the program that draws it did not arrive', async () => {
    const { page } = await visit('/sessions');
    await live(page);
    await server.kill('SIGKILL');
    await page.locator('[data-live="waiting"]').waitFor();
    await page.getByRole('link', { name: 'Graph', exact: true }).click();
    await page.getByRole('heading', { name: 'This page could not be shown' }).waitFor();
    server = await start();
    await page.getByRole('link', { name: /^2 handoffs from claude-1 to codex-1/ }).waitFor();
  }, 120_000);
});

describe('a list that is read again without success', () => {
  it.each([
    ['/sessions', 'Second work'],
    ['/agents', '2 of 2 agents'],
    ['/inbox', 'Reason of First work'],
    ['/handoffs', 'Reason of First work'],
    ['/graph', '2 handoffs'],
  ])(
    'stays on %s, with the error above it, until it can be read',
    async (path, shown) => {
      const { page } = await visit(path);
      await live(page);
      await page.getByText(shown).first().waitFor();
      await page.waitForLoadState('networkidle');
      await page.route('**/graphql', (route) => route.abort());
      // Leaving and coming back reads the list again.
      await go(page, path === '/sessions' ? '/agents' : '/sessions');
      await page.getByRole('alert').getByText('Baton did not answer').first().waitFor();
      await go(page, path);
      await page.getByRole('alert').getByText('Baton did not answer').first().waitFor();
      expect(await page.getByText(shown).first().isVisible()).toBe(true);
      const [alert, list] = await Promise.all([
        page.getByRole('alert').first().boundingBox(),
        page.getByText(shown).first().boundingBox(),
      ]);
      expect(alert!.y).toBeLessThan(list!.y);
      await expectAccessible(page);
      await page.unroute('**/graphql');
      await page.context().setOffline(true);
      await page.context().setOffline(false);
      await expect.poll(() => page.getByRole('alert').count(), patiently).toBe(0);
      expect(await page.getByText(shown).first().isVisible()).toBe(true);
    },
    120_000,
  );
});
