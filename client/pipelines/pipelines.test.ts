import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeId } from '../../server/core/ids.ts';
import { acceptHandoff, rejectHandoff } from '../../server/work/handoffs/changeHandoff.ts';
import story from '../../server/work/pipelines/story/story.json' with { type: 'json' };
import { look, openBrowser, patiently, unfold, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { client } from '../../test/graphql.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session, advance, pipeline, run } = world(db.pool);
const api = client(url);

let visit: (path: string, options?: Parameters<Awaited<ReturnType<typeof openBrowser>>['visit']>[1]) => Promise<Visit>;
let go: (path: string) => Promise<Visit>;

beforeAll(async () => {
  for (const { role } of story.stages) await agent(`${role}-1`, { role, maxCapacity: role === 'documenter' ? 1 : 500 });
  await api.post('mutation ($input: DefinePipelineInput!) { definePipeline(input: $input) { __typename } }', {
    input: story,
  });
  ({ visit, go } = await openBrowser(url));
}, 300_000);

const start = (title: string) => session(null, { title, pipeline: 'story' });

/** Advances by these outcomes, and accepts each handoff. */
async function through(id: string, ...outcomes: string[]): Promise<string> {
  for (const outcome of outcomes) {
    const { handoffId } = await advance(
      id,
      outcome,
      outcome === 'REJECT'
        ? {
            payload: { findings: [{ file: 'src/csv.ts', line: 12, text: 'Quotes are not escaped.' }] },
            reason: 'The quotes.',
          }
        : {},
    );
    if (handoffId !== null) await run(acceptHandoff, { handoffId });
  }
  return id;
}

const pageOf = (id: string): string => `/sessions/${encodeId('session', id)}`;
const live = (page: Page) => page.locator('[data-live="live"]').waitFor();
const stageOf = (page: Page, name: string) => page.locator(`[data-stage="${name}"]`);

describe('the pipeline on the page of a session', () => {
  it('shows each stage with its state, agent and attempts, and moves with the session', async () => {
    const id = await through(await start('Export invoices as CSV'), 'DONE', 'DONE', 'DONE', 'REJECT');
    const { page, faults } = await go(pageOf(id));
    await unfold(page, /^Pipeline/);
    const pipeline = page.getByRole('region', { name: 'Pipeline' });
    await pipeline.getByText('In implementer, held by implementer-1').waitFor();
    expect(
      await pipeline
        .getByRole('figure', { name: 'Stages of Story' })
        .getByRole('listitem')
        .evaluateAll((stages) => stages.map((stage) => stage.getAttribute('data-state'))),
    ).toEqual(['DONE', 'DONE', 'ACTIVE', 'SENT_BACK', 'WAITING', 'WAITING']);
    expect(await stageOf(page, 'implementer').textContent()).toContain('Entered 2 times.');
    expect(await stageOf(page, 'reviewer').textContent()).toMatch(
      /Sent back with REJECT\..*REJECT: back to implementer, taken once\./,
    );
    expect(await stageOf(page, 'implementer').getByRole('link', { name: 'implementer-1' }).getAttribute('href')).toBe(
      '/agents/implementer-1',
    );

    await live(page);
    await through(id, 'DONE');
    await pipeline.getByText('In reviewer, held by reviewer-1').waitFor();
    expect(await stageOf(page, 'reviewer').getAttribute('data-state')).toBe('ACTIVE');
    expect(await stageOf(page, 'reviewer').textContent()).toContain('Entered 2 times.');
    // What was taken stays so while the stage is active again: four ways, of which one led back.
    await expect.poll(() => pipeline.locator('path[data-kind="taken"]').count(), patiently).toBe(4);
    await expect.poll(() => pipeline.locator('path[data-kind="taken"][data-back="true"]').count(), patiently).toBe(1);
    expect(await stageOf(page, 'implementer').textContent()).toContain('DONE: to reviewer, taken 2 times.');
    // Only the rejection sent work back, not the second delivery.
    const routed = page.locator('[data-routed]');
    await routed.nth(4).waitFor();
    expect(await routed.filter({ hasText: 'sent back' }).allTextContents()).toEqual([
      expect.stringMatching(/Routed to.*implementer-1.*from reviewer-1, sent back/),
    ]);
    expect(faults).toEqual([]);
  }, 120_000);

  it('shows the payload and the reasons of a stage on one click', async () => {
    const id = await through(await start('Import contacts'), 'DONE', 'DONE', 'DONE', 'REJECT', 'DONE');
    const { handoffId } = await advance(id, 'APPROVE');
    await run(rejectHandoff, { handoffId: handoffId!, reason: 'Nothing to refactor.' });
    const { page, faults } = await go(pageOf(id));
    await unfold(page, /^Pipeline/);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await stageOf(page, 'reviewer').getByRole('button', { name: 'reviewer' }).click();
    const details = page.getByRole('region', { name: 'Stage reviewer' });
    await details.getByText('The quotes.').waitFor();
    await details
      .getByRole('region', { name: 'Payload of REJECT' })
      .getByText('"text": "Quotes are not escaped."')
      .waitFor();
    await details.getByRole('button', { name: 'Copy' }).click();
    await details.getByRole('button', { name: 'Copied' }).waitFor();
    expect(JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))).toEqual({
      findings: [{ file: 'src/csv.ts', line: 12, text: 'Quotes are not escaped.' }],
    });
    await look(page, 'pipeline-session-stage');
    await stageOf(page, 'refactorer').getByRole('button', { name: 'refactorer' }).press('Enter');
    await page.getByRole('region', { name: 'Stage refactorer' }).getByText('Nothing to refactor.').waitFor();
    expect(await stageOf(page, 'refactorer').getAttribute('data-state')).toBe('SENT_BACK');
    // Closed by keyboard, it gives the focus back to the stage.
    await page.getByRole('button', { name: 'Close stage refactorer' }).press('Enter');
    await page.getByRole('region', { name: 'Stage refactorer' }).waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.getAttribute('title'))).toBe('refactorer');
    expect(faults).toEqual([]);
  }, 120_000);

  it('shows the place in the queue, down a phone without overflow, and nothing outside of pipelines', async () => {
    await through(await start('Takes the only place'), 'DONE', 'DONE', 'DONE', 'APPROVE', 'DONE');
    await through(await start('First in the queue'), 'DONE', 'DONE', 'DONE', 'APPROVE', 'DONE');
    const second = await through(await start('Second in the queue'), 'DONE', 'DONE', 'DONE', 'APPROVE', 'DONE');
    const { page } = await visit(pageOf(second), { viewport: { width: 390, height: 844 } });
    await unfold(page, /^Pipeline/);
    await stageOf(page, 'documenter').getByText('Queued, number 2').waitFor();
    await page.getByText('Queued for documenter, number 2').waitFor();
    expect(await page.locator('[data-direction]').getAttribute('data-direction')).toBe('down');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await look(page, 'pipeline-session-narrow');

    const { page: other } = await go(pageOf(await session('analyst-1', { title: 'No pipeline' })));
    await other.getByRole('button', { name: 'Time axis', exact: true }).waitFor();
    expect(await other.getByRole('button', { name: /^Pipeline/ }).count()).toBe(0);
    expect(await other.getByRole('region', { name: 'Pipeline' }).count()).toBe(0);
    await expect.poll(() => other.locator('[data-stage]').count(), patiently).toBe(0);
  }, 120_000);
});

const column = (page: Page, name: string) => page.getByRole('region', { name: new RegExp(`^${name} `) });
const titlesIn = async (page: Page, name: string): Promise<string[]> =>
  column(page, name).locator('[data-session] > a').allTextContents();
const countOf = async (page: Page, name: string): Promise<number> =>
  Number(/\d+/.exec((await column(page, name).getByRole('heading').textContent()) ?? '')?.[0]);

describe('the board of a pipeline', () => {
  it('shows the sessions by stage, moves their cards without a reload, and announces it', async () => {
    for (const role of ['draft', 'print'])
      await agent(`${role}-agent`, { role, maxCapacity: role === 'print' ? 1 : 50 });
    await pipeline('book', ['draft DONE print', 'print DONE end', 'print REJECT draft']);
    const [first, second, third] = [
      await session(null, { title: 'First', pipeline: 'book' }),
      await session(null, { title: 'Second', pipeline: 'book', priority: 'URGENT' }),
      await session(null, { title: 'Third', pipeline: 'book' }),
    ];
    const { page, faults } = await visit('/pipelines/book/board');
    await live(page);
    await expect.poll(() => titlesIn(page, 'draft'), patiently).toEqual(['First', 'Second', 'Third']);
    await page.evaluate(() => Object.assign(window, { notReloaded: true }));
    const urgent = page.locator('[data-session]', { hasText: 'Second' });
    expect(await urgent.textContent()).toContain('Urgent');
    await urgent.getByRole('link', { name: 'Second' }).focus();

    await through(second, 'DONE');
    await expect.poll(() => titlesIn(page, 'print'), patiently).toEqual(['Second']);
    await expect.poll(() => titlesIn(page, 'draft'), patiently).toEqual(['First', 'Third']);
    await expect
      .poll(async () => [await countOf(page, 'draft'), await countOf(page, 'print')], patiently)
      .toEqual([2, 1]);
    await page.getByRole('status').getByText('Second: now in print.').waitFor({ state: 'attached' });
    // The focus moves with the card.
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent), patiently).toBe('Second');

    // The printer is busy: the next one is queued in its column.
    await through(first, 'DONE');
    await expect.poll(() => titlesIn(page, 'print'), patiently).toEqual(['First', 'Second']);
    await page.locator('[data-session][data-queued="true"]', { hasText: 'First' }).getByText('Queued').waitFor();
    await look(page, 'board');

    // A new one comes in, one is finished and gives its place to the queued one, and one is sent back.
    // The first read fails, and is repeated with the next event.
    let failed = 0;
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('BoardMoved') && (failed += 1) === 1 ? route.abort() : route.continue(),
    );
    await session(null, { title: 'Fourth', pipeline: 'book' });
    await expect.poll(() => failed, patiently).toBeGreaterThan(0);
    await through(second, 'DONE');
    await expect.poll(() => titlesIn(page, 'draft'), patiently).toEqual(['Third', 'Fourth']);
    await expect.poll(() => titlesIn(page, 'print'), patiently).toEqual(['First']);
    await expect.poll(() => countOf(page, 'Finished'), patiently).toBe(1);
    await expect.poll(() => page.locator('[data-queued="true"]').count(), patiently).toBe(0);
    await page.getByRole('button', { name: /^Finished/ }).click();
    await expect.poll(() => titlesIn(page, 'Finished'), patiently).toEqual(['Second']);
    const handoff = await db.prisma.handoff.findFirstOrThrow({ where: { sessionId: first } });
    await run(acceptHandoff, { handoffId: handoff.id });
    await through(first, 'REJECT');
    await expect.poll(() => titlesIn(page, 'draft'), patiently).toEqual(['First', 'Third', 'Fourth']);
    await expect.poll(() => titlesIn(page, 'print'), patiently).toEqual([]);
    await api.post('mutation ($id: ID!) { cancelSession(input: { sessionId: $id }) { __typename } }', {
      id: encodeId('session', third),
    });
    await expect.poll(() => titlesIn(page, 'Finished'), patiently).toEqual(['Third', 'Second']);
    await expect.poll(() => titlesIn(page, 'draft'), patiently).toEqual(['First', 'Fourth']);
    expect(await page.evaluate(() => 'notReloaded' in window)).toBe(true);
    expect(faults).toEqual([]);
  }, 180_000);

  it('reads 200 sessions of a stage page by page, and opens with no request for each page or session', async () => {
    await agent('clerk', { role: 'file', maxCapacity: 1_000 });
    await pipeline('archive', ['file DONE check', 'check DONE end']);
    await pipeline('small', ['file DONE check', 'check DONE end']);
    await session(null, { title: 'Only', pipeline: 'small' });
    for (let block = 0; block < 20; block += 1)
      await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          session(null, { title: `Document ${block * 10 + index + 1}`, pipeline: 'archive' }),
        ),
      );
    const requestsOf = async (slug: string, ready: (page: Page) => Promise<unknown>): Promise<[Page, number]> => {
      const { page } = await visit('/agents');
      await page.getByRole('heading', { name: 'Agents' }).waitFor();
      await live(page);
      await page.waitForLoadState('networkidle');
      let requests = 0;
      page.on('request', (request) => (requests += Number(request.url().endsWith('/graphql'))));
      await page.evaluate((path) => {
        history.pushState(null, '', path);
      }, `/pipelines/${slug}/board`);
      await ready(page);
      await page.waitForLoadState('networkidle');
      return [page, requests];
    };
    const [, few] = await requestsOf('small', (page) => expect.poll(() => countOf(page, 'file'), patiently).toBe(1));
    const [page, many] = await requestsOf('archive', (page) =>
      expect.poll(() => countOf(page, 'file'), patiently).toBe(200),
    );
    await expect.poll(() => titlesIn(page, 'file'), patiently).toHaveLength(25);
    // One more: the count, which the cards are no more. A busy machine tells the page of a change late, and it reads again:
    // a request for each of the 8 pages or 200 sessions would be more than that.
    expect(many).toBeLessThan(few + 7);
    for (let shown = 50; shown <= 200; shown += 25) {
      await column(page, 'file').getByRole('button', { name: 'Load more' }).click();
      await expect.poll(async () => (await titlesIn(page, 'file')).length, patiently).toBe(shown);
    }
    expect(new Set(await titlesIn(page, 'file')).size).toBe(200);
    await expect.poll(() => column(page, 'file').getByRole('button', { name: 'Load more' }).count(), patiently).toBe(0);
    await expect.poll(() => countOf(page, 'file'), patiently).toBe(200);
  }, 180_000);

  it('shows another pipeline and version on request, and the stages that only earlier versions have', async () => {
    await agent('tester', { role: 'test', maxCapacity: 50 });
    await pipeline('release', ['test DONE ship', 'ship DONE end']);
    await session(null, { title: 'Of version 1', pipeline: 'release' });
    await pipeline('release', ['build DONE ship', 'ship DONE end'], { build: { role: 'test' } });
    await session(null, { title: 'Of version 2', pipeline: 'release' });
    const { page, faults } = await go('/pipelines/release/board');
    await expect.poll(() => titlesIn(page, 'build'), patiently).toEqual(['Of version 2']);
    await expect.poll(() => titlesIn(page, 'test'), patiently).toEqual(['Of version 1']);
    await page.getByLabel('Version', { exact: true }).selectOption('2');
    await expect.poll(() => column(page, 'test').count(), patiently).toBe(0);
    await expect.poll(() => titlesIn(page, 'build'), patiently).toEqual(['Of version 2']);
    await page.getByLabel('Version', { exact: true }).selectOption('1');
    await expect.poll(() => titlesIn(page, 'test'), patiently).toEqual(['Of version 1']);
    expect(new URL(page.url()).search).toBe('?version=1');
    await page.getByLabel('Pipeline', { exact: true }).selectOption('story');
    await page.getByRole('heading', { name: 'Board of Story' }).waitFor();
    await column(page, 'orchestrator').waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/pipelines/story/board');
    await go('/pipelines/nowhere/board');
    await page.getByText('There is no such pipeline.').waitFor();
    expect(faults).toEqual([]);
  }, 120_000);

  it('has its columns below each other on a phone', async () => {
    await start('Seen on a phone');
    const { page } = await visit('/pipelines/story/board', { viewport: { width: 390, height: 844 } });
    await expect
      .poll(async () => (await titlesIn(page, 'orchestrator')).includes('Seen on a phone'), patiently)
      .toBe(true);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    const tops = await page
      .locator('[data-column]')
      .evaluateAll((columns) => columns.map((each) => each.getBoundingClientRect().top));
    expect(tops).toEqual(tops.toSorted((one, other) => one - other));
    expect(new Set(tops).size).toBe(tops.length);
    await look(page, 'board-narrow');
  }, 120_000);
});
