import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { look, openBrowser, patiently, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { startApp } from '../../test/server.ts';
import { agentCaller, world } from '../../test/world.ts';
import { encodeId } from '../../server/core/ids.ts';
import { updateAgent } from '../../server/work/agents/updateAgent.ts';
import { acceptHandoff } from '../../server/work/handoffs/changeHandoff.ts';
import { cancelSession, completeSession, failSession, pauseSession } from '../../server/work/sessions/changeSession.ts';
import { silentAfterMinutes } from '../../server/work/sessions/situation.ts';
import { situationLooks, situations } from './looks.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session, initiate, run } = world(db.pool);
const ids = new Map<string, string>();
let go: (path: string) => Promise<Visit>;
let visit: (path: string) => Promise<Visit>;

const silence = (id: string): Promise<unknown> =>
  db.pool.query(
    `UPDATE sessions SET last_activity_at = clock_timestamp() - interval '${silentAfterMinutes + 1} minutes' WHERE id = $1`,
    [id],
  );

beforeAll(async () => {
  for (const id of ['ada', 'bob']) await agent(id, { maxCapacity: 50 });
  await run(updateAgent, { id: 'ada', collaborators: ['bob'] });
  const start = async (situation: string, fields: object = {}, holder: string | null = 'ada'): Promise<string> => {
    const id = await session(holder, { title: `Is ${situation}`, ...fields });
    ids.set(situation, id);
    return id;
  };
  const change = async (situation: string) => ({
    sessionId: await start(situation),
    expectedVersion: null,
    reason: 'because',
    result: null,
    summary: null,
  });
  const handOff = (id: string) => initiate(id, 'bob', {}, { caller: agentCaller('ada') });
  await start('WORKING');
  await silence(await start('SILENT'));
  await handOff(await start('WAITING_FOR_ACCEPTANCE'));
  await handOff(await start('WAITING_FOR_PERSON', { handoffApproval: 'REQUIRED' }));
  await start('QUEUED', { agentType: 'GEMINI', queue: true }, null);
  const { handoffId } = await handOff(await start('LIMIT_REACHED', { maxHandoffs: 1 }));
  await run(acceptHandoff, { handoffId });
  await start('WITHOUT_HOLDER', {}, null);
  await run(pauseSession, await change('PAUSED'));
  await run(completeSession, await change('COMPLETED'));
  await run(failSession, await change('FAILED'));
  await run(cancelSession, await change('CANCELLED'));
  ({ go, visit } = await openBrowser(url));
}, 300_000);

const row = (page: Page, situation: string) =>
  page
    .getByRole('list', { name: 'Sessions' })
    .locator('[data-session]')
    .filter({ hasText: `Is ${situation}` });

it('each situation has a word and a shape of its own', () => {
  const looks = Object.values(situationLooks);
  expect(new Set(looks.map(({ word }) => word)).size).toBe(looks.length);
  expect(new Set(looks.map(({ icon }) => icon)).size).toBe(looks.length);
});

it('the list shows the situation of each session, and its tabs find them', async () => {
  const { page, faults } = await go('/sessions');
  for (const situation of situations)
    await row(page, situation).getByText(situationLooks[situation].word, { exact: true }).waitFor();
  await look(page, 'sessions-situations');
  for (const situation of situations) {
    await page.getByRole('link', { name: `${situationLooks[situation].word} 1`, exact: true }).click();
    await page.getByText('1 of 1 sessions').waitFor();
    await row(page, situation).waitFor();
    expect(page.url()).toBe(`${url}/sessions?status=${situation.toLowerCase()}`);
  }
  expect(faults).toEqual([]);
}, 120_000);

it('a session that became silent is shown as that within minutes, in its place', async () => {
  const id = await session('ada', { title: 'Falls silent' });
  const { page, faults } = await visit('/sessions?status=working');
  const falling = page.locator('[data-session]').filter({ hasText: 'Falls silent' });
  await falling.getByText('Working', { exact: true }).waitFor();
  await silence(id);
  await page.clock.setFixedTime(Date.now() + 6 * 60_000);
  await falling.getByText('Silent', { exact: true }).waitFor();
  await falling.getByText('no longer in this view').waitFor();
  expect(faults).toEqual([]);
}, 90_000);

it.each([
  ['QUEUED', 'Waits for an agent of type GEMINI, number 1.'],
  ['WITHOUT_HOLDER', 'No agent will get it until somebody reassigns it.'],
  ['LIMIT_REACHED', 'Agents can hand it off no more until somebody reassigns it or raises its limit.'],
  ['SILENT', 'Nothing has happened for 30 minutes or more.'],
])('the page of a session says what it waits for: %s', async (situation, words) => {
  const { page, faults } = await go(`/sessions/${encodeId('session', ids.get(situation)!)}`);
  await page.getByText(words, { exact: true }).waitFor();
  expect(faults).toEqual([]);
});

it('the page of a session shows its situation, and follows it', async () => {
  const { page, faults } = await go(`/sessions/${encodeId('session', ids.get('WAITING_FOR_ACCEPTANCE')!)}`);
  const intro = page.locator('main h1 + div');
  await intro.getByText('Not accepted', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Accept "Is WAITING_FOR_ACCEPTANCE"' }).click();
  await expect.poll(() => intro.textContent(), patiently).toContain('Working');
  expect(faults).toEqual([]);
}, 60_000);
