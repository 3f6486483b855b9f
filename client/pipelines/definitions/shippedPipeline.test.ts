import { expect, it } from 'vitest';
import story from '../../../server/work/pipelines/story/story.json' with { type: 'json' };
import { look, openBrowser } from '../../../test/browser.ts';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';

it('an empty list of pipelines adds the one that ships with Baton, with its agents, by one button', async () => {
  const { url } = await startApp(await testDatabase());
  const { visit } = await openBrowser(url);
  const { page, faults } = await visit('/pipelines');
  const add = page.getByRole('button', { name: 'Add it with its agents' });
  await add.waitFor();
  await look(page, 'pipelines-empty');
  await add.click();
  await page.waitForURL(/\/pipelines\/story$/);
  await page.getByRole('heading', { name: 'Story', level: 1 }).waitFor();
  const { data } = await client(url).post<{ agents: { nodes: { role: string }[] }; pipeline: { version: number } }>(
    '{ agents { nodes { role } } pipeline(slug: "story") { version } }',
  );
  expect(data?.pipeline.version).toBe(1);
  expect(data?.agents.nodes.map(({ role }) => role).sort()).toEqual(story.stages.map(({ role }) => role).sort());
  expect(faults).toEqual([]);
}, 120_000);
