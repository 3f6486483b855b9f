import { expect, it } from 'vitest';
import { encodeId } from '../../server/core/ids.ts';
import { measureSlowness, openBrowser } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { startApp } from '../../test/server.ts';
import { toolCall, world } from '../../test/world.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session, turn } = world(db.pool);

const middle = (times: number[]): number => times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)]!;

it('a log of 10,000 messages is drawn in under 1 s, scrolls in short tasks, and opens a call within 200 ms on a processor slowed four times', async () => {
  await agent('claude-1');
  const uuid = await session('claude-1', { title: 'Ten thousand' });
  const edit = {
    file_path: 'src/a.ts',
    old_string: 'const a = 1;\n'.repeat(200),
    new_string: 'const a = 2;\n'.repeat(200),
  };
  for (let from = 0; from < 10_000; from += 200) {
    const messages = Array.from({ length: 200 }, (_, at) => ({
      role: 'ASSISTANT' as const,
      content: `Message ${from + at + 1}. ${'**Words** and `code`. '.repeat((from + at) % 30)}`,
    }));
    await turn(uuid, {
      messages,
      toolCalls: Array.from({ length: 6 }, (_, at) => toolCall(`c${at}`, 'Edit', { arguments: edit, durationMs: 5 })),
    });
  }
  const { visit } = await openBrowser(url);
  const { page, faults } = await visit('/');
  const log = page.getByRole('region', { name: 'Conversation' });
  const drawn: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    await page.goto(url);
    const row = page.getByRole('link', { name: 'Ten thousand' }).first();
    await row.waitFor();
    await page.waitForLoadState('networkidle');
    const began = Date.now();
    await row.click();
    await log.getByText('Message 10000.').waitFor();
    drawn.push(Date.now() - began);
  }

  const client = await page.context().newCDPSession(page);
  await client.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  const opened: number[] = [];
  for (let nth = 0; nth < 5; nth += 1) {
    const summary = log.locator('summary').nth(nth);
    await summary.scrollIntoViewIfNeeded();
    // Until the frame after the next one.
    opened.push(
      await summary.evaluate((element) => {
        const from = performance.now();
        (element as HTMLElement).click();
        return new Promise<number>((resolve) =>
          requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - from))),
        );
      }),
    );
    await log.getByRole('region', { name: 'Changed lines of src/a.ts' }).first().waitFor();
    await summary.click();
  }
  await client.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  const tasks = await log.evaluate(async (region) => {
    const found: number[] = [];
    new PerformanceObserver((list) => found.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
    });
    for (let step = 0; step < 100; step += 1) {
      region.scrollTop -= 500;
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    return found;
  });
  const slowness = measureSlowness();
  console.log(
    `drawn in ${drawn.join(', ')} ms; calls opened in ${opened.map(Math.round).join(', ')} ms; long tasks of a scroll: ${tasks.map(Math.round).join(', ') || 'none'}; this machine is ${slowness.toFixed(1)} times as slow as usual`,
  );
  expect(middle(drawn)).toBeLessThan(1_000 * slowness);
  expect(middle(opened)).toBeLessThan(200 * slowness);
  expect(Math.max(0, ...tasks)).toBeLessThan(200 * slowness);
  expect(encodeId('session', uuid)).toBe(new URL(page.url()).pathname.split('/').at(-1));
  expect(faults).toEqual([]);
}, 180_000);
