import { Client, fetchExchange } from 'urql';
import { beforeAll, describe, expect, it } from 'vitest';
import { look, noticeOf, openBrowser, patiently, type Visit } from '../../../test/browser.ts';
import { testDatabase } from '../../../test/database.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { readHeld } from './TakeOutDialog.tsx';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session } = world(db.pool);
let visit: (path: string) => Promise<Visit>;

beforeAll(async () => {
  await agent('leaver-1', { maxCapacity: 200 });
  await agent('claude-2', { maxCapacity: 2 });
  await agent('other-1', { type: 'OTHER', maxCapacity: 200 });
  ({ visit } = await openBrowser(url));
}, 300_000);

async function stateOf(id: string): Promise<{ status: string; load: number; archived: boolean }> {
  const { rows } = await db.pool.query<{ status: string; load: number; archived: boolean }>(
    'SELECT administrative_status AS status, current_load AS load, archived_at IS NOT NULL AS archived FROM agents WHERE id = $1',
    [id],
  );
  return rows[0]!;
}

describe('taking an agent out', () => {
  it('moves its sessions by keyboard, stays draining while one is left, and then archives it', async () => {
    for (const count of [1, 2, 3]) await session('leaver-1', { title: `Held ${count}` });
    const { page, faults } = await visit('/agents/leaver-1');
    await page.getByRole('button', { name: 'Take out …' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Take leaver-1 out' });
    await dialog.getByText('The 3 sessions that it holds').waitFor();
    await look(page, 'take-out');
    // Two find a place, and the third may not wait.
    await dialog.getByRole('checkbox', { name: /Wait in the queue/ }).uncheck();
    await dialog.getByRole('button', { name: 'Move 3 sessions and take it out' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('2 of 3 done, 1 not.').waitFor();
    await look(page, 'take-out-refused');
    expect(await stateOf('leaver-1')).toEqual({ status: 'DRAINING', load: 1, archived: false });
    await page.keyboard.press('Escape');
    await noticeOf(page, 'leaver-1 is draining: it still holds 1 session.').waitFor();

    // What is left goes to a named agent; the archived one holds nothing.
    await page.getByRole('button', { name: 'Take out …' }).click();
    await dialog.getByRole('radio', { name: /^Archived/ }).check();
    expect(await dialog.getByRole('radio', { name: /^Leave with it/ }).isDisabled()).toBe(true);
    await dialog.getByText('An agent', { exact: true }).click();
    await dialog.getByRole('combobox', { name: 'Agent' }).fill('other');
    await dialog.getByRole('option', { name: /other-1/ }).click();
    await dialog.getByRole('button', { name: 'Move 1 session and take it out' }).click();
    await noticeOf(page, 'leaver-1 is archived. 1 session moved.').waitFor();
    expect(await stateOf('leaver-1')).toEqual({ status: 'OFFLINE', load: 0, archived: true });
    expect((await stateOf('claude-2')).load).toBe(2);
    expect((await stateOf('other-1')).load).toBe(1);
    await page.getByText('Archived', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Take out …' }).count()).toBe(0);
    expect(faults).toEqual([]);
  }, 120_000);

  it('reads all sessions that it holds, beyond one page', async () => {
    await agent('hoarder-1', { maxCapacity: 200 });
    for (let count = 1; count <= 101; count += 1) await session('hoarder-1', { title: `Kept ${count}` });
    const held = await readHeld(
      new Client({ url: `${url}/graphql`, preferGetMethod: false, exchanges: [fetchExchange] }),
      'hoarder-1',
    );
    expect(new Set(held?.map(({ title }) => title)).size).toBe(101);
  }, 60_000);

  it('leaves the sessions with it on request', async () => {
    await session('other-1', { title: 'Stays' });
    const { load } = await stateOf('other-1');
    const { page } = await visit('/agents/other-1');
    await page.getByRole('button', { name: 'Take out …' }).click();
    await page.getByRole('radio', { name: /^Draining/ }).check();
    await page.getByRole('radio', { name: /^Leave with it/ }).check();
    await page.getByRole('button', { name: 'Take it out', exact: true }).click();
    await noticeOf(page, 'other-1 is draining.').waitFor();
    await expect.poll(() => stateOf('other-1'), patiently).toEqual({ status: 'DRAINING', load, archived: false });
  }, 120_000);
});
