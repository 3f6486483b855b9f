import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { look, openBrowser, patiently, type Visit } from '../../server/testing/browser.ts';
import { testDatabase } from '../../server/testing/database.ts';
import { client } from '../../server/testing/graphql.ts';
import { startApp } from '../../server/testing/server.ts';
import { world } from '../../server/testing/world.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session, turn, reassign } = world(db.pool);
const api = client(url);

let visit: (path: string) => Promise<Visit>;

beforeAll(async () => {
  await agent('claude-1');
  await agent('claude-2', { maxCapacity: 1 });
  await agent('codex-1', { type: 'CODEX', maxCapacity: 2 });
  await agent('gone-1', { type: 'CODEX' });
  await setStatus('gone-1', 'OFFLINE');
  await agent('leaving-1', { type: 'CODEX' });
  await setStatus('leaving-1', 'DRAINING');
  ({ visit } = await openBrowser(url));
}, 300_000);

async function setStatus(id: string, status: string): Promise<void> {
  const { errors } = await api.post('mutation ($id: ID!, $status: AdministrativeStatus!) { setAgentStatus(input: { id: $id, status: $status }) { __typename } }', { id, status });
  expect(errors).toBeUndefined();
}

/** A session of claude-1's, and the open dialog for it. */
async function openDialog(title: string): Promise<Visit> {
  const id = await session('claude-1', { title });
  await turn(id, { messages: [{ role: 'ASSISTANT', content: `The work on ${title} is half done.` }] });
  const { page, faults } = await visit(`/?q=${encodeURIComponent(title)}`);
  await page.getByRole('button', { name: `Reassign "${title}"` }).click();
  await page.getByRole('dialog').getByRole('radio', { name: /codex-1/ }).waitFor();
  return { page, faults };
}

const choose = (page: Page, agentId: string) => page.getByRole('radio', { name: new RegExp(agentId) }).check();
const send = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Reassign' }).click();
const holderIn = (page: Page, title: string) => page.locator('[data-session]', { hasText: title });

async function move(sessionId: string, agentId: string): Promise<void> {
  await reassign(sessionId, { agentId, skipHandoff: true });
}

describe('the reassign dialog', () => {
  it('shows every agent with its places, and why some cannot take it', async () => {
    const { page, faults } = await openDialog('Choices');
    const item = (name: string) => page.getByRole('dialog').getByRole('listitem').filter({ hasText: name });
    expect(await item('claude-1').textContent()).toMatch(/Holds it now.*of 5/);
    expect(await item('gone-1').textContent()).toContain('Offline: takes no work');
    expect(await item('leaving-1').textContent()).toContain('Draining: finishes what it has');
    expect(await item('codex-1').textContent()).toContain('0 of 2 places taken, 2 free');
    for (const off of ['claude-1', 'gone-1', 'leaving-1']) expect(await page.getByRole('radio', { name: new RegExp(off) }).isDisabled()).toBe(true);
    await page.getByText('Preview of the context').click();
    await expect.poll(() => page.getByLabel('The context, as text').textContent(), patiently).toContain('The work on Choices is half done.');
    await look(page, 'reassign');
    expect(faults).toEqual([]);
  }, 120_000);

  it('hands a session over with reason and summary, and leads to the handoff that waits', async () => {
    const { page, faults } = await openDialog('Hand over');
    await choose(page, 'codex-1');
    await page.getByLabel('Reason').fill('The rest is Go');
    await page.getByLabel('Summary').fill('<img src=x onerror=alert(1)> half is done');
    await send(page);
    await page.getByRole('dialog', { name: 'codex-1 holds it now' }).waitFor();
    await look(page, 'reassigned');
    const { data } = await api.post<{ session: { agent: { id: string }; openHandoff: { id: string; reason: string; summary: string } } }>(
      'query ($id: ID!) { session(id: $id) { agent { id } openHandoff { id reason summary } } }',
      { id: await idOf('Hand over') },
    );
    expect(data.session).toMatchObject({ agent: { id: 'codex-1' }, openHandoff: { reason: 'The rest is Go', summary: '<img src=x onerror=alert(1)> half is done' } });
    await page.getByRole('dialog').getByRole('link', { name: 'Open the handoff' }).click();
    await expect.poll(() => page.url(), patiently).toBe(`${url}/handoffs/${data.session.openHandoff.id}`);
    expect(faults).toEqual([]);
  }, 120_000);

  it('moves it at once when the handoff is skipped, and says what that means', async () => {
    const { page } = await openDialog('Quick');
    await choose(page, 'codex-1');
    await page.getByLabel(/Skip handoff/).check();
    expect(await page.getByLabel('Summary').count()).toBe(0);
    await send(page);
    await page.getByRole('dialog', { name: 'codex-1 holds it now' }).waitFor();
    expect(await page.getByRole('link', { name: 'Open the handoff' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Done' }).click();
    await holderIn(page, 'Quick').getByText('codex-1').waitFor();
    expect(await holderIn(page, 'Quick').locator('[data-handoff]').count()).toBe(0);
  }, 60_000);

  it('gives it to any agent of a type, and says so when none has a place', async () => {
    const { page } = await openDialog('By type');
    await page.getByText('Any of a type').click();
    // codex-1 has two sessions now, and the others take none.
    await page.getByLabel('Type', { exact: true }).selectOption('CODEX');
    await page.getByLabel('Reason').fill('whoever is free');
    await send(page);
    await page.getByRole('alert').getByText(/No agent of type CODEX|no .*place|CODEX/).waitFor();
    expect(await page.getByLabel('Reason').inputValue()).toBe('whoever is free');
    await page.getByLabel('Type', { exact: true }).selectOption('CLAUDE');
    await send(page);
    await page.getByRole('dialog', { name: 'claude-2 holds it now' }).waitFor();
  }, 60_000);

  it('shows a refusal where it belongs and keeps what was typed: full, closed, too long, changed meanwhile', async () => {
    await agent('small-1', { type: 'SMALL', maxCapacity: 1 });
    await agent('small-2', { type: 'SMALL', maxCapacity: 1 });
    const { page, faults } = await openDialog('Refused');
    const id = await idOf('Refused', false);
    const target = page.getByRole('group', { name: /^To/ });
    await page.getByLabel('Reason').fill('typed before');

    await choose(page, 'small-1');
    await session('small-1', { title: 'Filler' });
    await send(page);
    await target.getByRole('alert').getByText(/full capacity/).waitFor();
    await look(page, 'reassign-refused');

    await choose(page, 'small-2');
    await setStatus('small-2', 'OFFLINE');
    await send(page);
    await target.getByRole('alert').getByText(/OFFLINE|offline/).waitFor();
    await setStatus('small-2', 'AVAILABLE');

    // Too long a reason is said beside the reason.
    await page.getByLabel('Reason').fill('x'.repeat(5_000));
    await send(page);
    await page.getByRole('alert').getByText(/reason/i).waitFor();
    expect(await page.getByLabel('Reason').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Reason').fill('typed before');

    await move(id, 'small-2');
    await send(page);
    await page.getByRole('alert').getByText(/version/i).waitFor();
    expect(await page.getByLabel('Reason').inputValue()).toBe('typed before');
    expect(faults).toEqual([]);
  }, 120_000);

  it('works by keyboard alone: opened, chosen, sent and closed, and the focus goes back', async () => {
    await agent('a-free-one');
    const { page } = await openDialog('Keyboard');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')), patiently).toBe('Reassign "Keyboard"');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.getByRole('radio', { name: 'An agent' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: /holds it now/ }).waitFor();
  }, 60_000);
});

/** The GraphQL id of the session with this title, or the one that commands take. */
async function idOf(title: string, global = true): Promise<string> {
  const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM sessions WHERE title = $1', [title]);
  if (!global) return rows[0]!.id;
  const { data } = await api.post<{ sessions: { nodes: { id: string }[] } }>('query ($title: String) { sessions(where: { titleContains: $title }) { nodes { id } } }', { title });
  return data.sessions.nodes[0]!.id;
}
