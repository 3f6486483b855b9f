import { expect, it } from 'vitest';
import { seed } from '../../../prisma/seed.ts';
import { openBrowser, patiently } from '../../../test/browser.ts';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { secretFor } from '../../../test/keyring.ts';
import { startApp } from '../../../test/server.ts';
import { silentLog } from '../../infra/log.ts';
import { readTabs } from './tabs.ts';

const db = await testDatabase();
await seed({ pool: db.pool, log: silentLog });
const sessions = await db.prisma.session.count();
const secret = await secretFor(db.pool, 'OPERATOR');
const { url } = await startApp(db, { graphiqlTabs: readTabs() });

it('sends the key of the page with the requests of every tab, and with subscriptions', async () => {
  const { page } = await (await openBrowser(url)).visit('/graphql', { viewport: { width: 1500, height: 950 } });
  const addresses: string[] = [];
  page.on('request', (request) => addresses.push(request.url()));
  const result = page.locator('.result-window');
  const button = page.getByRole('button', { name: /execute query/i });
  /** Presses until it is answered: while a tab opens, a press may be lost. A running subscription has another button. */
  const run = (answer: RegExp): Promise<void> =>
    expect
      .poll(async () => {
        if (await button.isVisible()) await button.click();
        return result.innerText();
      }, patiently)
      .toMatch(answer);
  const editor = page.locator('.graphiql-query-editor');
  const open = async (tab: string, field: string): Promise<void> => {
    await page.getByRole('button', { name: tab, exact: true }).click();
    // Pressed earlier, the button runs the tab before.
    await editor.getByText(field).first().waitFor();
  };
  await editor.getByText('Welcome').waitFor();
  await run(/UNAUTHENTICATED/);

  const field = page.getByRole('textbox', { name: 'Key' });
  await field.fill(secret);
  await field.press('Tab');
  await run(new RegExp(`"totalCount":\\s*${sessions}\\b`));
  // The page reads the schema again with the key: completion and documentation work.
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  await page.getByText('All Schema Types').waitFor();
  await page.getByRole('button', { name: 'Hide Documentation Explorer' }).click();

  await open('Graph', 'handoffGraph');
  await run(/"handoffGraph"/);

  await open('Live', 'handoffEvents');
  await run(/"type":\s*"(READY|HEARTBEAT)"/);
  await client(url, { key: secret }).post(
    'mutation { setAgentStatus(input: { id: "claude-1", status: DRAINING }) { __typename } }',
  );
  await result.filter({ hasText: /"type":\s*"AGENT_CHANGED"/ }).waitFor();

  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByRole('link', { name: 'GraphiQL' }).waitFor();
  await page.getByText('Triage the crash reports').waitFor();
  expect(addresses.filter((address) => address.includes(secret))).toEqual([]);
}, 120_000);
