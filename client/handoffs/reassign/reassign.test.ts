import type { Page, Route } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeId } from '../../../server/core/ids.ts';
import { chooseAgent, look, noticeOf, openBrowser, patiently, type Visit } from '../../../test/browser.ts';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session, turn, reassign } = world(db.pool);
const api = client(url);

let visit: (path: string) => Promise<Visit>;
let go: (path: string) => Promise<Visit>;

beforeAll(async () => {
  await agent('claude-1', { maxCapacity: 50 });
  await agent('claude-2', { maxCapacity: 1 });
  await agent('a-free-one', { type: 'FREE' });
  await agent('codex-1', { type: 'CODEX', maxCapacity: 2 });
  await agent('gone-1', { type: 'CODEX' });
  await setStatus('gone-1', 'OFFLINE');
  await agent('leaving-1', { type: 'CODEX' });
  await setStatus('leaving-1', 'DRAINING');
  ({ visit, go } = await openBrowser(url));
}, 300_000);

async function setStatus(id: string, status: string): Promise<void> {
  const { errors } = await api.post(
    'mutation ($id: ID!, $status: AdministrativeStatus!) { setAgentStatus(input: { id: $id, status: $status }) { __typename } }',
    { id, status },
  );
  expect(errors).toBeUndefined();
}

/** A session of claude-1's, and the open dialog for it. */
async function openDialog(title: string, open = go): Promise<Visit> {
  const id = await session('claude-1', { title });
  await turn(id, { messages: [{ role: 'ASSISTANT', content: `The work on ${title} is half done.` }] });
  const { page, faults } = await open(`/sessions?q=${encodeURIComponent(title)}`);
  await page.getByRole('button', { name: `Reassign "${title}"` }).click();
  await page
    .getByRole('dialog')
    .getByRole('option', { name: /codex-1/ })
    .waitFor();
  return { page, faults };
}

const choose = (page: Page, agentId: string) => chooseAgent(page.getByRole('dialog'), agentId);
const send = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Reassign' }).click();
const holderIn = (page: Page, title: string) => page.locator('[data-session]', { hasText: title });

async function move(sessionId: string, agentId: string): Promise<void> {
  await reassign(sessionId, { agentId, skipHandoff: true });
}

describe('the reassign dialog', () => {
  it('shows every agent with its places, and why some cannot be chosen', async () => {
    const { page, faults } = await openDialog('Choices');
    const item = (name: string) => page.getByRole('dialog').getByRole('option').filter({ hasText: name });
    expect(await item('claude-1').textContent()).toMatch(/Holds it now.*of 50/);
    expect(await item('gone-1').textContent()).toContain('Offline: takes no sessions');
    expect(await item('leaving-1').textContent()).toContain('Draining: takes no new sessions');
    expect(await item('codex-1').textContent()).toContain('0 of 2 places taken, 2 free');
    for (const off of ['claude-1', 'gone-1', 'leaving-1'])
      expect(await item(off).getAttribute('aria-disabled')).toBe('true');
    const suggested = page.getByRole('list', { name: 'Suggested, best first' }).getByRole('button');
    await expect.poll(() => suggested.count(), patiently).toBe(3);
    const best = suggested.first();
    expect(await best.textContent()).toMatch(
      /\d+ of 100No handoff from claude-1 to [\w-]+ has an outcome yet\. .*0 of \d+ places taken\. No cost tier is known\.$/,
    );
    await best.focus();
    await page.keyboard.press('Enter');
    expect(await best.getAttribute('aria-pressed')).toBe('true');
    await expect
      .poll(() => page.getByRole('option', { selected: true }).textContent(), patiently)
      .toContain((await best.textContent())!.match(/^[\w-]+?-(one|\d)/)![0]);
    await page.getByText('Preview of the context').click();
    await expect
      .poll(() => page.getByLabel('The context, as text').textContent(), patiently)
      .toContain('The work on Choices is half done.');
    await look(page, 'reassign');
    expect(faults).toEqual([]);
  }, 120_000);

  it('hands off with reason and summary, and links to the waiting handoff', async () => {
    const { page, faults } = await openDialog('Hand over');
    await choose(page, 'codex-1');
    await page.getByLabel('Reason').fill('The rest is Go');
    await page.getByLabel('Summary').fill('<img src=x onerror=alert(1)> half is done');
    await send(page);
    await noticeOf(page, "'codex-1' holds the session now").waitFor();
    await look(page, 'reassigned');
    const { data } = await api.post<{
      session: { agent: { id: string }; openHandoff: { id: string; reason: string; summary: string } };
    }>('query ($id: ID!) { session(id: $id) { agent { id } openHandoff { id reason summary } } }', {
      id: await idOf('Hand over'),
    });
    expect(data.session).toMatchObject({
      agent: { id: 'codex-1' },
      openHandoff: { reason: 'The rest is Go', summary: '<img src=x onerror=alert(1)> half is done' },
    });
    await page.getByRole('link', { name: 'Open the handoff' }).click();
    await expect.poll(() => page.url(), patiently).toBe(`${url}/handoffs/${data.session.openHandoff.id}`);
    expect(faults).toEqual([]);
  }, 120_000);

  it('moves the session at once when the handoff is skipped', async () => {
    const { page } = await openDialog('Quick');
    await choose(page, 'codex-1');
    await page.getByLabel(/Skip handoff/).check();
    expect(await page.getByLabel('Summary').count()).toBe(0);
    await send(page);
    await noticeOf(page, "'codex-1' holds the session now").waitFor();
    expect(await page.getByRole('link', { name: 'Open the handoff' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await holderIn(page, 'Quick').getByText('codex-1').waitFor();
    expect(await holderIn(page, 'Quick').locator('[data-handoff]').count()).toBe(0);
  }, 60_000);

  it('assigns any agent of a type, and reports when none has a place', async () => {
    const { page } = await openDialog('By type');
    await page.getByText('Any of a type').click();
    // codex-1 has two sessions now, and the others take none.
    await page.getByLabel('Type', { exact: true }).selectOption('CODEX');
    await page.getByLabel('Reason').fill('whoever is free');
    await send(page);
    await page
      .getByRole('alert')
      .getByText(/No agent of type CODEX|no .*place|CODEX/)
      .waitFor();
    expect(await page.getByLabel('Reason').inputValue()).toBe('whoever is free');
    await page.getByLabel('Type', { exact: true }).selectOption('CLAUDE');
    await send(page);
    await noticeOf(page, "'claude-2' holds the session now").waitFor();
  }, 60_000);

  it('shows a refusal beside its field and keeps the typed text', async () => {
    await agent('small-1', { type: 'SMALL', maxCapacity: 1 });
    await agent('small-2', { type: 'SMALL', maxCapacity: 1 });
    const { page, faults } = await openDialog('Refused');
    const id = await idOf('Refused', false);
    const target = page.getByRole('group', { name: /^To/ });
    await page.getByLabel('Reason').fill('typed before');

    await choose(page, 'small-1');
    await session('small-1', { title: 'Filler' });
    await send(page);
    await target
      .getByRole('alert')
      .getByText(/full capacity/)
      .waitFor();
    await look(page, 'reassign-refused');

    await choose(page, 'small-2');
    await setStatus('small-2', 'OFFLINE');
    await send(page);
    await target
      .getByRole('alert')
      .getByText(/OFFLINE|offline/)
      .waitFor();
    await setStatus('small-2', 'AVAILABLE');

    // Too long a reason is said beside the reason.
    await page.getByLabel('Reason').fill('x'.repeat(5_000));
    await send(page);
    await page
      .getByRole('alert')
      .getByText(/reason/i)
      .waitFor();
    expect(await page.getByLabel('Reason').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Reason').fill('typed before');

    await move(id, 'small-2');
    await send(page);
    await page
      .getByRole('alert')
      .getByText(/version/i)
      .waitFor();
    expect(await page.getByLabel('Reason').inputValue()).toBe('typed before');
    expect(faults).toEqual([]);
  }, 120_000);

  it('reports a session that was moved or ended meanwhile beside its field, and continues on request', async () => {
    await agent('taker-1', { type: 'TAKER' });
    await agent('lost-1', { type: 'LOST' });
    const { page, faults } = await openDialog('Overtaken');
    const dialog = page.getByRole('dialog');
    const target = dialog.getByRole('group', { name: /^To/ });
    const id = await idOf('Overtaken', false);
    await dialog.getByLabel('Reason').fill('typed before');
    await dialog.getByLabel('Summary').fill('summed up before');
    const kept = async () => {
      expect(await dialog.getByLabel('Reason').inputValue()).toBe('typed before');
      expect(await dialog.getByLabel('Summary').inputValue()).toBe('summed up before');
    };

    // ALREADY_ASSIGNED: somebody else gave it to the one who is chosen here.
    await choose(page, 'taker-1');
    await move(id, 'taker-1');
    await dialog.getByRole('button', { name: 'Use the current state' }).focus();
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Reassign');
    await page.keyboard.press('Enter');
    await target.getByRole('alert').getByText("'taker-1' already holds this session").waitFor();
    await kept();

    // NOT_FOUND of an agent, beside the agents.
    await choose(page, 'lost-1');
    await db.pool.query(
      "BEGIN; SET LOCAL session_replication_role = replica; DELETE FROM agents WHERE id = 'lost-1'; COMMIT",
    );
    await send(page);
    await target.getByRole('alert').getByText("no agent 'lost-1'").waitFor();
    await kept();

    // INVALID_STATE: it was ended meanwhile.
    await choose(page, 'a-free-one');
    const globalId = await idOf('Overtaken');
    const { errors } = await api.post(
      'mutation ($id: ID!) { completeSession(input: { sessionId: $id }) { __typename } }',
      { id: globalId },
    );
    expect(errors).toBeUndefined();
    await dialog.getByRole('button', { name: 'Use the current state' }).click();
    await send(page);
    await dialog
      .getByRole('alert')
      .filter({ hasText: 'The session was not moved' })
      .getByText(/COMPLETED/)
      .waitFor();
    expect(await target.getByRole('alert').count()).toBe(0);
    // In sight, wherever one has scrolled to.
    await dialog.getByText('Preview of the context').scrollIntoViewIfNeeded();
    expect(
      await dialog
        .getByRole('alert')
        .evaluate((note) =>
          document
            .elementsFromPoint(note.getBoundingClientRect().x + 5, note.getBoundingClientRect().y + 5)
            .includes(note),
        ),
    ).toBe(true);
    await look(page, 'reassign-ended');
    await kept();
    expect(faults).toEqual([]);
  }, 120_000);

  it('reports a session that was deleted', async () => {
    const { page, faults } = await openDialog('Removed', visit);
    await choose(page, 'a-free-one');
    await page.getByLabel('Reason').fill('typed before');
    // What a server says that was set back to a copy of before.
    await page.route('**/graphql', (route) =>
      route.continue(
        changed(route, (input) => ({
          ...input,
          sessionId: encodeId('session', '01900000-0000-7000-8000-000000000000'),
        })),
      ),
    );
    await send(page);
    await page
      .getByRole('alert')
      .filter({ hasText: 'The session was not moved' })
      .getByText(/no session/)
      .waitFor();
    expect(await page.getByLabel('Reason').inputValue()).toBe('typed before');
    expect(faults).toEqual([]);
  }, 60_000);

  it('shows refusals that it cannot cause itself: another type, and a used key', async () => {
    const { page, faults } = await openDialog('Impossible', visit);
    const dialog = page.getByRole('dialog');
    await choose(page, 'a-free-one');
    await dialog.getByLabel('Reason').fill('typed before');
    let change: ((input: Input) => Input) | undefined = (input) => ({ ...input, agentType: 'CODEX' });
    const keys: unknown[] = [];
    await page.route('**/graphql', (route) => {
      if (inputOf(route)) keys.push(inputOf(route)?.['idempotencyKey']);
      return change ? route.continue(changed(route, change)) : route.continue();
    });
    await send(page);
    await dialog.getByRole('group', { name: /^To/ }).getByRole('alert').getByText(/CODEX/).waitFor();

    const used = await session('claude-1', { title: 'The one before' });
    await api.post(
      'mutation ($id: ID!) { reassignSession(input: { sessionId: $id, agentId: "a-free-one", idempotencyKey: "used" }) { __typename } }',
      { id: encodeId('session', used) },
    );
    change = (input) => ({ ...input, idempotencyKey: 'used' });
    await send(page);
    await dialog.getByRole('alert').filter({ hasText: 'The session was not moved' }).getByText(/key/i).waitFor();
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('typed before');

    // Another try comes with another key, and goes through.
    change = undefined;
    await send(page);
    await noticeOf(page, "'a-free-one' holds the session now").waitFor();
    expect(new Set(keys).size).toBe(3);
    expect(faults).toEqual([]);
  }, 90_000);

  it('works by keyboard, and returns the focus', async () => {
    const { page } = await openDialog('Keyboard');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')), patiently)
      .toBe('Reassign "Keyboard"');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    // The field that searches the agents has the focus.
    await page.keyboard.type('a-free');
    await page.getByRole('option').nth(1).waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('[role=option][aria-selected=true]', { hasText: 'a-free-one' }).waitFor();
    await page.keyboard.press('Enter');
    await noticeOf(page, /holds the session now/).waitFor();
  }, 60_000);
});

type Input = Record<string, unknown>;

/** What a reassign that is under way asks for; undefined of other requests. */
function inputOf(route: Route): Input | undefined {
  const { query, variables } = route.request().postDataJSON() as { query: string; variables?: { input?: Input } };
  return query.includes('mutation Reassign') ? variables?.input : undefined;
}

/** The same request with another input. */
function changed(route: Route, change: (input: Input) => Input): { postData?: string } {
  const input = inputOf(route);
  if (!input) return {};
  return {
    postData: JSON.stringify({ ...(route.request().postDataJSON() as object), variables: { input: change(input) } }),
  };
}

/** The GraphQL id of the session with this title, or the one that commands take. */
async function idOf(title: string, global = true): Promise<string> {
  const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM sessions WHERE title = $1', [title]);
  if (!global) return rows[0]!.id;
  const { data } = await api.post<{ sessions: { nodes: { id: string }[] } }>(
    'query ($title: String) { sessions(where: { titleContains: $title }) { nodes { id } } }',
    { title },
  );
  return data.sessions.nodes[0]!.id;
}
