import { beforeAll, expect, it } from 'vitest';
import { openBrowser, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';

const db = await testDatabase();
const { agent, session } = world(db.pool);
const { url } = await startApp(db);
let visit: (path: string) => Promise<Visit>;

beforeAll(async () => {
  await agent('claude-1');
  await session('claude-1');
  ({ visit } = await openBrowser(url));
});

it('the first load of the dashboard has less than 150 KB of compressed JavaScript', async () => {
  const { page } = await visit('/sessions');
  await page.locator('[data-session]').first().waitFor();
  await page.waitForLoadState('networkidle');
  const loaded = await page.evaluate(() =>
    (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      // The palette comes when the page has nothing else to do: on a slow machine before this is read.
      .filter(({ name }) => name.endsWith('.js') && !name.includes('/Palette-'))
      .map(({ name, encodedBodySize }) => ({ name: new URL(name).pathname, bytes: encodedBodySize })),
  );
  const total = loaded.reduce((sum, { bytes }) => sum + bytes, 0);
  console.log(`first load: ${(total / 1_000).toFixed(0)} KB of JavaScript in ${loaded.length} files`);
  expect(total).toBeGreaterThan(20_000);
  expect(total).toBeLessThan(150_000);
  // The documents of other pages come with those pages.
  const texts = await Promise.all(loaded.map(async ({ name }) => (await fetch(`${url}${name}`)).text()));
  const hold = (field: string): number => texts.filter((text) => text.includes(field)).length;
  expect(hold('hasNextPage')).toBeGreaterThan(0);
  expect([hold('createHandoffTool'), hold('handoffGraph')]).toEqual([0, 0]);
});
