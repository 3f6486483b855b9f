import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeId } from '../../server/core/ids.ts';
import { completeSession } from '../../server/work/sessions/changeSession.ts';
import { look, openBrowser, patiently, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session, pipeline, advance, run } = world(db.pool);

let visit: (path: string, options?: BrowserContextOptions) => Promise<Visit>;
let go: (path: string) => Promise<Visit>;
beforeAll(async () => {
  await agent('writer-1', { role: 'write', maxCapacity: 50 });
  await pipeline('papers', ['write DONE review', 'review APPROVE end', 'review REJECT write']);
  ({ visit, go } = await openBrowser(url));
}, 300_000);

const longest = `https://example.com/${'w'.repeat(480)}`;
const waiting = (title: string, fields: object = {}) =>
  session(null, { title, agentType: 'GEMINI', queue: true, ...fields });
const rows = (page: Page) => page.locator('[data-waiting]');
const row = (page: Page, title: string) => rows(page).filter({ hasText: title });
const titles = async (page: Page): Promise<string[]> => rows(page).locator('td:nth-child(2) > a').allInnerTexts();
const entry = (page: Page) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: /^Queue/ });

describe('the queue page', () => {
  it('says what would appear, and shows each session as soon as it waits, with the reason', async () => {
    const { page, faults } = await go('/queue');
    await page.getByText('No session waits.').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await entry(page).innerText()).toBe('Queue');
    await look(page, 'queue-empty');

    const paper = await session('writer-1', { title: 'A paper', pipeline: 'papers' });
    await advance(paper, 'DONE', { reason: 'All chapters are written' });
    await row(page, 'A paper').waitFor();
    const text = (await row(page, 'A paper').innerText()).replace(/\s+/g, ' ');
    expect(text).toMatch(
      /^1 A paper Stage review of papers left by .*writer-1 All chapters are written an agent with the role review /,
    );
    await expect.poll(() => entry(page).innerText(), patiently).toMatch(/^Queue\s+1/);
    expect(await row(page, 'A paper').getByRole('link', { name: 'papers' }).getAttribute('href')).toBe(
      '/pipelines/papers',
    );
    expect(await row(page, 'A paper').getByRole('link', { name: 'A paper' }).getAttribute('href')).toBe(
      `/sessions/${encodeId('session', paper)}`,
    );

    // The agent that it waits for: the row goes, and so does the number.
    await agent('reviewer-1', { role: 'review', maxCapacity: 1 });
    await page.getByText('No session waits.').waitFor();
    await expect.poll(() => entry(page).innerText(), patiently).toBe('Queue');
    expect(faults).toEqual([]);
  }, 120_000);

  it('changes the priority by keyboard, moves the row, keeps the focus, and says how far waiting has raised it', async () => {
    await waiting('First come');
    const second = await waiting('Second come');
    const third = await waiting('Third come', { priority: 'LOW' });
    await db.pool.query(
      `UPDATE queue_entries SET queued_at = queued_at - interval '46 minutes', effective_at = effective_at - interval '46 minutes' WHERE session_id = $1`,
      [third],
    );
    const { page, faults } = await go('/queue');
    // The page may show what it read for the test before until it has read the queue again.
    await expect.poll(() => titles(page), patiently).toEqual(['Third come', 'First come', 'Second come']);
    expect(await row(page, 'Third come').innerText()).toContain('+1.5 levels by waiting');
    expect(await row(page, 'First come').innerText()).not.toContain('by waiting');

    const select = page.getByLabel('Priority of Second come');
    await select.focus();
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => titles(page), patiently).toEqual(['Second come', 'Third come', 'First come']);
    await expect.poll(() => select.inputValue(), patiently).toBe('HIGH');
    expect(await select.evaluate((field) => field === document.activeElement)).toBe(true);
    expect((await db.pool.query('SELECT priority FROM sessions WHERE id = $1', [second])).rows).toEqual([
      { priority: 'HIGH' },
    ]);
    expect(await rows(page).locator('td:first-child').allInnerTexts()).toEqual(['1', '2', '3']);
    expect(faults).toEqual([]);
  }, 120_000);

  it('filters by role, type and escalation, and the address keeps the filters', async () => {
    await waiting(longest, { agentType: 'CODEX', priority: 'URGENT' });
    const escalated = await waiting('Nobody accepted it');
    await db.pool.query('UPDATE queue_entries SET escalated = true WHERE session_id = $1', [escalated]);
    const { page, faults } = await go('/queue');
    await row(page, 'Nobody accepted it').waitFor();
    expect(await row(page, 'Nobody accepted it').innerText()).toMatch(
      /^No holder[^]*an operator, who chooses its agent/,
    );
    await look(page, 'queue');
    await page.getByLabel('Waiting for an operator only').check();
    await expect.poll(() => titles(page), patiently).toEqual(['Nobody accepted it']);
    expect(new URL(page.url()).search).toBe('?escalated=1');
    await page.getByLabel('Waiting for an operator only').uncheck();
    await page.getByLabel('Type').fill('codex');
    await page.keyboard.press('Enter');
    await expect.poll(() => titles(page), patiently).toEqual([longest]);
    await page.reload();
    await row(page, 'https://example.com').waitFor();
    await page.getByLabel('Role').fill('review');
    await page.keyboard.press('Tab');
    await page.getByText('No waiting session matches.').waitFor();
    expect(new URL(page.url()).search).toBe('?role=review&type=CODEX');
    expect(faults).toEqual([]);
  }, 120_000);

  it('pages through many, and a change above fills the pages up', async () => {
    await agent('editor-1', { type: 'EDITOR', maxCapacity: 1 });
    const held = await session('editor-1', { title: 'Held' });
    for (let count = 1; count <= 30; count += 1) await waiting(`Number ${count}.`, { agentType: 'EDITOR' });
    const { page, faults } = await visit('/queue?type=EDITOR', { viewport: { width: 390, height: 844 } });
    await page.getByText('25 of 30 waiting sessions').waitFor();
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByText('30 of 30 waiting sessions').waitFor();
    const numbered = (from: number) => Array.from({ length: 31 - from }, (_, index) => `Number ${index + from}.`);
    expect(await titles(page)).toEqual(numbered(1));
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await look(page, 'queue-narrow');
    await page.getByText('Live', { exact: true }).waitFor();
    await run(completeSession, { sessionId: held, result: null, summary: null, expectedVersion: null });
    await expect.poll(() => titles(page), patiently).toEqual(numbered(2));
    expect(await rows(page).first().locator('td').first().innerText()).toBe('1');
    expect(faults).toEqual([]);
  }, 120_000);
});
