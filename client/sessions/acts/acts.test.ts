import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeId } from '../../../server/core/ids.ts';
import { look, noticeOf, openBrowser, patiently, type Visit } from '../../../test/browser.ts';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session, reassign } = world(db.pool);
const api = client(url);
let visit: (path: string) => Promise<Visit>;

beforeAll(async () => {
  await agent('claude-1', { maxCapacity: 50 });
  await agent('codex-1', { type: 'CODEX', maxCapacity: 50 });
  ({ visit } = await openBrowser(url));
}, 300_000);

async function stateOf(id: string): Promise<unknown> {
  const { data } = await api.post<{ session: unknown }>(
    'query ($id: ID!) { session(id: $id) { status endReason summary agent { id } lastHandoff { status } } }',
    { id },
  );
  return data.session;
}

const menu = (page: Page) => page.getByRole('combobox', { name: 'More acts on this session' });

describe('the acts on a session', () => {
  it('pause, are undone, and fail the session, by keyboard alone', async () => {
    const id = encodeId('session', await session('claude-1', { title: 'Steer me' }));
    const { page, faults } = await visit(`/sessions/${id}`);
    await menu(page).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'Pause this session' }).waitFor();
    await look(page, 'session-acts');
    // Leaving the menu runs nothing.
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await expect.poll(() => page.getByRole('option').count(), patiently).toBe(0);
    expect(await stateOf(id)).toMatchObject({ status: 'RUNNING' });

    await menu(page).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('p');
    await page.keyboard.press('Enter');
    await noticeOf(page, '"Steer me" was paused.').waitFor();
    await look(page, 'session-paused');
    expect(await stateOf(id)).toMatchObject({ status: 'PAUSED' });
    await page.keyboard.press('F8');
    await page.keyboard.press('Enter');
    await noticeOf(page, '"Steer me" was resumed.').waitFor();
    expect(await stateOf(id)).toMatchObject({ status: 'RUNNING' });

    await menu(page).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('f');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Fail "Steer me"' });
    await dialog.getByText('This cannot be taken back.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Fail the session' }).getAttribute('aria-disabled')).toBe('true');
    // The field has the focus.
    await page.keyboard.type('The tests never pass');
    await look(page, 'session-fail');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await noticeOf(page, '"Steer me" was marked as failed.').waitFor();
    expect(await stateOf(id)).toMatchObject({ status: 'FAILED', endReason: 'The tests never pass' });
    // Nothing but copying is left.
    await menu(page).click();
    expect(await page.getByRole('option').allInnerTexts()).toEqual(['Copy the id of this session']);
    expect(faults).toEqual([]);
  }, 120_000);

  it('take a waiting reassign back from its notice, and no longer once it was accepted', async () => {
    const moved = await session('claude-1', { title: 'There and back' });
    const id = encodeId('session', moved);
    const { page, faults } = await visit(`/sessions/${id}`);
    const give = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Reassign', exact: true }).click();
      await page.getByRole('dialog').getByRole('combobox', { name: 'Agent' }).fill('codex');
      await page
        .getByRole('dialog')
        .getByRole('option', { name: /codex-1/ })
        .click();
      await page.getByRole('dialog').getByRole('button', { name: 'Reassign' }).click();
      await noticeOf(page, /'codex-1' holds the session now/)
        .last()
        .waitFor();
    };
    await give();
    await look(page, 'reassigned');
    await page.getByRole('button', { name: 'Undo' }).click();
    await noticeOf(
      page,
      "Taken back: 'claude-1' holds the session again; the handoff to 'codex-1' was cancelled.",
    ).waitFor();
    expect(await stateOf(id)).toMatchObject({ agent: { id: 'claude-1' }, lastHandoff: { status: 'CANCELLED' } });

    await give();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    const { data } = await api.post<{ session: { openHandoff: { id: string } } }>(
      'query ($id: ID!) { session(id: $id) { openHandoff { id } } }',
      { id },
    );
    await api.post('mutation ($id: ID!) { acceptHandoff(input: { handoffId: $id }) { __typename } }', {
      id: data.session.openHandoff.id,
    });
    await expect.poll(() => page.getByRole('button', { name: 'Undo' }).count(), patiently).toBe(0);
    expect(faults).toEqual([]);
  }, 120_000);

  it('cancel a waiting handoff with a reason, and copy an id', async () => {
    const given = await session('claude-1', { title: 'Wait for it' });
    await reassign(given, { agentId: 'codex-1' });
    const id = encodeId('session', given);
    const { page, faults } = await visit(`/sessions/${id}`);
    await page.getByRole('button', { name: 'Cancel the handoff of "Wait for it"' }).click();
    await page.getByRole('dialog').getByText("returns to 'claude-1' if it has room").waitFor();
    await page.keyboard.type('Not needed');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await stateOf(id)).toMatchObject({ agent: { id: 'claude-1' }, lastHandoff: { status: 'CANCELLED' } });

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy the id of the session' }).click();
    await noticeOf(page, 'The id of the session was copied.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(id);
    await page.evaluate(() => navigator.clipboard.writeText(''));
    await menu(page).click();
    await page.getByRole('option', { name: 'Copy the id of this session' }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText()), patiently).toBe(id);
    // Over plain HTTP of another host there is no clipboard: the notice has the id.
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await page.getByRole('button', { name: 'Copy the id of the session' }).click();
    await noticeOf(page, 'This browser does not let the page copy.').getByText(id).waitFor();
    expect(faults).toEqual([]);
  }, 120_000);
});
