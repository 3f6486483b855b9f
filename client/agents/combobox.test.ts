import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { look, noticeOf, openBrowser, patiently, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { client } from '../../test/graphql.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session } = world(db.pool);
const api = client(url);

let visit: (path: string) => Promise<Visit>;
let go: (path: string) => Promise<Visit>;

const nameOf = (number: number) => `agent-${String(number).padStart(3, '0')}`;

// More than two pages of them.
beforeAll(async () => {
  for (let number = 1; number <= 249; number += 1) await agent(nameOf(number), { maxCapacity: number === 240 ? 1 : 5 });
  await agent(nameOf(250), { type: 'RARE' });
  await session(nameOf(240), { title: 'Fills it' });
  await session(nameOf(1), { title: 'To be moved' });
  await api.post('mutation { setAgentStatus(input: { id: "agent-245", status: OFFLINE }) { __typename } }');
  ({ visit, go } = await openBrowser(url));
}, 300_000);

const field = (within: Page | Locator) => within.getByRole('combobox', { name: 'Agent' });
/** What a screen reader says of the option that the keyboard points at. */
const pointedAt = (page: Page) =>
  page.evaluate(
    () => document.getElementById(document.activeElement?.getAttribute('aria-activedescendant') ?? '')?.textContent,
  );

describe('the choice of an agent among 250', () => {
  it('loads further agents while the keyboard moves down, to the last', async () => {
    const { page, faults } = await visit('/sessions');
    await field(page).focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: /agent-100/ }).waitFor();
    expect(await page.getByRole('option', { name: /agent-101/ }).count()).toBe(0);
    expect(await page.getByRole('option').first().textContent()).toBe('Any agent');
    expect(await page.getByRole('option').first().getAttribute('aria-setsize')).toBe('-1');
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return pointedAt(page);
      }, patiently)
      .toContain('agent-250');
    await expect.poll(() => page.getByRole('option').count(), patiently).toBe(251);
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).search, patiently).toBe('?agent=agent-250');
    expect(await field(page).inputValue()).toBe('agent-250');
    await page.getByText('No session matches.').waitFor();
    // And back to all of them.
    await field(page).fill('');
    await page.keyboard.press('Enter');
    await page.getByText('2 of 2 sessions').waitFor();
    expect(faults).toEqual([]);
  }, 120_000);

  it('loads further agents while it is scrolled', async () => {
    const { page } = await go('/sessions');
    await field(page).click();
    await page.getByRole('option', { name: /agent-100/ }).scrollIntoViewIfNeeded();
    await page.getByRole('option', { name: /agent-101/ }).waitFor();
    await look(page, 'agent-choice');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('option').count(), patiently).toBe(0);
  }, 90_000);

  it('finds an agent by name or type before it is loaded', async () => {
    const { page } = await go('/sessions');
    await field(page).focus();
    await page.keyboard.type('agent-237');
    await page.getByText('1 of 250 agents').waitFor();
    expect(await pointedAt(page)).toContain('agent-237');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).search, patiently).toBe('?agent=agent-237');
    await field(page).fill('rare');
    await page.getByRole('option', { name: /agent-250/ }).waitFor();
    await field(page).fill('nobody');
    await page.getByText('None of 250 agents matches.').waitFor();
    // Who leaves without choosing keeps what was.
    await page.keyboard.press('Tab');
    await expect.poll(() => field(page).inputValue(), patiently).toBe('agent-237');
    expect(new URL(page.url()).search).toBe('?agent=agent-237');
  }, 90_000);

  it('shows free places in the reassign dialog, and why full and offline agents cannot be chosen', async () => {
    const { page, faults } = await visit('/sessions');
    await page.getByRole('button', { name: 'Reassign "To be moved"' }).click();
    const dialog = page.getByRole('dialog');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('role')), patiently)
      .toBe('combobox');
    await page.keyboard.type('agent-24');
    await dialog.getByText('10 of 250 agents').waitFor();
    await look(page, 'reassign-search');
    const listed = await dialog.getByRole('option').allTextContents();
    expect(listed.find((text) => text.includes('agent-240'))).toMatch(/Full: 1 of 1.*1 of 1 places taken, 0 free/);
    expect(listed.find((text) => text.includes('agent-241'))).toMatch(/0 of 5 places taken, 5 free/);
    // The keyboard gets to those too, and hears why; they are not taken.
    await page.keyboard.press('ArrowDown');
    expect(await pointedAt(page)).toMatch(/agent-240.*Full/);
    await page.keyboard.press('Enter');
    expect(await dialog.getByRole('option', { selected: true }).count()).toBe(0);
    for (let step = 0; step < 5; step += 1) await page.keyboard.press('ArrowDown');
    expect(await pointedAt(page)).toMatch(/agent-245.*Offline: takes no sessions/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await dialog.getByRole('option', { name: /agent-246/, selected: true }).waitFor();
    // What was chosen stays in sight while another is looked for.
    await field(dialog).fill('agent-250');
    await dialog.getByRole('option', { name: /agent-250/ }).waitFor();
    await expect.poll(() => dialog.getByRole('option').count(), patiently).toBe(2);
    await dialog.getByRole('button', { name: 'Reassign' }).click();
    await noticeOf(page, "'agent-246' holds the session now").waitFor();
    expect(faults).toEqual([]);
  }, 90_000);

  it('sums the free places of all agents of a type', async () => {
    await session(nameOf(1), { title: 'By type' });
    const { page } = await go('/sessions?q=by+type');
    await page.getByRole('button', { name: 'Reassign "By type"' }).click();
    await page.getByText('Any of a type').click();
    const { rows } = await db.pool.query<{ free: string }>(
      "SELECT sum(max_capacity - current_load) AS free FROM agents WHERE type = 'CLAUDE' AND administrative_status = 'AVAILABLE' AND id <> 'agent-001'",
    );
    await expect
      .poll(() => page.getByLabel('Type', { exact: true }).locator('option').allTextContents(), patiently)
      .toEqual(['Choose a type', `CLAUDE (${rows[0]!.free} free places)`, 'RARE (5 free places)']);
  }, 60_000);
});
