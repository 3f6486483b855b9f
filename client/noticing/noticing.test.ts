import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, look, openBrowser, patiently, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { startApp } from '../../test/server.ts';
import { agentCaller, world } from '../../test/world.ts';
import { secretFor } from '../../test/keyring.ts';
import { askPerson } from '../../server/work/approvals/askPerson.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session, reassign, initiate, run } = world(db.pool);

let visit: (path: string) => Promise<Visit>;

beforeAll(async () => {
  await agent('ada', { maxCapacity: 50 });
  await agent('bob', { maxCapacity: 50 });
  await agent('cy', { maxCapacity: 50, collaborators: ['bob'] });
  await agent('dan', { maxCapacity: 50 });
  ({ visit } = await openBrowser(url));
}, 300_000);

const given = async (title: string, agentId = 'bob'): Promise<string> => {
  const id = await session('ada', { title });
  await reassign(id, { agentId, reason: 'Because' });
  return id;
};
const proposed = async (title: string): Promise<string> => {
  const id = await session('cy', { title, handoffApproval: 'REQUIRED' });
  return (await initiate(id, 'bob', {}, { caller: agentCaller('cy') })).handoffId;
};
const pages = (page: Page) => page.getByRole('navigation', { name: 'Pages' });
const inbox = (page: Page) => pages(page).getByRole('link', { name: /^Inbox/ });

/** Loads the page again with notifications that can be read, and pressed. */
async function withNotifications(page: Page): Promise<void> {
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
}
const said = (page: Page) => page.evaluate(() => (window as unknown as { said: string[] }).said);
const press = (page: Page, at: number) =>
  page.evaluate(
    (index) => void (window as unknown as { shown: Notification[] }).shown[index]!.onclick?.(new Event('click')),
    at,
  );
const row = (page: Page, title: string) => page.locator('[data-session]', { hasText: title });

describe('a person in the dashboard', () => {
  it('sees in the navigation how many handoffs wait since the inbox was open', async () => {
    await given('First');
    const { page, faults } = await visit('/agents');
    await expect.poll(() => inbox(page).textContent(), patiently).toMatch(/1 unread/);
    await page.locator('[data-live="live"]').waitFor();
    await given('Second');
    await expect.poll(() => inbox(page).textContent(), patiently).toMatch(/2 unread/);
    await inbox(page).click();
    await expect.poll(() => inbox(page).textContent(), patiently).not.toMatch(/unread/);
    await page.goto(`${url}/inbox/ada`);
    await page.getByText('Every handoff to ada was answered.').waitFor();
    await given('Third');
    await expect.poll(() => inbox(page).textContent(), patiently).toMatch(/1 unread/);
    await page.goto(`${url}/inbox/bob`);
    // A navigation without a number may come before the count does.
    const seen = () =>
      page.evaluate(
        () => (JSON.parse(localStorage.getItem('baton.looked')!) as { handoffs: string[] }).handoffs.length,
      );
    await expect.poll(seen, patiently).toBe(1);
    await given('Fourth');
    await expect.poll(seen, patiently).toBe(2);
    await page.goto(`${url}/agents`);
    await page.locator('[data-live="live"]').waitFor();
    await given('Fifth');
    await expect.poll(() => inbox(page).textContent(), patiently).toMatch(/1 unread/);
    expect(await page.title()).toBe('Agents · Baton');
    expect(faults).toEqual([]);
  }, 90_000);

  it('hears of whatever needs attention when asked for, not of each handoff that starts, and not of what is left out or muted', async () => {
    const { page, faults } = await visit('/agents');
    await withNotifications(page);
    await page.locator('[data-live="live"]').waitFor();
    const icon = () => page.locator('link[rel=icon]').getAttribute('href');
    expect(await icon()).toBe('/icon.svg');
    const first = await proposed('To be approved');
    await expect.poll(() => page.title(), patiently).toBe('(1) Agents · Baton');
    await expect.poll(async () => decodeURIComponent((await icon()) ?? ''), patiently).toContain('>1</text>');
    expect(await said(page)).toEqual([]);
    const attention = pages(page).getByRole('link', { name: /^Attention/ });
    await attention.click();
    const notices = page.locator('details', { hasText: 'Notices' });
    await notices.locator('summary').click();
    await notices.getByRole('button', { name: 'Notify me' }).click();
    await notices.getByRole('button', { name: 'Notifies of what needs attention', pressed: true }).waitFor();
    await expectAccessible(page);
    await look(page, 'attention-notices');

    await pages(page).getByRole('link', { name: 'Tools' }).click();
    await given('Started by a person');
    const second = await proposed('To be approved, too');
    await expect.poll(() => page.title(), patiently).toBe('(2) Tools · Baton');
    const proposal = 'cy wants to hand it off: approve or decline.';
    await expect.poll(() => said(page), patiently).toEqual([`To be approved, too: ${proposal}`]);
    await press(page, 0);
    const open = page.locator('article[data-open=true]');
    await open.getByRole('link', { name: 'To be approved, too' }).waitFor();
    await open.getByText(/about \d+ tokens/).waitFor();
    await page.keyboard.press('a');
    const statusOf = async (id: string) => (await db.prisma.handoff.findUniqueOrThrow({ where: { id } })).status;
    await expect.poll(() => statusOf(second), patiently).toBe('INITIATED');
    expect(await statusOf(first)).toBe('PROPOSED');
    await expect.poll(() => page.title(), patiently).toBe('(1) Decide · Baton');

    await pages(page).getByRole('link', { name: 'Tools' }).click();
    const asks = await session('cy', { title: 'Not clear' });
    await run(askPerson, { sessionId: asks, question: 'Which one?', options: ['This', 'That'] });
    await expect
      .poll(async () => (await said(page)).at(-1), patiently)
      .toBe('Not clear: cy asks a question and waits: answer it. Which one?');
    await session(null, { title: 'Nobody has it' });
    await expect.poll(async () => (await said(page)).at(-1), patiently).toMatch(/^Nobody has it: No agent has held it/);
    await expect.poll(() => page.title(), patiently).toBe('(3) Tools · Baton');

    await attention.click();
    await notices.locator('summary').click();
    await notices.getByRole('checkbox', { name: 'No holder' }).uncheck();
    await expect.poll(() => page.title(), patiently).toBe('(2) Needs attention · Baton');
    await pages(page).getByRole('link', { name: 'Tools' }).click();
    await session(null, { title: 'Nobody has it either' });
    await proposed('To be approved, last');
    await expect.poll(async () => (await said(page)).at(-1), patiently).toBe(`To be approved, last: ${proposal}`);
    expect((await said(page)).filter((each) => each.includes('either'))).toEqual([]);
    await expect.poll(() => page.title(), patiently).toBe('(3) Tools · Baton');
    await expect.poll(() => attention.textContent(), patiently).toMatch(/5 to look at/);

    await attention.click();
    await notices.locator('summary').click();
    await notices.getByLabel('Mute').selectOption({ label: 'for 8 hours' });
    await expect.poll(() => page.title(), patiently).toBe('Needs attention · Baton');
    await expect.poll(icon, patiently).toBe('/icon.svg');
    await page.reload();
    await page.locator('details', { hasText: 'Muted' }).waitFor();
    await expect.poll(() => attention.textContent(), patiently).toMatch(/5 to look at/);
    expect(await page.title()).toBe('Needs attention · Baton');
    expect(await said(page)).toEqual([]);
    expect(faults).toEqual([]);
  }, 120_000);

  it('hears, as an agent, of each handoff to it', async () => {
    const secret = await secretFor(db.pool, 'AGENT', 'dan');
    const { page, faults } = await visit('/agents');
    await page.addInitScript((key) => sessionStorage.setItem('baton.key', key), secret);
    await withNotifications(page);
    await inbox(page).click();
    await page.getByRole('button', { name: 'Notify me' }).click();
    await page.getByRole('button', { name: 'Notifies of new handoffs', pressed: true }).waitFor();
    await look(page, 'inbox-notifies');
    await pages(page).getByRole('link', { name: 'Tools' }).click();
    await page.locator('[data-live="live"]').waitFor();
    await given('For dan', 'dan');
    await given('For bob');
    await expect.poll(() => page.title(), patiently).toBe('(1) Tools · Baton');
    expect(await said(page)).toEqual(['Handoff to dan: For dan']);
    await press(page, 0);
    await expect.poll(() => new URL(page.url()).pathname, patiently).toMatch(/^\/handoffs\/handoff_/);
    await inbox(page).click();
    await expect.poll(() => page.title(), patiently).toBe('Inbox of dan · Baton');
    expect(faults).toEqual([]);
  }, 90_000);

  it('sees which sessions have changed since the last look, and marks them as seen one by one or all', async () => {
    const [one] = [await given('Changes once'), await given('Changes too'), await given('Stays')];
    const { page, faults } = await visit('/sessions');
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
