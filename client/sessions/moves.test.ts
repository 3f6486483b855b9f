import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeId } from '../../server/core/ids.ts';
import { acceptHandoff } from '../../server/work/handoffs/changeHandoff.ts';
import { pauseSession, resumeSession } from '../../server/work/sessions/changeSession.ts';
import { openBrowser, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';
import { handoffNumbers, type Tenure } from './moves.ts';

it('the entry of a handoff is the message before the tenure that it began', () => {
  const tenure = (startSequence: number, id?: string) =>
    ({ startSequence, initiatedByHandoff: id === undefined ? null : { id } }) as Tenure;
  expect(handoffNumbers([tenure(9, 'b'), tenure(5), tenure(3, 'a'), tenure(1)])).toEqual([2, 8]);
});

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session, turn, reassign, run } = world(db.pool);
let visit: (path: string) => Promise<Visit>;
let id: string;

beforeAll(async () => {
  for (const name of ['claude-1', 'codex-1']) await agent(name);
  id = await session('claude-1', { title: 'Moved around' });
  await turn(id, { messages: [{ role: 'ASSISTANT', content: 'The first words.' }] });
  await reassign(id, {
    agentId: 'codex-1',
    skipHandoff: true,
    reason: 'It knows the parser',
    summary: 'The lexer is done',
    metadata: { ticket: 7 },
  });
  for (const name of ['claude-1', 'codex-1'])
    await run(acceptHandoff, {
      handoffId: (await reassign(id, { agentId: name, reason: `On to ${name}` })).handoffId!,
    });
  await reassign(id, { agentId: 'claude-1', skipHandoff: true });
  await run(pauseSession, { sessionId: id, expectedVersion: null });
  ({ visit } = await openBrowser(url));
}, 300_000);

const path = (): string => `/sessions/${encodeId('session', id)}`;
const moved = (page: Page) => page.locator('[data-moved]');

describe('the page of a session', () => {
  it('shows moves without a handoff in the log, with their reasons', async () => {
    const { page, faults } = await visit(path());
    await moved(page).nth(1).waitFor();
    expect(await moved(page).allTextContents()).toEqual([
      expect.stringMatching(
        /Moved to.*codex-1.*without a handoff.*It knows the parser.*The lexer is done.*"ticket": 7/s,
      ),
      expect.stringMatching(/Moved to.*claude-1.*No reason was given/s),
    ]);
    // After the first words, before where it was routed.
    const order = await page
      .locator('[data-moved], [data-routed], #message-1')
      .evaluateAll((all) =>
        all.map((one) => one.getAttribute('data-moved') ?? one.getAttribute('data-routed') ?? one.id),
      );
    expect(order).toEqual(['message-1', 'true', 'true', 'true', 'true']);
    await page.locator('[data-routed]', { hasText: 'On to codex-1' }).getByText('sent back').waitFor();
    expect(await page.locator('[data-change]').allTextContents()).toEqual([
      expect.stringMatching(/^Paused by an operator/),
    ]);
    const now = page.getByRole('status', { name: 'Now' });
    await now.getByText('Paused: nobody works on it').waitFor();
    // What happens while the page is open follows it.
    await run(resumeSession, { sessionId: id, expectedVersion: null });
    await page.locator('[data-change]', { hasText: 'Resumed by an operator' }).waitFor();
    await run(pauseSession, { sessionId: id, expectedVersion: null });
    expect(faults).toEqual([]);
  }, 120_000);

  it('shows moves between the handoffs of the history, and marks returned handoffs', async () => {
    const { page, faults } = await visit(`${path()}?view=handoffs`);
    await moved(page).nth(1).waitFor();
    const rows = await page.locator('table > tbody').allTextContents();
    expect(rows.slice(0, 4)).toEqual([
      expect.stringMatching(/claude-1.*Without a handoff/),
      expect.stringMatching(/On to codex-1.*Sent back: returns handoff 1/),
      expect.stringMatching(/On to claude-1/),
      expect.stringMatching(/codex-1.*Without a handoff.*It knows the parser.*The lexer is done/s),
    ]);
    expect(rows[2]).not.toContain('Sent back');
    expect(faults).toEqual([]);
  }, 120_000);
});
