import type { BrowserContextOptions } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { seed } from '../../prisma/seed.ts';
import { silentLog } from '../../server/infra/log.ts';
import { chooseAgent, look, openBrowser, patiently, type Visit } from '../../test/browser.ts';
import { testDatabase } from '../../test/database.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';
import { place, smooth } from './layout.ts';
import { mostly } from './outcomes.ts';

const db = await testDatabase();
await seed({ pool: db.pool, log: silentLog });
const agents = await db.prisma.agent.count();
const { url } = await startApp(db);

let visit: (path: string, options?: BrowserContextOptions) => Promise<Visit>;
let go: (path: string) => Promise<Visit>;

beforeAll(async () => {
  ({ visit, go } = await openBrowser(url));
}, 300_000);

describe('the graph page', () => {
  it('draws who hands off to whom, and says the same in a table', async () => {
    const { page, faults } = await go('/graph');
    await page
      .getByRole('link', { name: '2 handoffs from claude-1 to codex-1: 2 rejected, failed or timed out' })
      .waitFor();
    await page.getByRole('link', { name: '1 handoff from reviewer-1 to claude-1: 1 waiting' }).waitFor();
    const rows = await page
      .getByRole('table', { name: 'Handoffs between agents, the most frequent pair first' })
      .getByRole('row')
      .allTextContents();
    expect(rows.find((text) => /claude-1.*codex-1.*2/.test(text))).toMatch(
      /Rejected.*1.*Timed out.*1|Timed out.*1.*Rejected.*1/,
    );
    expect(rows.length).toBeGreaterThan(3);
    // How well and how fast each pair works: on the line, in its name, and in the table.
    await page
      .getByRole('link', {
        name: /claude-1 to codex-1: 2 rejected, failed or timed out\. 0 % of the closed ones completed; 2 soon back at the source$/,
      })
      .waitFor();
    await page
      .getByText('Below a number: completed of closed handoffs, and the median time until acceptance.')
      .waitFor();
    await page.locator('.react-flow__edgelabel-renderer').getByText('0 %', { exact: true }).first().waitFor();
    expect(rows.find((text) => /claude-1.*codex-1.*2/.test(text))).toMatch(/0 %2never/);
    expect(rows.find((text) => /reviewer-1.*claude-1/.test(text))).toMatch(/none closed0never/);
    await page.getByRole('button', { name: 'Fit View' }).waitFor();
    await look(page, 'graph');
    expect(faults).toEqual([]);
  }, 120_000);

  it('leads from a number, by keyboard, and from a line to the list of those handoffs', async () => {
    const { page } = await go('/graph?after=2020-01-01T00:00:00.000Z');
    const number = page.getByRole('link', { name: /^2 handoffs from claude-1 to codex-1/ });
    await number.focus();
    await page.keyboard.press('Enter');
    const wanted = { source: 'claude-1', target: 'codex-1', after: '2020-01-01T00:00:00.000Z' };
    await expect
      .poll(() => [new URL(page.url()).pathname, Object.fromEntries(new URL(page.url()).searchParams)], patiently)
      .toEqual(['/handoffs', wanted]);
    // The list tells why each was given, and why it ended.
    const reason = page.getByRole('cell', { name: /The deployment script is Go/ });
    await expect.poll(() => reason.textContent(), patiently).toContain('It ended: The script is generated');
    await page.goBack();
    await number.waitFor();
    await page
      .locator('.react-flow__edge', { has: page.locator('marker[id="arrow-claude-1>codex-1"]') })
      .locator('g')
      .dispatchEvent('click');
    await expect.poll(() => Object.fromEntries(new URL(page.url()).searchParams), patiently).toEqual(wanted);
  }, 120_000);

  it('shows on each line the shares that failed, and the most frequent reasons on focus and on hover', async () => {
    const { page, faults } = await go('/graph');
    const number = page.getByRole('link', { name: /^2 handoffs from claude-1 to codex-1/ });
    await number.waitFor();
    const line = page.locator('.react-flow__edgelabel-renderer');
    await expect.poll(() => line.textContent(), patiently).toMatch(/50 %50 %100 %/);
    const story = page.getByRole('tooltip');
    await number.focus();
    await story.getByText('50 % declined, 50 % timed out, 100 % soon back at the source').first().waitFor();
    await story
      .getByText('Rejected: The script is generated; change its template in deploy/, which is')
      .first()
      .waitFor();
    await story.getByText('Timed out: not accepted in time').first().waitFor();
    await page.keyboard.press('Escape');
    await story.waitFor({ state: 'detached' });
    await number.blur();
    // What was given back says why, at the line by which it came.
    await page.getByRole('link', { name: /handoffs? from claude-1 to reviewer-1/ }).hover();
    await story.getByText('Sent back: Retry-After must be in seconds').first().waitFor();
    await look(page, 'graph-reasons');
    await page.mouse.move(0, 0);
    expect(faults).toEqual([]);
  }, 120_000);

  it('filters by agent and by time, and the address keeps it', async () => {
    const { page } = await go('/graph');
    await chooseAgent(page, 'codex-1');
    await expect
      .poll(() => page.getByRole('link', { name: /handoffs? from claude-1 to reviewer-1/ }).count(), patiently)
      .toBe(0);
    await page.getByRole('link', { name: /^2 handoffs from claude-1 to codex-1/ }).waitFor();
    expect(new URL(page.url()).search).toBe('?agent=codex-1');
    await page.getByLabel('Before').fill('2020-01-01T00:00');
    await page.getByText('No handoff matches.').waitFor();
    expect(new URL(page.url()).searchParams.get('before')).toMatch(/^20(19|20)-/);
    await page.getByRole('button', { name: 'Last hour' }).click();
    await page.getByRole('link', { name: /^2 handoffs from claude-1 to codex-1/ }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: /^2 handoffs from claude-1 to codex-1/ }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Agent' }).inputValue()).toBe('codex-1');
    await page.locator('.react-flow__node', { hasText: 'codex-1' }).getByRole('link').click();
    await page.getByRole('link', { name: /handoffs? from claude-1 to reviewer-1/ }).waitFor();
  }, 120_000);

  it('says so when its part of the program does not arrive, and is there when it is asked for again', async () => {
    const { page } = await visit('/agents');
    await page.route('**/assets/GraphPage*.js', (route) => route.abort());
    await page.getByRole('link', { name: 'Graph', exact: true }).click();
    await page.getByRole('heading', { name: 'This page could not be shown' }).waitFor();
    // The other pages are as they were.
    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await page.getByText(`${agents} of ${agents} agents`).waitFor();
    await page.getByRole('link', { name: 'Graph', exact: true }).click();
    await page.unroute('**/assets/GraphPage*.js');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: /^2 handoffs from claude-1 to codex-1/ }).waitFor();
  }, 120_000);

  it('stands upright on a narrow screen', async () => {
    const { page } = await visit('/graph', { viewport: { width: 390, height: 844 } });
    const top = (id: string) =>
      page.locator(`.react-flow__node[data-id="${id}"]`).evaluate((node) => node.getBoundingClientRect().top);
    await page.locator('.react-flow__node[data-id="codex-1"]').waitFor();
    expect(await top('codex-1')).toBeGreaterThan((await top('claude-1')) + 20);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await look(page, 'graph-narrow');
  }, 120_000);
});

describe('the number of handoffs', () => {
  it('filters by project, and leads to the handoffs of that project', async () => {
    const { agent, session, reassign } = world(db.pool);
    for (const id of ['clerk-1', 'clerk-2']) await agent(id);
    for (const project of ['shop', 'bank'])
      await reassign(await session('clerk-1', { title: `Of the ${project}`, project }), { agentId: 'clerk-2' });
    const { page, faults } = await go('/graph?agent=clerk-1');
    await page.getByRole('link', { name: '2 handoffs from clerk-1 to clerk-2: 2 waiting' }).waitFor();
    await page.getByRole('searchbox', { name: 'Project' }).fill('shop');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: '1 handoff from clerk-1 to clerk-2: 1 waiting' }).click();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      source: 'clerk-1',
      target: 'clerk-2',
      project: 'shop',
    });
    await page.getByRole('link', { name: 'Of the shop' }).waitFor();
    expect(await page.getByRole('link', { name: 'Of the bank' }).count()).toBe(0);
    expect(faults).toEqual([]);
  }, 120_000);

  it('is that of the list, and names those without a source agent', async () => {
    const { agent, session, reassign } = world(db.pool);
    await agent('lone-1');
    await agent('lone-2');
    const id = await session(null, { title: 'Nobody had it' });
    await reassign(id, { agentId: 'lone-1' });
    const { page } = await go('/graph?agent=lone-1');
    await page.getByText('1 handoff: 1 from no agent, because the session was unassigned').waitFor();
    await reassign(await session('lone-1', { title: 'lone-1 had it' }), { agentId: 'lone-2' });
    await page
      .getByText('2 handoffs: 1 between 2 agents, 1 from no agent, because the session was unassigned')
      .waitFor();
  }, 60_000);
});

describe('the layout', () => {
  const pairs = [
    { source: 'a', target: 'b' },
    { source: 'b', target: 'a' },
    { source: 'b', target: 'c' },
  ];

  it('puts agents into layers that do not overlap, and two ways between the same agents beside each other', () => {
    const { nodes, edges } = place(['a', 'b', 'c'], pairs, false);
    const xs = ['a', 'b', 'c'].map((id) => nodes.get(id)!.x);
    expect(xs[1]! - xs[0]!).toBeGreaterThan(168);
    expect(xs[2]! - xs[1]!).toBeGreaterThan(168);
    expect(Math.abs(edges.get('a>b')!.label.y - edges.get('b>a')!.label.y)).toBeGreaterThan(20);
  });

  it('draws a line through every point', () => {
    expect(smooth([])).toBe('');
    const path = smooth([
      { x: 0, y: 0 },
      { x: 10, y: 20 },
      { x: 30, y: 0 },
    ]);
    expect(path.startsWith('M0 0')).toBe(true);
    expect(path).toContain(' 10 20C');
    expect(path.endsWith(' 30 0')).toBe(true);
  });

  it('colours a pair by what became of most of its handoffs', () => {
    const edge = { source: { id: 'a' }, target: { id: 'b' }, count: 5, bouncedBack: 0 };
    expect(
      mostly({
        ...edge,
        byStatus: [
          { status: 'COMPLETED', count: 2 },
          { status: 'REJECTED', count: 2 },
          { status: 'TIMED_OUT', count: 1 },
        ],
      }).name,
    ).toBe('declined');
    expect(
      mostly({
        ...edge,
        byStatus: [
          { status: 'COMPLETED', count: 1 },
          { status: 'ACCEPTED', count: 1 },
          { status: 'CANCELLED', count: 1 },
        ],
      }).name,
    ).toBe('taken');
  });
});
