import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { encodeId } from '../../server/core/ids.ts';
import { look, noticeOf, openBrowser, patiently, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session, initiate, reassign, turn } = world(db.pool);
let visit: (path: string) => Promise<Visit>;
let path = '';

beforeAll(async () => {
  await agent('ada', { maxCapacity: 20, collaborators: [] });
  await agent('bob', { maxCapacity: 20 });
  const sessionId = await session('ada', { title: 'Refund the double invoice' });
  path = `/sessions/${encodeId('session', sessionId)}`;
  await turn(sessionId, { messages: [{ role: 'ASSISTANT', content: 'The ledger counts the voucher twice.' }] });
  await db.pool.query(`INSERT INTO agent_collaborators (agent_id, collaborator_id, position) VALUES ('ada', 'bob', 0)`);
  await initiate(sessionId, 'bob', { reason: 'Knows the ledger' });
  ({ visit } = await openBrowser(url));
});

const field = (page: Page) => page.getByRole('combobox', { name: /Search for sessions/ });
const options = (page: Page) => page.getByRole('dialog').getByRole('option');
const says = (page: Page) => page.getByRole('dialog').getByRole('status');
/** What a screen reader says of the option that the keyboard points at. */
const pointedAt = (page: Page) =>
  page.evaluate(
    () =>
      document.getElementById(document.activeElement?.getAttribute('aria-activedescendant') ?? '')?.textContent ?? '',
  );

it('the palette finds records, goes to pages and acts, by the keyboard alone', async () => {
  const { page, faults } = await visit('/sessions');
  await page.getByText('Refund the double invoice').first().waitFor();
  await page.keyboard.press('Control+k');
  await field(page).waitFor();
  expect(await field(page).evaluate((input) => input === document.activeElement)).toBe(true);
  expect(await pointedAt(page)).toContain('New session');

  // Words of a message; the arrows and End choose.
  await page.keyboard.type('ledger voucher');
  await expect.poll(() => says(page).textContent(), patiently).toBe('1 result');
  expect(await options(page).textContent()).toContain('The ledger counts the voucher twice.');
  expect(await options(page).locator('mark').allTextContents()).toEqual(['ledger', 'voucher']);
  await field(page).fill('ledger');
  await expect.poll(() => options(page).count(), patiently).toBe(2);
  await page.keyboard.press('End');
  await expect.poll(() => pointedAt(page), patiently).toContain('Message');
  await page.keyboard.press('Home');
  await expect.poll(() => pointedAt(page), patiently).toContain('Handoff');
  await look(page, 'palette');

  // Nothing; then an id, whose page opens.
  await field(page).fill('nothing of this kind');
  await expect.poll(() => says(page).textContent(), patiently).toBe('Nothing matches.');
  await field(page).fill(`${url}${path}`);
  await expect.poll(() => options(page).count(), patiently).toBe(1);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Refund the double invoice' }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  // The page has the focus, also once it has replaced its placeholder.
  await expect.poll(() => page.evaluate(() => document.activeElement?.id), patiently).toBe('main');

  // What the page offers.
  await page.keyboard.press('Control+k');
  await field(page).fill('reassign');
  await expect.poll(() => pointedAt(page), patiently).toContain('Reassign this session');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: /Reassign/ }).waitFor();
  // It does not open over another dialog.
  await page.keyboard.press('Control+k');
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count(), patiently).toBe(0);
  await page.keyboard.press('Control+k');
  await field(page).fill('accept this');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /^Complete/ }).waitFor();

  // A setting, a page, and from there back to a recent place.
  await page.keyboard.press('Control+k');
  await field(page).fill('dark');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Theme: dark. Change to system' }).waitFor();
  await page.keyboard.press('Control+k');
  await field(page).fill('graph');
  await page.keyboard.press('Enter');
  await expect.poll(() => new URL(page.url()).pathname, patiently).toBe('/graph');
  await page.keyboard.press('Control+k');
  await expect.poll(() => pointedAt(page), patiently).toContain('Refund the double invoice');
  // What only the page before could do is gone.
  await field(page).fill('reassign this');
  await expect.poll(() => says(page).textContent(), patiently).toBe('Nothing matches.');
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count(), patiently).toBe(0);
  expect(faults).toEqual([]);
}, 180_000);

it('quick keys go through a list, open, accept and reject there, search, and go to pages', async () => {
  await agent('eve', { maxCapacity: 20 });
  for (const title of ['The first of all', 'The second of all', 'The third of all'])
    await reassign(await session('ada', { title }), { agentId: 'eve' });
  const { page, faults } = await visit('/inbox/eve');
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
  await page.getByRole('link', { name: 'The third of all', exact: true }).waitFor();
  // The page is there before the code of the keys: a press before that does nothing.
  const first = async () => {
    if ((await focused()) !== 'The first of all') await page.keyboard.press('j');
    return focused();
  };
  await expect.poll(first, patiently).toBe('The first of all');
  // Without a row that has the focus, nothing is accepted.
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.keyboard.press('a');
  await page.keyboard.press('j');
  await expect.poll(focused, patiently).toBe('The first of all');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await expect.poll(focused, patiently).toBe('The second of all');
  await page.keyboard.press('a');
  await page
    .getByRole('button', { name: 'Complete "The second of all"' })
    .or(noticeOf(page, /accepted/))
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Accept "The first of all"' }).waitFor();
  await page.getByRole('link', { name: 'The third of all', exact: true }).focus();
  await page.keyboard.press('r');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').first().fill('Not mine: a j k o');
  // Ctrl-Enter sends any dialog.
  await page.keyboard.press('Control+Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'The third of all', exact: true }).waitFor({ state: 'detached' });

  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await expect.poll(() => new URL(page.url()).pathname, patiently).toBe('/sessions');
  await page.getByRole('link', { name: 'The first of all', exact: true }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('first of');
  await expect.poll(() => page.locator('[data-session]').count(), patiently).toBe(1);
  await page.keyboard.press('Escape');
  await page.getByRole('searchbox').blur();
  await page.keyboard.press('j');
  await expect.poll(focused, patiently).toBe('The first of all');
  await page.keyboard.press('o');
  await page.getByRole('heading', { name: 'The first of all' }).waitFor();
  await page.keyboard.press('r');
  await page.getByRole('dialog', { name: 'Reassign "The first of all"' }).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  // One dialog has them all.
  await page.keyboard.press('?');
  await dialog.getByText('s Sessions', { exact: false }).waitFor();
  await dialog.getByText('Go to the next or the previous row of a list').waitFor();
  await look(page, 'quick-keys');
  expect(faults).toEqual([]);
}, 120_000);

it('a view is saved by name, renamed, opened from the palette, and deleted', async () => {
  const { page, faults } = await visit('/sessions?unassigned=1&sort=activity');
  const views = page.getByRole('group', { name: 'Saved views' });
  await views.getByRole('button', { name: /Save this view/ }).click();
  await page.keyboard.press('Enter');
  await views.getByRole('alert').getByText('Give the view a name.').waitFor();
  await page.keyboard.type('Nobody has it');
  await page.keyboard.press('Enter');
  await views.getByRole('link', { name: 'Nobody has it' }).waitFor();
  await views.getByRole('button', { name: /^Rename/ }).click();
  await views.getByRole('textbox').fill('Unheld');
  await page.keyboard.press('Enter');
  await views.getByRole('link', { name: 'Unheld' }).waitFor();
  await look(page, 'saved-view');
  // After a reload it is still there; the palette opens it.
  await page.goto(`${url}/sessions`);
  await views.getByRole('link', { name: 'Unheld' }).waitFor();
  await page.keyboard.press('Control+k');
  await field(page).fill('unheld');
  await expect.poll(() => pointedAt(page), patiently).toContain('Unheld');
  await page.keyboard.press('Enter');
  await expect.poll(() => new URL(page.url()).search, patiently).toBe('?unassigned=1&sort=activity');
  await views.getByRole('button', { name: /^Delete/ }).click();
  await views.getByRole('link').waitFor({ state: 'detached' });
  // The list of handoffs has its own.
  await page.goto(`${url}/handoffs?target=bob`);
  await views.getByRole('button', { name: /Save this view/ }).click();
  await page.keyboard.type('To bob');
  await page.keyboard.press('Enter');
  await views.getByRole('link', { name: 'To bob' }).waitFor();
  await page.goto(`${url}/sessions`);
  await page.getByText('Refund the double invoice').first().waitFor();
  expect(await views.count()).toBe(0);
  await page.keyboard.press('Control+k');
  await field(page).fill('to bob view');
  await page.keyboard.press('Enter');
  await expect
    .poll(() => new URL(page.url()).pathname + new URL(page.url()).search, patiently)
    .toBe('/handoffs?target=bob');
  expect(faults).toEqual([]);
}, 120_000);

it('`?` shows the shortcuts, but not while typing, and a failed search can be repeated', async () => {
  const { page, faults } = await visit('/sessions');
  await page.getByText('Refund the double invoice').first().waitFor();
  await page.getByLabel('Search the titles').press('?');
  expect(await page.getByRole('dialog').count()).toBe(0);
  // A box takes no text.
  await page.getByRole('checkbox', { name: 'Select Refund the double invoice' }).press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('⌘ K').waitFor();
  await look(page, 'shortcuts');
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count(), patiently).toBe(0);

  let isBroken = true;
  await page.route('**/graphql', (route) =>
    isBroken && route.request().postData()?.includes('PaletteSearch') ? route.abort() : route.fallback(),
  );
  await page.getByRole('button', { name: /^Search/ }).click();
  await field(page).fill('voucher');
  await expect.poll(() => says(page).textContent(), patiently).toBe('The search failed.');
  isBroken = false;
  await page.getByRole('dialog').getByRole('button', { name: /again/i }).click();
  await expect.poll(() => says(page).textContent(), patiently).toBe('1 result');

  // Results of an earlier text are not shown while the next search runs.
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.unroute('**/graphql');
  await page.route('**/graphql', (route) => released.then(() => route.fallback()));
  await field(page).fill('ledger');
  await expect.poll(() => options(page).count(), patiently).toBe(0);
  expect(await says(page).textContent()).toBe('Searching …');
  release();
  await expect.poll(() => says(page).textContent(), patiently).toBe('2 results');
  expect(faults).toEqual([]);
}, 120_000);
