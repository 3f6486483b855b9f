import type { BrowserContextOptions } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { seed } from '../../../prisma/seed.ts';
import { silentLog } from '../../../server/infra/log.ts';
import { look, openBrowser, patiently, turnTo, type Visit } from '../../../test/browser.ts';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';

const db = await testDatabase();
await seed({ pool: db.pool, log: silentLog });
const { url } = await startApp(db);
const api = client(url);

/** Of the demonstration: the first handoff of its long chain, which was rejected, the second, and the open fifth. */
const [rejected, timedOut, open] = [
  'handoff_01kc000000e00800000000000v',
  'handoff_01kc000000e008000000000016',
  'handoff_01kc000000e00800000000002q',
];

let visit: (path: string, options?: BrowserContextOptions) => Promise<Visit>;
let go: (path: string) => Promise<Visit>;

beforeAll(async () => {
  ({ visit, go } = await openBrowser(url));
}, 300_000);

describe('the page of a handoff', () => {
  it('shows its outcome and everything that it carries', async () => {
    const { page, faults } = await go(`/handoffs/${rejected}`);
    const facts = page.getByRole('region', { name: 'Route and outcome' });
    await facts.getByText('change its template in deploy/').waitFor();
    expect(await facts.textContent()).toMatch(
      /claude-1.*CLAUDE.*codex-1.*CODEX.*Rejected.*The deployment script is Go.*by the agent/,
    );
    const carried = await page.getByRole('region', { name: 'Context', exact: true }).textContent();
    for (const part of [
      'Answer 429 with Retry-After',
      'Token bucket rather than a fixed window',
      'src/http/rateLimit.ts',
      'Please add rate limits',
    ])
      expect(carried).toContain(part);
    expect(await page.getByRole('button', { name: /Accept|Reject|Complete/ }).count()).toBe(0);
    await look(page, 'handoff');
    expect(faults).toEqual([]);
  }, 120_000);

  it('links to the handoffs before and after it and to the session', async () => {
    const { page } = await go(`/handoffs/${rejected}`);
    await page.getByRole('link', { name: 'Next' }).click();
    await page.waitForURL(`**/handoffs/${timedOut}`);
    await page.getByText('Timed out by an operator before the deadline.').waitFor();
    await page.getByRole('link', { name: 'Previous' }).click();
    await page.waitForURL(`**/handoffs/${rejected}`);
    await page.getByRole('link', { name: 'Add rate limits to the public API' }).click();
    await page.waitForURL('**/sessions/*');
  }, 120_000);

  it('copies the prompt of the handoff within a budget', async () => {
    const { page } = await go(`/handoffs/${open}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Context prompt' }).click();
    const dialog = page.getByRole('dialog', { name: 'Context prompt of this handoff' });
    await dialog.getByLabel('Budget').selectOption('');
    await dialog.getByRole('button', { name: /^Copy about/ }).click();
    await dialog.getByRole('button', { name: 'Copied' }).waitFor();
    const { data } = await api.post<{ handoff: { contextPrompt: { text: string } } }>(
      'query ($id: ID!) { handoff(id: $id) { contextPrompt { text } } }',
      { id: open },
    );
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(data.handoff.contextPrompt.text);
    await look(page, 'handoff-prompt');
  }, 120_000);

  it('accepts and completes an open handoff, although the answer to the acceptance arrives after its event', async () => {
    const { page, faults } = await visit(`/handoffs/${open}`);
    let release = (): void => undefined;
    const completed = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('"operationName":"Accept"')) return route.fallback();
      const response = await route.fetch();
      await completed;
      return route.fulfill({ response });
    });
    await page.getByRole('button', { name: /^Accept/ }).press('Enter');
    await page.getByRole('button', { name: /^Complete/ }).press('Enter');
    await page.locator('[data-handoff="COMPLETED"]').waitFor();
    release();
    // Its button is gone.
    await expect.poll(() => page.evaluate(() => document.activeElement?.id), patiently).toBe('main');
    await page.getByText(/accepted after .*, then taken over after/).waitFor();
    expect(faults).toEqual([]);
  }, 120_000);

  it('fits on a narrow screen, and reports an unknown handoff', async () => {
    const { page } = await visit(`/handoffs/${rejected}`, { viewport: { width: 390, height: 844 } });
    await page.getByRole('region', { name: 'Context', exact: true }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await look(page, 'handoff-narrow');
    await turnTo(page, '/handoffs/handoff_01kc000000e00800000000zzzz');
    await page.getByText('There is no such handoff.').waitFor();
  }, 120_000);
});
