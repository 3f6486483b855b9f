import type { CDPSession, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadBulk } from '../../server/testing/bulk.ts';
import { measureSlowness, openBrowser, type Visit } from '../../server/testing/browser.ts';
import { testDatabase } from '../../server/testing/database.ts';
import { startApp } from '../../server/testing/server.ts';

const db = await testDatabase();
const { url } = await startApp(db);
let visit: (path: string) => Promise<Visit>;

beforeAll(async () => {
  await loadBulk(db.url, { sessions: 1_000, handoffs: 2 });
  ({ visit } = await openBrowser(url));
}, 300_000);

describe('the weight of the dashboard', () => {
  it('is under 150 KB of compressed JavaScript at the first load; the rest comes when it is needed', async () => {
    const { page } = await visit('/');
    await page.locator('[data-session]').first().waitFor();
    await page.waitForLoadState('networkidle');
    const loaded = await page.evaluate(() =>
      (performance.getEntriesByType('resource') as PerformanceResourceTiming[]).filter(({ name }) => name.endsWith('.js')).map(({ name, encodedBodySize }) => ({ name: new URL(name).pathname, bytes: encodedBodySize })),
    );
    const total = loaded.reduce((sum, { bytes }) => sum + bytes, 0);
    console.log(`first load: ${(total / 1_000).toFixed(0)} KB of JavaScript in ${loaded.length} files`);
    expect(total).toBeGreaterThan(20_000);
    expect(total).toBeLessThan(150_000);
  }, 60_000);

  it('lets 1,000 sessions scroll in short tasks at a four-fold slowed processor', async () => {
    const { page } = await visit('/');
    for (let shown = 50; shown < 1_000; shown += 50) {
      await page.getByText(`${shown.toLocaleString()} of 1,000 sessions`).waitFor();
      await page.getByRole('button', { name: 'Load more' }).click();
    }
    await page.getByText('1,000 of 1,000 sessions').waitFor();
    await page.waitForLoadState('networkidle');
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    const longest: number[] = [];
    for (let round = 0; round < 5; round += 1) longest.push(await scrollThrough(page, devtools));
    const slowness = measureSlowness();
    console.log(`longest task of each round: ${longest.map((ms) => ms.toFixed(0)).join(', ')} ms; this machine is ${slowness.toFixed(1)} times as slow as usual`);
    // The goal is 50 ms, measured on a machine that does nothing else; what other programs do to its caches can double it.
    expect(longest.sort((one, other) => one - other)[2]).toBeLessThanOrEqual(100 * slowness);
  }, 300_000);
});

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Microseconds of the processor: what other programs take of it is not counted. */
  tdur?: number;
}

/** How far the wheel turns in two frames: faster than a hand. */
const notches = 5;

const afterTwoFrames = () =>
  new Promise<boolean>((resolve) =>
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(scrollY + innerHeight >= document.documentElement.scrollHeight - 2))),
  );

/** From the top to the end by the wheel: the longest task of the page on the way, in milliseconds. */
async function scrollThrough(page: Page, devtools: CDPSession): Promise<number> {
  await page.evaluate(async () => {
    scrollTo(0, 0);
    for (let frame = 0; frame < 10; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
  });
  const events: TraceEvent[] = [];
  const collect = ({ value }: { value: object[] }) => void events.push(...(value as TraceEvent[]));
  devtools.on('Tracing.dataCollected', collect);
  await devtools.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: ['toplevel', 'devtools.timeline'] } });
  let atEnd = false;
  for (let step = 0; step < 400 && !atEnd; step += 1) {
    await devtools.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x: 600, y: 500, deltaX: 0, deltaY: notches * 120 });
    atEnd = await page.evaluate(afterTwoFrames);
  }
  expect(atEnd).toBe(true);
  const complete = new Promise((resolve) => devtools.once('Tracing.tracingComplete', resolve));
  await devtools.send('Tracing.end');
  await complete;
  devtools.off('Tracing.dataCollected', collect);
  // The thread that lays out is the page's.
  const { pid, tid } = events.find(({ name }) => name === 'Layout') ?? {};
  const tasks = events.filter((event) => event.name === 'ThreadControllerImpl::RunTask' && event.pid === pid && event.tid === tid);
  expect(tasks.length).toBeGreaterThan(50);
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000;
}
