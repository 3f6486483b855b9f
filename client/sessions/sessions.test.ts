import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  chooseAgent,
  letCountsSettle,
  look,
  openBrowser,
  patiently,
  requestsOf,
  type Visit,
} from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { client } from '../../test/graphql.ts';
import { startApp } from '../../test/server.ts';
import { encodeId } from '../../server/core/ids.ts';
import { world } from '../../test/world.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session, reassign } = world(db.pool);
const api = client(url);

let visit: (path: string) => Promise<Visit>;
let go: (path: string) => Promise<Visit>;

beforeAll(async () => {
  await agent('claude-1');
  await agent('codex-1', { type: 'CODEX' });
  for (let count = 1; count <= 60; count += 1) await session(null, { title: `Old work ${count}` });
  await session('claude-1', { title: 'Fix the login' });
  const moved = await session('claude-1', { title: 'Add rate limits' });
  await reassign(moved, { agentId: 'codex-1', reason: 'The deployment is Go' });
  ({ visit, go } = await openBrowser(url));
}, 300_000);

const rows = (page: Page) => page.getByRole('list', { name: 'Sessions' }).locator('[data-session]');
const row = (page: Page, title: string) => rows(page).filter({ hasText: title });

describe('the list of sessions', () => {
  it('shows holder and last handoff, with its story on hover and by keyboard', async () => {
    const { page, faults } = await go('/sessions');
    await row(page, 'Add rate limits').getByText('codex-1').waitFor();
    await row(page, 'Add rate limits').getByText('Not accepted').waitFor();
    await row(page, 'Fix the login').getByText('Working').waitFor();
    const badge = page.getByRole('link', { name: 'Handoff waiting: from claude-1 to codex-1' });
    await badge.focus();
    const story = page.getByRole('tooltip');
    await expect.poll(() => story.textContent(), patiently).toMatch(/claude-1.*codex-1.*The deployment is Go/);
    await look(page, 'sessions-tooltip');
    await expect.poll(() => story.count(), patiently).toBe(1);
    await page.keyboard.press('Escape');
    await story.waitFor({ state: 'detached' });
    // Its colour says how the handoff stands: under the pointer too.
    const colour = () => badge.evaluate((element) => getComputedStyle(element).color);
    const calm = await colour();
    await badge.hover();
    await story.waitFor();
    expect(await colour()).toBe(calm);
    await page.mouse.move(0, 0);
    // From whom to whom is seen beside the status.
    expect(await badge.evaluate((element) => getComputedStyle(element, '::after').content)).toContain(
      'claude-1 → codex-1',
    );
    // No handoff, no badge.
    expect(await row(page, 'Fix the login').locator('[data-handoff]').count()).toBe(0);
    expect(faults).toEqual([]);
  }, 90_000);

  it('shows counts, loads page by page, and fits on a narrow screen', async () => {
    const { page, faults } = await go('/sessions');
    await page.getByRole('link', { name: 'No holder 60' }).waitFor();
    await page.getByRole('link', { name: 'Not accepted 1' }).waitFor();
    await page.getByRole('link', { name: 'All 62' }).waitFor();
    await page.getByText('50 of 62 sessions').waitFor();
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByText('62 of 62 sessions').waitFor();
    await expect.poll(() => rows(page).count(), patiently).toBe(62);
    expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(0);

    await page.setViewportSize({ width: 390, height: 844 });
    await row(page, 'Add rate limits').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    await look(page, 'sessions-narrow');
    expect(faults).toEqual([]);
  }, 90_000);

  it('keeps its filters in the URL, which gives the same view to others', async () => {
    const { page } = await go('/sessions');
    await page.getByRole('link', { name: /^Working/ }).click();
    await chooseAgent(page, 'claude-1');
    await page.getByText('1 of 1 sessions').waitFor();
    expect(page.url()).toBe(`${url}/sessions?status=working&agent=claude-1`);

    const { page: other } = await visit('/sessions?unassigned=1&q=WORK%201');
    // Old work 1, and 10 to 19.
    await other.getByText('11 of 11 sessions').waitFor();
    expect(await other.getByRole('button', { name: 'Unassigned' }).getAttribute('aria-pressed')).toBe('true');
    await other.getByLabel('Search the titles').fill('nothing like it');
    await other.getByText('No session matches.').waitFor();
    await other.goto(`${url}/?open=1`);
    await other.getByText('1 of 1 sessions').waitFor();
    await row(other, 'Add rate limits').waitFor();
  }, 60_000);

  it('keeps a session in its place with a note when it no longer matches, until the list is read again', async () => {
    const ids: string[] = [];
    for (const title of ['Leaving 1', 'Leaving 2', 'Leaving 3'])
      ids.push(encodeId('session', await session('claude-1', { title })));
    const change = async (act: string) => {
      const { data } = await api.post<Record<string, { __typename: string }>>(
        `mutation ($id: ID!) { ${act}Session(input: { sessionId: $id }) { __typename } }`,
        { id: ids[1] },
      );
      expect(data[`${act}Session`]!.__typename).toMatch(/Payload$/);
    };
    const { page, faults } = await visit('/sessions?status=working&q=leaving');
    await page.locator('[data-live="live"]').waitFor();
    await page.getByText('3 of 3 sessions').waitFor();
    await page.waitForLoadState('networkidle');
    await letCountsSettle(page);
    const requests = requestsOf(page);
    const places = () =>
      Promise.all(['Leaving 3', 'Leaving 2', 'Leaving 1'].map((title) => row(page, title).boundingBox()));
    const before = await places();

    await change('pause');
    await row(page, 'Leaving 2').getByText('no longer in this view').waitFor();
    await row(page, 'Leaving 2').getByText('Paused').waitFor();
    await page.getByRole('button', { name: '1 no longer matches' }).waitFor();
    expect(await places()).toEqual(before);
    await expect.poll(() => page.getByText('no longer in this view').count(), patiently).toBe(1);
    await look(page, 'sessions-left');

    // It fits again: nothing is to be said of it.
    await change('resume');
    await expect.poll(() => page.getByText('no longer in this view').count(), patiently).toBe(0);
    expect(await page.getByRole('button', { name: 'no longer matches' }).count()).toBe(0);

    await change('complete');
    await page.getByRole('button', { name: '1 no longer matches' }).waitFor();
    expect(await places()).toEqual(before);
    expect(requests).toEqual([]);
    await page.getByRole('button', { name: '1 no longer matches' }).click();
    await page.getByText('2 of 2 sessions').waitFor();
    expect(await row(page, 'Leaving 2').count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
    expect(faults).toEqual([]);
  }, 120_000);

  it('is light or dark like the system, or as chosen', async () => {
    const { page } = await visit('/sessions');
    const dark = () =>
      page.evaluate(() => getComputedStyle(document.body.parentElement!).backgroundColor === 'rgb(16, 21, 28)');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(dark, patiently).toBe(true);
    await page.getByRole('button', { name: 'Theme: system. Change to light' }).click();
    await expect.poll(dark, patiently).toBe(false);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByRole('button', { name: 'Theme: light. Change to dark' }).click();
    await expect.poll(dark, patiently).toBe(true);
    await page.reload();
    await row(page, 'Fix the login').waitFor();
    expect(await dark()).toBe(true);
  }, 60_000);

  it('reports a server that does not answer, and loads on request', async () => {
    const { page } = await visit('/sessions');
    await row(page, 'Fix the login').waitFor();
    await page.route('**/graphql', (route) => route.abort());
    await page.getByRole('link', { name: /^Failed/ }).click();
    await page.getByText('Baton did not answer').waitFor();
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No session matches.').waitFor();
  }, 60_000);

  it('shows a title with markup as text', async () => {
    await session(null, { title: '<img src=x onerror="document.title=1"> javascript:alert(1)' });
    const { page, faults } = await go('/sessions?q=onerror');
    await row(page, '<img src=x onerror=').waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    expect(faults).toEqual([]);
  }, 60_000);
});
