import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { look, openBrowser, patiently, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { startApp } from '../../test/server.ts';
import { agentCaller, world } from '../../test/world.ts';
import { approveHandoff } from '../../server/work/approvals/approveHandoff.ts';
import { askPerson } from '../../server/work/approvals/askPerson.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session, initiate, turn, run } = world(db.pool);

const titles = [
  'Migrate the invoices table to bigint ids',
  'Fix the flaky checkout test on Safari',
  'Rotate the signing keys of the staging cluster',
  'Write the changelog of 4.2',
  'Replace moment with Temporal in the calendar',
  'Draft the incident report for the outage of 12 November, with all that was said in the channel and a list of what is left to do',
];
const reasons = [
  'The migration runs on a copy of staging. The rewrite of `invoice_lines` takes a lock for about four minutes: it needs a second pair of eyes before it goes near production.',
  'All tests are green.',
  null,
  'Two places may log the secret:\n\n- `auth/session.ts` line 120\n- `auth/renew.ts` line 48\n\nSomeone who knows the audit log should look.',
];
const agents = ['backend-1', 'frontend-1', 'release-bot'];
const targets = ['reviewer-a', 'security-scan'];

let visit: (path: string, options?: object) => Promise<Visit>;
let made = 0;

async function propose(): Promise<{ handoffId: string; sessionId: string }> {
  const n = (made += 1);
  const from = agents[n % 3]!;
  const sessionId = await session(from, { title: `${titles[n % 6]!} (${n})`, handoffApproval: 'REQUIRED' });
  await turn(sessionId, {
    messages: [
      { role: 'ASSISTANT', content: `I looked at the code and the tests.\n${'It keeps the old path. '.repeat(60)}` },
    ],
  });
  const { handoffId } = await initiate(
    sessionId,
    targets[n % 2]!,
    { reason: reasons[n % 4]! },
    { caller: agentCaller(from) },
  );
  return { handoffId, sessionId };
}
async function ask(options: string[] | null): Promise<string> {
  const n = (made += 1);
  const sessionId = await session(agents[n % 3]!, { title: `${titles[n % 6]!} (${n})` });
  await run(askPerson, { sessionId, question: 'Which database should the copy go to, and may it be public?', options });
  return sessionId;
}

beforeAll(async () => {
  for (const id of targets) await agent(id, { maxCapacity: 200 });
  for (const id of agents) await agent(id, { maxCapacity: 200, collaborators: targets });
  for (let n = 0; n < 50; n += 1) {
    if (n % 4 === 3) await ask(n % 8 === 3 ? ['eu-west', 'A new one'] : null);
    else await propose();
  }
  ({ visit } = await openBrowser(url));
}, 300_000);

const open = (page: Page) => page.locator('article[data-open=true]');
const openTitle = (page: Page) => open(page).getByRole('link').first().innerText();
/** Its preview is there, and it was shown for long enough to be decided. */
const ready = async (page: Page): Promise<void> => {
  await open(page)
    .getByText(/about [\d,]+ tokens/)
    .waitFor();
  await open(page).locator('[data-approve][aria-disabled=false]').waitFor();
};
const topOf = async (page: Page) => Math.round((await open(page).boundingBox())!.y);
const waiting = async () => db.prisma.approval.count({ where: { decidedAt: null } });
const decisionOf = async (title: string) =>
  (await db.prisma.approval.findFirstOrThrow({ where: { session: { title } }, orderBy: { requestedAt: 'desc' } }))
    .decision;
/** The handoff that waits at this place of the list. */
const handoffAt = async (at: number) => {
  const all = await db.prisma.approval.findMany({
    where: { decidedAt: null },
    orderBy: [{ deadlineAt: 'asc' }, { id: 'asc' }],
    include: { session: true },
  });
  return all[at]!;
};

it('decides by at most three keys what is not edited, and leaves the rest as it was', async () => {
  const { page, faults } = await visit('/decide');
  await page.getByText('50 wait, the oldest deadline first.').waitFor();
  await ready(page);
  await look(page, 'walk-list');
  // The first handoff: one key. The next one is open then, and has the focus.
  const first = await openTitle(page);
  await page.keyboard.press('a');
  await expect.poll(() => decisionOf(first), patiently).toBe('APPROVED');
  await page.getByText('49 wait, the oldest deadline first.').waitFor();
  const second = await openTitle(page);
  expect(second).not.toBe(first);
  expect(await open(page).evaluate((card) => card === document.activeElement)).toBe(true);
  await page.getByRole('button', { name: 'Undo' }).waitFor();

  // Two further: j, j, and a number for the answer of a question.
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  const asked = await openTitle(page);
  await open(page).getByRole('button', { name: 'eu-west' }).waitFor();
  await look(page, 'walk-question');
  await page.keyboard.press('1');
  await expect.poll(() => decisionOf(asked), patiently).toBe('ANSWERED');
  await page.getByText('48 wait, the oldest deadline first.').waitFor();

  // A key that is held approves one, and none behind a dialog.
  await ready(page);
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('a');
  await page.keyboard.press('Escape');
  const held = await openTitle(page);
  await page.keyboard.down('a');
  await expect.poll(() => decisionOf(held), patiently).toBe('APPROVED');
  await ready(page);
  await page.keyboard.down('a');
  await page.keyboard.up('a');
  await page.getByText('47 wait, the oldest deadline first.').waitFor();

  // Declined in words, without leaving the keyboard.
  await ready(page);
  const refused = await openTitle(page);
  await page.keyboard.press('d');
  await page.keyboard.type('Ask the owner first: a, d and j are typed');
  await look(page, 'walk-decline');
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => decisionOf(refused), patiently).toBe('DECLINED');
  await page.getByText('46 wait, the oldest deadline first.').waitFor();
  expect(await waiting()).toBe(46);
  expect(faults).toEqual([]);
}, 300_000);

it('keeps what was typed when the server does not answer, when another one is opened, and when the page is loaded again', async () => {
  const { page, faults } = await visit('/decide');
  await ready(page);
  while ((await open(page).getByRole('button', { name: 'Edit …' }).count()) === 0) await page.keyboard.press('j');
  const title = await openTitle(page);
  await page.keyboard.press('e');
  await open(page).getByLabel('Reason', { exact: true }).fill('Look at the lock, and at the cache');
  await open(page).getByLabel('Changes').getByText('cache').waitFor();
  await look(page, 'walk-edit');
  await page.route('**/graphql', (route) =>
    route.request().postData()?.includes('"operationName":"Approve"') ? route.abort() : route.continue(),
  );
  await page.keyboard.press('Control+Enter');
  await open(page).getByRole('alert').getByText('Baton did not answer').waitFor();
  await look(page, 'walk-no-answer');
  await page.unroute('**/graphql');
  // Escape leaves the form, not the text; the difference stays in sight.
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await open(page).getByLabel('Changes').getByText('cache').waitFor();
  await page.reload();
  await page.getByText(/wait, the oldest deadline first/).waitFor();
  while ((await openTitle(page)) !== title) await page.keyboard.press('j');
  await open(page).getByLabel('Changes').getByText('cache').waitFor();
  await ready(page);
  await page.keyboard.press('a');
  await expect.poll(() => decisionOf(title), patiently).toBe('APPROVED');
  expect(faults).toEqual([]);
}, 300_000);

it('keeps the open one in its place while others come and go, and says in place that somebody else decided it', async () => {
  const { page, faults } = await visit('/decide');
  await page.locator('[data-live="live"]').waitFor();
  await ready(page);
  const before = await waiting();
  for (let n = 0; n < 9; n += 1) await page.keyboard.press('j');
  while ((await open(page).getByRole('button', { name: 'Edit …' }).count()) === 0) await page.keyboard.press('j');
  await ready(page);
  const [title, top] = [await openTitle(page), await topOf(page)];
  // Two above it are decided elsewhere, and one comes.
  for (let gone = 0, at = 0; gone < 2; at += 1) {
    const { kind, handoffId } = await handoffAt(at);
    if (kind !== 'HANDOFF') continue;
    await run(approveHandoff, { handoffId: handoffId!, expectedContentHash: null, edits: null, note: null });
    gone += 1;
  }
  await propose();
  await expect.poll(() => page.getByText(`${before - 1} wait`).count(), patiently).toBe(1);
  expect(await openTitle(page)).toBe(title);
  expect(Math.abs((await topOf(page)) - top)).toBeLessThanOrEqual(2);

  const { id } = await db.prisma.handoff.findFirstOrThrow({ where: { session: { title }, status: 'PROPOSED' } });
  await run(approveHandoff, { handoffId: id, expectedContentHash: null, edits: null, note: null });
  await open(page)
    .getByText(/Approved by an operator/)
    .waitFor();
  expect(await openTitle(page)).toBe(title);
  expect(Math.abs((await topOf(page)) - top)).toBeLessThanOrEqual(2);
  await look(page, 'walk-gone');
  // No key decides another one in its stead.
  const left = await waiting();
  await page.keyboard.press('a');
  await page.keyboard.press('j');
  await expect.poll(() => page.getByText(/Approved by an operator/).count(), patiently).toBe(0);
  expect(await openTitle(page)).not.toBe(title);
  expect(await waiting()).toBe(left);
  expect(faults).toEqual([]);
}, 300_000);

it('is decided on a phone by touch, where a card that is opened stays under the finger', async () => {
  const { page, faults } = await visit('/decide', {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await ready(page);
  await look(page, 'walk-phone');
  const card = page.locator('article').nth(4);
  await card.scrollIntoViewIfNeeded();
  const title = await card.getByRole('link').first().innerText();
  const top = (await card.boundingBox())!.y;
  await card.getByRole('heading').tap();
  await expect.poll(() => openTitle(page), patiently).toBe(title);
  // Only as far as it takes to see it whole.
  expect((await open(page).boundingBox())!.y).toBeLessThanOrEqual(top + 2);
  await page.evaluate(() => document.documentElement.scrollWidth).then((width) => expect(width).toBe(390));
  const small = await open(page)
    .getByRole('button')
    .evaluateAll((buttons) =>
      buttons.filter((each) => each.getBoundingClientRect().height < 44).map((each) => each.textContent),
    );
  expect(small).toEqual([]);
  await look(page, 'walk-phone-open');
  while ((await open(page).getByRole('button', { name: 'Edit …' }).count()) === 0)
    await page
      .locator('article[data-open=true] ~ *, li:has(article[data-open=true]) + li')
      .getByRole('heading')
      .first()
      .tap();
  await ready(page);
  const approved = await openTitle(page);
  await open(page).getByRole('button', { name: 'Edit …' }).tap();
  await look(page, 'walk-phone-edit');
  await open(page).getByRole('button', { name: 'Back' }).tap();
  await open(page).getByRole('button', { name: 'Approve', exact: true }).tap();
  await expect.poll(() => decisionOf(approved), patiently).toBe('APPROVED');
  expect(faults).toEqual([]);
}, 300_000);
