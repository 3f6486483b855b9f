import { describe, expect, it } from 'vitest';
import { look, patiently } from '../../test/browser.ts';
import { keyedDashboard } from '../../test/keyedDashboard.ts';

const { server, adminKey, keys, movedId, visit, signIn } = await keyedDashboard();

describe('the dashboard of a server with keys', () => {
  it('asks for a key, reports a wrong one, and gives the right one to the open tabs only', async () => {
    const { page, faults } = await signIn('/sessions', 'not-a-key');
    await page.getByRole('alert').getByText('This key was not accepted').waitFor();
    await look(page, 'sign-in');
    // The field has the focus, as at first.
    await page.keyboard.type(adminKey);
    await page.keyboard.press('Enter');
    await page.getByText('Add rate limits').waitFor();
    await page.getByText('admin', { exact: true }).waitFor();
    // A screen reader goes on with the page.
    await expect.poll(() => page.evaluate(() => document.activeElement?.id), patiently).toBe('main');
    // It lasts over a reload, and stands nowhere else.
    await page.reload();
    await page.getByText('Add rate limits').waitFor();
    const elsewhere = () =>
      page.evaluate(async () =>
        [
          JSON.stringify(localStorage),
          document.cookie,
          location.href,
          JSON.stringify(await indexedDB.databases()),
        ].join(),
      );
    expect(await elsewhere()).not.toContain(adminKey);
    // Another tab, and GraphiQL in a third, are signed in with it.
    const other = await page.context().newPage();
    await other.goto(`${server.url}/agents`);
    await other.getByText('2 of 2 agents').waitFor();
    const graphiql = await page.context().newPage();
    await graphiql.goto(`${server.url}/graphql`);
    await expect.poll(() => graphiql.getByRole('textbox', { name: 'Key' }).inputValue(), patiently).toBe(adminKey);

    // Signing out in one signs out in all, and a key signs in all that wait for one.
    await page.getByRole('button', { name: 'Sign out' }).click();
    await other.getByRole('heading', { name: 'Sign in to Baton' }).waitFor();
    await expect.poll(() => graphiql.getByRole('textbox', { name: 'Key' }).inputValue(), patiently).toBe('');
    await other.getByLabel('Key').fill(keys.ANALYST);
    await other.keyboard.press('Enter');
    await page.getByText('analyst', { exact: true }).waitFor();

    // Nothing is left when the last one is closed.
    const context = page.context();
    for (const open of context.pages()) await open.close();
    const later = await context.newPage();
    await later.goto(server.url);
    await later.getByRole('heading', { name: 'Sign in to Baton' }).waitFor();
    expect(faults).toEqual([]);
  }, 120_000);

  it('forgets the key on sign-out', async () => {
    const { page } = await signIn('/agents', keys.OPERATOR);
    await page.getByText('operator', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Baton' }).waitFor();
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(keys.OPERATOR);
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in to Baton' }).waitFor();
  }, 60_000);

  it('puts the key into no URL', async () => {
    const { page } = await visit('/sessions');
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    page.on('websocket', (socket) => addresses.push(socket.url()));
    await page.getByLabel('Key').fill(keys.OPERATOR);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Add rate limits').waitFor();
    expect(addresses.length).toBeGreaterThan(0);
    expect(addresses.join()).not.toContain(keys.OPERATOR);
    expect(page.url()).not.toContain(keys.OPERATOR);
  }, 60_000);

  it('offers an operator every action', async () => {
    const { page } = await signIn('/sessions', keys.OPERATOR);
    await page.getByRole('button', { name: 'Reassign "Not for codex"' }).waitFor();
    await page.locator('[data-live="live"]').waitFor();
    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await page.getByRole('group', { name: 'Status of claude-1' }).waitFor();
    // Webhooks are for admins.
    expect(await page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
  }, 60_000);

  it('shows an analyst everything and offers no change', async () => {
    const { page } = await signIn('/sessions', keys.ANALYST);
    await page.getByText('Not for codex').waitFor();
    expect(await page.getByRole('button', { name: /Reassign|New session|Import/ }).count()).toBe(0);
    expect(await page.getByRole('checkbox', { name: /^Select/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Not for codex' }).click();
    await page.getByRole('button', { name: 'Context prompt' }).waitFor();
    expect(await page.getByRole('button', { name: 'Reassign' }).count()).toBe(0);
    // Nor does a page take a file that is dragged over it.
    const isLeftToBrowser = await page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['{}'], 'rollout.jsonl'));
      return document.body.dispatchEvent(new DragEvent('dragover', { dataTransfer, bubbles: true, cancelable: true }));
    });
    expect(isLeftToBrowser).toBe(true);
    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    await page.getByText('1 given').waitFor();
    expect(await page.getByRole('group', { name: /^Status of/ }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Register an agent' }).count()).toBe(0);
    await page.getByRole('link', { name: 'codex-1', exact: true }).click();
    await page.getByText('Its model gets no handoff tool.').waitFor();
    expect(await page.getByRole('button', { name: 'Take out …' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Queue' }).click();
    await page.getByText('an agent of type GEMINI').waitFor();
    expect(await page.getByLabel('Priority of Nobody has it').count()).toBe(0);
    await signIn('/pipelines/_new', keys.ANALYST).then((other) =>
      other.page.getByText('Operators define pipelines.').waitFor(),
    );
  }, 60_000);

  it('shows an agent its own records and the other agents', async () => {
    const { page, faults } = await signIn('/sessions', keys.AGENT);
    await page.getByText('Add rate limits').waitFor();
    await page.getByText('1 of 1 sessions').waitFor();
    await page.locator('[data-live="live"]').waitFor();
    expect(await page.getByText('Not for codex').count()).toBe(0);
    expect(await page.getByRole('button', { name: /Reassign/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await page.getByText('2 of 2 agents').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await expect.poll(() => page.getByRole('link', { name: /^Inbox of/ }).count(), patiently).toBe(1);
    await page.getByRole('link', { name: 'Inbox of codex-1' }).click();
    await expect.poll(() => page.getByRole('button', { name: /Accept/ }).count(), patiently).toBe(1);
    expect(faults).toEqual([]);
  }, 60_000);

  it('shows a message instead of an empty inbox that the agent may not read', async () => {
    const { page } = await signIn('/inbox/claude-1', keys.AGENT);
    await page.getByText('Your key may not read this inbox.').waitFor();
  }, 60_000);

  it('lets an agent accept its handoff', async () => {
    const { page, faults } = await signIn(`/sessions/${movedId}`, keys.AGENT);
    await page.getByRole('button', { name: 'Accept "Add rate limits"' }).click();
    await page.getByText('Active', { exact: true }).first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(faults).toEqual([]);
  }, 60_000);
});
