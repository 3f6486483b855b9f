import { readFile } from 'node:fs/promises';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeId } from '../../server/core/ids.ts';
import { chooseAgent, look, noticeOf, openBrowser, patiently, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { send } from '../../test/graphql.ts';
import { realDataFolder, realPath } from '../../test/realData.ts';
import { startApp } from '../../test/server.ts';
import { toolCall, world } from '../../test/world.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session, turn, reassign } = world(db.pool);

let visit: (path: string, options?: BrowserContextOptions) => Promise<Visit>;
let go: (path: string) => Promise<Visit>;
let long: string;
const longest = `The longest: ${'lorem ipsum dolor sit amet\n'.repeat(2_000)}and its very end.`;

beforeAll(async () => {
  await agent('claude-1');
  await agent('codex-1', { type: 'CODEX' });
  long = await session('claude-1', { title: 'A long log' });
  for (let index = 1; index <= 10; index += 1) {
    const messages = Array.from({ length: 10 }, (_, at) => ({
      role: at % 2 === 0 ? ('USER' as const) : ('ASSISTANT' as const),
      content: `Message number ${(index - 1) * 10 + at + 1}.`,
    }));
    await turn(long, { messages });
  }
  await turn(long, { messages: [{ role: 'ASSISTANT', content: longest }] });
  ({ visit, go } = await openBrowser(url));
}, 300_000);

const pathOf = (uuid: string): string => `/sessions/${encodeId('session', uuid)}`;
const conversation = (page: Page) => page.getByRole('region', { name: 'Conversation' });
const numbers = (page: Page): Promise<number[]> =>
  conversation(page)
    .locator('li[id^="message-"]')
    .evaluateAll((entries) => entries.map(({ id }) => Number(id.slice('message-'.length))));
const distanceToEnd = (page: Page): Promise<number> =>
  conversation(page).evaluate((region) => region.scrollHeight - region.clientHeight - region.scrollTop);

const rowsShown = async (page: Page): Promise<[number, number]> => {
  const shown = await numbers(page);
  return [Math.min(...shown), Math.max(...shown)];
};

describe('the log of a session', () => {
  it('opens at its end, and holds only what is near the screen', async () => {
    const { page, faults } = await visit(pathOf(long));
    await conversation(page).locator('#message-101').waitFor();
    await expect.poll(() => distanceToEnd(page), patiently).toBeLessThan(2);
    const [first, last] = await rowsShown(page);
    expect([first > 40, last]).toEqual([true, 101]);
    expect(await conversation(page).locator('#message-101').getAttribute('aria-setsize')).toBe('101');
    expect(faults).toEqual([]);
  }, 120_000);

  it('goes to the first message, to a number, and back, by keyboard alone', async () => {
    const { page, faults } = await go(pathOf(long));
    await conversation(page).locator('#message-101').waitFor();
    await page.getByRole('button', { name: 'First', exact: true }).focus();
    await page.keyboard.press('Enter');
    await conversation(page).getByText('The conversation begins here.').waitFor();
    await conversation(page).getByText('Message number 1.', { exact: true }).waitFor();
    await page.getByLabel('Number of a message').fill('50');
    await page.keyboard.press('Enter');
    await conversation(page).getByText('Message number 50.', { exact: true }).waitFor();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent ?? ''), patiently)
      .toContain('Message number 50.');
    expect(new URL(page.url()).hash).toBe('#message-50');
    await page.getByLabel('Number of a message').fill('102');
    await page.keyboard.press('Enter');
    await page.getByText('There are messages 1 to 101.').waitFor();
    await page.getByRole('button', { name: 'Last', exact: true }).click();
    await conversation(page).locator('#message-101').waitFor();
    // The first words of a person stay above, and lead to their place.
    const request = page.locator('details', { has: page.getByText('Request', { exact: true }) });
    expect(await request.locator('summary').textContent()).toBe('RequestMessage number 1.');
    await request.locator('summary').press('Enter');
    await request.getByRole('button', { name: 'Go to message 1', exact: true }).press('Enter');
    await conversation(page).locator('#message-1 [data-target="true"]').waitFor();
    expect(faults).toEqual([]);
  }, 120_000);

  it('opens at the message that the address names', async () => {
    const { page } = await visit(`${pathOf(long)}#message-30`);
    const entry = conversation(page).locator('#message-30');
    await entry.getByText('Message number 30.').waitFor();
    await expect.poll(() => entry.locator('[data-target="true"]').count(), patiently).toBe(1);
    const [top, bottom] = await conversation(page).evaluate((region) => [
      region.getBoundingClientRect().top,
      region.getBoundingClientRect().bottom,
    ]);
    await expect.poll(async () => (await entry.boundingBox())!.y, patiently).toBeGreaterThanOrEqual(top - 1);
    expect((await entry.boundingBox())!.y).toBeLessThan(bottom);
    // A link of another message does the same without loading the page.
    await conversation(page).getByRole('link', { name: 'Link to message 31' }).click();
    await conversation(page).locator('#message-31 [data-target="true"]').waitFor();
    expect(page.url()).toMatch(/#message-31$/);
  }, 120_000);

  it('finds messages, goes to the one chosen, and lets the keyboard go on to the next', async () => {
    const { page, faults } = await go(pathOf(long));
    const field = page.getByLabel('Search this conversation');
    await field.fill('number 7');
    await page.getByText('11 found').waitFor();
    const found = page.getByRole('list', { name: 'Found in this conversation' });
    expect(await found.getByRole('button').first().textContent()).toBe('#7UserMessage number 7.');
    await look(page, 'log-search');
    await field.press('Enter');
    await conversation(page).locator('#message-7 [data-target="true"]').waitFor();
    // The field keeps the focus.
    await page.getByText('1 of 11 found').waitFor();
    await page.keyboard.press('Enter');
    await conversation(page).locator('#message-70 [data-target="true"]').waitFor();
    await page.getByText('2 of 11 found').waitFor();
    await page.keyboard.press('Shift+Enter');
    await conversation(page).locator('#message-7 [data-target="true"]').waitFor();
    await field.fill('nothing like this');
    await page.getByText('No message and no call has these words.').waitFor();
    expect(faults).toEqual([]);
  }, 120_000);

  it('opens a call at its link, with the difference of a file', async () => {
    const uuid = await session('claude-1', { title: 'Calls' });
    const edit = toolCall('edit', 'Edit', {
      arguments: { file_path: 'src/a.ts', old_string: 'one\ntwo', new_string: 'one\n2' },
      durationMs: 1_200,
    });
    await turn(uuid, {
      messages: [{ role: 'ASSISTANT', content: '**Bold** words' }],
      toolCalls: [
        ...Array.from({ length: 60 }, (_, index) =>
          toolCall(`c${index}`, 'Bash', { arguments: { command: `step ${index + 1}` } }),
        ),
        edit,
        toolCall('open', 'Read', { result: null }),
      ],
    });
    const { page, faults } = await go(pathOf(uuid));
    const calls = conversation(page).getByRole('list', { name: 'Tool calls' });
    await conversation(page).getByRole('button', { name: 'Show 44 or more further calls' }).waitFor();
    await conversation(page).locator('strong', { hasText: 'Bold' }).waitFor();
    expect(await calls.locator('summary').allTextContents()).toEqual(
      [1, 2, 3, 4, 5, 6].map((step) => `Bashstep ${step}succeeded`),
    );
    await page.goto(`${url}${pathOf(uuid)}#message-1-call-61`);
    const call = conversation(page).locator('#message-1-call-61');
    await call.getByRole('region', { name: 'Changed lines of src/a.ts' }).waitFor();
    expect(await call.locator('summary').textContent()).toBe('Editsrc/a.tssucceeded1 s');
    expect(await call.getByRole('link', { name: 'Link to this call' }).getAttribute('href')).toBe(
      `${pathOf(uuid)}#message-1-call-61`,
    );
    expect(await call.locator('[data-kind="REMOVED"]').last().textContent()).toBe('−two');
    expect(await conversation(page).locator('#message-1-call-62 summary').textContent()).toBe('Readno result');
    await look(page, 'log-call');
    expect(faults).toEqual([]);
  }, 120_000);

  it('finds a call by its result, opens it, and marks the words there', async () => {
    const uuid = await session('claude-1', { title: 'A needle' });
    await turn(uuid, {
      messages: [{ role: 'ASSISTANT', content: 'I look for it.' }],
      toolCalls: [toolCall('a', 'Read', { result: `${'hay\n'.repeat(200)}the needle` })],
    });
    for (let more = 0; more < 30; more += 1) await turn(uuid);
    const { page, faults } = await visit(pathOf(uuid));
    const field = page.getByLabel('Search this conversation');
    await field.fill('needl');
    const found = page.getByRole('list', { name: 'Found in this conversation' }).getByRole('button');
    await found.first().waitFor();
    expect(await found.allTextContents()).toEqual([expect.stringMatching(/^#1Read \(result\)…hay hay .* the needle$/)]);
    await field.press('Enter');
    await conversation(page).locator('#message-1-call-1').getByText('the needle').waitFor();
    const marked = () =>
      page.evaluate(() => [...(CSS.highlights.get('found') ?? [])].map((range) => (range as Range).toString()));
    await expect.poll(marked, patiently).toEqual(['needle']);
    const inView = () =>
      conversation(page).evaluate((region) => {
        const [range] = CSS.highlights.get('found')!;
        const [place, frame] = [(range as Range).getBoundingClientRect(), region.getBoundingClientRect()];
        return place.top >= frame.top && place.bottom <= frame.bottom;
      });
    await expect.poll(inView, patiently).toBe(true);
    await field.press('Escape');
    await expect.poll(marked, patiently).toEqual([]);
    expect(faults).toEqual([]);
  }, 120_000);

  it('folds a long message, and shows the rest on request', async () => {
    const { page } = await go(pathOf(long));
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
    const { page } = await go(pathOf(uuid));
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
    await expect.poll(() => numbers(page), patiently).toEqual([1, 2, 3]);
  }, 120_000);
});

const says = (content: string) => ({ role: 'ASSISTANT' as const, content });

/** Scrolls up from the end of the log. */
const ways: Record<string, (page: Page) => Promise<void>> = {
  'the wheel': async (page) => {
    await conversation(page).hover();
    await page.mouse.wheel(0, -500);
  },
  keys: (page) => conversation(page).press('PageUp'),
  'the focus': (page) =>
    conversation(page).evaluate((region) => region.querySelector<HTMLElement>('li:first-child a')!.focus()),
  // As find-in-page and screen readers do.
  'the browser': (page) =>
    conversation(page).evaluate((region) =>
      region.querySelector('li:first-child')!.scrollIntoView({ block: 'nearest' }),
    ),
};

describe('a reader of a log that grows', () => {
  it.each(Object.keys(ways))(
    'stays after scrolling up by %s, sees how many came, and goes to them',
    async (way) => {
      const reader = `read-by-${way.replaceAll(' ', '-')}`;
      await agent(reader);
      const uuid = await session(reader, { title: `Read by ${way}` });
      await turn(uuid, { messages: Array.from({ length: 40 }, (_, index) => says(`Line ${index + 1}.`)) });
      const { page, faults } = await visit(pathOf(uuid));
      await conversation(page).locator('#message-40').waitFor();
      await page.locator('[data-live="live"]').waitFor();
      await expect.poll(() => distanceToEnd(page), patiently).toBeLessThan(2);
      const came = page.getByRole('button', { name: /new messages?$/ });
      // At the end, a reader follows it.
      await turn(uuid, { messages: [says('Seen at once.')] });
      await conversation(page).getByText('Seen at once.').waitFor();
      await expect.poll(() => distanceToEnd(page), patiently).toBeLessThan(2);
      expect(await came.count()).toBe(0);

      await ways[way]!(page);
      await expect.poll(() => distanceToEnd(page), patiently).toBeGreaterThan(100);
      const place = await conversation(page).evaluate((region) => region.scrollTop);
      await turn(uuid, { messages: [says('One more.')] });
      await page.getByRole('button', { name: '1 new message', exact: true }).waitFor();
      await turn(uuid, { messages: Array.from({ length: 22 }, () => says('And more.')) });
      await page.getByRole('button', { name: '23 new messages', exact: true }).waitFor();
      expect(await conversation(page).evaluate((region) => region.scrollTop)).toBe(place);
      await look(page, `log-${reader}`);

      await came.press('Enter');
      await expect.poll(() => distanceToEnd(page), patiently).toBeLessThan(2);
      await expect.poll(() => came.count(), patiently).toBe(0);
      expect(await conversation(page).evaluate((region) => region === document.activeElement)).toBe(true);
      await turn(uuid, { messages: [says('The very last.')] });
      await conversation(page).getByText('The very last.').waitFor();
      await expect.poll(() => distanceToEnd(page), patiently).toBeLessThan(2);
      expect(await came.count()).toBe(0);
      expect(faults).toEqual([]);
    },
    120_000,
  );

  it('copies the link of a message by its number, and opens the log there', async () => {
    const { page, faults } = await visit(`${pathOf(long)}#message-30`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await conversation(page).getByRole('link', { name: 'Link to message 31' }).click();
    await noticeOf(page, 'The link to message 31 was copied.').waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).toBe(`${url}${pathOf(long)}#message-31`);
    await page.goto('about:blank');
    await page.goto(link);
    await conversation(page).locator('#message-31 [data-target="true"]').getByText('Message number 31.').waitFor();
    expect(faults).toEqual([]);
  }, 120_000);
});

describe.skipIf(realDataFolder === undefined)('the log of a real session', () => {
  it('opens and pages back without a long task', async () => {
    const uuid = await session('claude-1', { title: 'A real log' });
    const id = encodeId('session', uuid);
    const body = await readFile(realPath('claude-code/spotter-8463c716-compact.jsonl'));
    const { status } = await send(`${url}/sessions/${id}/transcript`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body,
    });
    expect(status).toBe(200);
    const { page, faults } = await visit('/livez');
    await page.addInitScript(() => {
      const pauses: number[] = [];
      Object.assign(window, { pauses });
      new PerformanceObserver((list) => pauses.push(...list.getEntries().map(({ duration }) => duration))).observe({
        type: 'longtask',
        buffered: true,
      });
    });
    await page.goto(`${url}/sessions/${id}`);
    await conversation(page).locator('#message-81').waitFor();
    await conversation(page).getByRole('list', { name: 'Tool calls' }).first().waitFor();
    await page.getByRole('button', { name: 'First', exact: true }).click();
    await conversation(page).locator('#message-2').waitFor({ state: 'attached' });
    const pauses = await page.evaluate(() => (window as unknown as { pauses: number[] }).pauses);
    console.log(`long tasks on a real log (ms): ${pauses.map(Math.round).join(', ') || 'none'}`);
    expect(Math.max(0, ...pauses)).toBeLessThan(1_000);
    await look(page, 'log-real');
    expect(faults).toEqual([]);
  }, 180_000);
});
