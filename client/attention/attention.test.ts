import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { encodeId } from '../../server/core/ids.ts';
import { setAgentStatus } from '../../server/work/agents/setAgentStatus.ts';
import { askPerson } from '../../server/work/approvals/askPerson.ts';
import { answerQuestion } from '../../server/work/approvals/answerQuestion.ts';
import { acceptHandoff, rejectHandoff } from '../../server/work/handoffs/changeHandoff.ts';
import { expectAccessible, look, openBrowser, patiently, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { startApp } from '../../test/server.ts';
import { agentCaller, world } from '../../test/world.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session, initiate, reassign, run } = world(db.pool);

let visit: (path: string, options?: BrowserContextOptions) => Promise<Visit>;
let go: (path: string) => Promise<Visit>;
beforeAll(async () => {
  for (const id of ['bob', 'gone']) await agent(id, { maxCapacity: 50 });
  await agent('ada', { maxCapacity: 50, collaborators: ['bob'] });
  await agent('full', { type: 'CODEX', maxCapacity: 1 });
  ({ visit, go } = await openBrowser(url));
}, 300_000);

const rows = (page: Page) => page.locator('[data-attention]');
const row = (page: Page, title: string) => rows(page).filter({ hasText: title });
const kinds = (page: Page) =>
  rows(page).evaluateAll((all) => all.map((each) => (each as HTMLElement).dataset['attention']));
const entry = (page: Page) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: /^Attention/ });
const asks = async (title: string): Promise<string> => {
  const id = await session('ada', { title });
  await run(askPerson, { sessionId: id, question: 'Which?', options: null });
  return id;
};

it('is the first page, says that all is well and since when, and shows what happens meanwhile', async () => {
  const { page, faults } = await visit('/');
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
  await page.getByText('All is well.').waitFor();
  await page.getByText(/seen nothing that needs a person since/).waitFor();
  expect(await entry(page).innerText()).toBe('Attention');
  await page.getByText('Live', { exact: true }).waitFor();
  const id = await asks('Comes meanwhile');
  await row(page, 'Comes meanwhile').waitFor();
  await expect.poll(() => entry(page).innerText(), patiently).toMatch(/^Attention\s*1/);
  await row(page, 'Comes meanwhile').getByRole('link', { name: 'Decide: Comes meanwhile' }).click();
  await expect.poll(() => new URL(page.url()).pathname, patiently).toBe(`/decide/${encodeId('session', id)}`);
  const { rows: open } = await db.pool.query<{ id: string }>('SELECT id FROM approvals WHERE decided_at IS NULL');
  await run(answerQuestion, { questionId: open[0]!.id, answer: 'This one' });
  await page.goBack();
  await page.getByText('All is well.').waitFor();
  expect(faults).toEqual([]);
}, 120_000);

it('each row has what to do in place, and goes when it is done', async () => {
  await asks('Asks');
  await session(null, { title: 'Never held' });
  const declined = await session('full', { title: 'Declined' });
  const { handoffId } = await reassign(declined, { agentId: 'bob' });
  await session('full', { title: 'Takes the place' });
  await run(rejectHandoff, { handoffId: handoffId!, reason: 'No tests' });
  const limited = await session('ada', { title: 'Limited', maxHandoffs: 1 });
  const given = await initiate(limited, 'bob', {}, { caller: agentCaller('ada') });
  await run(acceptHandoff, { handoffId: given.handoffId });
  await session('gone', { title: 'Away' });
  await run(setAgentStatus, { id: 'gone', status: 'OFFLINE' });
  await session(null, { title: 'Waits for nobody', agentType: 'GEMINI', queue: true });
  await db.pool
    .query(`INSERT INTO webhooks (id, url, types, secret_version, key_check, position, created_by, created_at, disabled_at, disabled_reason)
    VALUES (gen_random_uuid(), 'https://example.com/hook', '{}', 1, 'x', 0, 'admin', now(), now(), 'FAILING')`);

  const { page, faults } = await visit('/attention');
  await page.getByText('7 of 7 items').waitFor();
  expect((await kinds(page)).toSorted()).toEqual([
    'HOLDER_AWAY',
    'LIMIT_REACHED',
    'QUEUE',
    'WAITING_FOR_PERSON',
    'WEBHOOK',
    'WITHOUT_HOLDER',
    'WITHOUT_HOLDER',
  ]);
  await row(page, 'Declined').getByText('Why: No tests').waitFor();
  expect(
    await row(page, 'Waits for nobody')
      .getByRole('link', { name: /^Queue/ })
      .getAttribute('href'),
  ).toBe('/queue?type=GEMINI');
  expect(
    await row(page, 'Away')
      .getByRole('link', { name: /^Agent/ })
      .getAttribute('href'),
  ).toBe('/agents/gone');
  await expectAccessible(page);
  await look(page, 'attention');

  await row(page, 'Limited').getByRole('button', { name: 'Allow 5 more: Limited' }).click();
  await expect.poll(() => row(page, 'Limited').count(), patiently).toBe(0);
  // The focused button went with its row.
  await expect.poll(() => page.evaluate(() => document.activeElement?.id), patiently).toBe('main');
  // Without BATON_WEBHOOK_KEY the server refuses it.
  await row(page, 'example.com')
    .getByRole('button', { name: /^Enable/ })
    .click();
  await row(page, 'example.com').getByRole('alert').waitFor();
  await row(page, 'Never held').getByRole('button', { name: 'Assign: Never held' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('heading', { name: /Never held/ }).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await reassign(declined, { agentId: 'bob' });
  await expect.poll(() => row(page, 'Declined').count(), patiently).toBe(0);

  await page.getByLabel('Kind').selectOption({ label: 'No holder' });
  await page.getByText('1 of 1 item', { exact: true }).waitFor();
  expect(new URL(page.url()).search).toBe('?kind=without_holder');
  await page.getByRole('searchbox', { name: 'Project' }).fill('shop');
  await page.keyboard.press('Enter');
  await page.getByText('Nothing that matches needs attention.').waitFor();
  expect(faults).toEqual([]);
}, 180_000);

it.each(['light', 'dark'] as const)(
  'fits a phone, %s',
  async (colorScheme) => {
    await agent(`a-${'very-long-'.repeat(4)}${colorScheme}`, { maxCapacity: 50 });
    const id = await session(`a-${'very-long-'.repeat(4)}${colorScheme}`, {
      title: `${'w'.repeat(200)} ${colorScheme}`,
    });
    await run(askPerson, { sessionId: id, question: 'Which?', options: null });
    const { page, faults } = await visit('/', { viewport: { width: 320, height: 700 }, colorScheme });
    await row(page, colorScheme).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    await expectAccessible(page);
    await look(page, `attention-narrow-${colorScheme}`);
    expect(faults).toEqual([]);
  },
  120_000,
);

it('old addresses of the sessions lead to them', async () => {
  const { page } = await go('/?q=nothing-like-it');
  await page.getByRole('heading', { name: 'Sessions' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/sessions');
  expect(new URL(page.url()).search).toBe('?q=nothing-like-it');
}, 60_000);

it('uses most of a wide screen', async () => {
  const { page } = await visit('/attention', { viewport: { width: 2560, height: 1300 } });
  const list = page.getByRole('region', { name: 'What needs attention' });
  expect((await list.boundingBox())!.width).toBeGreaterThan(0.8 * 2560);
}, 60_000);
