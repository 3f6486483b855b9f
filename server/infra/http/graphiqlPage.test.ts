import { expect, test } from 'vitest';
import { sharedBrowser } from '../../../test/browser.ts';
import { atEnd, testDatabase } from '../../../test/database.ts';
import { startApp } from '../../../test/server.ts';

const database = await testDatabase();
const { url } = await startApp(database, { graphiqlTabs: [{ query: '{ agents { totalCount } }' }] });

test('GraphiQL runs its tab in a browser, and sends no request to another host', async () => {
  const page = await (await sharedBrowser()).newPage();
  atEnd(() => page.close());
  const elsewhere: string[] = [];
  const problems: string[] = [];
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(url)) elsewhere.push(request.url());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });

  await page.goto(`${url}/graphql`);
  await page.getByText('totalCount').first().waitFor();
  await page.getByRole('button', { name: /execute query/i }).click();
  await page.locator('.result-window', { hasText: /"totalCount":\s*0/ }).waitFor();
  expect({ elsewhere, problems }).toEqual({ elsewhere: [], problems: [] });
});
