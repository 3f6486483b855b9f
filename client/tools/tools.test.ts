import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { seed } from '../../prisma/seed.ts';
import { silentLog } from '../../server/infra/log.ts';
import { chooseAgent, look, openBrowser, patiently, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { client } from '../../test/graphql.ts';
import { startApp } from '../../test/server.ts';

const db = await testDatabase();
await seed({ pool: db.pool, log: silentLog });
const { url } = await startApp(db);
const { post } = client(url);
/** Of the demonstration, and of nothing. */
const [session, nothing] = ['session_01kc000000e00800000000002y', 'session_01kc000000e0080000000zzzzz'];

let visit: (path: string, options?: object) => Promise<Visit>;
let go: (path: string) => Promise<Visit>;
beforeAll(async () => {
  ({ visit, go } = await openBrowser(url));
}, 300_000);

interface Definition {
  name: string;
}
const definitionOf = async (agentId: string, format: string, name: string): Promise<unknown> => {
  const { data } = await post<{ agent: { handoffToolDefinitions: Definition[] } }>(
    `{ agent(id: "${agentId}") { handoffToolDefinitions(format: ${format}) } }`,
  );
  return data.agent.handoffToolDefinitions.find(
    (each) => each.name === name || (each as unknown as { function?: Definition }).function?.name === name,
  );
};
const formats = {
  Anthropic: 'ANTHROPIC',
  'OpenAI Chat': 'OPENAI_CHAT',
  'OpenAI Responses': 'OPENAI_RESPONSES',
  MCP: 'MCP',
};
const shown = async (page: Page, word: string): Promise<unknown> =>
  JSON.parse((await page.getByRole('region', { name: `Definition for ${word}` }).textContent())!);

describe('the list of tools', () => {
  it('filters by agent, target, kind and archive, and the address keeps the filters', async () => {
    const { page, faults } = await go('/tools');
    await page.getByText('10 of 10 tools').waitFor();
    await look(page, 'tools');
    await chooseAgent(page, 'codex-1', 'Offered to');
    await page.getByText('3 of 3 tools').waitFor();
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('defined');
    await page.getByText('1 of 1 tool').waitFor();
    expect(new URL(page.url()).search).toBe('?agent=codex-1&kind=defined');
    await page.reload();
    await page.getByText('1 of 1 tool').waitFor();
    await chooseAgent(page, 'claude-1', 'Target');
    await page.getByText('No tool fits.').waitFor();
    expect(faults).toEqual([]);
  }, 120_000);
});

describe('the form of a tool', () => {
  it('shows the definition that the model will get, puts each error at its field, saves, edits and archives', async () => {
    const { page, faults } = await go('/tools');
    await page.getByRole('link', { name: 'New tool' }).click();
    await page.getByLabel('Name', { exact: true }).fill('ask_for_security_review');
    await page.getByLabel('Description').fill('Call it when a test fails now and then. 测试 🙂');
    await chooseAgent(page, 'reviewer-1', 'Hands off to');
    await chooseAgent(page, 'claude-1', 'Offer it to another agent');
    await page.getByRole('list', { name: 'Offered to' }).getByText('claude-1').waitFor();
    await page.getByRole('button', { name: 'Add a variable' }).click();
    const first = page.getByRole('group', { name: 'Variable 1' });
    await first.getByLabel('Variable name').fill('runs');
    await first.getByLabel('Type').selectOption('Whole number');
    await first.getByLabel('Allowed values').fill('1\nmany');

    // Three errors of the server, each at its field, which gets the focus.
    const save = page.getByRole('button', { name: 'Create the tool' });
    await save.click();
    await first.getByText('is not an integer').waitFor();
    expect(await first.getByLabel('Allowed values').evaluate((field) => field === document.activeElement)).toBe(true);
    await look(page, 'tool-form');
    await first.getByLabel('Allowed values').fill('1\n2');
    await save.click();
    await page.getByText("Agent 'claude-1' has a tool 'ask_for_security_review'").waitFor();
    await page.getByLabel('Name', { exact: true }).fill('report_flaky_test');
    await chooseAgent(page, 'claude-1', 'Hands off to');
    await save.click();
    await page.getByText("contain the target 'claude-1' itself").waitFor();
    await chooseAgent(page, 'reviewer-1', 'Hands off to');
    const previews = [];
    for (const word of Object.keys(formats)) {
      await page.getByRole('button', { name: word }).click();
      previews.push(await shown(page, word));
    }
    await save.click();

    // Saved: what was shown is what the model gets.
    await page.getByRole('heading', { name: 'report_flaky_test' }).waitFor();
    // A handoff may be unread.
    expect(await page.title()).toMatch(/^(\(\d+\) )?report_flaky_test · Baton$/);
    const definitions = await Promise.all(
      Object.values(formats).map((format) => definitionOf('claude-1', format, 'report_flaky_test')),
    );
    expect(previews).toEqual(definitions);
    expect(await shown(page, 'Anthropic')).toEqual(definitions[0]);

    // By keyboard: another variable, moved to the front.
    await page.getByRole('link', { name: 'Edit' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Add a variable' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('test');
    await page.getByRole('button', { name: 'Move variable 2 up' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Pass on a part of the context only').check();
    await page.getByLabel('Messages', { exact: true }).selectOption('the newest messages');
    await page.getByLabel('How many').fill('90');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('input.carry.lastMessages').waitFor();
    await page.getByLabel('How many').fill('5');
    await page.getByLabel('Tasks').uncheck();
    await page.getByLabel('A person approves each handoff').check();
    await page.getByRole('button', { name: 'Save' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Edit' }).waitFor();
    expect(
      Object.keys(
        ((await definitionOf('claude-1', 'ANTHROPIC', 'report_flaky_test')) as { input_schema: { properties: object } })
          .input_schema.properties,
      ),
    ).toEqual(['test', 'runs', 'reason', 'summary']);

    await page.getByText('the newest 5 messages, tool calls, files, no tasks, decisions, all variables').waitFor();
    await page.getByText('A person approves each handoff.').waitFor();

    await page.getByRole('button', { name: 'Archive' }).click();
    const dialog = page.getByRole('dialog', { name: 'Archive report_flaky_test' });
    await dialog.getByRole('button', { name: 'Keep it' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Archive' }).click();
    await dialog.getByRole('button', { name: 'Archive' }).click();
    await page.getByText('Archived', { exact: true }).first().waitFor();
    expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0);
    expect(await definitionOf('claude-1', 'ANTHROPIC', 'report_flaky_test')).toBeUndefined();
    await go('/tools?archived=1&kind=defined');
    await page.getByRole('link', { name: 'report_flaky_test' }).waitFor();
    expect(faults).toEqual([]);
  }, 180_000);
});

describe('trying a tool', () => {
  it('shows the verdict of each rule and what the target would read, and writes nothing', async () => {
    const count = async () =>
      (
        await db.pool.query(
          'SELECT (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM handoffs) AS handoffs, (SELECT count(*) FROM messages) AS messages',
        )
      ).rows[0] as unknown;
    const before = await count();
    const { page, faults } = await go('/tools?kind=defined');
    await page.getByRole('link', { name: 'ask_for_security_review' }).click();
    await page.getByLabel('Called by').selectOption('codex-1');
    await page.getByLabel('Session', { exact: true }).selectOption('Fix the flaky login test');
    const send = page.getByRole('button', { name: 'Try it' });
    await send.click();
    await page.getByText('The call would be refused.').waitFor();
    await page.getByRole('list', { name: 'Verdicts' }).getByText('risk is required: give a value').waitFor();
    await page.getByLabel('risk (required)').selectOption('high');
    await page.getByLabel('files', { exact: true }).fill('[1');
    await send.click();
    await page.getByText('This is not JSON').waitFor();
    await page.getByLabel('files', { exact: true }).fill('["src/login.ts"]');
    await send.click();
    await page.getByText('The call would hand off.').waitFor();
    const verdicts = page.getByRole('list', { name: 'Verdicts' }).getByRole('listitem');
    await expect.poll(() => verdicts.count(), patiently).toBe(20);
    await expect.poll(() => verdicts.filter({ hasText: 'allows it' }).count(), patiently).toBe(20);
    const text = await page.getByRole('region', { name: 'The context, as the target reads it' }).textContent();
    for (const part of ['The login test fails once a day', 'src/login.ts', 'Look for missing checks first'])
      expect(text).toContain(part);
    await look(page, 'tool');
    // The address leads to the same tool and session.
    await page.reload();
    await page.getByRole('button', { name: 'Try it' }).waitFor();
    await expect.poll(() => page.getByLabel('Called by').count(), patiently).toBe(1);
    expect(new URL(page.url()).searchParams.get('session')).toMatch(/^session_/);
    expect(await count()).toEqual(before);
    expect(faults).toEqual([]);
  }, 120_000);

  it('shows the tool as somebody else changed it, and no result of arguments that were changed since', async () => {
    const { page, faults } = await visit('/tools?kind=defined');
    await page.getByRole('link', { name: 'ask_for_security_review' }).click();
    await page.locator('[data-live="live"]').waitFor();
    await page.getByLabel('Called by').selectOption('codex-1');
    await page.getByLabel('Session', { exact: true }).selectOption('Fix the flaky login test');
    await page.getByLabel('risk (required)').selectOption('high');
    const held: (() => void)[] = [];
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('"risk":"high"') === true)
        await new Promise<void>((release) => held.push(release));
      await route.continue();
    });
    const send = page.getByRole('button', { name: 'Try it' });
    await send.click();
    await expect.poll(() => held.length, patiently).toBe(1);
    await page.getByLabel('risk (required)').selectOption('');
    await send.click();
    await page.getByText('The call would be refused.').waitFor();
    const late = page.waitForResponse((response) => response.request().postData()?.includes('"risk":"high"') === true);
    held[0]!();
    await (await late).finished();
    await page.evaluate(() => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted))));
    expect(await page.getByText('The call would hand off.').count()).toBe(0);

    const { data } = await post<{ handoffTools: { nodes: { id: string; name: string; description: string }[] } }>(
      '{ handoffTools(where: { generated: false }) { nodes { id name description } } }',
    );
    const { id, description } = data.handoffTools.nodes.find(({ name }) => name === 'ask_for_security_review')!;
    const describe = (text: string) =>
      post('mutation ($input: UpdateHandoffToolInput!) { updateHandoffTool(input: $input) { __typename } }', {
        input: { toolId: id, description: text },
      });
    await describe('Said otherwise by somebody else.');
    await page.getByText('Said otherwise by somebody else.').first().waitFor();
    await describe(description);
    expect(faults).toEqual([]);
  }, 120_000);

  it('names an unknown session, an unknown tool, and shows no button for what is generated', async () => {
    const { page } = await go(`/tools/${session}`);
    await page.getByText('There is no such tool').waitFor();
    await go('/tools?agent=claude-1&target=codex-1');
    await page.getByRole('link', { name: 'transfer_to_codex-1' }).click();
    await page.getByText('It follows from a collaboration').waitFor();
    expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0);
    await page.getByLabel('Id of the session').fill(nothing);
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByText('There is no such session').waitFor();
    await go(`${new URL(page.url()).pathname}/edit`);
    await page.getByText('This tool is generated from a collaboration.').waitFor();
  }, 120_000);
});
