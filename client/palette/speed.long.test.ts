import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { loadBulk } from '../../test/bulk.ts';
import { measureSlowness, openBrowser, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { showSessions } from '../../test/scrolling.ts';
import { startApp } from '../../test/server.ts';

const db = await testDatabase();
const { url } = await startApp(db);
let visit: (path: string) => Promise<Visit>;

beforeAll(async () => {
  await loadBulk(db.url, { sessions: 200, handoffs: 2 });
  await db.pool.query(
    `INSERT INTO search_entries (kind, id, session_id, words) SELECT 'SESSION', id, id, search_words(title, 'A') FROM sessions`,
  );
  ({ visit } = await openBrowser(url));
}, 300_000);

/** Milliseconds from the press of a key to the paint after which `shown` holds. */
async function paintAfter(page: Page, key: string, shown: 'the palette' | 'its letter'): Promise<number> {
  await page.evaluate((wanted) => {
    const took = new Promise<number>((resolve) => {
      const press = ({ timeStamp }: KeyboardEvent): void => {
        const before = (document.activeElement as HTMLInputElement).value;
        const isShown = (): boolean =>
          wanted === 'the palette'
            ? document.querySelector('dialog[open] input') !== null
            : (document.activeElement as HTMLInputElement).value !== before;
        const look = (): void =>
          void requestAnimationFrame(() =>
            isShown() ? setTimeout(() => resolve(performance.now() - timeStamp)) : look(),
          );
        look();
      };
      addEventListener('keydown', press, { once: true, capture: true });
    });
    Object.assign(window, { took });
  }, shown);
  await page.keyboard.press(key);
  return page.evaluate(() => (window as unknown as { took: Promise<number> }).took);
}

const median = (times: readonly number[]): number =>
  [...times].sort((one, other) => one - other)[Math.floor(times.length / 2)]!;
const text = (times: readonly number[]): string => times.map((ms) => ms.toFixed(0)).join(', ');

it('the palette opens, and letters appear in it and in the search of sessions, within 200 ms on a processor slowed four times', async () => {
  const { page } = await visit('/');
  const times: Record<string, number[]> = {
    'first opening': [],
    opening: [],
    'a letter in the palette': [],
    'a letter in the search': [],
  };
  for (let round = 0; round < 5; round += 1) {
    await page.reload();
    await showSessions(page, 200);
    // The page reads the palette's code when it has nothing else to do.
    await page.waitForFunction(() =>
      performance.getEntriesByType('resource').some(({ name }) => /Palette.*\.js/.test(name)),
    );
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    times['first opening']!.push(await paintAfter(page, 'Control+k', 'the palette'));
    await page.keyboard.press('Escape');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
    times['opening']!.push(await paintAfter(page, 'Control+k', 'the palette'));
    await page.keyboard.type('wor');
    await page
      .getByRole('status')
      .getByText(/20 or more results/)
      .waitFor();
    times['a letter in the palette']!.push(await paintAfter(page, 'k', 'its letter'));
    await page.keyboard.press('Escape');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
    await page.getByRole('searchbox', { name: 'Search the titles' }).focus();
    times['a letter in the search']!.push(await paintAfter(page, 'w', 'its letter'));
    await devtools.detach();
  }
  const slowness = measureSlowness();
  for (const [what, all] of Object.entries(times))
    console.log(`${what}: ${text(all)} ms, median ${median(all).toFixed(0)}`);
  console.log(`this machine is ${slowness.toFixed(1)} times as slow as usual`);
  // Other tests run beside: the median of five is for a quiet machine (`npm run test:long -- client/palette`), and the least is below the limit on any.
  for (const [what, all] of Object.entries(times))
    expect([what, Math.min(...all) < 200 * slowness]).toEqual([what, true]);
}, 300_000);
