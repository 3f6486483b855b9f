import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { chooseAgent, look, noticeOf, openBrowser, patiently, type Visit } from '../../../test/browser.ts';
import { testDatabase } from '../../../test/database.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session } = world(db.pool);
let visit: (path: string) => Promise<Visit>;

beforeAll(async () => {
  await agent('claude-1');
  ({ visit } = await openBrowser(url));
}, 300_000);

const transcript = await readFile(
  new URL('../../../server/work/log/transcripts/fixtures/codex-rollout.jsonl', import.meta.url),
  'utf8',
);

/** Drops a file on the page. */
async function drop(page: Page, name: string, content: string): Promise<void> {
  const files = await page.evaluateHandle(
    ([fileName, text]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text!], fileName!));
      return transfer;
    },
    [name, content],
  );
  await page.dispatchEvent('body', 'dragover', { dataTransfer: files });
  await page.getByText(/Drop (a transcript|transcripts) to import/).waitFor();
  await page.dispatchEvent('body', 'drop', { dataTransfer: files });
}

describe('creating work', () => {
  it('registers an agent and creates a session for it, by keyboard', async () => {
    const { page, faults } = await visit('/agents');
    await page.getByRole('button', { name: 'Register an agent' }).focus();
    await page.keyboard.press('Enter');
    const register = page.getByRole('dialog', { name: 'Register an agent' });
    await register.waitFor();
    await expect
      .poll(() => register.getByLabel('Id').evaluate((field) => field === document.activeElement), patiently)
      .toBe(true);
    await page.keyboard.type('claude-1');
    await page.keyboard.press('Tab');
    await page.keyboard.type('CLAUDE');
    await page.keyboard.press('Enter');
    // The refusal says what to do, and keeps what was typed.
    await register
      .getByRole('alert')
      .getByText(/claude-1/)
      .waitFor();
    await look(page, 'register-refused');
    expect(await register.getByLabel('Type').inputValue()).toBe('CLAUDE');
    await register.getByLabel('Capacity').fill('7');
    await register.getByLabel('Role').fill('writer');
    await register.getByLabel('Id').fill('fresh-1');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'fresh-1' }).waitFor();
    const { rows: agents } = await db.pool.query("SELECT type, role, max_capacity FROM agents WHERE id = 'fresh-1'");
    expect(agents).toEqual([{ type: 'CLAUDE', role: 'writer', max_capacity: 7 }]);

    await page.getByRole('link', { name: 'Sessions', exact: true }).first().click();
    await page.getByRole('button', { name: 'New session' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New session' });
    await dialog.waitFor();
    await dialog.getByLabel('Title').fill('Made by hand');
    await dialog.getByLabel('For', { exact: true }).selectOption('An agent');
    await dialog.getByRole('combobox', { name: 'Agent' }).fill('fresh');
    await dialog.getByRole('option', { name: /fresh-1/ }).waitFor();
    await page.keyboard.press('Enter');
    await dialog.getByLabel('Project').fill('Hands');
    await dialog.getByLabel('A person approves each handoff').check();
    await look(page, 'new-session');
    await dialog.getByRole('button', { name: 'Create' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Made by hand' }).waitFor();
    const { rows } = await db.pool.query(
      'SELECT agent_id, project, status, handoff_approval FROM sessions WHERE title = $1',
      ['Made by hand'],
    );
    expect(rows).toEqual([{ agent_id: 'fresh-1', project: 'Hands', status: 'RUNNING', handoff_approval: 'REQUIRED' }]);
    // And no more.
    const approves = page.getByRole('complementary').getByLabel('A person approves each handoff');
    expect(await approves.isChecked()).toBe(true);
    await approves.uncheck();
    await expect
      .poll(
        async () => (await db.prisma.session.findFirstOrThrow({ where: { title: 'Made by hand' } })).handoffApproval,
        patiently,
      )
      .toBe('NONE');
    await look(page, 'session-approval');
    expect(faults).toEqual([]);
  }, 120_000);

  it('imports a dropped transcript as a session, and its longer version into it', async () => {
    const { page, faults } = await visit('/sessions');
    await page.getByRole('button', { name: 'New session' }).waitFor();
    await drop(page, 'rollout.jsonl', 'not a transcript');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('listitem').getByText('rollout.jsonl').waitFor();
    await look(page, 'import');
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    const lines = transcript.trimEnd().split('\n');
    await drop(page, 'rollout.jsonl', lines.slice(0, Math.ceil(lines.length / 2)).join('\n'));
    await dialog.getByLabel('Title').fill('From a file');
    await chooseAgent(dialog, 'claude-1');
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await noticeOf(page, /^Imported \d+ messages?/).waitFor();
    await page.getByRole('heading', { level: 1, name: 'From a file' }).waitFor();
    const count = async () =>
      (
        await db.pool.query<{ count: number }>(
          'SELECT count(*)::int AS count FROM messages JOIN sessions ON sessions.id = session_id WHERE title = $1',
          ['From a file'],
        )
      ).rows[0]!.count;
    const before = await count();
    expect(before).toBeGreaterThan(0);
    expect((await db.pool.query("SELECT agent_id FROM sessions WHERE title = 'From a file'")).rows).toEqual([
      { agent_id: 'claude-1' },
    ]);

    // The rest, chosen by the menu instead.
    await page.getByRole('combobox', { name: 'More acts on this session' }).click();
    await page.getByRole('option', { name: /^Import a transcript/ }).click();
    await dialog
      .getByLabel('File')
      .setInputFiles({ name: 'rollout.jsonl', mimeType: 'application/x-ndjson', buffer: Buffer.from(transcript) });
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await count()).toBeGreaterThan(before);
    expect(faults).toEqual([]);
  }, 120_000);

  it('tells of each of many files what became of it', async () => {
    await session(null, { title: 'Beside it' });
    const { page } = await visit('/sessions');
    await page.getByRole('button', { name: 'Import …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import transcripts' });
    const file = (name: string, text: string) => ({
      name,
      mimeType: 'application/x-ndjson',
      buffer: Buffer.from(text),
    });
    await dialog.getByLabel('File').setInputFiles([file('good.jsonl', transcript), file('bad.jsonl', 'nothing')]);
    await dialog.getByRole('button', { name: 'Import 2 files' }).click();
    await dialog.getByText('1 of 2 done, 1 not.').waitFor();
    expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/good\.jsonl\s+done/),
      expect.stringMatching(/bad\.jsonl\s+\S+/),
    ]);
  }, 120_000);
});
