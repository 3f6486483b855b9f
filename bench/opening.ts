import type { Browser } from 'playwright-core';
import { encodeId } from '../server/core/ids.ts';
import { launchChromium } from '../test/chromium.ts';
import { toolCall, world } from '../test/world.ts';
import { startBaton } from './listening.ts';
import type { Place } from './place.ts';
import { atMost, spread, type Line } from './report.ts';
import { alternate } from './rounds.ts';

const rounds = 7;
const messages = 10_000;
const goal = 1_000;

/** Opens a log of 10,000 messages: by its address in a browser that has nothing of Baton, and from the list of sessions. */
export async function opening(place: Place, say: (line: string) => void): Promise<Line[]> {
  const { url, pool } = await place.database();
  const { agent, session, turn } = world(pool);
  await agent('claude-1');
  const uuid = await session('claude-1', { title: 'Ten thousand' });
  const edit = { file_path: 'src/a.ts', old_string: 'const a = 1;\n'.repeat(200), new_string: 'const a = 2;\n'.repeat(200) };
  for (let from = 0; from < messages; from += 200) {
    const said = Array.from({ length: 200 }, (_, at) => ({ role: 'ASSISTANT' as const, content: `Message ${from + at + 1}. ${'**Words** and `code`. '.repeat((from + at) % 30)}` }));
    await turn(uuid, { messages: said, toolCalls: Array.from({ length: 6 }, (_, at) => toolCall(`c${at}`, 'Edit', { arguments: edit, durationMs: 5 })) });
  }
  const server = await startBaton({ DATABASE_URL: url });
  place.atEnd(server.stop);
  const browser = await launchChromium(place.atEnd);
  const id = encodeId('session', uuid);
  const { cold, clicked } = await alternate(rounds, {
    cold: () => open(browser, `${server.url}/sessions/${id}`),
    clicked: () => open(browser, server.url, 'Ten thousand'),
  });
  say(`  ${cold.median.toFixed(0)} and ${clicked.median.toFixed(0)} ms`);
  return [
    { what: 'A log of 10,000 messages drawn, at the first opening of its address', figure: spread(cold, 'ms'), goal: atMost(cold.median, goal, ' ms') },
    { what: 'The same, at a click in the list of sessions', figure: spread(clicked, 'ms'), goal: atMost(clicked.median, goal, ' ms') },
  ];
}

/** Milliseconds from the navigation, or from the click on a link, until the newest message is drawn, as Markdown. */
async function open(browser: Browser, url: string, link?: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
  const page = await context.newPage();
  // In the page: what drives the browser would add its own time.
  await page.addInitScript((last) => {
    new MutationObserver((_, observer) => {
      if (document.querySelector(`#message-${last} p`) === null) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => Object.assign(window, { drawnAt: performance.now() })));
    }).observe(document, { childList: true, subtree: true });
  }, messages);
  let from = 0;
  await page.goto(url, { waitUntil: 'commit' });
  if (link !== undefined) {
    const row = page.getByRole('link', { name: link }).first();
    await row.waitFor();
    await page.waitForLoadState('networkidle');
    from = await row.evaluate((element) => {
      const now = performance.now();
      (element as HTMLElement).click();
      return now;
    });
  }
  const drawnAt = await page.waitForFunction(() => (window as { drawnAt?: number }).drawnAt).then((found) => found.jsonValue());
  if (process.env['BENCH_TIMELINE'] !== undefined) {
    const entries = await page.evaluate(() =>
      (performance.getEntriesByType('resource') as PerformanceResourceTiming[]).map(({ name, startTime, responseStart, responseEnd }) => `${[startTime, responseStart, responseEnd].map((time) => time.toFixed(0)).join(' ')} ${new URL(name).pathname}`),
    );
    process.stderr.write(`drawn at ${drawnAt}, from ${from}\n${entries.join('\n')}\n`);
  }
  await context.close();
  return drawnAt! - from;
}
