import { readFile } from 'node:fs/promises';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { seed } from '../../prisma/seed.ts';
import { encodeId } from '../../server/core/ids.ts';
import { silentLog } from '../../server/infra/log.ts';
import { recordWorkingTree } from '../../server/work/log/addToLog.ts';
import { chooseAgent, look, noticeOf, openBrowser, patiently, unfold, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { client } from '../../test/graphql.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';

const db = await testDatabase();
await seed({ pool: db.pool, log: silentLog });
const { url } = await startApp(db);
const { agent, session, turn, reassign, run } = world(db.pool);
const api = client(url);

/** The session of the demonstration that was handed off in every way, and its fourth handoff. */
const chained = 'session_01kc000000e008000000000004';
const fourth = 'handoff_01kc000000e008000000000028';

let visit: (path: string, options?: BrowserContextOptions) => Promise<Visit>;
let go: (path: string) => Promise<Visit>;

beforeAll(async () => {
  ({ visit, go } = await openBrowser(url));
}, 300_000);

const conversation = (page: Page) => page.getByRole('region', { name: 'Conversation' });
const routed = (page: Page, text: string) => conversation(page).locator('[data-routed]', { hasText: text });

async function ask<Data>(query: string, variables: object = {}): Promise<Data> {
  const { data, errors } = await api.post<Data>(query, variables);
  expect(errors).toBeUndefined();
  return data;
}

describe('the page of a session', () => {
  it('shows holder, waiting handoff and chain, draws tenures and waiting over time, and zooms by keys', async () => {
    const { page, faults } = await go(`/sessions/${chained}`);
    const top = page.getByRole('region', { name: 'Now, and the chain' });
    await top.getByText('Not accepted yet', { exact: true }).first().waitFor();
    await top.getByRole('link', { name: 'Handoff waiting: from reviewer-1 to claude-1' }).waitFor();
    await top.getByText('Never seen').waitFor();
    // The chain is folded into its newest step, until a reader opens it.
    const newest = top.getByRole('group', { name: 'Newest handoff' });
    await newest.getByText('Retry-After must be in seconds').waitFor();
    expect(await top.locator('figure').count()).toBe(0);
    await unfold(page, 'Chain');
    await top.getByText('3 agents held this session, in 9 steps.').waitFor();
    expect(await top.locator('title').allTextContents()).toEqual(
      expect.arrayContaining([
        'claude-1 to codex-1: rejected. Why: The script is generated; change its template in deploy/, which is TypeScript.',
        'claude-1 to codex-1: timed out. Why: Timed out by an operator before the deadline.',
        'codex-1: declined',
        'claude-1 to reviewer-1: taken over',
      ]),
    );

    await unfold(page, 'Time axis');
    const axis = page.getByRole('region', { name: /^Time axis/ });
    await axis.waitFor();
    expect(
      await axis
        .getByRole('link', { name: /^claude-1, not accepted yet: .*of which .* waiting\. Go to message 12$/ })
        .getAttribute('href'),
    ).toBe(`/sessions/${chained}#message-12`);
    const all = await axis.getByRole('link').count();
    expect(all).toBe(9);
    const drawn = (kind: string) =>
      axis
        .locator(`[data-drawn="${kind}"]`)
        .evaluateAll((marks) => marks.map((mark) => mark.getBoundingClientRect().width > 0));
    expect((await drawn('turn')).length).toBeGreaterThan(3);
    // One was never accepted, and waits until now.
    expect(await drawn('waited')).toContain(true);
    await axis.press('+');
    await axis.press('+');
    await axis.press('ArrowRight');
    await axis.press('ArrowRight');
    await expect.poll(() => axis.getByRole('link').count(), patiently).toBeLessThan(all);
    await look(page, 'session-time');
    await axis.press('0');
    await expect.poll(() => axis.getByRole('link').count(), patiently).toBe(all);
    // Nor does a button lose the focus when all is shown.
    await page.getByRole('button', { name: 'Zoom in' }).press('Enter');
    await page.getByRole('button', { name: 'Zoom out' }).press('Enter');
    await expect.poll(() => axis.getByRole('link').count(), patiently).toBe(all);
    await page.keyboard.press('Shift+Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Zoom in');
    expect(faults).toEqual([]);
  }, 120_000);

  it('shows the log as a conversation with handoffs, reasons, changed variables, and arguments and outcome of a tool call', async () => {
    const { page, faults } = await go(`/sessions/${chained}`);
    // The request stays above the conversation.
    await page.locator('summary', { hasText: 'Please add rate limits to the public API' }).waitFor();
    const entry = routed(page, 'now with the 429 test');
    expect(await entry.textContent()).toMatch(
      /Routed to.*reviewer-1.*from claude-1.*Taken over.*Variable passed.*pull_request.*118/,
    );
    // The button keeps the focus, and what it found is said.
    await page.getByRole('button', { name: 'Handoff before' }).press('Enter');
    const said = page.getByRole('status').getByText(/^Handoff at message \d+\.$/);
    const at = await said.textContent();
    await page.keyboard.press('Enter');
    await expect.poll(() => said.textContent(), patiently).not.toBe(at);
    await page.getByRole('button', { name: 'Next Handoff' }).press('Enter');
    await expect.poll(() => said.textContent(), patiently).toBe(at);
    await page.getByRole('button', { name: 'Handoff before' }).press('Enter');
    await routed(page, 'The deployment script is Go').getByText('change its template in deploy/').waitFor();
    await page.getByRole('button', { name: 'First', exact: true }).click();
    await conversation(page).getByText('Please add rate limits to the public API').waitFor();
    const order = await conversation(page)
      .locator('li[aria-posinset]')
      .evaluateAll((entries) => entries.map(({ id }) => id));
    expect(order.slice(0, 3)).toEqual(['message-1', 'message-2', 'message-3']);

    const calls = conversation(page).locator('#message-3');
    await calls.getByRole('list', { name: 'Tool calls' }).waitFor();
    expect(await calls.getByRole('list', { name: 'Tool calls' }).locator('summary').allTextContents()).toHaveLength(4);
    await calls.getByText('failed', { exact: true }).click();
    await calls.getByText('exit 1: 1 of 212 tests failed').waitFor();
    await calls.getByText('"command": "npm test"').waitFor();
    await look(page, 'session-tool-call');
    expect(faults).toEqual([]);
  }, 120_000);

  it('shows everything that a handoff of the history carried, also as JSON, and lists the snapshots with their visible range', async () => {
    const { page, faults } = await go(`/sessions/${chained}?view=handoffs`);
    const table = page.getByRole('table', { name: 'Handoffs of this session, newest first' });
    await table.getByText('Forgot the 429 test').waitFor();
    await table.getByText('Rejected').waitFor();
    // Its head, the five, and how many there are.
    await expect.poll(() => table.getByRole('row').count(), patiently).toBe(1 + 5 + 1);
    await table.getByRole('button', { name: 'Context of handoff 4' }).click();
    await table.getByText('Document the limits').first().waitFor();
    const carried = await table.textContent();
    for (const part of [
      'composed from the log',
      'Read the whole change',
      'Token bucket rather than a fixed window',
      'src/http/rateLimit.ts',
      'Bash2 calls1 failed',
      'pull_request',
    ])
      expect(carried).toContain(part);
    await table.getByText(/^Recent messages/).click();
    await table.getByText('I read the middleware first.', { exact: false }).first().waitFor();
    await table.getByText('JSON', { exact: true }).last().click();
    await table.getByLabel('The handoff as JSON').getByText(fourth).waitFor();
    await look(page, 'session-history');

    await page.getByRole('link', { name: /^Snapshots/ }).click();
    const row = page.getByRole('row', { name: /Handoff started.*reviewer-1/ });
    expect(await row.textContent()).toContain('#1 to #10');
    expect(page.url()).toContain('view=snapshots');
    await look(page, 'session-snapshots');
    expect(faults).toEqual([]);
  }, 120_000);

  it('shows the working tree as it was recorded, in the session and its handoff, and that the holder is over capacity', async () => {
    await agent('painter', { maxCapacity: 1 });
    await session('painter');
    const id = await session('painter', { recording: true });
    await run(recordWorkingTree, {
      sessionId: id,
      branch: 'side',
      commit: 'abcdef1234567890',
      status: ' M fence.ts\n?? gate.ts',
      diffstat: '',
    });
    const { page, faults } = await go(`/sessions/${encodeId('session', id)}`);
    await page.getByText('painter is over capacity').waitFor();
    const facts = page.getByRole('complementary', { name: 'About this session' });
    await facts.getByText(/of painter, branch side, commit abcdef123456$/).waitFor();
    await facts.getByText('?? gate.ts').waitFor();
    await agent('varnisher');
    const { handoffId } = await reassign(id, { agentId: 'varnisher' });
    const handoff = await go(`/handoffs/${encodeId('handoff', handoffId!)}`);
    await handoff.page.getByText('?? gate.ts').first().waitFor();
    expect([faults, handoff.faults]).toEqual([[], []]);
  });

  it('shows where the work is done, and leads to all work of that folder', async () => {
    await agent('gardener');
    const [one, other] = ['main', 'side'].map((branch) => ({
      host: 'box',
      folder: '/srv/garden',
      repository: 'git@example.org:o/garden.git',
      branch,
      commit: null,
    }));
    await session('gardener', { title: 'Beside it', workspace: other });
    await session('gardener', { title: 'Elsewhere', workspace: { ...one!, host: 'van' } });
    const { page, faults } = await go(
      `/sessions/${encodeId('session', await session('gardener', { workspace: one }))}`,
    );
    const facts = page.getByRole('complementary', { name: 'About this session' });
    for (const text of ['box', 'git@example.org:o/garden.git', 'main'])
      await facts.getByText(text, { exact: true }).waitFor();
    await facts.getByRole('link', { name: '/srv/garden' }).click();
    const rows = page.locator('[data-session]');
    await expect.poll(() => rows.count(), patiently).toBe(2);
    await rows.getByText('Beside it').waitFor();
    // Only of this folder, also what comes later.
    await session('gardener', { title: 'Elsewhere too', workspace: { ...one!, folder: '/srv/wall' } });
    await session('gardener', { title: 'Here too', workspace: other });
    await page
      .getByText('Here too')
      .or(page.getByRole('button', { name: /new session/ }))
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'One folder' }).click();
    await rows.getByText('Elsewhere', { exact: true }).waitFor();
    expect(faults).toEqual([]);
  });

  it('shows why an agent was chosen, which runner works, why it paused, and the budget', async () => {
    await agent('chosen-1', { role: 'parser' });
    const { createSession } = await ask<{
      createSession: { session: { id: string; agentSession: { id: string } } };
    }>(
      `mutation { createSession(input: { title: "Parse it", request: "Mend the parser", choose: true, chooseFrom: ["chosen-1"], tokenBudget: 50000 }) {
        ... on CreateSessionPayload { session { id agentSession { id } } } ... on Error { message } } }`,
    );
    const { id, agentSession } = createSession.session;
    await ask(
      'mutation ($id: ID!) { claimTenure(input: { agentSessionId: $id, runnerId: "desk-7" }) { ... on Error { message } } }',
      { id: agentSession.id },
    );
    const { page } = await visit(`/sessions/${id}`);
    const top = page.getByRole('region', { name: 'Now, and the chain' });
    await top.getByText('by runner desk-7').waitFor();
    const side = page.getByRole('complementary', { name: 'About this session' });
    await side.getByText(/^chosen-1: /).waitFor();
    await side.getByText('50K tokens, then it pauses').waitFor();
    await ask(
      'mutation ($id: ID!) { pauseSession(input: { sessionId: $id, reason: "The model is away" }) { ... on Error { message } } }',
      { id },
    );
    await top.getByText('The model is away').waitFor();
  });

  it('copies the context for the next agent', async () => {
    const { page } = await go(`/sessions/${chained}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Context prompt' }).click();
    const dialog = page.getByRole('dialog', { name: 'Context prompt, as of now' });
    await dialog.getByLabel('Budget').selectOption('2000');
    await dialog.getByRole('button', { name: /^Copy about/ }).click();
    await dialog.getByRole('button', { name: 'Copied' }).waitFor();
    const { contextPreview } = await ask<{ contextPreview: { text: string } }>(
      'query ($id: ID!) { contextPreview(sessionId: $id, maxTokens: 2000) { text } }',
      { id: chained },
    );
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(contextPreview.text);
    await look(page, 'session-prompt');
  }, 120_000);

  it('downloads the session and a handoff with the key in the header, and in no URL', async () => {
    const { page } = await visit('/livez');
    await page.evaluate(() => sessionStorage.setItem('baton.key', 'key-of-this-tab'));
    const asked: { url: string; authorization: string | undefined }[] = [];
    page.on('request', (request) =>
      asked.push({ url: request.url(), authorization: request.headers()['authorization'] }),
    );
    await page.goto(`${url}/sessions/${chained}?view=handoffs`);
    const save = async (name: string) => {
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
      return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
    };
    const whole = await save('Download this session and its chain as JSON');
    expect(whole.name).toBe(`${chained}.json`);
    expect(whole.text).toContain(fourth);
    await page.getByRole('button', { name: 'Context of handoff 4' }).click();
    const markdown = await save('Download this handoff as Markdown');
    const { handoff } = await ask<{ handoff: { markdown: string } }>(
      'query ($id: ID!) { handoff(id: $id) { markdown } }',
      { id: fourth },
    );
    expect(markdown).toEqual({ name: `${fourth}.md`, text: handoff.markdown });
    const downloads = asked.filter(({ url: address }) => /\.(md|json)$/.test(address));
    expect(downloads.map(({ authorization }) => authorization)).toEqual([
      'Bearer key-of-this-tab',
      'Bearer key-of-this-tab',
    ]);
    expect(asked.filter(({ url: address }) => address.includes('key-of-this-tab'))).toEqual([]);
  }, 120_000);

  it('shows the new holder, log entry and chain after a reassign on the page', async () => {
    const id = await session('claude-1', { title: 'Moved from its page' });
    await turn(id, { messages: [{ role: 'ASSISTANT', content: 'Half of it is done.' }] });
    const { page, faults } = await go(`/sessions/${encodeId('session', id)}`);
    await conversation(page).getByText('Half of it is done.').waitFor();
    await page.getByRole('button', { name: 'Reassign' }).click();
    const dialog = page.getByRole('dialog');
    await chooseAgent(dialog, 'reviewer-1');
    await dialog.getByLabel('Reason').fill('Needs a second look');
    await dialog.getByRole('button', { name: 'Reassign' }).click();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await routed(page, 'Needs a second look').waitFor();
    await unfold(page, 'Chain');
    await page.getByText('2 agents held this session, in 2 steps.').waitFor();
    const now = conversation(page).getByRole('status', { name: 'Now' });
    await now.getByText('has not accepted it yet').waitFor();
    expect(await now.textContent()).toContain('reviewer-1');
    await page.getByRole('button', { name: 'Accept "Moved from its page"' }).click();
    await now.getByText('works on it').waitFor();
    await page.getByText('Active', { exact: true }).first().waitFor();
    expect(faults).toEqual([]);
  }, 120_000);

  it('proposes a handoff while the window of the holder is nearly full, and opens the dialog with reason and agent', async () => {
    await agent('next-1');
    await agent('full-1', { contextWindow: 1_000, collaborators: ['next-1'] });
    const id = await session('full-1');
    const report = (inputTokens: number) =>
      turn(id, {
        usage: {
          inputTokens,
          outputTokens: null,
          cacheCreationInputTokens: null,
          cacheReadInputTokens: null,
          model: null,
        },
      });
    const { page, faults } = await go(`/sessions/${encodeId('session', id)}`);
    await page.getByRole('heading', { name: 'A piece of work' }).waitFor();
    await report(900);
    const note = page.getByRole('note', { name: 'Proposed handoff' });
    await note.getByText('The context window is 90 % full. It may go to next-1.').waitFor();
    await look(page, 'session-proposal');
    await report(10);
    await note.waitFor({ state: 'detached' });
    await report(910);
    await note.getByRole('button', { name: 'Hand off' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('The context window of full-1 is 91 % full');
    await dialog.getByRole('button', { name: 'Reassign', exact: true }).click();
    await noticeOf(page, "'next-1' holds the session now").waitFor();
    await note.waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  }, 120_000);

  it('shows recorded markup and links as text, wherever they appear', async () => {
    const evil =
      '<img src=x onerror="document.title=\'broken in\'"> [click](javascript:alert(1)) <a href="javascript:alert(1)">here</a>';
    const id = await session('claude-1', { title: `Title ${evil}`, contextVariables: { evil } });
    const call = { callId: 'c1', name: 'Bash', arguments: { evil }, result: evil, error: null, filesModified: [] };
    await turn(id, { messages: [{ role: 'ASSISTANT', content: `Said ${evil}` }], toolCalls: [call] });
    await reassign(id, { agentId: 'reviewer-1', reason: `Reason ${evil}`, summary: `Summary ${evil}` });
    const { page, faults } = await go(`/sessions/${encodeId('session', id)}`);
    await conversation(page).getByText(`Said ${evil}`).waitFor();
    await routed(page, `Reason ${evil}`).waitFor();
    await page.getByRole('link', { name: /^Handoffs ?1/ }).click();
    await page.getByRole('button', { name: 'Context of handoff 1' }).click();
    await page.getByText(`Summary ${evil}`).waitFor();
    const found = await page.evaluate(() => ({
      images: [...document.images].map(({ src }) => src).filter((src) => !src.endsWith('/icon.svg')),
      links: [...document.links].map(({ href }) => href).filter((href) => !/^https?:/.test(href)),
      title: document.title,
    }));
    expect(found).toMatchObject({ images: [], links: [] });
    expect(found.title).toContain('Title <img');
    expect(faults).toEqual([]);
  }, 120_000);

  it('loads all pages of handoffs and snapshots', async () => {
    for (const name of ['round-0', 'round-1', 'round-2']) await agent(name);
    const id = await session('round-0', { title: 'Handed round' });
    for (let count = 1; count <= 130; count += 1)
      await reassign(id, { agentId: count % 2 === 1 ? 'round-1' : 'round-2', reason: `Move ${count}` });
    const { page, faults } = await go(`/sessions/${encodeId('session', id)}?view=handoffs`);
    for (const shown of [20, 40, 60, 80, 100, 120]) {
      await page.getByText(`${shown} of 130 handoffs`).waitFor();
      await page.getByRole('button', { name: 'Load more' }).click();
    }
    await page.getByText('130 of 130 handoffs').waitFor();
    expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(0);
    const reasons = await page
      .getByRole('row')
      .getByText(/^Move \d+$/)
      .allTextContents();
    expect(reasons).toEqual(Array.from({ length: 130 }, (_, index) => `Move ${130 - index}`));
    // One more comes in at the top, and the last is still there.
    await page.locator('[data-live="live"]').waitFor();
    await reassign(id, { agentId: 'round-1', reason: 'Move 131' });
    await page.getByText('131 of 131 handoffs').waitFor();
    expect(
      await page
        .getByRole('row')
        .getByText(/^Move (131|1)$/)
        .count(),
    ).toBe(2);

    await page.getByRole('link', { name: /^Snapshots/ }).click();
    const total = Number(
      /\d+$/.exec((await page.getByRole('link', { name: /^Snapshots ?\d/ }).textContent()) ?? '')![0],
    );
    expect(total).toBeGreaterThan(130);
    for (let shown = 50; shown < total; shown += 50) {
      await page.getByText(`${shown} of ${total} snapshots`).waitFor();
      await page.getByRole('button', { name: 'Load more' }).click();
    }
    await page.getByText(`${total} of ${total} snapshots`).waitFor();
    expect(faults).toEqual([]);
  }, 180_000);

  it.each([
    { on: 'a large screen', width: 1440, height: 900, least: 0.6 },
    { on: 'a phone', width: 390, height: 844, least: 0.5 },
  ])(
    'gives most of the height of $on to the log, and keeps what is decided in sight',
    async ({ on, least, ...viewport }) => {
      const { page } = await visit(`/sessions/${chained}`, { viewport });
      await conversation(page).locator('#message-11').waitFor();
      await page.getByRole('button', { name: 'Accept "Add rate limits to the public API"' }).waitFor();
      const share = () =>
        conversation(page).evaluate((region) => {
          const { top, bottom } = region.getBoundingClientRect();
          return (Math.min(bottom, innerHeight) - top) / innerHeight;
        });
      await expect.poll(share, patiently).toBeGreaterThan(least);
      await look(page, `session-log-first-${on.split(' ').at(-1)}`);
    },
    120_000,
  );

  it('remembers which part is open, for all sessions', async () => {
    const { page } = await visit(`/sessions/${chained}`);
    await unfold(page, 'Chain');
    await page.getByText('3 agents held this session, in 9 steps.').waitFor();
    await page.goto(`${url}/sessions/${encodeId('session', await session('claude-1'))}`);
    await page.getByText('One agent held this session, in one step.').waitFor();
    await page.getByRole('button', { name: 'Chain', exact: true }).click();
    await expect.poll(() => page.locator('figure').count(), patiently).toBe(0);
    await page.goto(`${url}/sessions/${chained}`);
    await page.getByRole('group', { name: 'Newest handoff' }).waitFor();
    expect(await page.locator('figure').count()).toBe(0);
  }, 120_000);

  it('fits on a narrow screen', async () => {
    const { page } = await visit(`/sessions/${chained}`, { viewport: { width: 390, height: 844 } });
    for (const view of ['conversation', 'handoffs', 'snapshots']) {
      if (view !== 'conversation') {
        await page.getByRole('link', { name: new RegExp(`^${view} ?\\d`, 'i') }).click();
        await page.waitForURL(`**/*?view=${view}`);
      }
      await page.getByText('Not accepted yet', { exact: true }).first().waitFor();
      await expect.poll(() => page.locator('main [aria-hidden="true"][style]').count(), patiently).toBe(0);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      if (view !== 'snapshots') await look(page, `session-${view}-narrow`);
    }
  }, 120_000);

  it('reports an unknown session', async () => {
    const { page } = await go('/sessions/session_01kc000000e00800000000zzzz');
    await page.getByText('There is no such session.').waitFor();
  }, 60_000);
});
