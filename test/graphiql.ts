import type { Locator } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { sharedBrowser } from './browser.ts';

/** Presses with a real mouse, where a press may begin a drag. */
export async function press(button: Locator): Promise<void> {
  const { x, y, width, height } = (await button.boundingBox())!;
  await button.page().mouse.click(x + width / 2, y + height / 2);
}

/** Loads GraphiQL into a new browser context, presses a tab once, and waits until it is open. */
export async function openTabAfterColdLoad(url: string, name: string): Promise<void> {
  const page = await (await sharedBrowser()).newPage({ viewport: { width: 1500, height: 950 } });
  onTestFinished(() => page.close());
  await page.goto(`${url}/graphql`);
  const tab = page.getByRole('button', { name, exact: true });
  await tab.waitFor();
  await page.locator('.graphiql-query-editor').getByText('Welcome').waitFor();
  await press(tab);
  await page.locator('.graphiql-tab-active', { hasText: name }).waitFor({ timeout: 10_000 });
}
