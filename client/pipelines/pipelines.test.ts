import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeId } from '../../server/core/ids.ts';
import { acceptHandoff, rejectHandoff } from '../../server/handoffs/changeHandoff.ts';
import story from '../../server/pipelines/story/story.json' with { type: 'json' };
import { look, openBrowser, patiently, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { client } from '../../test/graphql.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session, advance, run } = world(db.pool);
const api = client(url);

let visit: (path: string, options?: Parameters<Awaited<ReturnType<typeof openBrowser>>['visit']>[1]) => Promise<Visit>;

beforeAll(async () => {
  for (const { role } of story.stages) await agent(`${role}-1`, { role, maxCapacity: role === 'documenter' ? 1 : 500 });
  await api.post('mutation ($input: DefinePipelineInput!) { definePipeline(input: $input) { __typename } }', { input: story });
  ({ visit } = await openBrowser(url));
}, 300_000);

const start = (title: string) => session(null, { title, pipeline: 'story' });

/** Advances by these outcomes, and accepts each handoff. */
async function through(id: string, ...outcomes: string[]): Promise<string> {
  for (const outcome of outcomes) {
    const { handoffId } = await advance(id, outcome, outcome === 'REJECT' ? { payload: { findings: [{ file: 'src/csv.ts', line: 12, text: 'Quotes are not escaped.' }] }, reason: 'The quotes.' } : {});
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
    const { page, faults } = await visit(pageOf(id));
    const pipeline = page.getByRole('region', { name: 'Pipeline' });
    await pipeline.getByText('In implementer, held by implementer-1').waitFor();
    expect(await pipeline.getByRole('figure', { name: 'Stages of Story' }).getByRole('listitem').evaluateAll((stages) => stages.map((stage) => stage.getAttribute('data-state')))).toEqual(['DONE', 'DONE', 'ACTIVE', 'SENT_BACK', 'WAITING', 'WAITING']);
    expect(await stageOf(page, 'implementer').textContent()).toContain('Entered 2 times.');
    expect(await stageOf(page, 'reviewer').textContent()).toMatch(/Sent back with REJECT\..*REJECT: back to implementer\./);
    expect(await stageOf(page, 'implementer').getByRole('link', { name: 'implementer-1' }).getAttribute('href')).toBe('/agents/implementer-1');
    await look(page, 'pipeline-session');

    await live(page);
    await through(id, 'DONE');
    await pipeline.getByText('In reviewer, held by reviewer-1').waitFor();
    expect(await stageOf(page, 'reviewer').getAttribute('data-state')).toBe('ACTIVE');
    expect(await stageOf(page, 'reviewer').textContent()).toContain('Entered 2 times.');
    expect(faults).toEqual([]);
  }, 120_000);

  it('shows the payload and the reasons of a stage on one click', async () => {
    const id = await through(await start('Import contacts'), 'DONE', 'DONE', 'DONE', 'REJECT', 'DONE');
    const { handoffId } = await advance(id, 'APPROVE');
    await run(rejectHandoff, { handoffId: handoffId!, reason: 'Nothing to refactor.' });
    const { page, faults } = await visit(pageOf(id), { permissions: ['clipboard-read', 'clipboard-write'] });
    await stageOf(page, 'reviewer').getByRole('button', { name: 'reviewer' }).click();
    const details = page.getByRole('region', { name: 'Stage reviewer' });
    await details.getByText('The quotes.').waitFor();
    await details.getByRole('region', { name: 'Payload of REJECT' }).getByText('"text": "Quotes are not escaped."').waitFor();
    await details.getByRole('button', { name: 'Copy' }).click();
    await details.getByRole('button', { name: 'Copied' }).waitFor();
    expect(JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))).toEqual({ findings: [{ file: 'src/csv.ts', line: 12, text: 'Quotes are not escaped.' }] });
    await look(page, 'pipeline-session-stage');
    await stageOf(page, 'refactorer').getByRole('button', { name: 'refactorer' }).press('Enter');
    await page.getByRole('region', { name: 'Stage refactorer' }).getByText('Nothing to refactor.').waitFor();
    expect(await stageOf(page, 'refactorer').getAttribute('data-state')).toBe('SENT_BACK');
    expect(faults).toEqual([]);
  }, 120_000);

  it('shows the place in the queue, down a phone without overflow, and nothing outside of pipelines', async () => {
    await through(await start('Takes the only place'), 'DONE', 'DONE', 'DONE', 'APPROVE', 'DONE');
    await through(await start('First in the queue'), 'DONE', 'DONE', 'DONE', 'APPROVE', 'DONE');
    const second = await through(await start('Second in the queue'), 'DONE', 'DONE', 'DONE', 'APPROVE', 'DONE');
    const { page } = await visit(pageOf(second), { viewport: { width: 390, height: 844 } });
    await stageOf(page, 'documenter').getByText('Queued, number 2').waitFor();
    await page.getByText('Queued for documenter, number 2').waitFor();
    expect(await page.locator('[data-direction]').getAttribute('data-direction')).toBe('down');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await look(page, 'pipeline-session-narrow');

    const { page: other } = await visit(pageOf(await session('analyst-1', { title: 'No pipeline' })));
    await other.getByRole('region', { name: 'Now, and the chain' }).getByText('One agent held this session').waitFor();
    expect(await other.getByRole('region', { name: 'Pipeline' }).count()).toBe(0);
    await expect.poll(() => other.locator('[data-stage]').count(), patiently).toBe(0);
  }, 120_000);
});
