import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeId } from '../../server/core/ids.ts';
import { look, openBrowser, patiently, turnTo, type Visit } from '../../test/browser.ts';
import { bulkId, loadBulk } from '../../test/bulk.ts';
import { testDatabase } from '../../test/database.ts';
import { startApp } from '../../test/server.ts';
import { isShown, readDensity, withColumn } from './density.ts';

describe('the choice of columns', () => {
  const columns = { list: 'sessions', names: ['Agent', 'Project'], off: ['Project'] };

  it('shows all columns but those that are off, until a person chooses', () => {
    const none = readDensity(null);
    expect(columns.names.map((name) => isShown(none, columns, name))).toEqual([true, false]);
    const chosen = withColumn(withColumn(none, columns, 'Project', true), columns, 'Agent', false);
    expect(columns.names.map((name) => isShown(chosen, columns, name))).toEqual([false, true]);
    expect(readDensity(JSON.stringify(chosen))).toEqual(chosen);
    expect(isShown(chosen, { ...columns, list: 'queue' }, 'Agent')).toBe(true);
  });

  it('leaves out what is stored in another form', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (any) => void expect(readDensity(JSON.stringify(any)).chosen).toBeTypeOf('object')),
    );
    expect(readDensity('{"compact": 1, "chosen": {"a": {"b": 2}, "c": null, "d": {"e": false}}}')).toEqual({
      compact: false,
      chosen: { d: { e: false } },
    });
    expect(readDensity('{broken')).toEqual({ compact: false, chosen: {} });
  });
});

describe('lists', () => {
  let visit: (path: string, options?: { viewport: { width: number; height: number } }) => Promise<Visit>;
  let session = '';

  beforeAll(async () => {
    const db = await testDatabase();
    const { url } = await startApp(db);
    await loadBulk(db.url, { sessions: 60, handoffs: 2 });
    session = encodeId('session', await bulkId(db.pool, 'session', 30));
    ({ visit } = await openBrowser(url));
  }, 300_000);

  const rowsIn900 = (page: Page, rows: string) =>
    page
      .locator(rows)
      .evaluateAll(
        (all) =>
          all.filter((row) => row.getBoundingClientRect().top >= 0 && row.getBoundingClientRect().bottom <= 900).length,
      );

  it('show at least 20 rows in 900 pixels when they are compact, and the chosen columns, also after a reload', async () => {
    const { page, faults } = await visit('/sessions', { viewport: { width: 1440, height: 900 } });
    await page.locator('[data-session]').first().waitFor();
    await page.getByText('View', { exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { name: 'Compact rows' }).check();
    await page.getByRole('checkbox', { name: 'Agent' }).uncheck();
    await page.getByRole('checkbox', { name: 'Priority' }).check();
    await look(page, 'density-menu');
    await page.keyboard.press('Escape');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(' View');
    await page.reload();
    await page.locator('[data-session]').first().waitFor();
    expect(await rowsIn900(page, '[data-session]')).toBeGreaterThanOrEqual(20);
    const first = await page.locator('[data-session]').first().textContent();
    expect(first).toMatch(/Normal|High|Low|Urgent/);
    expect(first).not.toMatch(/busy|agent-/);

    await turnTo(page, '/handoffs');
    await page.locator('tbody tr').nth(30).waitFor();
    expect(await rowsIn900(page, 'tbody tr')).toBeGreaterThanOrEqual(20);
    await expect.poll(() => page.getByRole('columnheader', { name: 'Reason' }).count(), patiently).toBe(1);
    await page.getByText('View', { exact: true }).click();
    await page.getByRole('checkbox', { name: 'Reason' }).uncheck();
    await expect.poll(() => page.getByRole('columnheader', { name: 'Reason' }).count(), patiently).toBe(0);
    await expect.poll(() => page.locator('tbody tr').first().getByRole('cell').count(), patiently).toBe(4);
    await look(page, 'density-handoffs');
    expect(faults).toEqual([]);
  }, 120_000);

  it('do not scroll sideways on a phone', async () => {
    const { page, faults } = await visit('/sessions', { viewport: { width: 390, height: 844 } });
    for (const [path, ready] of [
      ['/sessions', '[data-session]'],
      ['/handoffs', 'tbody tr'],
      ['/queue', 'main table'],
      ['/tools', 'main table'],
      ['/pipelines', 'main table'],
      [`/sessions/${session}?view=snapshots`, 'main table'],
    ] as const) {
      await turnTo(page, path);
      await page.locator(ready).first().waitFor();
      const wide = await page.evaluate(() =>
        [document.documentElement, ...document.querySelectorAll('main [role=region]')]
          .filter((each) => each.scrollWidth > each.clientWidth + 1)
          .map((each) => `${each.tagName} ${each.scrollWidth} > ${each.clientWidth}`),
      );
      expect([path, wide]).toEqual([path, []]);
    }
    await page.locator('main tbody tr').first().getByRole('cell').nth(6).waitFor();
    await look(page, 'phone-snapshots');
    expect(faults).toEqual([]);
  }, 120_000);
});
