import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { chooseAgent, openBrowser } from '../../test/browser.ts';
import { atEnd, testDatabase } from '../../test/database.ts';
import { startRedis } from '../../test/redis.ts';
import { startServer } from '../../test/server.ts';
import { world } from '../../test/world.ts';

const db = await testDatabase();
const { agent, session } = world(db.pool);
await agent('claude-1', { maxCapacity: 50 });
await agent('codex-1', { type: 'CODEX', maxCapacity: 50 });
const redis = await startRedis();
atEnd(redis.stop);
const open = async () => openBrowser((await startServer({ databaseUrl: db.url, env: redis.env })).url);
const [{ visit: visitHere }, { visit: visitThere }] = await Promise.all([open(), open()]);

const row = (page: Page, title: string) => page.locator('[data-session]', { hasText: title });
const live = (page: Page) => page.locator('[data-live="live"]').waitFor();

it('a second browser at another server shows each reassign', async () => {
  const [{ page: one, faults }, { page: two }] = await Promise.all([
    visitHere('/sessions?q=seen'),
    visitThere('/sessions?q=seen'),
  ]);
  await Promise.all([one, two].flatMap((page) => [live(page), page.getByText('No session matches.').waitFor()]));
  for (const title of ['Seen 1', 'Seen 2', 'Seen 3', 'Seen 4', 'Seen 5']) {
    await session('claude-1', { title });
    for (const page of [one, two]) await page.getByRole('button', { name: '1 new session' }).click();
    await Promise.all([row(one, title).waitFor(), row(two, title).waitFor()]);
    await one.getByRole('button', { name: `Reassign "${title}"` }).click();
    await chooseAgent(one.getByRole('dialog'), 'codex-1');
    await one.getByRole('dialog').getByRole('button', { name: 'Reassign' }).click();
    await row(two, title).locator('[data-handoff="INITIATED"]').waitFor();
    await row(two, title).getByText('codex-1').waitFor();
    await one.getByRole('dialog').waitFor({ state: 'detached' });
  }
  expect(faults).toEqual([]);
}, 120_000);
