import { readFileSync } from 'node:fs';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { look, openBrowser, patiently, type Visit } from '../../../test/browser.ts';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { post } = client(url);
const { agent, session } = world(db.pool);
const story = readFileSync(new URL('../../../server/work/pipelines/story/story.json', import.meta.url), 'utf8');

let visit: (path: string, options?: BrowserContextOptions) => Promise<Visit>;
const defineStory = (
  change: (given: { stages: { role: string; acceptWithinMinutes?: number }[] }) => void = () => undefined,
) => {
  const input = JSON.parse(story) as Parameters<typeof change>[0];
  change(input);
  return post('mutation ($input: DefinePipelineInput!) { definePipeline(input: $input) { __typename } }', { input });
};
const versionOf = async (slug: string): Promise<number | undefined> =>
  (
    await post<{ pipeline: { version: number } | null }>(
      'query ($slug: String!) { pipeline(slug: $slug) { version } }',
      { slug },
    )
  ).data.pipeline?.version;

beforeAll(async () => {
  await agent('orchestrator', { role: 'orchestrator' });
  await defineStory();
  await session(null, { pipeline: 'story', title: 'A story' });
  ({ visit } = await openBrowser(url));
}, 300_000);

const stage = (page: Page, number: number): Locator =>
  page.getByRole('group', { name: `Stage ${number}`, exact: true });
const isFocused = (field: Locator): Promise<boolean> => field.evaluate((element) => element === document.activeElement);
const problems = async (page: Page): Promise<string[]> =>
  page.getByRole('list', { name: 'Problems' }).getByRole('button').allInnerTexts();
const drawn = (page: Page) => page.getByRole('figure').getByRole('list', { name: 'Stages' }).locator('[data-stage]');

describe('the editor of pipelines', () => {
  it('defines a pipeline by keyboard, with each problem at its field, the drawing and the difference as one types', async () => {
    const { page, faults } = await visit('/pipelines/_new');
    await page.getByText('3 problems').waitFor();
    // What is only missing is no error before one tries to save.
    expect(await page.locator('[aria-invalid=true]').count()).toBe(0);
    await page.getByLabel('Slug').focus();
    await page.keyboard.type('Paper');
    await page.getByText('slug is no slug').first().waitFor();
    await page.keyboard.press('Home');
    await page.keyboard.press('Delete');
    await page.keyboard.type('p');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Paper');
    await page.keyboard.press('Enter');
    await expect.poll(() => isFocused(stage(page, 1).getByLabel('Stage', { exact: true })), patiently).toBe(true);
    await page.keyboard.type('write');

    await page.getByRole('button', { name: 'Add a stage' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('review');
    await page.keyboard.press('Tab');
    await page.keyboard.type('reviewer');
    await expect.poll(() => problems(page), patiently).toEqual([expect.stringMatching(/^stages\.1 cannot be reached/)]);
    await expect.poll(() => drawn(page).count(), patiently).toBe(2);
    await stage(page, 1).getByLabel('Leads to').selectOption('review');
    await expect
      .poll(() => problems(page), patiently)
      .toEqual([
        expect.stringMatching(/^stages\.0 cannot reach an end/),
        expect.stringMatching(/^stages\.1 cannot reach an end/),
      ]);
    await page.getByRole('button', { name: 'Add a transition to stage 2' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('APPROVE');
    await page.getByText('None.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Add a transition to stage 2' }).click();
    const reject = page.getByRole('group', { name: 'Transition 2 of stage 2' });
    await reject.getByLabel('Outcome').fill('REJECT');
    await reject.getByLabel('Leads to').selectOption('write');
    await reject.getByLabel('Only under a condition').check();
    await reject.getByLabel('Context variable').fill('rounds');
    await reject.getByLabel('Comparison').selectOption('is less than');
    await reject.getByLabel('Value').fill('3');
    await expect
      .poll(() => problems(page), patiently)
      .toEqual([expect.stringMatching(/^transitions\.2\.when is on the last transition/)]);
    await look(page, 'editor');
    await reject.getByLabel('Only under a condition').uncheck();
    const approves = (of: number) =>
      page.getByRole('group', { name: `Transition 1 of stage ${of}` }).getByLabel('A person approves each handoff');
    await approves(2).check();
    await expect
      .poll(() => problems(page), patiently)
      .toEqual([expect.stringMatching(/^transitions\.1\.approval is on a way to the end/)]);
    await approves(2).uncheck();
    await approves(1).check();
    await page.getByRole('region', { name: 'Difference' }).getByText('a person approves each handoff').waitFor();

    // What only the server checks: its error stands at the field, in a folded part too.
    await stage(page, 2).locator('summary').first().click();
    await stage(page, 2).getByLabel('JSON Schema of the payload').first().fill('{"type": "text"}');
    await stage(page, 2).locator('summary').first().click();
    await page.getByRole('button', { name: 'Define the pipeline' }).click();
    await page.getByText('stages.1.payloadSchema is no JSON Schema').first().waitFor();
    await expect
      .poll(() => isFocused(stage(page, 2).getByLabel('JSON Schema of the payload').first()), patiently)
      .toBe(true);
    await stage(page, 2).getByLabel('JSON Schema of the payload').first().fill('{"type": "object"}');
    await page.getByRole('region', { name: 'Difference' }).getByText('transition review REJECT to write').waitFor();
    await page.getByRole('button', { name: 'Define the pipeline' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Paper', level: 1 }).waitFor();
    expect(
      await page.getByRole('list', { name: 'Transitions of review' }).getByRole('listitem').allInnerTexts(),
    ).toEqual([expect.stringMatching(/APPROVE.*the end/s), expect.stringMatching(/REJECT.*write/s)]);
    expect(await versionOf('paper')).toBe(1);
    // The next version keeps it.
    await page
      .getByRole('list', { name: 'Transitions of write' })
      .getByText('A person approves each handoff.')
      .waitFor();
    await page.goto(`${url}/pipelines/paper/edit`);
    await stage(page, 1).getByLabel('Role of its agents').fill('writer');
    expect([await approves(1).isChecked(), await approves(2).isChecked()]).toEqual([true, false]);
    await page.getByRole('button', { name: /^Define version 2/ }).click();
    await page
      .getByRole('list', { name: 'Transitions of write' })
      .getByText('A person approves each handoff.')
      .waitFor();
    expect(await versionOf('paper')).toBe(2);
    expect(faults).toEqual([]);
  }, 180_000);

  it('loses nothing by navigation, shows what another person defined meanwhile, and makes the next version', async () => {
    const { page, faults } = await visit('/pipelines/story/edit');
    page.on('dialog', (dialog) => void dialog.accept());
    await page.getByText('None. Nothing has changed.').waitFor();
    await stage(page, 2).getByLabel('Role of its agents').fill('thinker');
    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    await page.goBack();
    await page.getByText('Your unsaved changes are back.').waitFor();
    await page.reload();
    await page.getByText('Your unsaved changes are back.').waitFor();
    expect(await stage(page, 2).getByLabel('Role of its agents').inputValue()).toBe('thinker');

    // JSON that cannot be read stays, and is not saved.
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    const text = page.getByLabel('Definition', { exact: true });
    const written = await text.inputValue();
    await text.fill(written.replace('"thinker"', '"thinker'));
    await page.getByText('This is not JSON').first().waitFor();
    expect(await problems(page)).toHaveLength(1);
    await look(page, 'editor-json');
    await page.getByRole('button', { name: 'Define version 2' }).click();
    await expect.poll(() => isFocused(text), patiently).toBe(true);
    await page.reload();
    await page.getByText('This is not JSON').first().waitFor();
    await text.fill(written.replace('"thinker"', '"planner"'));
    await page.getByRole('button', { name: 'Form', exact: true }).click();
    expect(await stage(page, 2).getByLabel('Role of its agents').inputValue()).toBe('planner');

    await defineStory(({ stages }) => (stages[3]!.acceptWithinMinutes = 15));
    await page.getByRole('button', { name: 'Define version 2' }).click();
    await page.getByText('Version 2 was defined after these changes began.').waitFor();
    expect(await versionOf('story')).toBe(2);
    const difference = page.getByRole('region', { name: 'Difference' });
    await expect
      .poll(() => difference.locator('del').allInnerTexts(), patiently)
      .toEqual([expect.stringMatching(/role: analyst/), expect.stringMatching(/accept within minutes: 15/)]);
    await page.getByRole('button', { name: 'Define version 3' }).click();
    await page.getByRole('heading', { name: 'What version 3 changed' }).waitFor();
    await expect
      .poll(() => difference.locator('ins').allInnerTexts(), patiently)
      .toEqual([expect.stringMatching(/role: planner/)]);
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByText('None. Nothing has changed.').waitFor();
    expect(await page.getByText('Your unsaved changes are back.').count()).toBe(0);
    expect(faults).toEqual([]);
  }, 180_000);

  it('takes a pasted definition, and asks before it becomes a version of a pipeline that exists', async () => {
    const { page, faults } = await visit('/pipelines/_new', { viewport: { width: 390, height: 844 } });
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    await page.getByLabel('Definition', { exact: true }).fill(story);
    await page.getByText('None.', { exact: true }).waitFor();
    await expect.poll(() => drawn(page).count(), patiently).toBe(6);
    await page.getByRole('button', { name: 'Define the pipeline' }).click();
    await page.getByText("There is a pipeline 'story' already.").waitFor();
    await page.getByRole('button', { name: 'Form', exact: true }).click();
    await page.getByLabel('Slug').fill('tale');
    await page.getByRole('button', { name: 'Define the pipeline' }).waitFor();
    expect(await page.getByText('already.').count()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await look(page, 'editor-narrow');
    await page.getByRole('button', { name: 'Define the pipeline' }).click();
    await page.getByRole('heading', { name: 'Story', level: 1 }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await look(page, 'pipeline-narrow');
    expect(await versionOf('tale')).toBe(1);
    expect(faults).toEqual([]);
  }, 180_000);
});

describe('the definitions', () => {
  it('are listed, shown with their versions, archived, and put into use again', async () => {
    const version = (await versionOf('story'))!;
    await defineStory(({ stages }) => (stages[0]!.role = 'lead'));
    const { page, faults } = await visit('/pipelines');
    await page.getByRole('link', { name: 'Story', exact: true }).first().waitFor();
    await page.getByRole('link', { name: 'Board of Paper' }).waitFor();
    await look(page, 'pipelines');
    await page.goto(`${url}/pipelines/story`);
    await page.getByText('1 open session').waitFor();
    const changed = page.getByRole('region', { name: 'Difference' });
    await changed.getByText('role: lead').waitFor();
    await look(page, 'pipeline');
    await page.getByRole('combobox', { name: 'Version' }).selectOption('1');
    await page.getByText('replaced just now').waitFor();
    expect(new URL(page.url()).search).toBe('?version=1');
    await expect.poll(() => changed.count(), patiently).toBe(0);

    await page.getByRole('button', { name: 'Archive' }).click();
    const dialog = page.getByRole('dialog', { name: 'Archive Story' });
    await dialog.getByText('No new session can begin in story. The open session goes on.').waitFor();
    await dialog.getByRole('button', { name: 'Archive' }).click();
    await page.getByText('Archived', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Archive' }).count()).toBe(0);
    await page.goto(`${url}/pipelines`);
    await page.getByRole('table').waitFor();
    await page.getByLabel('With archived ones').check();
    await page
      .getByRole('row', { name: /Story story/ })
      .getByText('Archived')
      .waitFor();
    await page.getByLabel('With archived ones').uncheck();
    await expect.poll(() => page.getByRole('row', { name: /Story story/ }).count(), patiently).toBe(0);

    await page.goto(`${url}/pipelines/story/edit`);
    await page.getByText('This pipeline is archived.').waitFor();
    await page.getByRole('button', { name: `Define version ${version + 2}` }).click();
    await page.getByText('Nothing: it was defined again after it had been archived.').waitFor();
    await page.goto(`${url}/pipelines/nothing`);
    await page.getByText("There is no pipeline 'nothing'.").waitFor();
    expect(faults).toEqual([]);
  }, 180_000);
});
