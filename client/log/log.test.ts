import { readFile } from 'node:fs/promises';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeId } from '../../server/core/ids.ts';
import { chooseAgent, look, openBrowser, patiently, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { send } from '../../test/graphql.ts';
import { realDataFolder, realPath } from '../../test/realData.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session, turn, reassign } = world(db.pool);

let visit: (path: string, options?: BrowserContextOptions) => Promise<Visit>;
let long: string;
const longest = `The longest: ${'lorem ipsum dolor sit amet\n'.repeat(2_000)}and its very end.`;

beforeAll(async () => {
  await agent('claude-1');
  await agent('codex-1', { type: 'CODEX' });
  long = await session('claude-1', { title: 'A long log' });
  for (let index = 1; index <= 10; index += 1) {
    const messages = Array.from({ length: 10 }, (_, at) => ({ role: at % 2 === 0 ? ('USER' as const) : ('ASSISTANT' as const), content: `Message number ${(index - 1) * 10 + at + 1}.` }));
    await turn(long, { messages });
  }
  await turn(long, { messages: [{ role: 'ASSISTANT', content: longest }] });
  ({ visit } = await openBrowser(url));
}, 300_000);

const pathOf = (uuid: string): string => `/sessions/${encodeId('session', uuid)}`;
const conversation = (page: Page) => page.getByRole('region', { name: 'Conversation' });
const numbers = (page: Page): Promise<number[]> => conversation(page).locator('li[id^="message-"]').evaluateAll((entries) => entries.map(({ id }) => Number(id.slice('message-'.length))));
const distanceToEnd = (page: Page): Promise<number> => conversation(page).evaluate((region) => region.scrollHeight - region.clientHeight - region.scrollTop);
const upTo = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe('the log of a session', () => {
  it('shows the newest page first, scrolled to its end', async () => {
    const { page, faults } = await visit(pathOf(long));
    await conversation(page).locator('#message-101').waitFor();
    expect(await numbers(page)).toEqual(upTo(62, 101));
    await expect.poll(() => distanceToEnd(page), patiently).toBeLessThan(2);
    expect(faults).toEqual([]);
  }, 120_000);

  it('adds older pages above, and keeps the scroll position', async () => {
    const { page } = await visit(pathOf(long));
    await conversation(page).locator('#message-101').waitFor();
    const older = conversation(page).getByRole('button', { name: 'Older messages' });
    await older.scrollIntoViewIfNeeded();
    const placeOf62 = () => conversation(page).locator('#message-62').evaluate((entry) => entry.getBoundingClientRect().top);
    const before = await placeOf62();
    await older.click();
    await conversation(page).locator('#message-22').waitFor({ state: 'attached' });
    await expect.poll(async () => Math.abs((await placeOf62()) - before), patiently).toBeLessThan(40);
    expect(await numbers(page)).toEqual(upTo(22, 101));
    await older.click();
    await conversation(page).getByText('The conversation begins here.').waitFor({ state: 'attached' });
    expect(await numbers(page)).toEqual(upTo(1, 101));
  }, 120_000);

  it('folds a long message, and shows the rest on request', async () => {
    const { page } = await visit(pathOf(long));
    const entry = conversation(page).locator('#message-101');
    const more = entry.getByRole('button', { name: /^Show all of it/ });
    await more.waitFor();
    expect((await entry.textContent())!.length).toBeLessThan(2_000);
    await more.click();
    await expect.poll(() => entry.textContent(), patiently).toContain('and its very end.');
    await entry.getByRole('button', { name: 'Show less' }).click();
    await more.waitFor();
    await look(page, 'log-folded');
  }, 120_000);

  it('adds the messages written before a move, without reading the page again', async () => {
    const uuid = await session('claude-1', { title: 'A log that grows' });
    await turn(uuid, { messages: [{ role: 'ASSISTANT', content: 'Before.' }] });
    const { page } = await visit(pathOf(uuid));
    await conversation(page).getByText('Before.').waitFor();
    await turn(uuid, { messages: [{ role: 'ASSISTANT', content: 'Meanwhile.' }] });
    await reassign(uuid, { agentId: 'codex-1', reason: 'Go on' });
    // The page knows of the move: one of an older state would be refused.
    await page.getByText('codex-1').first().waitFor();
    await page.getByRole('button', { name: 'Reassign' }).click();
    const dialog = page.getByRole('dialog');
    await chooseAgent(dialog, 'claude-1');
    await dialog.getByRole('button', { name: 'Reassign' }).click();
    await conversation(page).getByText('Meanwhile.').waitFor();
    expect(await numbers(page)).toEqual(upTo(1, (await numbers(page)).length));
  }, 120_000);
});

describe.skipIf(realDataFolder === undefined)('the log of a real session', () => {
  it('opens and pages back without a long task', async () => {
    const uuid = await session('claude-1', { title: 'A real log' });
    const id = encodeId('session', uuid);
    const body = await readFile(realPath('claude-code/spotter-8463c716-compact.jsonl'));
    const { status } = await send(`${url}/sessions/${id}/transcript`, { method: 'POST', headers: { 'content-type': 'application/x-ndjson' }, body });
    expect(status).toBe(200);
    const { page, faults } = await visit('/');
    await page.addInitScript(() => {
      const pauses: number[] = [];
      Object.assign(window, { pauses });
      new PerformanceObserver((list) => pauses.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask', buffered: true });
    });
    await page.goto(`${url}/sessions/${id}`);
    await conversation(page).locator('#message-81').waitFor();
    await conversation(page).getByText(/tool calls?/).first().waitFor();
    await conversation(page).getByRole('button', { name: 'Older messages' }).click();
    await conversation(page).locator('#message-2').waitFor({ state: 'attached' });
    const pauses = await page.evaluate(() => (window as unknown as { pauses: number[] }).pauses);
    console.log(`long tasks on a real log (ms): ${pauses.map(Math.round).join(', ') || 'none'}`);
    expect(Math.max(0, ...pauses)).toBeLessThan(1_000);
    await look(page, 'log-real');
    expect(faults).toEqual([]);
  }, 180_000);
});
