import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';

/** Takes the pictures of README.md from a server with the demonstration data, just started: `npm run pictures -- http://127.0.0.1:4000`. */
const [url = 'http://127.0.0.1:4000'] = process.argv.slice(2);
const large = { width: 1440, height: 900 };

const pictures: {
  name: string;
  path: string;
  options: BrowserContextOptions;
  before?: (page: Page) => Promise<void>;
}[] = [
  {
    name: 'sessions',
    path: '/sessions',
    options: { viewport: large },
    before: async (page) => {
      await page.getByRole('link', { name: /^Handoff waiting: from reviewer-1 to claude-1/ }).hover();
      await page.getByRole('tooltip').first().waitFor();
    },
  },
  { name: 'session', path: '/sessions/session_01kc000000e008000000000004', options: { viewport: large } },
  { name: 'graph', path: '/graph', options: { viewport: large, colorScheme: 'dark' } },
];

const browser = await launchChromium(() => undefined);
for (const { name, path, options, before } of pictures) {
  const page = await browser.newPage({ reducedMotion: 'reduce', ...options });
  await page.goto(`${url}${path}`);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.waitForLoadState('networkidle');
  await before?.(page);
  await page.screenshot({ path: join(import.meta.dirname, `../docs/images/${name}.png`) });
}
await browser.close();
