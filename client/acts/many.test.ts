import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { chooseAgent, look, noticeOf, openBrowser, patiently, requestsOf, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';
import { between } from './useSelection.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session, reassign } = world(db.pool);
let visit: (path: string) => Promise<Visit>;

beforeAll(async () => {
  await agent('claude-1', { maxCapacity: 50 });
  await agent('codex-1', { type: 'CODEX', maxCapacity: 50 });
  await agent('small-1', { type: 'SMALL', maxCapacity: 1 });
  ({ visit } = await openBrowser(url));
}, 300_000);

const box = (page: Page, title: string) => page.getByRole('checkbox', { name: `Select ${title}` });
const bar = (page: Page) => page.getByRole('region', { name: /^Selected/ });
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent);
const outcomes = (page: Page) => page.getByRole('dialog').getByRole('listitem').allInnerTexts();

async function sessionsLike(title: string): Promise<{ status: string; agent_id: string | null }[]> {
  const { rows } = await db.pool.query<{ status: string; agent_id: string | null }>(
    'SELECT status, agent_id FROM sessions WHERE title LIKE $1 ORDER BY title',
    [`${title}%`],
  );
  return rows;
}

describe('acting on many', () => {
  it('pauses the selected sessions by keyboard, and undoes it', async () => {
    for (const count of [1, 2, 3, 4]) await session('claude-1', { title: `Row ${count}` });
    const { page, faults } = await visit('/sessions?q=Row');
    await box(page, 'Row 4').focus();
    await page.keyboard.press('Space');
    await bar(page).getByText('1 session selected').waitFor();
    // With Shift all rows between: the newest stands first.
    await box(page, 'Row 2').click({ modifiers: ['Shift'] });
    await bar(page).getByText('3 sessions selected').waitFor();
    await look(page, 'selection');
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await look(page, 'selection-narrow');
    await page.setViewportSize({ width: 1440, height: 900 });

    await bar(page).getByRole('button', { name: 'Pause' }).focus();
    await page.keyboard.press('Enter');
    await noticeOf(page, '3 sessions were paused.').waitFor();
    expect((await sessionsLike('Row')).map(({ status }) => status)).toEqual(['RUNNING', 'PAUSED', 'PAUSED', 'PAUSED']);
    // All were done: nothing stays selected.
    await expect.poll(() => bar(page).count(), patiently).toBe(0);
    await page.keyboard.press('F8');
    await page.keyboard.press('Enter');
    await noticeOf(page, '3 sessions were resumed.').waitFor();
    // The button is gone: the focus stays in the notice.
    await expect.poll(() => focused(page), patiently).toBe('3 sessions were resumed.');
    expect((await sessionsLike('Row')).map(({ status }) => status)).toEqual([
      'RUNNING',
      'RUNNING',
      'RUNNING',
      'RUNNING',
    ]);

    // From a row the palette is nearer than the bar.
    await box(page, 'Row 1').press('Space');
    await bar(page).getByText('1 session selected').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('pause the selected');
    await page.getByRole('option', { name: 'Pause the selected session' }).waitFor();
    await page.keyboard.press('Enter');
    await noticeOf(page, '"Row 1" was paused.').waitFor();
    await expect.poll(() => focused(page), patiently).toBe('Select Row 1');

    await page.keyboard.press('Space');
    await bar(page).getByRole('button', { name: 'Select all' }).press('Enter');
    await bar(page).getByText('4 sessions selected').waitFor();
    expect(await focused(page)).toBe('Selected sessions');
    await bar(page).getByRole('button', { name: 'Clear' }).press('Enter');
    await expect.poll(() => bar(page).count(), patiently).toBe(0);
    expect(await focused(page)).toBe('Select Row 4');
    await page.keyboard.press('Space');
    await bar(page).getByRole('button', { name: 'Clear' }).focus();
    await page.keyboard.press('Escape');
    await expect.poll(() => bar(page).count(), patiently).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');

    // Ending many is asked first.
    for (const count of [3, 4]) await box(page, `Row ${count}`).check();
    await bar(page).getByRole('button', { name: 'Cancel' }).click();
    const ending = page.getByRole('dialog', { name: 'Cancel 2 sessions' });
    await ending.getByText('This cannot be taken back.').waitFor();
    await ending.getByRole('button', { name: 'Cancel 2 sessions' }).click();
    await noticeOf(page, '2 sessions were cancelled.').waitFor();
    expect((await sessionsLike('Row')).map(({ status }) => status)).toEqual([
      'PAUSED',
      'RUNNING',
      'CANCELLED',
      'CANCELLED',
    ]);
    expect(faults).toEqual([]);
  }, 120_000);

  it('tells of each session whether it was reassigned, keeps the refused ones selected, and tries them again', async () => {
    for (const count of [1, 2, 3]) await session('claude-1', { title: `Move ${count}` });
    const { page, faults } = await visit('/sessions?q=Move');
    await box(page, 'Move 1').check();
    await bar(page).getByRole('button', { name: 'Select all 3 shown' }).click();
    await bar(page).getByRole('button', { name: 'Reassign' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reassign 3 sessions' });
    await chooseAgent(dialog, 'small-1');
    await dialog.getByLabel('Reason').fill('All to one');
    await dialog.getByRole('button', { name: 'Reassign 3 sessions' }).click();
    await dialog.getByText('1 of 3 done, 2 not.').waitFor();
    const lines = await outcomes(page);
    expect(lines.filter((line) => line.includes('done'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('full capacity'))).toHaveLength(2);
    await look(page, 'many-refused');
    await agent('small-2', { type: 'SMALL', maxCapacity: 5 });
    await db.pool.query("UPDATE agents SET max_capacity = 2 WHERE id = 'small-1'");
    await dialog.getByRole('button', { name: 'Try the 2 others again' }).press('Enter');
    await dialog.getByText('2 of 3 done, 1 not.').waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Close');
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await bar(page).getByText('1 session selected').waitFor();

    // The rest by type; then all of it is taken back.
    await bar(page).getByRole('button', { name: 'Reassign' }).click();
    await page.getByRole('dialog').getByText('Any of a type').click();
    await page.getByRole('dialog').getByLabel('Type', { exact: true }).selectOption('SMALL');
    await page.getByRole('dialog').getByRole('button', { name: 'Reassign 1 session' }).click();
    await noticeOf(page, '1 session reassigned.').waitFor();
    expect((await sessionsLike('Move')).map(({ agent_id }) => agent_id).sort()).toEqual([
      'small-1',
      'small-1',
      'small-2',
    ]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await noticeOf(page, '1 of 1 handoff cancelled.').waitFor();
    expect((await sessionsLike('Move')).map(({ agent_id }) => agent_id).sort()).toEqual([
      'claude-1',
      'small-1',
      'small-1',
    ]);
    expect(faults).toEqual([]);
  }, 120_000);

  it('rejects the selected handoffs with one reason, tells which was decided before, and accepts others at once', async () => {
    for (const count of [1, 2, 3])
      await reassign(await session('claude-1', { title: `Decide ${count}` }), { agentId: 'codex-1' });
    const { page, faults } = await visit('/handoffs?target=codex-1');
    for (const count of [1, 2, 3]) await box(page, `the handoff of Decide ${count} to codex-1`).check();
    await look(page, 'handoffs-selection');
    await db.pool.query(
      "UPDATE handoffs SET status = 'CANCELLED', closed_at = now(), cancel_reason = 'gone' WHERE session_id = (SELECT id FROM sessions WHERE title = 'Decide 2')",
    );
    await bar(page).getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('Not now');
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('dialog').getByText('2 of 3 done, 1 not.').waitFor();
    expect((await outcomes(page)).filter((line) => /CANCELLED/.test(line))).toHaveLength(1);
    expect((await sessionsLike('Decide')).filter(({ agent_id }) => agent_id === 'claude-1')).toHaveLength(2);
    // Only what was refused is tried again.
    const again = requestsOf(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Try it again' }).click();
    await expect.poll(() => again.length, patiently).toBeGreaterThan(0);
    await page.getByRole('dialog').getByText('2 of 3 done, 1 not.').waitFor();
    expect(again.filter((request) => request.includes('mutation Reject('))).toHaveLength(1);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();

    for (const count of [1, 2])
      await reassign(await session('claude-1', { title: `Take ${count}` }), { agentId: 'codex-1' });
    await page.goto(`${url}/handoffs?target=codex-1&status=initiated`);
    for (const count of [1, 2]) await box(page, `the handoff of Take ${count} to codex-1`).check();
    await bar(page).getByRole('button', { name: 'Accept' }).click();
    await noticeOf(page, '2 handoffs were accepted.').waitFor();
    const { rows } = await db.pool.query(
      "SELECT status FROM handoffs WHERE session_id IN (SELECT id FROM sessions WHERE title LIKE 'Take %')",
    );
    expect(rows).toEqual([{ status: 'ACCEPTED' }, { status: 'ACCEPTED' }]);
    expect(faults).toEqual([]);
  }, 120_000);

  it('selects the rows between two, in either direction', () => {
    const rows = ['a', 'b', 'c', 'd'];
    expect(between(rows, 'b', 'd')).toEqual(['b', 'c', 'd']);
    expect(between(rows, 'c', 'a')).toEqual(['a', 'b', 'c']);
    expect(between(rows, 'gone', 'b')).toEqual(['b']);
  });
});
