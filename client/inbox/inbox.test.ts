import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeId } from '../../server/core/ids.ts';
import { chooseAgent, look, openBrowser, patiently, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { client } from '../../test/graphql.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session, turn, reassign } = world(db.pool);
const api = client(url);

let visit: (path: string, options?: BrowserContextOptions) => Promise<Visit>;
let go: (path: string) => Promise<Visit>;

beforeAll(async () => {
  await agent('claude-1', { maxCapacity: 50 });
  await agent('codex-1', { type: 'CODEX', maxCapacity: 50 });
  await agent('quiet-1');
  ({ visit, go } = await openBrowser(url));
}, 300_000);

const evil = '<img src=x onerror="document.title=\'broken in\'"> [go](javascript:alert(1))';

/** A session that claude-1 handed to codex-1, waiting; the id of its handoff. */
async function given(title: string): Promise<string> {
  const id = await session('claude-1', { title });
  await turn(id);
  await reassign(id, { agentId: 'codex-1', reason: `Why: ${title}`, summary: `Half of ${title} is done. ${evil}` });
  const { data } = await api.post<{ session: { lastHandoff: { id: string } } }>(
    'query ($id: ID!) { session(id: $id) { lastHandoff { id } } }',
    { id: encodeId('session', id) },
  );
  return data.session.lastHandoff.id;
}

const row = (page: Page, title: string) => page.getByRole('listitem').filter({ hasText: title });

async function statusOf(id: string): Promise<unknown> {
  const { data } = await api.post<{ handoff: object }>(
    'query ($id: ID!) { handoff(id: $id) { status rejectionReason session { agent { id } } } }',
    { id },
  );
  return data.handoff;
}

describe('the inbox', () => {
  it('shows waiting handoffs, oldest first, with age and deadline, and recorded markup as text', async () => {
    await given('First come');
    await given('Second come');
    const { page, faults } = await go('/inbox/codex-1');
    await row(page, 'First come').waitFor();
    expect(await page.getByRole('heading', { level: 3 }).allTextContents()).toEqual(
      expect.arrayContaining(['First come', 'Second come']),
    );
    const text = await row(page, 'First come').textContent();
    expect(text).toMatch(
      /from.*claude-1.*Waiting.*Why: First come.*Half of First come is done.*started just now.*deadline in (29|30) min/,
    );
    expect(text).toContain(evil);
    expect(await page.locator('main img').count()).toBe(0);
    // Its colour changes as it comes near.
    const deadline = row(page, 'First come').locator('[data-near]');
    const colour = () => deadline.evaluate((element) => getComputedStyle(element).color);
    const far = await colour();
    await look(page, 'inbox');
    await db.pool.query(
      "UPDATE handoffs SET deadline_at = now() + interval '4 minutes' WHERE reason = 'Why: First come'",
    );
    await page.reload();
    await deadline.getByText('deadline very soon:').waitFor();
    expect(await colour()).not.toBe(far);
    await row(page, 'First come')
      .getByText(/Waiting, [34] min left/)
      .waitFor();
    expect(faults).toEqual([]);
  }, 120_000);

  it('accepts a handoff, then completes it, and moves its row', async () => {
    const id = await given('To be taken');
    const { page, faults } = await visit('/inbox/codex-1');
    await page.getByRole('button', { name: 'Accept "To be taken"' }).click();
    const complete = page
      .getByRole('region', { name: /Accepted, not started/ })
      .getByRole('button', { name: 'Complete "To be taken"' });
    await complete.waitFor();
    expect(await statusOf(id)).toMatchObject({ status: 'ACCEPTED' });
    await complete.click();
    await expect.poll(() => row(page, 'To be taken').count(), patiently).toBe(0);
    expect(await statusOf(id)).toMatchObject({ status: 'COMPLETED', session: { agent: { id: 'codex-1' } } });
    expect(faults).toEqual([]);
  }, 120_000);

  it('rejects a handoff with a reason by keyboard, and returns the focus to the page', async () => {
    const id = await given('To be declined');
    const { page, faults } = await visit('/inbox/codex-1');
    await page.getByRole('button', { name: 'Reject "To be declined"' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Reject the handoff' });
    await dialog.getByText("returns to 'claude-1' if it has room").waitFor();
    expect(await dialog.getByRole('button', { name: 'Reject' }).getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.type('The tests are missing');
    await look(page, 'inbox-reject');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => row(page, 'To be declined').count(), patiently).toBe(0);
    expect(await statusOf(id)).toEqual({
      status: 'REJECTED',
      rejectionReason: 'The tests are missing',
      session: { agent: { id: 'claude-1' } },
    });
    await expect.poll(() => page.evaluate(() => document.activeElement?.id), patiently).toBe('main');
    expect(faults).toEqual([]);
  }, 120_000);

  it('shows a refusal of the server, and keeps the typed reason', async () => {
    const id = await given('Gone meanwhile');
    const { page } = await go('/inbox/codex-1');
    await page.getByRole('button', { name: 'Reject "Gone meanwhile"' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('Too late');
    await api.post('mutation ($id: ID!) { acceptHandoff(input: { handoffId: $id }) { __typename } }', { id });
    await dialog.getByRole('button', { name: 'Reject' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/ACCEPTED/)
      .waitFor();
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('Too late');
    await look(page, 'inbox-refused');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }, 120_000);

  it('shows all agents to an operator, filters by agent, and has a text for an empty inbox', async () => {
    const { page } = await go('/inbox');
    await row(page, 'First come').waitFor();
    expect(await row(page, 'First come').textContent()).toMatch(/claude-1.*to.*codex-1/);
    await chooseAgent(page, 'quiet-1');
    await page.getByText('Every handoff to quiet-1 was answered.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/inbox/quiet-1');
    await look(page, 'inbox-empty');
  }, 120_000);

  it('fits on a narrow screen', async () => {
    const { page } = await visit('/inbox', { viewport: { width: 390, height: 844 } });
    await row(page, 'First come').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await look(page, 'inbox-narrow');

    // Back from the last link to the first: none is left below the header.
    await page.locator('main a').last().focus();
    const tops: number[] = [];
    for (let press = 0; press < 12; press += 1) {
      await page.keyboard.press('Shift+Tab');
      tops.push(
        await page.evaluate(
          () =>
            document.activeElement!.getBoundingClientRect().top -
            document.querySelector('header')!.getBoundingClientRect().bottom,
        ),
      );
    }
    expect(Math.min(...tops)).toBeGreaterThanOrEqual(0);
  }, 120_000);
});
