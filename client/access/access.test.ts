import { beforeAll, describe, expect, it } from 'vitest';
import { encodeId } from '../../server/core/ids.ts';
import { look, openBrowser, patiently, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { client } from '../../test/graphql.ts';
import { startServer, type ServerProcess } from '../../test/server.ts';
import { world } from '../../test/world.ts';

const adminKey = 'an-admin-key-for-this-test-alone-0123456789';
const db = await testDatabase();
const { agent, session, turn, reassign } = world(db.pool);

let server: ServerProcess;
let visit: (path: string) => Promise<Visit>;
let movedId: string;
const keys: Record<string, string> = {};

beforeAll(async () => {
  await agent('claude-1');
  await agent('codex-1', { type: 'CODEX' });
  const moved = await session('claude-1', { title: 'Add rate limits' });
  movedId = encodeId('session', moved);
  await turn(moved, { messages: [{ role: 'USER', content: 'Add limits, please' }, { role: 'ASSISTANT', content: 'Half of it is done.' }] });
  await reassign(moved, { agentId: 'codex-1', reason: 'Go' });
  await session('claude-1', { title: 'Not for codex' });
  await session(null, { title: 'Nobody has it', agentType: 'GEMINI', queue: true });
  // Only the dashboard's own operations are answered: so it needs no others.
  server = await startServer({ databaseUrl: db.url, env: { BATON_ADMIN_KEY: adminKey, BATON_PERSISTED_ONLY: '0' } });
  const api = client(server.url, { key: adminKey });
  for (const [name, role, agentId] of [['AGENT', 'AGENT', 'codex-1'], ['SOURCE', 'AGENT', 'claude-1'], ['ANALYST', 'ANALYST', null], ['OPERATOR', 'OPERATOR', null]] as const) {
    const { data } = await api.post<{ createKey: { secret: string } }>(
      'mutation ($role: Role!, $agentId: ID) { createKey(input: { role: $role, agentId: $agentId, name: "for a test" }) { ... on CreateKeyPayload { secret } } }',
      { role, agentId },
    );
    keys[name] = data.createKey.secret;
  }
  await server.kill();
  server = await startServer({ databaseUrl: db.url, env: { BATON_ADMIN_KEY: adminKey, BATON_PERSISTED_ONLY: '1' } });
  ({ visit } = await openBrowser(server.url));
}, 300_000);

async function signIn(path: string, key: string): Promise<Visit> {
  const visited = await visit(path);
  await visited.page.getByLabel('Key').fill(key);
  await visited.page.getByRole('button', { name: 'Sign in' }).click();
  return visited;
}

describe('the dashboard of a server with keys', () => {
  it('asks for a key, reports a wrong one, and keeps the right one for this tab only', async () => {
    const { page, faults } = await signIn('/', 'not-a-key');
    await page.getByRole('alert').getByText('This key was not accepted').waitFor();
    await look(page, 'sign-in');
    await page.getByLabel('Key').fill(adminKey);
    await page.keyboard.press('Enter');
    await page.getByText('Add rate limits').waitFor();
    await page.getByText('admin', { exact: true }).waitFor();
    // It lasts over a reload, and stands nowhere else.
    await page.reload();
    await page.getByText('Add rate limits').waitFor();
    expect(await page.evaluate(() => [JSON.stringify(localStorage), document.cookie, location.href].join())).not.toContain(adminKey);
    const other = await page.context().newPage();
    await other.goto(server.url);
    await other.getByRole('heading', { name: 'Sign in to Baton' }).waitFor();
    expect(faults).toEqual([]);
  }, 120_000);

  it('forgets the key on sign-out', async () => {
    const { page } = await signIn('/agents', keys['OPERATOR']!);
    await page.getByText('operator', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Baton' }).waitFor();
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(keys['OPERATOR']);
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in to Baton' }).waitFor();
  }, 60_000);

  it('puts the key into no URL', async () => {
    const { page } = await visit('/');
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    page.on('websocket', (socket) => addresses.push(socket.url()));
    await page.getByLabel('Key').fill(keys['OPERATOR']!);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Add rate limits').waitFor();
    expect(addresses.length).toBeGreaterThan(0);
    expect(addresses.join()).not.toContain(keys['OPERATOR']);
  }, 60_000);

  it('offers an operator every action', async () => {
    const { page } = await signIn('/', keys['OPERATOR']!);
    await page.getByRole('button', { name: 'Reassign "Not for codex"' }).waitFor();
    await page.locator('[data-live="live"]').waitFor();
    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await page.getByRole('group', { name: 'Status of claude-1' }).waitFor();
  }, 60_000);

  it('shows an analyst everything and offers no change', async () => {
    const { page } = await signIn('/', keys['ANALYST']!);
    await page.getByText('Not for codex').waitFor();
    expect(await page.getByRole('button', { name: /Reassign/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    await page.getByText('1 given').waitFor();
    expect(await page.getByRole('group', { name: /^Status of/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Queue' }).click();
    await page.getByText('an agent of type GEMINI').waitFor();
    expect(await page.getByLabel('Priority of Nobody has it').count()).toBe(0);
    await signIn('/pipelines/_new', keys['ANALYST']!).then((other) => other.page.getByText('Operators define pipelines.').waitFor());
  }, 60_000);

  it('shows an agent its own records and the other agents', async () => {
    const { page, faults } = await signIn('/', keys['AGENT']!);
    await page.getByText('Add rate limits').waitFor();
    await page.getByText('1 of 1 sessions').waitFor();
    await page.locator('[data-live="live"]').waitFor();
    expect(await page.getByText('Not for codex').count()).toBe(0);
    expect(await page.getByRole('button', { name: /Reassign/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await page.getByText('2 of 2 agents').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await page.getByRole('link', { name: /^Inbox of/ }).count()).toBe(1);
    await page.getByRole('link', { name: 'Inbox of codex-1' }).click();
    await expect.poll(() => page.getByRole('button', { name: /Accept/ }).count(), patiently).toBe(1);
    expect(faults).toEqual([]);
  }, 60_000);

  const offers: [role: string, who: string, acts: { decide: boolean; reassign: boolean }][] = [
    ['AGENT', 'the target', { decide: true, reassign: false }],
    ['SOURCE', 'the source', { decide: false, reassign: false }],
    ['ANALYST', 'an analyst', { decide: false, reassign: false }],
    ['OPERATOR', 'an operator', { decide: true, reassign: true }],
  ];
  it.each(offers)('offers on each page the actions of %s, %s, without an error', async (role, _who, { decide, reassign: mayReassign }) => {
    const { page, faults } = await signIn('/', keys[role]!);
    await page.getByText('Add rate limits').waitFor();
    const refused: string[] = [];
    page.on('response', (response) => {
      const note = (text: string) => void (text.includes('"errors"') && refused.push(text.slice(0, 300)));
      if (response.url().endsWith('/graphql')) void response.text().then(note, () => undefined);
    });
    const offered = async () => ({
      decide: (await page.getByRole('button', { name: 'Accept "Add rate limits"' }).count()) > 0,
      reject: (await page.getByRole('button', { name: 'Reject "Add rate limits"' }).count()) > 0,
      reassign: (await page.getByRole('button', { name: 'Reassign' }).count()) > 0,
    });

    // The session, with all that was said and passed on.
    await page.getByRole('link', { name: 'Add rate limits', exact: true }).click();
    await page.getByText('Half of it is done.').waitFor();
    await page.getByText('Not accepted yet', { exact: true }).first().waitFor();
    expect(await offered()).toEqual({ decide, reject: decide, reassign: mayReassign });
    await page.getByRole('button', { name: 'Context prompt' }).click();
    await page.getByLabel('Context prompt', { exact: true }).getByText('Half of it is done.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: /^Snapshots/ }).click();
    await page.getByRole('table').getByText('Handoff started').waitFor();
    await page.getByRole('link', { name: /^Handoffs ?1/ }).click();
    await page.getByRole('button', { name: 'Context of handoff 1' }).click();

    // The handoff.
    await page.getByRole('link', { name: 'Open', exact: true }).click();
    await page.getByRole('region', { name: 'Context', exact: true }).waitFor();
    expect(await offered()).toEqual({ decide, reject: decide, reassign: false });

    // The inbox: an agent sees its own first, people see every agent's.
    await page.getByRole('link', { name: 'Inbox', exact: true }).click();
    if (role === 'SOURCE') await page.getByText('Every handoff to claude-1 was answered.').waitFor();
    else await page.getByRole('heading', { name: 'Add rate limits' }).waitFor();
    expect(await offered()).toEqual({ decide, reject: decide, reassign: false });
    const isAgent = role === 'AGENT' || role === 'SOURCE';
    expect(await page.getByRole('combobox', { name: 'Agent' }).count()).toBe(isAgent ? 0 : 1);

    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await page.getByText('2 of 2 agents').waitFor();
    expect(await page.getByRole('group', { name: /^Status of/ }).count()).toBe(mayReassign ? 2 : 0);
    // An agent's page: all of it is for people and for the agent itself.
    await page.getByRole('link', { name: 'codex-1', exact: true }).click();
    await page.getByRole('heading', { name: 'codex-1', level: 1 }).waitFor();
    await (role === 'SOURCE' ? page.getByText('of itself only.') : page.getByText('Its model gets no handoff tool.')).waitFor();
    await page.getByRole('link', { name: 'Tools', exact: true }).click();
    await page.getByText('There are no handoff tools yet.').waitFor();
    expect(await page.getByRole('link', { name: 'New tool' }).count()).toBe(mayReassign ? 1 : 0);
    await page.getByRole('link', { name: 'Handoffs', exact: true }).click();
    await page.getByText('1 of 1 handoffs').waitFor();
    await page.getByRole('link', { name: 'Graph', exact: true }).click();
    await page.getByRole('link', { name: /^1 handoff from claude-1 to codex-1/ }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(refused).toEqual([]);
    expect(faults).toEqual([]);
  }, 120_000);

  it('shows a message instead of an empty inbox that the agent may not read', async () => {
    const { page } = await signIn('/inbox/claude-1', keys['AGENT']!);
    await page.getByText('Your key may not read this inbox.').waitFor();
  }, 60_000);

  it('lets an agent accept its handoff', async () => {
    const { page, faults } = await signIn(`/sessions/${movedId}`, keys['AGENT']!);
    await page.getByRole('button', { name: 'Accept "Add rate limits"' }).click();
    await page.getByText('Active', { exact: true }).first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(faults).toEqual([]);
  }, 60_000);
});
