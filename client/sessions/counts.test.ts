import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeId } from '../../server/core/ids.ts';
import { chooseAgent, openBrowser, patiently, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { client } from '../../test/graphql.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';
import { isAdded } from './counts.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session, reassign } = world(db.pool);
const api = client(url);
let visit: (path: string) => Promise<Visit>;
let go: (path: string) => Promise<Visit>;

beforeAll(async () => {
  await agent('claude-1');
  await agent('codex-1', { type: 'CODEX' });
  for (const title of ['Alpha 1', 'Alpha 2', 'Beta 1']) await session('claude-1', { title });
  await session(null, { title: 'Alpha unassigned' });
  await reassign(await session('claude-1', { title: 'Alpha moved' }), { agentId: 'codex-1' });
  ({ visit, go } = await openBrowser(url));
}, 300_000);

/** The words and numbers of the tabs and switches. */
const counts = (page: Page): Promise<Record<string, string>> =>
  page.evaluate(() =>
    Object.fromEntries(
      [...document.querySelectorAll('main nav a, main button[aria-pressed]')].map((each): [string, string] => [
        each.childNodes[0]!.textContent ?? '',
        each.lastElementChild!.textContent,
      ]),
    ),
  );

describe('the counts of the tabs and switches', () => {
  it('count what the search and the other filters leave', async () => {
    const { page, faults } = await go('/sessions');
    await expect
      .poll(() => counts(page), patiently)
      .toEqual({
        All: '5',
        Working: '3',
        Silent: '0',
        'Not accepted': '1',
        'Needs a person': '0',
        Queued: '0',
        'Limit reached': '0',
        'No holder': '1',
        Paused: '0',
        Completed: '0',
        Failed: '0',
        Cancelled: '0',
        Unassigned: '1',
        'Open handoff': '1',
      });
    await page.getByLabel('Search the titles').fill('alpha');
    await expect
      .poll(() => counts(page), patiently)
      .toMatchObject({
        All: '4',
        Working: '2',
        'Not accepted': '1',
        'No holder': '1',
        Unassigned: '1',
        'Open handoff': '1',
      });
    await page.getByText('4 of 4 sessions').waitFor();
    await chooseAgent(page, 'claude-1');
    await expect
      .poll(() => counts(page), patiently)
      .toMatchObject({ All: '2', Working: '2', 'No holder': '0', Unassigned: '0', 'Open handoff': '0' });
    await page.getByRole('link', { name: /^No holder/ }).click();
    await expect.poll(() => counts(page), patiently).toMatchObject({ All: '2', Working: '2', 'No holder': '0' });
    expect(faults).toEqual([]);
  }, 90_000);

  it('follow what happens to sessions that the search finds, and to no others', async () => {
    const { page } = await go('/sessions?q=gamma');
    await page.locator('[data-live="live"]').waitFor();
    await expect.poll(() => counts(page), patiently).toMatchObject({ All: '0', Working: '0' });
    await session('claude-1', { title: 'Delta 1' });
    const id = await session('claude-1', { title: 'Gamma 1' });
    await expect.poll(() => counts(page), patiently).toMatchObject({ All: '1', Working: '1' });
    await api.post('mutation ($id: ID!) { completeSession(input: { sessionId: $id }) { __typename } }', {
      id: encodeId('session', id),
    });
    await expect.poll(() => counts(page), patiently).toMatchObject({ All: '1', Working: '0', Completed: '1' });
  }, 90_000);

  it('are read again when a session changes that the page does not show', async () => {
    const id = await session('claude-1', { title: 'Epsilon 1' });
    const { page } = await visit('/sessions?status=completed&q=epsilon');
    await page.locator('[data-live="live"]').waitFor();
    await expect.poll(() => counts(page), patiently).toMatchObject({ All: '1', Working: '1', Paused: '0' });
    await api.post('mutation ($id: ID!) { pauseSession(input: { sessionId: $id }) { __typename } }', {
      id: encodeId('session', id),
    });
    await expect.poll(() => counts(page), patiently).toMatchObject({ All: '1', Working: '0', Paused: '1' });
  }, 90_000);

  it.each([
    ['a change of a known session is added', 5_000, false, true, true],
    ['so is a new session', 5_000, true, false, true],
    ['a change of an unknown session is not', 5_000, false, false, false],
    ['nor is any change just after a count, which may include it', 100, true, false, false],
    ['nor during a count', null, false, true, false],
  ] as const)('%s', (_name, ageMs, isNew, isKnown, added) => {
    expect(isAdded(ageMs, isNew, isKnown)).toBe(added);
  });
});
