import type { Browser, Page } from 'playwright-core';
import { encodeId } from '../server/core/ids.ts';
import { loadBulk } from '../test/bulk.ts';
import { launchChromium } from '../test/chromium.ts';
import { toolCall, world } from '../test/world.ts';
import { startBaton } from './listening.ts';
import { paintAfter } from './paints.ts';
import type { Place } from './place.ts';
import { atMost, spread, type Line } from './report.ts';
import { alternate, measured } from './rounds.ts';

const rounds = 7;
const messages = 10_000;
const goal = 1_000;
const edges = 5_000;
/** Milliseconds to the next paint. */
const promptly = 200;

/** Opens a log of 10,000 messages: by its address in a browser that has nothing of Baton, and from the list of sessions. */
export async function opening(place: Place, say: (line: string) => void): Promise<Line[]> {
  const { url, pool } = await place.database();
  const { agent, session, turn } = world(pool);
  await agent('claude-1');
  const uuid = await session('claude-1', { title: 'Ten thousand' });
  const edit = {
    file_path: 'src/a.ts',
    old_string: 'const a = 1;\n'.repeat(200),
    new_string: 'const a = 2;\n'.repeat(200),
  };
  for (let from = 0; from < messages; from += 200) {
    const said = Array.from({ length: 200 }, (_, at) => ({
      role: 'ASSISTANT' as const,
      content: `Message ${from + at + 1}. ${'**Words** and `code`. '.repeat((from + at) % 30)}`,
    }));
    await turn(uuid, {
      messages: said,
      toolCalls: Array.from({ length: 6 }, (_, at) => toolCall(`c${at}`, 'Edit', { arguments: edit, durationMs: 5 })),
    });
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
    {
      what: 'A log of 10,000 messages drawn, at the first opening of its address',
      figure: spread(cold, 'ms'),
      goal: atMost(cold.median, goal, ' ms'),
    },
    {
      what: 'The same, at a click in the list of sessions',
      figure: spread(clicked, 'ms'),
      goal: atMost(clicked.median, goal, ' ms'),
    },
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
  const drawnAt = await page
    .waitForFunction(() => (window as { drawnAt?: number }).drawnAt)
    .then((found) => found.jsonValue());
  if (process.env['BENCH_TIMELINE'] !== undefined) {
    const entries = await page.evaluate(() =>
      (performance.getEntriesByType('resource') as PerformanceResourceTiming[]).map(
        ({ name, startTime, responseStart, responseEnd }) =>
          `${[startTime, responseStart, responseEnd].map((time) => time.toFixed(0)).join(' ')} ${new URL(name).pathname}`,
      ),
    );
    process.stderr.write(`drawn at ${drawnAt}, from ${from}\n${entries.join('\n')}\n`);
  }
  await context.close();
  return drawnAt! - from;
}

/** Draws all pairs of a graph: from the choice until they are painted. Then points at them, chooses one and drags the picture. */
export async function drawing(place: Place, say: (line: string) => void): Promise<Line[]> {
  const browser = await launchChromium(place.atEnd);
  const lines: Line[] = [];
  for (const agents of [72, 300]) {
    const { url, patient } = await place.database();
    await loadBulk(url, { sessions: 300, handoffs: 2, agents: agents - 1 });
    await patient.query('DELETE FROM handoff_path_counts');
    await patient.query(pathCounts, [edges]);
    const server = await startBaton({ DATABASE_URL: url });
    const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } });
    const after: Record<string, number[]> = {};
    const { drawn } = await alternate(rounds, {
      drawn: async () => {
        const took = await drawAll(page, server.url);
        for (const [what, ms] of Object.entries(await use(page))) (after[what] ??= []).push(ms);
        return took;
      },
    });
    await page.close();
    await server.stop();
    say(`  ${agents} agents: ${drawn.median.toFixed(0)} ms`);
    lines.push({
      what: `A graph of ${edges.toLocaleString('en-US')} edges between ${agents} agents drawn, after the choice of all pairs`,
      figure: spread(drawn, 'ms'),
      goal: atMost(drawn.median, goal, ' ms'),
    });
    for (const [what, all] of Object.entries(after)) {
      // The first round warms up.
      const ms = measured(all.slice(1));
      lines.push({
        what: `In that graph: ${what}, to the next paint`,
        figure: spread(ms, 'ms'),
        goal: atMost(ms.median, promptly, ' ms'),
      });
    }
  }
  return lines;
}

/** Some pairs have thousands of handoffs, most a few. */
const pathCounts = `INSERT INTO handoff_path_counts (source_agent_id, target_agent_id, day, outcome, count)
  SELECT source, target, '-infinity', outcome, greatest(1, floor(total * share)) FROM (
    SELECT s.id AS source, t.id AS target, 1 + floor(2000.0 / (1 + row_number() OVER (ORDER BY md5(s.id || t.id)))) AS total
    FROM agents s JOIN agents t ON s.id <> t.id ORDER BY md5(s.id || t.id) LIMIT $1) pairs,
    (VALUES ('COMPLETED', 0.8), ('REJECTED', 0.15), ('INITIATED', 0.05)) outcomes (outcome, share)
  WHERE outcome = 'COMPLETED' OR floor(total * share) >= 1`;

/** Milliseconds from the choice of all pairs until the last painting of all of them. */
async function drawAll(page: Page, url: string): Promise<number> {
  await page.goto(`${url}/graph`);
  const choice = page.getByRole('combobox', { name: 'Draw' });
  await choice.waitFor();
  await page.waitForLoadState('networkidle');
  const painted = page.locator(`canvas[data-lines="${edges}"]`);
  await page.evaluate((wanted) => {
    const times: number[] = [];
    new MutationObserver((changes) => {
      if (changes.some(({ target }) => (target as HTMLElement).dataset['lines'] === wanted))
        requestAnimationFrame(() => setTimeout(() => times.push(performance.now())));
    }).observe(document, { subtree: true, attributes: true, attributeFilter: ['data-lines'] });
    addEventListener('change', ({ timeStamp }) => Object.assign(window, { chosenAt: timeStamp }), {
      once: true,
      capture: true,
    });
    Object.assign(window, { times });
  }, String(edges));
  await choice.selectOption('all');
  await painted.waitFor({ state: 'attached' });
  // It is fitted into its frame after the first painting.
  await page.waitForTimeout(300);
  return page.evaluate(() => {
    const { times, chosenAt } = window as unknown as { times: number[]; chosenAt: number };
    return times.at(-1)! - chosenAt;
  });
}

/** Milliseconds from each act to the next paint. */
async function use(page: Page): Promise<Record<string, number>> {
  const frame = page.getByRole('group', { name: 'Graph of handoffs' });
  await frame.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await frame.boundingBox())!;
  const [atX, atY] = [x + width / 2, y + height / 2];
  const pointing = await paintAfter(page, 'pointermove', () => page.mouse.move(atX + 31, atY - 47));
  const choosing = await paintAfter(page, 'click', () => page.mouse.click(atX + 31, atY - 47));
  await page.mouse.move(atX, atY);
  await page.mouse.down();
  await page.mouse.move(atX + 5, atY + 5);
  const dragging = await paintAfter(page, 'pointermove', () => page.mouse.move(atX + 60, atY + 30));
  await page.mouse.up();
  return { 'a line pointed at': pointing, 'a line chosen': choosing, 'the picture dragged': dragging };
}
