import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { look, openBrowser, patiently, type Visit } from '../../test/browser.ts';
import { loadBulk } from '../../test/bulk.ts';
import { testDatabase } from '../../test/database.ts';
import { startApp } from '../../test/server.ts';
import { busiest } from './busiest.ts';

const db = await testDatabase();
const { url } = await startApp(db);
let visit: (path: string, options?: object) => Promise<Visit>;
let pairs: number;

beforeAll(async () => {
  await loadBulk(db.url, { sessions: 5_000, handoffs: 3, agents: 200 });
  const { rows } = await db.pool.query<{ pairs: string }>(
    'SELECT count(DISTINCT (source_agent_id, target_agent_id)) AS pairs FROM handoffs',
  );
  pairs = Number(rows[0]!.pairs);
  expect(pairs).toBeGreaterThan(5_000);
  ({ visit } = await openBrowser(url));
}, 300_000);

const drawing = (page: Page) => page.getByRole('group', { name: 'Graph of handoffs' });
const choice = (page: Page) => page.getByRole('combobox', { name: 'Draw' });
const drawnText = (page: Page) => page.getByText(/^Drawn: \d+ agents/);
const numbersOf = (text: string | null): number[] =>
  [...(text ?? '').matchAll(/\d[\d,]*/g)].map(([number]) => Number(number.replaceAll(',', '')));

/** How many agents are outside of the drawing's frame. */
const outside = (page: Page): Promise<number> =>
  drawing(page).evaluate((frame) => {
    const box = frame.getBoundingClientRect();
    return [...frame.querySelectorAll('.react-flow__node')]
      .map((node) => node.getBoundingClientRect())
      .filter(
        ({ left, right, top, bottom }) => left < box.left || right > box.right || top < box.top || bottom > box.bottom,
      ).length;
  });

describe('the graph of 200 agents and 5,000 pairs', () => {
  it('draws the busiest pairs, counts the rest, and fits all that is drawn', async () => {
    const { page, faults } = await visit('/graph');
    const [agents, drawn, otherPairs, otherAgents, otherHandoffs] = numbersOf(await drawnText(page).textContent());
    expect([drawn! + otherPairs!, agents! + otherAgents!]).toEqual([pairs, 201]);
    const labels = drawing(page).getByRole('link', { name: /^\d+ handoffs? from/ });
    const counts = (await labels.allTextContents()).map(Number);
    expect(counts).toHaveLength(drawn!);
    expect(counts.reduce((sum, count) => sum + count, 0) + otherHandoffs!).toBe(15_000);
    const first = await page.getByRole('table').getByRole('row').nth(1).getByRole('link').textContent();
    expect(Math.max(...counts)).toBe(Number(first));
    // Names are as large as on paper.
    expect(
      await drawing(page).evaluate((frame) =>
        Math.min(
          ...[...frame.querySelectorAll('.react-flow__node a > span')].map(
            (text) => text.getBoundingClientRect().height,
          ),
        ),
      ),
    ).toBeGreaterThan(8);
    expect(await outside(page)).toBe(0);
    await look(page, 'graph-large');

    for (let press = 0; press < 4; press += 1) await drawing(page).getByRole('button', { name: 'Zoom In' }).click();
    await expect.poll(() => outside(page), patiently).toBeGreaterThan(0);
    await drawing(page).getByRole('button', { name: 'Fit View' }).click();
    await expect.poll(() => outside(page), patiently).toBe(0);

    // A frame of another size, as on a turned phone.
    await page.setViewportSize({ width: 1000, height: 500 });
    await expect.poll(() => outside(page), patiently).toBe(0);

    await choice(page).selectOption('Up to 60 busiest pairs');
    await expect.poll(() => labels.count(), patiently).toBeGreaterThan(drawn!);
    await expect.poll(() => outside(page), patiently).toBe(0);
    await choice(page).selectOption('Up to 30 busiest pairs');
    await expect.poll(() => labels.count(), patiently).toBe(drawn);
    expect(faults).toEqual([]);
  }, 120_000);

  it('leads from a line under the mouse to its handoffs', async () => {
    const { page } = await visit('/graph');
    await drawnText(page).waitFor();
    const lines = drawing(page).locator('.react-flow__edge');
    await lines.first().waitFor({ state: 'attached' });
    expect(
      await lines.evaluateAll((edges) =>
        edges.every((edge) => edge.querySelector('a[href^="/handoffs?source="]') !== null),
      ),
    ).toBe(true);
    const at = await lines.evaluateAll((edges) => {
      for (const edge of edges) {
        const path = edge.querySelector<SVGPathElement>('a > g > path:last-of-type')!;
        for (const part of [0.2, 0.3, 0.7, 0.8]) {
          const { x, y } = path.getPointAtLength(path.getTotalLength() * part).matrixTransform(path.getScreenCTM()!);
          if (document.elementFromPoint(x, y)?.closest('.react-flow__edge') === edge)
            return { x, y, href: edge.querySelector('a')!.getAttribute('href') };
        }
      }
      return null;
    });
    await page.mouse.click(at!.x, at!.y);
    await expect.poll(() => page.evaluate(() => location.pathname + location.search), patiently).toBe(at!.href);
  }, 120_000);

  it('draws 250, 1,000 and all pairs in a circle, where a pair and an agent can be chosen by mouse and by keyboard', async () => {
    const { page, faults } = await visit('/graph');
    const lines = drawing(page).locator('canvas[data-lines]');
    const all = pairs.toLocaleString('en-US');
    await choice(page).selectOption('250 busiest pairs');
    await page.getByText(/^Drawn: \d+ agents and 250 of the busiest pairs/).waitFor();
    await choice(page).focus();
    await page.keyboard.press('ArrowDown');
    await page.getByText(/^Drawn: \d+ agents and 1,000 of the busiest pairs/).waitFor();
    await choice(page).selectOption(`All ${pairs.toLocaleString('en-US')} pairs`);
    await page.getByText(`All ${all} pairs are drawn.`).waitFor();
    await expect.poll(() => lines.getAttribute('data-lines'), patiently).toBe(String(pairs));
    expect(new URL(page.url()).searchParams.get('pairs')).toBe('all');
    // In the colours of the outcomes, also with reduced motion, when every property has a short transition.
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    const hues = () =>
      lines.evaluate((canvas: HTMLCanvasElement) => {
        const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
        const found = { green: false, red: false };
        for (let at = 0; at < data.length; at += 4) {
          if (data[at + 1]! > data[at]! + 40) found.green = true;
          if (data[at]! > data[at + 1]! + 40) found.red = true;
        }
        return found;
      });
    await expect.poll(hues, patiently).toEqual({ green: true, red: true });
    await look(page, 'graph-circle');

    // The first row of the table is the busiest pair.
    const [from, to] = await page.getByRole('table').getByRole('row').nth(1).getByRole('cell').allInnerTexts();
    const name = (text: string | undefined): string => /(busy|agent-\d+)/.exec(text ?? '')![1]!;
    await page.getByRole('button', { name: 'Busiest pair' }).focus();
    await page.keyboard.press('Enter');
    const link = page
      .getByRole('link', { name: new RegExp(`^\\d+ handoffs from ${name(from)} to ${name(to)}$`) })
      .first();
    await link.waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => link.count(), patiently).toBe(0);
    await page.getByRole('button', { name: 'Busier pair' }).click();
    await link.waitFor();

    // The agent at the top is the first by id.
    const box = (await drawing(page).boundingBox())!;
    await page.evaluate((top) => scrollBy(0, top - 100), box.y);
    const { x, width, y } = (await drawing(page).boundingBox())!;
    const status = page.getByRole('status').filter({ hasText: /^agent-0: / });
    for (let down = 10; down < 200 && (await status.count()) === 0; down += 6)
      await page.mouse.move(x + width / 2, y + down);
    await page.mouse.down();
    await page.mouse.up();
    await page.mouse.move(5, 5);
    expect(await status.textContent()).toMatch(/^agent-0: \d+ given, \d+ received/);
    await look(page, 'graph-circle-agent');
    await page.reload();
    await page.getByText(`All ${all} pairs are drawn.`).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await look(page, 'graph-circle-narrow');
    expect(faults).toEqual([]);
  }, 120_000);

  it('has a table that grows on demand, on a page of a few screens', async () => {
    for (const width of [1440, 390]) {
      const { page } = await visit('/graph', { viewport: { width, height: 900 } });
      await page.getByText(`25 of ${pairs.toLocaleString('en-US')} pairs`).waitFor();
      const size = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        document.documentElement.scrollHeight,
      ]);
      expect(size[0]).toBeLessThanOrEqual(width);
      expect(size[1]).toBeLessThan(6 * 900);
      await page.getByRole('button', { name: 'Load more' }).click();
      await page.getByText(`50 of ${pairs.toLocaleString('en-US')} pairs`).waitFor();
      if (width === 390) await look(page, 'graph-large-narrow');
    }
  }, 120_000);
});

describe('the busiest pairs', () => {
  const edges = fc.array(
    fc.record({
      source: fc.record({ id: fc.integer({ max: 8, min: 0 }).map(String) }),
      target: fc.record({ id: fc.integer({ max: 8, min: 0 }).map(String) }),
      count: fc.integer({ min: 1, max: 99 }),
    }),
    { maxLength: 80, size: 'max' },
  );

  it('fit into the numbers, and none that was left out would have fitted in the place of a less busy one', () => {
    fc.assert(
      fc.property(edges, (all) => {
        const most = { agents: 6, pairs: 10 };
        const drawn = busiest(all, most);
        expect(drawn.edges.length).toBeLessThanOrEqual(most.pairs);
        expect(drawn.agents.size).toBeLessThanOrEqual(most.agents);
        expect(drawn.agents).toEqual(new Set(drawn.edges.flatMap(({ source, target }) => [source.id, target.id])));
        expect(drawn.handoffs).toBe(drawn.edges.reduce((sum, { count }) => sum + count, 0));
        const least = Math.min(...drawn.edges.map(({ count }) => count));
        for (const edge of all.filter((each) => !drawn.edges.includes(each))) {
          const agents = new Set(drawn.agents).add(edge.source.id).add(edge.target.id);
          expect(agents.size > most.agents || (drawn.edges.length === most.pairs && edge.count <= least)).toBe(true);
        }
      }),
    );
  });
});
