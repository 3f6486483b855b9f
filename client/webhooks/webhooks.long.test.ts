import { beforeAll, describe, expect, it } from 'vitest';
import { look, openBrowser, patiently } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { delivering } from '../../test/delivering.ts';
import { isSignedWith, receiver } from '../../test/receiver.ts';
import { adminKey, secretFor, webhookKey } from '../../test/keyring.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';

const db = await testDatabase();
const { url, streams } = await startApp(db, {
  variables: { BATON_ADMIN_KEY: adminKey, BATON_WEBHOOK_KEY: webhookKey, BATON_WEBHOOK_ALLOW: '127.0.0.1' },
});
const { agent, session } = world(db.pool);
const { visit } = await openBrowser(url);

async function signIn(key: string, options: object = {}) {
  const visited = await visit('/webhooks', options);
  await visited.page.getByLabel('Key').fill(key);
  await visited.page.getByRole('button', { name: 'Sign in' }).click();
  return visited;
}

beforeAll(() => agent('ada', { maxCapacity: 50 }));

describe('the page of webhooks', () => {
  it('creates one, shows its secret once, its deliveries, sends again, disables, enables, rotates and deletes', async () => {
    const hook = await receiver();
    const worker = delivering(db, { announcer: streams });
    const { page, faults } = await signIn(adminKey);
    await page.getByText('There are no webhooks.').waitFor();
    await look(page, 'webhooks-empty');
    await page.getByRole('button', { name: 'New webhook' }).click();
    // The field has the focus.
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('https://10.0.0.1/');
    await page.keyboard.press('Enter');
    await page.getByText('private address 10.0.0.1').waitFor();
    await page.getByLabel('URL').fill(hook.url);
    await page.getByLabel('Description').fill('For the build');
    await page.getByText('Every event, except of the log').click();
    await page.getByLabel('SESSION_CREATED').check();
    await look(page, 'webhooks-new');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
    expect(secret).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await page.content()).not.toContain(secret);
    await page.getByText('For the build').waitFor();

    await session('ada', { title: 'A session to tell of' });
    await hook.has(1);
    expect(isSignedWith(secret, hook.received[0]!)).toBe(true);
    await page.getByRole('button', { name: 'Deliveries' }).click();
    const list = page.getByRole('list', { name: 'Deliveries' });
    await list.getByText('Delivered').waitFor();
    expect(await list.innerText()).toMatch(/SESSION_CREATED\s+of\s+A session to tell of[^]*1 attempt, status 204/);
    await list.getByRole('button', { name: 'Send again' }).click();
    await hook.has(2);
    expect(hook.received[1]!.headers['baton-redelivery']).toBeDefined();
    await list.getByText('(sent again)').waitFor();
    await look(page, 'webhooks');

    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Disabled by an admin').waitFor();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('Enabled', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    await expect.poll(() => page.getByLabel('Secret', { exact: true }).inputValue(), patiently).not.toBe(secret);
    await page.keyboard.press('Escape');

    // Disabled by Baton: the page hears of it.
    hook.answers.with = (_one, response) => response.writeHead(410).end();
    await session('ada', { title: 'Too late' });
    await page.getByText('the receiver answered 410').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no webhooks.').waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.id), patiently).toBe('main');
    expect(faults).toEqual([]);
    await worker.stop();
  }, 120_000);

  it('fits a phone, and shows nothing to others than admins, who have no link to it', async () => {
    await db.pool.query(
      `INSERT INTO webhooks (id, url, types, secret_version, key_check, position, created_by, created_at, disabled_at, disabled_reason)
      VALUES (gen_random_uuid(), $1, '{}', 1, 'x', 0, 'admin', now(), now(), 'FAILING')`,
      [`https://example.com/${'long'.repeat(60)}`],
    );
    const { page, faults } = await signIn(adminKey, { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    await page.getByText('it failed for 24 hours').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await look(page, 'webhooks-narrow');
    const { page: other, faults: others } = await signIn(await secretFor(db.pool, 'OPERATOR'));
    await other.getByText("Webhooks are an admin's.").waitFor();
    expect(await other.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
    expect(await page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).count()).toBe(1);
    expect([faults, others]).toEqual([[], []]);
  }, 60_000);
});
