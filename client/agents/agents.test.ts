import { beforeAll, describe, expect, it } from 'vitest';
import { look, openBrowser, patiently, turnTo, type Visit } from '../../test/browser.ts';
import { encodeId } from '../../server/core/ids.ts';
import { archiveAgent } from '../../server/work/agents/archiveAgent.ts';
import { testDatabase } from '../../test/database.ts';
import { client } from '../../test/graphql.ts';
import { startApp } from '../../test/server.ts';
import { agentCaller, world } from '../../test/world.ts';

const db = await testDatabase();
const { url, streams } = await startApp(db);
const { agent, session, reassign, run } = world(db.pool);
const api = client(url);

let visit: (path: string) => Promise<Visit>;
let go: (path: string) => Promise<Visit>;

beforeAll(async () => {
  await agent('claude-1');
  await agent('claude-2', { maxCapacity: 1 });
  await agent('codex-1', { type: 'CODEX' });
  await agent('hub-1');
  await session('claude-2', { title: 'Takes all of claude-2' });
  const moved = await session('claude-1', { title: 'Passed on' });
  await reassign(moved, { agentId: 'codex-1', reason: 'The rest is Go' });
  ({ visit, go } = await openBrowser(url));
}, 300_000);

const card = (page: Visit['page'], id: string) => page.locator(`[data-agent="${id}"]`);
const statusOf = async (id: string): Promise<unknown> =>
  (await api.post<{ agent: object }>('query ($id: ID!) { agent(id: $id) { administrativeStatus } }', { id })).data
    .agent;

describe('the page of agents', () => {
  it('shows load and handoffs of each agent', async () => {
    const { page, faults } = await go('/agents');
    // It takes work, and has no room for it: both are said.
    await card(page, 'claude-2').locator('button[aria-pressed="true"]', { hasText: 'Available' }).waitFor();
    await card(page, 'claude-2').getByText('Busy').waitFor();
    expect(await card(page, 'claude-1').getByText('Busy').count()).toBe(0);
    await card(page, 'claude-2').getByText('1 of 1').waitFor();
    await card(page, 'claude-1').getByRole('link', { name: '1 given' }).waitFor();
    await card(page, 'codex-1').getByRole('link', { name: '1 received' }).click();
    await expect.poll(() => page.url(), patiently).toBe(`${url}/handoffs?target=codex-1`);
    await page.getByText('1 of 1 handoff').waitFor();
    await page.getByRole('cell', { name: 'The rest is Go' }).waitFor();
    await look(page, 'handoffs');
    await page.goBack();
    await card(page, 'claude-1').waitFor();
    await look(page, 'agents');
    expect(faults).toEqual([]);
  }, 120_000);

  it('is searched, sorted and grouped as a whole, and its address keeps that', async () => {
    for (let n = 0; n < 120; n += 1) await agent(`many-${n}`, { type: n % 2 ? 'GEMINI' : 'CODEX', maxCapacity: 4 });
    await agent('zoe', { maxCapacity: 4 });
    for (const title of ['one', 'two', 'three'])
      await reassign(await session('claude-1', { title }), { agentId: 'zoe' });
    const { page, faults } = await go('/agents');
    const ids = () => page.locator('[data-agent]').evaluateAll((rows) => rows.map((row) => row.dataset['agent']));
    const count = 125;
    await expect.poll(async () => (await ids()).length, patiently).toBe(count);
    const head = (name: string) => page.getByRole('columnheader', { name });
    await expect
      .poll(
        () =>
          card(page, 'zoe')
            .getByRole('link', { name: /inbox of zoe/ })
            .textContent(),
        patiently,
      )
      .toMatch(/^3/);
    await head('Waiting').getByRole('button').click();
    await expect.poll(async () => (await ids())[0], patiently).toBe('zoe');
    expect(await head('Waiting').getAttribute('aria-sort')).toBe('descending');
    await head('Load').getByRole('button').click();
    await expect.poll(async () => (await ids()).slice(0, 2), patiently).toEqual(['claude-2', 'zoe']);

    await page.getByLabel('Groups').selectOption('By type');
    await page.getByRole('rowheader', { name: 'GEMINI (60)' }).waitFor();
    await page.getByLabel('Search the agents').fill('many codex');
    await expect.poll(async () => (await ids()).length, patiently).toBe(60);
    await expect.poll(() => page.url(), patiently).toBe(`${url}/agents?text=many+codex&sort=-load&group=type`);
    await look(page, 'agents-grouped');
    await page.reload();
    await expect.poll(async () => (await ids()).length, patiently).toBe(60);
    await page.getByLabel('Search the agents').fill('nobody has this name');
    await page.getByText('No agent matches.').waitFor();
    expect(faults).toEqual([]);
    for (let n = 0; n < 120; n += 1) await run(archiveAgent, { id: `many-${n}` });
  }, 120_000);

  it('sets an agent available, draining and offline in every open browser', async () => {
    const [{ page, faults }, { page: other }] = await Promise.all([go('/agents'), visit('/agents')]);
    await other.locator('[data-live="live"]').waitFor();
    const choose = (word: string) =>
      page.getByRole('group', { name: 'Status of codex-1' }).getByRole('button', { name: word }).click();
    for (const [word, status] of [
      ['Draining', 'DRAINING'],
      ['Offline', 'OFFLINE'],
      ['Available', 'AVAILABLE'],
    ] as const) {
      await choose(word);
      await expect.poll(() => statusOf('codex-1'), patiently).toEqual({ administrativeStatus: status });
      for (const each of [page, other])
        await card(each, 'codex-1').locator('button[aria-pressed="true"]', { hasText: word }).waitFor();
    }
    expect(faults).toEqual([]);
  }, 90_000);

  it('shows the former status again when the server does not answer', async () => {
    const { page } = await visit('/agents');
    await card(page, 'claude-1').waitFor();
    await page.context().setOffline(true);
    await page.getByRole('group', { name: 'Status of claude-1' }).getByRole('button', { name: 'Offline' }).click();
    await card(page, 'claude-1').getByText('Baton did not answer').waitFor();
    await card(page, 'claude-1').locator('button[aria-pressed="true"]', { hasText: 'Available' }).waitFor();
    expect(await statusOf('claude-1')).toEqual({ administrativeStatus: 'AVAILABLE' });
  }, 60_000);

  it('shows which agents are connected, and when the others were last seen', async () => {
    const { page, faults } = await go('/agents');
    // As when the tab is chosen again: the page reads at once, otherwise every 10 seconds.
    const chosen = () => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    const shown = (words: string) =>
      expect.poll(async () => (await chosen(), card(page, 'hub-1').getByText(words).count()), patiently).toBe(1);
    await card(page, 'hub-1').getByText('Never seen').waitFor();
    await card(page, 'claude-2').getByText('Never seen').waitFor();
    const stream = await streams.open({
      key: { kind: 'inbox', agentId: 'hub-1' },
      caller: agentCaller('hub-1'),
      after: null,
      accepts: () => true,
    });
    await shown('Connected');
    await card(page, 'claude-2').getByText('Never seen').waitFor();
    const { page: own } = await visit('/agents/hub-1');
    await own.locator('main').getByText('Connected').waitFor();
    await stream.return();
    await shown('Last seen');
    expect(faults).toEqual([]);
  }, 90_000);

  it('updates its counts when a handoff begins, and fits on a narrow screen', async () => {
    const { page } = await visit('/agents');
    await page.locator('[data-live="live"]').waitFor();
    await card(page, 'claude-1').getByRole('link', { name: /given/ }).waitFor();
    const before = await card(page, 'claude-1').getByRole('link', { name: /given/ }).textContent();
    const id = await session('claude-1', { title: 'Another one' });
    await reassign(id, { agentId: 'codex-1' });
    await expect
      .poll(() => card(page, 'claude-1').getByRole('link', { name: /given/ }).textContent(), patiently)
      .not.toBe(before);
    await card(page, 'codex-1').getByText('2 of 5').waitFor();

    await page.setViewportSize({ width: 390, height: 844 });
    await card(page, 'codex-1').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    await look(page, 'agents-narrow');
    await turnTo(page, '/handoffs?target=nobody-1');
    await page
      .getByText(/No handoff matches|no agent/i)
      .first()
      .waitFor();
  }, 90_000);

  it('leads to the page of an agent, with its definition, prompt, collaborations and tools', async () => {
    const file = 'Reads $WHAT on branch ${BRANCH} for $AGENT_ID.\n\nCollaborations: codex-1';
    const { data } = await api.post<{ importAgents: { report: { problems: object[] } } }>(
      'mutation ($files: [AgentDefinitionFile!]!) { importAgents(input: { files: $files, defaultType: "CLAUDE" }) { ... on ImportAgentsPayload { report { problems { message } } } } }',
      {
        files: [
          {
            path: 'agents/reader-1.md',
            content: `---\nname: reader-1\ndescription: Reads.\ntools: Read, Grep\nmodel: opus\ncontextWindow: 200000\n---\n${file}`,
          },
        ],
      },
    );
    expect(data.importAgents.report.problems).toEqual([]);
    const { page, faults } = await go('/agents');
    await card(page, 'reader-1').getByRole('link', { name: 'reader-1', exact: true }).click();
    await expect.poll(() => page.url(), patiently).toBe(`${url}/agents/reader-1`);
    const definition = page.getByRole('region', { name: 'Definition', exact: true });
    await definition.getByText('agents/reader-1.md').waitFor();
    await definition.getByText('Read, Grep').waitFor();
    await page.getByText('opus · window of 200,000 tokens').waitFor();
    expect(await definition.textContent()).toMatch(/[0-9a-f]{64}/);
    await page.getByText('It holds no session.').waitFor();

    // What is missing is marked, and is a field; what the text does not mention is named.
    await page.getByText('Missing: WHAT, BRANCH.').waitFor();
    expect(await page.locator('mark').allTextContents()).toEqual(['$WHAT', '${BRANCH}']);
    await look(page, 'agent');
    const values = page.getByRole('form', { name: 'Values of the prompt' });
    await values.getByLabel('WHAT').fill('changes');
    await values.getByLabel('Another variable').fill('OTHER');
    await values.getByRole('button', { name: 'Add' }).click();
    await values.getByLabel('OTHER', { exact: true }).fill('1');
    await values.getByRole('button', { name: 'Fill in' }).click();
    await page.getByText('Missing: BRANCH. Not in the text: OTHER.').waitFor();
    expect(await page.getByRole('region', { name: 'The prompt' }).textContent()).toContain(
      'Reads changes on branch ${BRANCH} for reader-1.',
    );

    await page
      .getByRole('list', { name: 'reader-1 may hand off to' })
      .getByRole('link', { name: 'transfer_to_codex-1' })
      .waitFor();
    await page.getByRole('button', { name: 'MCP' }).click();
    const tools = page.getByRole('region', { name: 'Definitions for MCP' });
    await tools.getByText('inputSchema').waitFor();
    expect((JSON.parse((await tools.textContent())!) as { name: string }[]).map(({ name }) => name)).toEqual([
      'transfer_to_codex-1',
    ]);

    // A person approves them from now on; the rest of the collaboration stays.
    const kept = () =>
      db.prisma.agentCollaborator.findFirstOrThrow({
        where: { agentId: 'reader-1' },
        select: { when: true, instructions: true, carry: true, position: true },
      });
    const before = await kept();
    await page.getByLabel('A person approves each handoff to codex-1').check();
    await expect
      .poll(
        async () => (await db.prisma.agentCollaborator.findFirstOrThrow({ where: { agentId: 'reader-1' } })).approval,
        patiently,
      )
      .toBe('REQUIRED');
    expect(await kept()).toEqual(before);
    await look(page, 'agent-approval');

    // From the other end of the collaboration.
    await page.getByRole('link', { name: 'codex-1', exact: true }).click();
    const sources = page.getByRole('list', { name: 'May hand off to codex-1' });
    await sources.getByRole('link', { name: 'reader-1' }).waitFor();
    await sources.getByText('A person approves each handoff.').waitFor();
    await go('/agents/nobody-1');
    await page.getByText('There is no such agent.').waitFor();
    expect(faults).toEqual([]);
  }, 120_000);

  it('keeps the tools and collaborations of an agent current, leaves out full targets when asked, and counts what it does not list', async () => {
    const sources = Array.from({ length: 27 }, (_, n) => `source-${n}`);
    for (const id of sources) await agent(id, { collaborators: ['hub-1'] });
    const { page, faults } = await go('/agents/hub-1');
    await page.locator('[data-live="live"]').waitFor();
    await page.getByText('Its model gets no handoff tool').waitFor();
    const paths = page.getByRole('region', { name: 'Its paths' });
    await paths.getByText('None of its handoffs is closed yet.').waitFor();
    const { handoffId } = await reassign(await session('claude-1', { title: 'Rejected by the hub' }), {
      agentId: 'hub-1',
    });
    await api.post('mutation ($id: ID!) { rejectHandoff(input: { handoffId: $id, reason: "no" }) { __typename } }', {
      id: encodeId('handoff', handoffId!),
    });
    await paths
      .getByRole('list', { name: 'Worst' })
      .getByText('1 closed: 0 % of the closed ones completed; 1 soon back at the source')
      .waitFor();
    expect(await paths.getByRole('link', { name: 'claude-1 to hub-1' }).getAttribute('href')).toBe(
      '/handoffs?source=claude-1&target=hub-1',
    );
    expect(await page.getByRole('link', { name: 'and 2 more tools' }).getAttribute('href')).toBe('/tools?target=hub-1');

    await api.post(
      'mutation { updateAgent(input: { id: "hub-1", collaborators: ["claude-2", "codex-1"] }) { __typename } }',
    );
    const out = page.getByRole('list', { name: 'hub-1 may hand off to' });
    await out.getByRole('link', { name: 'transfer_to_codex-1' }).waitFor();
    const tools = page.getByRole('region', { name: 'Definitions for Anthropic' });
    const names = async () => (JSON.parse((await tools.textContent())!) as { name: string }[]).map(({ name }) => name);
    await tools.getByText('transfer_to_claude-2').first().waitFor();
    expect(await names()).toEqual(['transfer_to_claude-2', 'transfer_to_codex-1']);
    // claude-2 is full.
    await page.getByLabel('Only targets with a free place').check();
    await expect.poll(names, patiently).toEqual(['transfer_to_codex-1']);
    expect(faults).toEqual([]);
  }, 120_000);
});
