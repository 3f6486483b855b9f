import { beforeAll, describe, expect, it } from 'vitest';
import { look, openBrowser, patiently, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { startApp } from '../../test/server.ts';

const { url } = await startApp(await testDatabase());
let visit: (path: string) => Promise<Visit>;

beforeAll(async () => {
  ({ visit } = await openBrowser(url));
}, 300_000);

describe('an unknown address', () => {
  it.each(['/nowhere', '/sessions/a/b', '/graph/2', '/old.html'])(
    'shows a page with links to all pages at %s',
    async (path) => {
      const { page, faults } = await visit(path);
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
      expect(await page.title()).toBe('Page not found · Baton');
      const links = page.getByRole('navigation', { name: 'All pages' }).getByRole('link');
      expect(await links.allInnerTexts()).toEqual([
        'Attention',
        'Sessions',
        'Decide',
        'Inbox',
        'Queue',
        'Agents',
        'Pipelines',
        'Tools',
        'Handoffs',
        'Graph',
        'Webhooks',
      ]);
      if (path === '/nowhere') await look(page, 'nothing-here');
      await links.filter({ hasText: 'Agents' }).click();
      await page.getByText('There are no agents yet.').waitFor();
      expect(faults).toEqual([]);
      await expect.poll(() => new URL(page.url()).pathname, patiently).toBe('/agents');
    },
    60_000,
  );
});
