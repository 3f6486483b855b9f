import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { look, openBrowser, patiently, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session, reassign } = world(db.pool);

let visit: (path: string) => Promise<Visit>;

beforeAll(async () => {
  await agent('ada', { maxCapacity: 50 });
  await agent('bob', { maxCapacity: 50 });
  ({ visit } = await openBrowser(url));
}, 300_000);

const given = async (title: string): Promise<string> => {
  const id = await session('ada', { title });
  await reassign(id, { agentId: 'bob', reason: 'Because' });
  return id;
};
const inbox = (page: Page) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: /^Inbox/ });
const row = (page: Page, title: string) => page.locator('[data-session]', { hasText: title });

describe('a person in the dashboard', () => {
  it('sees in the navigation and the title how many handoffs wait since the inbox was open, and hears of new ones only when asked for', async () => {
    await given('First');
    const { page, faults } = await visit('/agents');
    await page.context().grantPermissions(['notifications'], { origin: url });
    await page.addInitScript(() => {
      const Real = window.Notification;
      const said: string[] = [];
      const shown: Notification[] = [];
      window.Notification = class extends Real {
        // A headless Chromium answers 'denied' here, also when it has just granted the permission.
        static override get permission(): NotificationPermission {
          return 'granted';
        }

        constructor(title: string, options?: NotificationOptions) {
          super(title, options);
          said.push(`${title}: ${options?.body}`);
          shown.push(this);
        }
      };
      Object.assign(window, { said, shown });
    });
    await page.reload();
    const said = () => page.evaluate(() => (window as unknown as { said: string[] }).said);
    await expect.poll(() => page.title(), patiently).toBe('(1) Agents · Baton');
    await expect.poll(() => inbox(page).textContent(), patiently).toMatch(/1 unread/);
    await page.locator('[data-live="live"]').waitFor();
    await given('Second');
    await expect.poll(() => page.title(), patiently).toBe('(2) Agents · Baton');
    expect(await said()).toEqual([]);

    await inbox(page).click();
    await expect.poll(() => page.title(), patiently).toBe('Inbox · Baton');
    await page.getByRole('button', { name: 'Notify me' }).click();
    await page.getByRole('button', { name: 'Notifies of new handoffs', pressed: true }).waitFor();
    await look(page, 'inbox-notifies');
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Tools' }).click();
    await given('Third');
    await expect.poll(() => page.title(), patiently).toMatch(/^\(1\) /);
    expect(await said()).toEqual(['Handoff to bob: Third']);
    // Pressed, it opens the handoff.
    await page.evaluate(
      () => void (window as unknown as { shown: Notification[] }).shown[0]!.onclick?.(new Event('click')),
    );
    await expect.poll(() => new URL(page.url()).pathname, patiently).toMatch(/^\/handoffs\/handoff_/);
    await page.reload();
    await expect.poll(() => page.title(), patiently).toMatch(/^\(1\) /);
    expect(await said()).toEqual([]);

    await page.goto(`${url}/inbox/ada`);
    await page.getByText('Every handoff to ada was answered.').waitFor();
    await expect.poll(() => page.title(), patiently).toMatch(/^\(1\) /);
    await page.goto(`${url}/inbox/bob`);
    // A title without a number may come before the count does.
    const seen = () =>
      page.evaluate(
        () => (JSON.parse(localStorage.getItem('baton.looked')!) as { handoffs: string[] }).handoffs.length,
      );
    await expect.poll(seen, patiently).toBe(1);
    await expect.poll(() => page.title(), patiently).toBe('Inbox of bob · Baton');
    await given('Fourth');
    await expect.poll(seen, patiently).toBe(2);
    await page.goto(`${url}/agents`);
    await page.locator('[data-live="live"]').waitFor();
    await given('Fifth');
    await expect.poll(() => page.title(), patiently).toBe('(1) Agents · Baton');
    expect(faults).toEqual([]);
  }, 90_000);

  it('sees which sessions have changed since the last look, and marks them as seen one by one or all', async () => {
    const [one] = [await given('Changes once'), await given('Changes too'), await given('Stays')];
    const { page, faults } = await visit('/');
    await row(page, 'Changes once').waitFor();
    await page.locator('[data-live="live"]').waitFor();
    expect(await page.locator('[data-changed="true"]').count()).toBe(0);
    await reassign(one, { agentId: 'ada' });
    await expect.poll(() => row(page, 'Changes once').getAttribute('data-changed'), patiently).toBe('true');
    const { rows } = await db.pool.query<{ id: string }>(`SELECT id FROM sessions WHERE title = 'Changes too'`);
    await reassign(rows[0]!.id, { agentId: 'ada' });
    await expect.poll(() => row(page, 'Changes too').getAttribute('data-changed'), patiently).toBe('true');
    await look(page, 'sessions-changed');
    // The link shows what changed last first, with the time of it.
    await page.getByRole('link', { name: '2 have changed' }).click();
    await expect
      .poll(
        async () => (await page.locator('[data-session] a[href^="/sessions/"]').allTextContents()).slice(0, 3),
        patiently,
      )
      .toEqual(['Changes too', 'Changes once', 'Stays']);
    const times = await page
      .locator('[data-session]')
      .evaluateAll((rows) => rows.slice(0, 3).map((each) => each.querySelector('time')!.dateTime));
    expect(times).toEqual(times.toSorted().reverse());

    await row(page, 'Changes once').getByRole('link', { name: 'Changes once' }).click();
    await page.getByRole('heading', { level: 1, name: 'Changes once' }).waitFor();
    await page.goBack();
    await page.getByText('1 has changed').waitFor();
    expect(await row(page, 'Changes once').getAttribute('data-changed')).toBe('false');
    await page.getByRole('button', { name: 'Mark all as seen' }).click();
    await expect.poll(() => page.locator('[data-changed="true"]').count(), patiently).toBe(0);
    await page.reload();
    await row(page, 'Stays').waitFor();
    expect(await page.locator('[data-changed="true"]').count()).toBe(0);
    expect(faults).toEqual([]);
  }, 90_000);
});
